//! Particles on the host, `P` for positions and velocities, `R` for blocks.

use std::sync::Arc;

use coact_collide::{ParticleShapeContact, ParticleShapeDetector};
use coact_math::{Scalar, V3, Vec3};
use coact_model::{Model, ModelFlags, ModelView, ParticleId};
use coact_solver::{DetectionSchedule, Snapshot};

use super::backend::{ContactSummary, DetectionPlace, ParticleBackend, ParticleForces, ParticleResidual};
use super::columns::Columns;
use super::self_contact::SelfContactSummary;
use crate::body::{Bodies, BodyLoad};
use crate::config::{ContactLaw, FrictionLaw, SingularRule, SpringHessian, VbdConfig, VelocityRule};
use crate::contact::{Anchor, ContactRows, SlipLaw};
use crate::prepared::{Elements, Layout};
use crate::self_contact::{GivenPairs, PairLaw, SelfContact};

/// The settings that blocks need.
#[derive(Clone, Copy, Debug)]
pub struct CpuOptions {
    /// Slip velocity below which friction is smoothed \[m/s\].
    pub friction_epsilon: f64,
    /// How rows rub.
    pub friction: FrictionLaw,
    /// How rows press.
    pub contact_law: ContactLaw,
    /// Over how many penetrations the approach of a contact is damped.
    pub damped_depth: f64,
    /// Hessian of compressed springs.
    pub spring_hessian: SpringHessian,
    /// When a block is skipped.
    pub singular: SingularRule,
    /// Where end velocities come from.
    pub velocity: VelocityRule,
    /// Elements without stiffness are not damped.
    pub damping_needs_stiffness: bool,
    /// When self-contact is detected.
    pub self_schedule: DetectionSchedule,
    /// Blocks of a color from which on it is spread over threads.
    pub parallel_threshold: usize,
}

impl CpuOptions {
    /// From the settings of the solver.
    pub fn new(config: &VbdConfig) -> Self {
        Self {
            friction_epsilon: config.friction_epsilon,
            friction: config.friction,
            contact_law: config.contact_law,
            damped_depth: config.contact_damping.depth(),
            spring_hessian: config.spring_hessian,
            singular: config.singular,
            velocity: config.velocity,
            damping_needs_stiffness: config.damping_needs_stiffness,
            self_schedule: config.detection.self_contact,
            parallel_threshold: if config.threads == Some(1) {
                usize::MAX
            } else {
                config.parallel_threshold
            },
        }
    }
}

/// Particles on the host.
pub struct CpuParticles<P, R> {
    pub(super) layout: Arc<Layout>,
    pub(super) options: CpuOptions,
    pub(super) columns: Columns<P, R>,
    pub(super) elements: Elements<R>,
    pub(super) rows: ContactRows<R>,
    /// What all terms of the step share: 1/h and the slip law.
    pub(super) law: SlipLaw<R>,
    /// Pairs of the particles with each other, and bounds of motion; `None` = off.
    pub(super) self_contact: Option<Box<SelfContact<R>>>,
    /// What all pairs of the step share.
    pub(super) pair_law: PairLaw<R>,
    /// Angle of each damped hinge at the begin of the step, and whether it had one.
    pub(super) hinge_start: Vec<(R, bool)>,
    /// One vector per block: steps of a color, or residuals.
    pub(super) buffer: Vec<V3<R>>,
    h: f64,
}

/// Positions, velocities, and what friction remembers.
type Saved<P> = (Vec<V3<P>>, Vec<V3<P>>, Vec<Anchor>);

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// From a view and its layout, at the initial state of the view.
    pub fn new(view: &ModelView, layout: Arc<Layout>, options: CpuOptions) -> Self {
        let n = view.particle_count();
        let mut particles = Self {
            columns: Columns::new(n),
            elements: Elements::default(),
            rows: ContactRows::new(n, view.body_count(), options.friction),
            law: SlipLaw::default(),
            self_contact: None,
            pair_law: PairLaw::default(),
            hinge_start: vec![(R::zero(), false); layout.hinge_ids.len()],
            buffer: vec![V3::zero(); layout.block_count],
            h: 0.0,
            layout,
            options,
        };
        particles.read_model(view, ModelFlags::all());
        particles.load(&view.particle_q, &view.particle_qd);
        particles
    }

    /// With contact of the particles among themselves.
    pub fn with_self_contact(mut self, self_contact: Option<SelfContact<R>>) -> Self {
        self.self_contact = self_contact.map(Box::new);
        self
    }

    fn slot(&self, particle: ParticleId) -> usize {
        self.layout.slot_of[particle.index()] as usize
    }
}

impl<P: Scalar, R: Scalar> ParticleBackend for CpuParticles<P, R> {
    fn read_model(&mut self, view: &ModelView, flags: ModelFlags) {
        if flags.intersects(ModelFlags::PARTICLE_MASS | ModelFlags::SHAPES) {
            self.columns.read_masses(view, &self.layout);
        }
        if flags.contains(ModelFlags::ELEMENTS) {
            self.elements.read(view, &self.layout, self.options.damping_needs_stiffness);
        }
    }

