//! `Solver` for [`SolverRod`]: load, store, save, restore.

use coact_math::{Pose, Spatial, Vec3, Vec6};
use coact_model::{BodyId, EntityId, ModelFlags, ModelView, State, StateFields};
use coact_solver::{Loads, Snapshot, Solver, SolverError, StepInput, StepReport};

use crate::contact::Memory;
use crate::element::Side;
use crate::rod::Rod;
use crate::solver::SolverRod;

/// What a snapshot holds of one rod: its motion and what the next solve starts from.
#[derive(Default)]
struct SavedRod {
    pose: Vec<Pose>,
    velocity: Vec<Spatial>,
    correction: Vec<Spatial>,
    phi: Vec<Vec3>,
    stress: Vec<Vec6>,
}

/// What a snapshot holds.
#[derive(Default)]
struct Saved {
    rods: Vec<SavedRod>,
    base_q: Vec<Pose>,
    base_qd: Vec<Spatial>,
    contacts: Vec<Memory>,
    last_h: f64,
}

impl Solver for SolverRod {
    fn kind(&self) -> &'static str {
        "rod"
    }

    fn load(&mut self, state: &State) {
        self.put(state, |_| true);
    }

    fn reset(&mut self, state: &State, chosen: &[EntityId]) {
        let joints = chosen.iter().filter_map(|e| if let EntityId::Joint(j) = e { Some(*j) } else { None });
        for j in joints {
            let elements = self.rods.iter_mut().flat_map(|r| &mut r.elements);
            elements.filter(|e| e.joint == j).for_each(|e| e.stress = Vec6::zeros());
        }
        self.put(state, |b| chosen.contains(&EntityId::Body(b)));
    }

    fn step(&mut self, input: &StepInput, dt: f64, report: &mut StepReport) -> Result<(), SolverError> {
        self.advance(input, dt, report)
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        let view = &self.view;
        self.write_bodies(fields, out, |b| view.owns_body(b));
    }

    fn save_into(&self, to: &mut Snapshot) {
        let saved = to.slot::<Saved>();
        saved.rods.resize_with(self.rods.len(), SavedRod::default);
        for (saved, rod) in saved.rods.iter_mut().zip(&self.rods) {
            saved.pose.clone_from(&rod.pose);
            saved.velocity.clone_from(&rod.velocity);
            saved.correction.clone_from(&rod.correction);
            refill(&mut saved.phi, rod.elements.iter().map(|e| e.phi));
            refill(&mut saved.stress, rod.elements.iter().map(|e| e.stress));
        }
        saved.base_q.clone_from(&self.base_q);
        saved.base_qd.clone_from(&self.base_qd);
        saved.contacts.clone_from(&self.touching.kept);
        saved.last_h = self.last_h;
    }

    fn restore(&mut self, from: &Snapshot) {
        let fits = |s: &&Saved| {
            let same =
                |(s, r): (&SavedRod, &Rod)| s.pose.len() == r.nodes.len() && s.phi.len() == r.elements.len();
            s.rods.len() == self.rods.len() && s.rods.iter().zip(&self.rods).all(same)
        };
        let Some(saved) = from.get::<Saved>().filter(fits) else {
            debug_assert!(false, "a snapshot of another solver, or of before its joints changed");
            return;
        };
        for (saved, rod) in saved.rods.iter().zip(&mut self.rods) {
            rod.pose.clone_from(&saved.pose);
            rod.velocity.clone_from(&saved.velocity);
            rod.correction.clone_from(&saved.correction);
            for (e, (phi, stress)) in rod.elements.iter_mut().zip(saved.phi.iter().zip(&saved.stress)) {
                (e.phi, e.stress) = (*phi, *stress);
            }
        }
        self.base_q.clone_from(&saved.base_q);
        self.base_qd.clone_from(&saved.base_qd);
        self.touching.kept.clone_from(&saved.contacts);
        self.last_h = saved.last_h;
    }

    /// Joints and gravity are read from the view in every step. Masses are taken over without memory
    /// as long as the same bodies move; else the rods are looked for again and keep their motion. A view
    /// that cannot be solved is refused by the next step, with its reason.
    fn notify_model_changed(&mut self, view: &ModelView, flags: ModelFlags) {
        if flags != ModelFlags::GRAVITY {
            let is_same = !self.refused && !flags.contains(ModelFlags::OWNERSHIP);
            let kept = is_same && self.take_masses(view);
            if kept && flags.intersects(ModelFlags::SHAPES | ModelFlags::JOINTS) {
                self.touching.update(view, &self.layout, &self.rods);
            }
            self.refused = !kept && self.rebuild(view).is_err();
        }
        self.view.clone_from(view);
    }

    fn append_loads(&self, out: &mut Loads) {
        self.append_joint_loads(out);
        out.contacts.extend_from_slice(&self.touching.loads);
    }

    fn stored_energy(&mut self) -> f64 {
        let (law, bases) = (self.config.law, &self.base_q);
        let of = |rod: &Rod| {
            let energy = |e: &crate::element::Element| {
                let ends = e.place(|side| rod.begin_pose(side, bases));
                let mut at = *e;
                at.strain = e.eval_strain(law, &ends, &e.phi);
                at.eval_energy()
            };
            rod.elements.iter().filter(|e| e.on).map(energy).sum::<f64>()
        };
        self.rods.iter().map(of).sum()
    }
}

