//! `Solver` for [`SolverArticulated`]: load, store, save, restore.
//!
//! Joint coordinates are the truth. `load` takes `joint_q` and `joint_qd` for joints that
//! the view owns, `body_q` and `body_qd` for bodies without an incoming joint and for
//! kinematic bodies; `store` writes both. A kinematic body advances by its velocity,
//! which the control may set.

use coact_model::{BodyId, EntityId, JointId, ModelFlags, ModelView, State, StateFields};
use coact_solver::{Snapshot, Solver, SolverError, StepInput, StepReport};

use crate::contact::Warm;
use crate::layout::Role;
use crate::motion::Motion;
use crate::solver::SolverArticulated;

/// What a snapshot holds: the motion and what the next solve starts from.
#[derive(Default)]
struct Saved {
    motion: Motion,
    warm: Vec<Warm>,
    warm_scalar: Vec<[f64; 3]>,
    smooth: Vec<bool>,
}

impl Solver for SolverArticulated {
    fn kind(&self) -> &'static str {
        "articulated"
    }

    fn load(&mut self, state: &State) {
        self.motion.load(&self.layout, &self.view, state);
        self.refresh();
    }

    fn reset(&mut self, state: &State, chosen: &[EntityId]) {
        let body = |b: BodyId| chosen.contains(&EntityId::Body(b));
        let joint = |j: Option<JointId>| j.is_some_and(|j| chosen.contains(&EntityId::Joint(j)));
        let links = self.layout.links.iter();
        let moved: Vec<usize> = links.filter(|l| body(l.body) || joint(l.joint)).map(|l| l.tree).collect();
        let joints: Vec<BodyId> =
            self.layout.links.iter().filter(|l| joint(l.joint)).map(|l| l.body).collect();
        self.motion.load_some(&self.layout, &self.view, state, |b| body(b) || joints.contains(&b));
        self.forget(&moved, body);
        self.refresh();
    }

    fn step(&mut self, input: &StepInput, dt: f64, report: &mut StepReport) -> Result<(), SolverError> {
        self.advance(input, dt, report)
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        for (i, link) in self.layout.links.iter().enumerate() {
            if !self.view.owns_body(link.body) {
                continue;
            }
            let b = link.body.index();
            if fields.contains(StateFields::BODY_Q) {
                out.body_q[b] = self.kin.pose[i];
            }
            if fields.contains(StateFields::BODY_QD) {
                out.body_qd[b] = self.velocity[i];
            }
        }
        self.store_bases(fields, out);
        self.store_joints(fields, out);
    }

    fn save_into(&self, to: &mut Snapshot) {
        let saved = to.slot::<Saved>();
        saved.motion.copy_from(&self.motion);
        saved.warm.clone_from(&self.contacts.warm);
        saved.warm_scalar.clone_from(&self.contacts.warm_scalar);
        saved.smooth.clone_from(&self.smooth);
    }

    fn restore(&mut self, from: &Snapshot) {
        let fits =
            |s: &&Saved| s.motion.q.len() == self.motion.q.len() && s.motion.qd.len() == self.motion.qd.len();
        let Some(saved) = from.get::<Saved>().filter(fits) else {
            debug_assert!(false, "a snapshot of another solver, or of before its joints changed");
            return;
        };
        self.motion.copy_from(&saved.motion);
        self.contacts.warm.clone_from(&saved.warm);
        self.contacts.warm_scalar.clone_from(&saved.warm_scalar);
        self.smooth.clone_from(&saved.smooth);
        self.refresh();
    }

    /// Gravity is read from the view; for all else the layout is rebuilt and the motion
    /// kept. A view that cannot be solved is refused by the next step, with its reason.
    fn notify_model_changed(&mut self, view: &ModelView, flags: ModelFlags) {
        if flags != ModelFlags::GRAVITY {
            self.refused = self.rebuild(view).is_err();
        }
        self.view.clone_from(view);
    }
}

impl SolverArticulated {
    /// Impulses of the last step on trees that were put elsewhere, and on chosen bases.
    fn forget(&mut self, trees: &[usize], base: impl Fn(BodyId) -> bool) {
        let (layout, view) = (&self.layout, &self.view);
        let is_moved = |b: BodyId| match layout.roles[b.index()] {
            Role::Link(i) => trees.contains(&layout.links[i].tree),
            Role::Base(_) => base(b),
        };
        let on_moved = |shape: u32| view.shape_body[shape as usize].is_some_and(is_moved);
        self.contacts.warm.retain(|w| !on_moved(w.key.0) && !on_moved(w.key.1));
        for &t in trees {
            self.contacts.warm_scalar[layout.trees[t].dofs.clone()].fill([0.0; 3]);
        }
    }

    /// Kinematic bodies that the view owns.
    fn store_bases(&self, fields: StateFields, out: &mut State) {
        for (k, base) in self.layout.bases.iter().enumerate() {
            if !self.view.owns_body(base.body) {
                continue;
            }
            if fields.contains(StateFields::BODY_Q) {
                out.body_q[base.body.index()] = self.motion.base_q[k];
            }
            if fields.contains(StateFields::BODY_QD) {
                out.body_qd[base.body.index()] = self.motion.base_qd[k];
            }
        }
    }

    fn store_joints(&self, fields: StateFields, out: &mut State) {
        for link in &self.layout.links {
            let Some(j) = link.joint.map(|j| j.index()) else { continue };
            let (a, d) = (self.view.joint_q_start[j] as usize, self.view.joint_qd_start[j] as usize);
            let n = link.kind.coord_count();
            if fields.contains(StateFields::JOINT_Q) {
                out.joint_q[a..a + n].copy_from_slice(&self.motion.q[link.coord..link.coord + n]);
            }
            if fields.contains(StateFields::JOINT_QD) {
                let qd = &self.motion.qd[link.dofs.clone()];
                out.joint_qd[d..d + qd.len()].copy_from_slice(qd);
            }
        }
    }
}
