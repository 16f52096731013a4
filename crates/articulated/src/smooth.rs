//! The second-order step of trees on which no contact, limit or friction acts.
//!
//! Theory: `docs/theory/articulated.md` eq. (35), (36). Half of gravity, given wrenches and joint forces
//! acts at the begin pose, the drift follows the kinetic energy and the drives, the other half acts at
//! the end pose: velocity Verlet. The drift is symmetric and of second order, so the whole step is.

use coact_math::cholesky;
use coact_model::{Control, Forces};
use coact_solver::StepInput;

use crate::config::StepOrder;
use crate::free_body::FreeSpin;
use crate::kick::eval_wrenches;
use crate::solver::SolverArticulated;

impl SolverArticulated {
    /// Eq. (35): takes the full kick of smooth trees back and gives them half of it, drives aside.
    pub(crate) fn kick_smooth_trees(&mut self, input: &StepInput, h: f64) {
        if self.config.order == StepOrder::First {
            return;
        }
        for t in 0..self.layout.trees.len() {
            let dofs = self.layout.trees[t].dofs.clone();
            self.smooth[t] = self.contacts.du[dofs.clone()].iter().all(|du| *du == 0.0);
            if !self.smooth[t] {
                continue;
            }
            self.kick_half(t, input.forces, input.control, 0.5 * h);
            self.u[dofs.clone()].copy_from_slice(&self.motion.qd[dofs.clone()]);
            let tree = &self.layout.trees[t];
            if tree.single {
                self.spin[t] = FreeSpin::eval(&self.layout.links[tree.links.start], &self.motion, h);
                self.u[dofs.start + 3..dofs.end].copy_from_slice(self.spin[t].omega.as_slice());
            }
        }
    }

    /// Eq. (36): the other half, where the step ended.
    pub(crate) fn finish_smooth_trees(&mut self, input: &StepInput, h: f64) {
        for t in 0..self.layout.trees.len() {
            if self.smooth[t] {
                self.kick_half(t, input.forces, input.control, 0.5 * h);
                self.refresh_velocities(t);
            }
        }
    }

    /// u ← u + M⁻¹ t (Jᵀ(m g + f) + joint_f), with everything where it is now.
    fn kick_half(&mut self, t: usize, forces: &Forces, control: &Control, time: f64) {
        let tree = &self.layout.trees[t];
        eval_wrenches(&self.layout, tree, &self.view.gravity, forces, &mut self.wrench);
        let du = &mut self.columns[..tree.n()];
        self.kin.project_into(&self.layout, tree, &mut self.wrench, du);
        for (k, d) in tree.dofs.clone().enumerate() {
            let given = self.layout.dofs[d].global.and_then(|g| control.joint_f.get(g));
            du[k] = time * (du[k] + given.copied().unwrap_or(0.0));
        }
        cholesky::solve(&self.mass.factor[tree.block()], du);
        self.motion.qd[tree.dofs.clone()].iter_mut().zip(du).for_each(|(qd, du)| *qd += *du);
    }

    /// Velocities of the links of a tree whose rates changed.
    pub(crate) fn refresh_velocities(&mut self, t: usize) {
        let tree = &self.layout.trees[t];
        let twist = self.motion.carrier_twist(&self.layout, tree, 0.0);
        self.kin.eval_velocities(&self.layout, tree, &twist, &self.motion.qd, &mut self.velocity);
    }
}