impl SolverRod {
    /// Writes poses and velocities of chosen bodies.
    pub(crate) fn write_bodies(&self, fields: StateFields, out: &mut State, takes: impl Fn(BodyId) -> bool) {
        let mut write = |b: BodyId, pose: &Pose, velocity: &Spatial| {
            if !takes(b) {
                return;
            }
            if fields.contains(StateFields::BODY_Q) {
                out.body_q[b.index()] = *pose;
            }
            if fields.contains(StateFields::BODY_QD) {
                out.body_qd[b.index()] = *velocity;
            }
        };
        for rod in &self.rods {
            for (n, node) in rod.nodes.iter().enumerate() {
                write(node.body, &rod.pose[n], &rod.velocity[n]);
            }
        }
        for (k, base) in self.layout.bases.iter().enumerate() {
            write(base.body, &self.base_q[k], &self.base_qd[k]);
        }
    }
}

impl Rod {
    /// Poses and velocities of chosen segments.
    pub(crate) fn put(&mut self, state: &State, takes: &impl Fn(BodyId) -> bool) {
        for (n, node) in self.nodes.iter().enumerate().filter(|(_, n)| takes(n.body)) {
            self.pose[n] = state.body_q[node.body.index()];
            self.velocity[n] = state.body_qd[node.body.index()];
            self.correction[n] = Spatial::zeros();
        }
    }

    /// Elements on chosen bodies bend by less than half a turn, and their stress is not known;
    /// `base`: body and frame of what is prescribed.
    pub(crate) fn forget_bends(
        &mut self,
        takes: &impl Fn(BodyId) -> bool,
        base: impl Fn(usize) -> (BodyId, Pose),
    ) {
        for i in 0..self.elements.len() {
            let e = &self.elements[i];
            let is_chosen = |side: Side| match side {
                Side::Node(n) => takes(self.nodes[n as usize].body),
                Side::Base(k) => takes(base(k as usize).0),
                Side::World => false,
            };
            if !e.sides.into_iter().any(is_chosen) {
                continue;
            }
            let ends = e.place(|side| match side {
                Side::Base(k) => base(k as usize).1,
                side => self.begin_pose(side, &[]),
            });
            let phi = coact_math::log_so3(&(ends.q[0].inverse() * ends.q[1]));
            let e = &mut self.elements[i];
            (e.phi, e.stress) = (phi, Vec6::zeros());
        }
    }
}

fn refill<T>(to: &mut Vec<T>, from: impl Iterator<Item = T>) {
    to.clear();
    to.extend(from);
}
