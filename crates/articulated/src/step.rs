//! One step: kick, contacts, drift.
//!
//! Theory: `docs/theory/articulated.md` section 3. Semi-implicit Euler: forces and
//! contact impulses act at the begin pose, then everything moves with what they gave.

use coact_math::{Spatial, Vec3};
use coact_solver::{SolverError, StepInput, StepReport, check_step_size};

use crate::contact::ContactSet;
use crate::drift::Moving;
use crate::free_body::{FreeSpin, advance_free_body};
use crate::kick::{Kick, eval_wrenches};
use crate::proxy::is_proxy;
use crate::solver::SolverArticulated;

impl SolverArticulated {
    pub(crate) fn advance(
        &mut self,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        check_step_size(dt)?;
        self.check_view()?;
        report.clear();
        self.motion.prescribe(&self.layout, &input.control.body_motion);
        self.apply_forces(input, dt);
        self.solve_contacts(input, dt, report);
        self.kick_smooth_trees(input, dt);
        self.drift(input, dt, report);
        self.finish_smooth_trees(input, dt);
        self.report(dt, report);
        Ok(())
    }

    /// A view that became unusable is named here, as `notify_model_changed` cannot.
    fn check_view(&mut self) -> Result<(), SolverError> {
        if !self.refused {
            return Ok(());
        }
        let view = self.view.clone();
        self.rebuild(&view)
    }

    /// u = qd + A⁻¹ h τ; for single bodies qd is the end of their free spin.
    fn apply_forces(&mut self, input: &StepInput, h: f64) {
        for (t, tree) in self.layout.trees.iter().enumerate() {
            let (layout, motion, kin) = (&self.layout, &self.motion, &self.kin);
            self.drives.eval(layout, tree, &self.mass, h);
            if is_proxy(&self.view, layout, tree.links.start) {
                continue;
            }
            eval_wrenches(layout, tree, &self.view.gravity, input.forces, &mut self.wrench);
            let kick = Kick { layout, motion, kin, drives: &self.drives, control: input.control, h };
            kick.eval(tree, &mut self.wrench, &mut self.u);
            for d in tree.dofs.clone() {
                self.u[d] += motion.qd[d];
            }
            if tree.single {
                let first = tree.dofs.start;
                self.spin[t] = FreeSpin::eval(&layout.links[tree.links.start], motion, h);
                (0..3)
                    .for_each(|k| self.u[first + 3 + k] += self.spin[t].omega[k] - motion.qd[first + 3 + k]);
            }
            let twist = motion.carrier_twist(layout, tree, 0.0);
            kin.eval_velocities(layout, tree, &twist, &self.u, &mut self.velocity);
        }
        self.apply_proxies(h);
    }

    /// Proxies bring their free motion.
    fn apply_proxies(&mut self, h: f64) {
        for t in 0..self.layout.trees.len() {
            if self.apply_proxy(t, h) {
                let tree = &self.layout.trees[t];
                let world = (Vec3::zeros(), Spatial::zeros());
                self.kin.eval_velocities(&self.layout, tree, &world, &self.u, &mut self.velocity);
            }
        }
    }

    /// Impulses of contacts, limits and joint friction, added to u.
    fn solve_contacts(&mut self, input: &StepInput, h: f64, report: &mut StepReport) {
        let mut set = std::mem::take(&mut self.contacts);
        let mut wrench = std::mem::take(&mut self.contact_wrench);
        let before = capacity(&set);
        if input.contacts.is_none() {
            self.detect_proxies(h);
        }
        let cx = self.row_context(h);
        set.detect(&cx, input.contacts);
        if let (None, Some(proxies)) = (input.contacts, &self.proxies) {
            set.add(&cx, &proxies.found);
        }
        set.assemble(&cx);
        set.solve(&cx, &self.config, report);
        set.eval_wrenches(&cx, &mut wrench);
        self.contact_wrench = wrench;
        report.growth += usize::from(capacity(&set) != before);
        for (u, du) in self.u.iter_mut().zip(&set.du) {
            *u += du;
        }
        self.contacts = set;
    }

    /// Moves trees by their momentum, single bodies by the splitting, bases as prescribed.
    fn drift(&mut self, input: &StepInput, h: f64, report: &mut StepReport) {
        let mut layout = std::mem::take(&mut self.layout);
        for (t, tree) in layout.trees.iter().enumerate() {
            if tree.single {
                let link = &layout.links[tree.links.start];
                advance_free_body(link, &mut self.motion, &self.spin[t], &self.u[tree.dofs.clone()], h);
                let at = link.coord;
                (0..3).for_each(|k| self.motion.q[at + k] += self.offset[t][k]);
                continue;
            }
            let mut moving = Moving {
                layout: &layout,
                motion: &mut self.motion,
                kin: &mut self.kin,
                mass: &mut self.mass,
                velocity: &mut self.velocity,
                control: input.control,
                drives_kicked: !self.smooth[t],
            };
            let angle = self.config.microstep_angle;
            let converged = self.drift.advance(&mut moving, tree, &self.u, h, angle);
            report.skipped_blocks += usize::from(!converged);
        }
        std::mem::swap(&mut self.layout, &mut layout);
        self.motion.advance_bases(&self.layout, h);
        self.refresh_moved();
    }

    /// What the drift left to derive: single bodies, and trees on a moving base, whose
    /// pose is rounded differently inside the step.
    fn refresh_moved(&mut self) {
        for t in 0..self.layout.trees.len() {
            let tree = &self.layout.trees[t];
            if tree.single || tree.base.is_some_and(|k| self.layout.bases[k].moves) {
                self.refresh_tree(t);
            }
        }
    }

    fn report(&mut self, h: f64, report: &mut StepReport) {
        self.contacts.report(&self.row_context(h), report);
        report.skipped_blocks += self.massless;
        self.bad_links().for_each(|b| report.note_nonfinite(b));
    }
}

fn capacity(set: &ContactSet) -> [usize; 5] {
    let (contacts, scalars, warm) = (set.contacts.capacity(), set.scalars.capacity(), set.warm.capacity());
    [contacts, scalars, set.jacobian.capacity(), set.response.capacity(), warm]
}