    fn load(&mut self, q: &[Vec3], qd: &[Vec3]) {
        for (slot, &p) in self.layout.particle_of.iter().enumerate() {
            self.columns.x0[slot] = V3::from_host(&q[p as usize]);
            self.columns.v[slot] = V3::from_host(&qd[p as usize]);
        }
        self.rows.keep(None);
    }

    fn get(&self, particle: ParticleId) -> (Vec3, Vec3) {
        let slot = self.slot(particle);
        (self.columns.x0[slot].to_host(0), self.columns.v[slot].to_host(0))
    }

    fn set(&mut self, particle: ParticleId, q: Vec3, qd: Vec3) {
        let slot = self.slot(particle);
        self.columns.x0[slot] = V3::from_host(&q);
        self.columns.v[slot] = V3::from_host(&qd);
    }

    fn save(&self, to: &mut Snapshot) {
        let (x0, v, kept) = to.slot::<Saved<P>>();
        x0.clone_from(&self.columns.x0);
        v.clone_from(&self.columns.v);
        kept.clone_from(self.rows.kept());
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some((x0, v, kept)) = from.get::<Saved<P>>() {
            self.columns.x0.clone_from(x0);
            self.columns.v.clone_from(v);
            self.rows.keep(Some(kept));
        }
    }

    fn predict(&mut self, forces: &ParticleForces) {
        self.h = forces.h;
        self.law = SlipLaw {
            inv_h: R::from_f64(1.0 / forces.h),
            epsilon: R::from_f64(self.options.friction_epsilon * forces.h),
            damped_depth: R::from_f64(self.options.damped_depth),
            normal: self.options.contact_law,
        };
        self.columns.predict(forces, &self.layout);
        let mut start = std::mem::take(&mut self.hinge_start);
        for (s, h) in start.iter_mut().zip(&self.elements.hinges) {
            *s = self.start_angle(h);
        }
        self.hinge_start = start;
    }

    fn set_target(&mut self, particle: ParticleId, y: Vec3, v_free: Vec3) {
        let slot = self.slot(particle);
        let y = V3::<P>::from_host(&y);
        self.columns.put_target(slot, y, y - self.columns.x0[slot], V3::from_host(&v_free));
    }

    fn detect(
        &self,
        detector: &ParticleShapeDetector,
        place: DetectionPlace,
        speculative: bool,
        out: &mut Vec<ParticleShapeContact>,
    ) {
        self.detect_contacts(detector, place, speculative, out);
    }

    fn build_rows(&mut self, contacts: &[ParticleShapeContact], model: &Model, bodies: &Bodies) -> bool {
        self.make_rows(contacts, model, bodies)
    }

    fn start_from_rows(&mut self) {
        self.start_iterate();
    }

    fn refresh_rows(&mut self, body: usize, bodies: &Bodies) {
        let columns = &self.columns;
        self.rows.refresh(body, |slot| columns.target(slot), bodies);
    }

    fn body_load(&self, body: usize, bodies: &Bodies) -> BodyLoad {
        self.load_of_body(body, bodies)
    }

    fn begin_self_contact(&mut self, given: Option<GivenPairs>, model: &Model) {
        self.begin_pairs(given, model);
    }

    fn detect_self_contact(&mut self, model: &Model) {
        self.detect_pairs_again(model);
    }

    fn limit_motion(&mut self, may_detect: bool, model: &Model) {
        self.limit_after_sweep(may_detect, model);
    }

    fn self_contact_summary(&self) -> Option<SelfContactSummary> {
        self.self_contact.is_some().then(|| self.summarise_pairs())
    }

    fn sweep(&mut self) -> usize {
        self.sweep_colors()
    }

    fn residual(&mut self) -> ParticleResidual {
        self.measure_residual()
    }

    fn update_duals(&mut self) {
        self.rows.update_duals(&self.law, &self.columns.d);
    }

    fn finalize(&mut self, bodies: &mut Bodies) {
        self.rows.commit(&self.law, &self.columns.d, &self.columns.inertia, bodies);
        self.columns.finalize(self.h, self.options.velocity);
    }

    fn correction(&self, particle: ParticleId) -> Vec3 {
        self.columns.d[self.slot(particle)].to_host(0)
    }

    fn interface_force(&self, particle: ParticleId) -> Vec3 {
        let slot = self.slot(particle);
        if slot < self.layout.block_count { self.eval_block(slot).f.to_host(0) } else { Vec3::zeros() }
    }

    fn contact_summary(&self) -> ContactSummary {
        self.summarise_rows()
    }

    fn stored_energy(&self) -> f64 {
        self.stored_in_elements()
    }

    fn note_nonfinite(&self, note: &mut dyn FnMut(ParticleId)) {
        let bad = |v: V3<P>| !v.to_host(0).iter().all(|x| x.is_finite());
        for (p, &slot) in self.layout.slot_of.iter().enumerate() {
            let slot = slot as usize;
            if slot < self.layout.block_count && (bad(self.columns.x0[slot]) || bad(self.columns.v[slot])) {
                note(ParticleId::new(p));
            }
        }
    }
}
