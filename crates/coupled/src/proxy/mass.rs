//! The proxy's mass in its destination's view: mass scale × the source's effective mass, as
//! the source's integrator lets it answer (`docs/theory/proxy-coupling.md` eq. (2), (2a), (22)), read every step, since an articulated
//! source's depends on its configuration, and written only when it changed.

use coact_math::Mat6;
use coact_model::{Model, ModelFlags, ModelView, Ownership};
use coact_solver::{Endpoint, MassBlock, Response};

use super::interface::{Interface, Source};
use super::validate::Plan;
use crate::Entry;
use crate::entries::{Entries, ViewSetup};

/// Puts proxies into the views while entries are built.
pub(super) struct ProxyViews<'a> {
    pub interface: Interface,
    pub plan: &'a Plan,
}

impl ViewSetup for ProxyViews<'_> {
    fn extend_ownership(&self, entry: usize, ownership: &mut Ownership) {
        for m in self.plan.mappings.iter().filter(|m| m.destination == entry) {
            ownership.proxy_bodies.extend(&m.proxy.bodies);
            ownership.proxy_particles.extend(&m.proxy.particles);
            ownership.proxy_joints.extend(&m.proxy.joints);
        }
    }

    fn edit_view(&mut self, entry: usize, view: &mut ModelView, built: &mut [Option<Entry>]) {
        let x = &mut self.interface;
        for d in 0..x.destinations.len() {
            if x.destinations[d].entry != entry {
                continue;
            }
            for pair in x.destinations[d].pairs.clone() {
                let source = &mut x.sources[x.pairs[pair].source];
                match &mut built[source.entry] {
                    Some(built) => source.read_mass(built),
                    // in a ring the source comes later: until the first step the model's mass stands in
                    None => {
                        read_own(&mut source.own, &source.set, view.parent());
                        source.mass.clone_from(&source.own);
                    }
                }
            }
            x.set_masses(d, view);
            for m in self.plan.mappings.iter().filter(|m| m.destination == entry) {
                m.proxy.joints.iter().for_each(|&j| _ = view.quiet_joint(j));
            }
        }
    }
}

impl Source {
    /// Effective mass of every endpoint, from the solver or else from the view.
    fn read_mass(&mut self, entry: &mut Entry) {
        read_own(&mut self.own, &self.set, &entry.view);
        match entry.capabilities.effective_mass {
            true => entry.solver.effective_mass(&self.set, &mut self.mass),
            false => self.mass.clone_from(&self.own),
        }
    }
}

impl Source {
    /// Eq. (2a): how far each endpoint comes in the step, over what its end velocity says.
    fn read_answer(&mut self, entry: &mut Entry, dt: f64) {
        if entry.capabilities.response || entry.substeps > 1 {
            entry.response(&self.set, dt, &mut self.response);
            self.answer.iter_mut().zip(&self.response).for_each(|(a, r)| *a = eval_answer(r, dt));
        }
    }
}

/// Answers that differ from 1 by less are those of a semi-implicit step, rounded.
const SAME_ANSWER: f64 = 1e-9;

/// Eq. (2a): (linear, angular) X/(dt V), in the mean of the axes.
fn eval_answer(r: &Response, dt: f64) -> [f64; 2] {
    [0, 3].map(|k| {
        let trace = |m: &Mat6| m.fixed_view::<3, 3>(k, k).trace();
        let a = trace(&r.pose) / (dt * trace(&r.velocity));
        if a.is_finite() && a > SAME_ANSWER && (a - 1.0).abs() > SAME_ANSWER { a } else { 1.0 }
    })
}

/// Masses of bodies and particles by themselves, as a model has them.
fn read_own(out: &mut [MassBlock], set: &[Endpoint], model: &Model) {
    out.iter_mut().zip(set).for_each(|(m, e)| *m = MassBlock::of(e, model));
}

impl Interface {
    /// Reads where sources begin and all effective masses, and hands on those that changed.
    pub fn refresh_masses(&mut self, entries: &mut Entries, dt: f64) {
        for source in &mut self.sources {
            let entry = &mut entries.list[source.entry];
            entry.solver.read_interface(&source.set, &mut source.begin);
            source.read_mass(entry);
            source.read_answer(entry, dt);
        }
        for d in 0..self.destinations.len() {
            let place = self.destinations[d].entry;
            let n = entries.list[place].substeps as f64;
            self.destinations[d].answer = (n + 1.0) / (2.0 * n);
            let entry = &mut entries.list[place];
            let flags = self.set_masses(d, &mut entry.view);
            if !flags.is_empty() {
                entry.solver.notify_model_changed(&entry.view, flags);
            }
        }
    }

    /// Writes changed proxy masses of destination `d` into its view.
    fn set_masses(&mut self, d: usize, view: &mut ModelView) -> ModelFlags {
        let mut flags = ModelFlags::empty();
        for pair in self.destinations[d].pairs.clone() {
            for block in &self.pairs[pair].blocks {
                for row in block.rows.clone() {
                    let (source, place) = self.slot[row];
                    let source = &self.sources[source];
                    // what proxy joints hold answers with them: they carry the rest of the mechanism
                    let m = if self.jointed[row] { source.own[place] } else { source.mass[place] };
                    let [lin, ang] = source.answer[place].map(|a| match a == self.destinations[d].answer {
                        true => block.mass_scale,
                        false => block.mass_scale * self.destinations[d].answer / a,
                    });
                    let m = MassBlock { mass: m.mass * lin, inertia: m.inertia * ang };
                    if m != self.mass[row] {
                        self.mass[row] = m;
                        flags |= apply_mass(view, &self.set[row], &m);
                    }
                }
            }
        }
        flags
    }
}

fn apply_mass(view: &mut ModelView, e: &Endpoint, m: &MassBlock) -> ModelFlags {
    match (*e, m.is_movable()) {
        (Endpoint::Body(b), true) => view.set_body_mass(b, m.mass, m.inertia),
        (Endpoint::Body(b), false) => view.immobilise_body(b),
        (Endpoint::Particle(p), true) => view.set_particle_mass(p, m.mass),
        (Endpoint::Particle(p), false) => view.immobilise_particle(p),
    }
}
