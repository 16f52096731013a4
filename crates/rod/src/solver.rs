//! `SolverRod`: what it holds and how it is built.

use coact_math::{Pose, Spatial};
use coact_model::{BodyId, ModelView, State, StateFields};
use coact_solver::SolverError;

use crate::config::RodConfig;
use crate::contact::{Touch, Touching};
use crate::islands::Islands;
use crate::layout::{Layout, Role};
use crate::node::Node;
use crate::refuse;
use crate::rod::Rod;

/// Size of a step for what is asked before the first one \[s\].
const USUAL_STEP: f64 = 1.0 / 60.0;

/// Elastic rods of rigid segments: each rod is solved as a whole, in `f64`, on the CPU.
pub struct SolverRod {
    pub(crate) config: RodConfig,
    pub(crate) view: ModelView,
    pub(crate) layout: Layout,
    pub(crate) rods: Vec<Rod>,
    /// Masses of rods \[kg\]. Shape: \[rods\].
    pub(crate) masses: Vec<f64>,
    /// Rods that meet.
    pub(crate) islands: Islands,
    /// Contacts as they are found, and what is remembered of them.
    pub(crate) touching: Touching,
    /// Contacts of the step, each with the place of what it is solved with.
    pub(crate) made: Vec<(usize, Touch)>,
    /// Body frames of what is prescribed. Shape: \[base_count\].
    pub(crate) base_q: Vec<Pose>,
    /// (centre of mass, angular). Shape: \[base_count\].
    pub(crate) base_qd: Vec<Spatial>,
    /// Where they come to in the step. Shape: \[base_count\].
    pub(crate) base_end: Vec<Pose>,
    /// Size of the last step \[s\]; 0 before the first.
    pub(crate) last_h: f64,
    /// A changed view was refused: the next step says why.
    pub(crate) refused: bool,
}

impl SolverRod {
    /// A solver of what `view` owns, at the initial state of its model.
    ///
    /// # Errors
    /// Settings out of range; particles; joints of other kinds on segments; shapes that cannot be met.
    pub fn new(view: &ModelView, config: RodConfig) -> Result<Self, SolverError> {
        config.validate()?;
        let (layout, rods) = Layout::build(view)?;
        let touching = Touching::new(view, &layout, &rods).map_err(|bad| refuse::shape(view, &bad))?;
        let bases = layout.bases.len();
        let mut solver = Self {
            config,
            view: view.clone(),
            rods,
            masses: Vec::new(),
            islands: Islands::default(),
            touching,
            made: Vec::new(),
            base_q: vec![Pose::identity(); bases],
            base_qd: vec![Spatial::zeros(); bases],
            base_end: vec![Pose::identity(); bases],
            layout,
            last_h: 0.0,
            refused: false,
        };
        let state = solver.view.state();
        solver.read_model(USUAL_STEP);
        solver.put(&state, |_| true);
        Ok(solver)
    }

    /// What the model says now of elements, for steps of `h`.
    pub(crate) fn read_model(&mut self, h: f64) {
        for rod in &mut self.rods {
            let hard = rod.hard_stiffness(h);
            for e in &mut rod.elements {
                e.read(&self.view, self.config.law, hard);
            }
        }
    }

    /// Poses and velocities of chosen bodies; what was remembered of them is forgotten.
    pub(crate) fn put(&mut self, state: &State, takes: impl Fn(BodyId) -> bool) {
        for (k, base) in self.layout.bases.iter().enumerate().filter(|(_, b)| takes(b.body)) {
            self.base_q[k] = state.body_q[base.body.index()];
            let velocity = state.body_qd[base.body.index()];
            self.base_qd[k] = if base.moves { velocity } else { Spatial::zeros() };
        }
        let bases = (&self.layout.bases, &self.base_q);
        for rod in &mut self.rods {
            rod.put(state, &takes);
            rod.forget_bends(&takes, |k| (bases.0[k].body, bases.1[k]));
        }
        self.touching.forget(takes);
    }

    /// Masses of a changed view with the same segments and elements; false: it has others.
    pub(crate) fn take_masses(&mut self, view: &ModelView) -> bool {
        if !self.layout.fits(view) {
            return false;
        }
        let nodes = self.rods.iter_mut().flat_map(|r| &mut r.nodes);
        nodes.for_each(|n| *n = Node::new(view, n.body));
        true
    }

    /// Other rods, with the same motion of all bodies.
    pub(crate) fn rebuild(&mut self, view: &ModelView) -> Result<(), SolverError> {
        let (layout, rods) = Layout::build(view)?;
        let touching = Touching::new(view, &layout, &rods).map_err(|bad| refuse::shape(view, &bad))?;
        let mut state = self.view.state();
        self.write_bodies(StateFields::all(), &mut state, |_| true);
        let bases = layout.bases.len();
        self.base_q = vec![Pose::identity(); bases];
        self.base_qd = vec![Spatial::zeros(); bases];
        self.base_end = vec![Pose::identity(); bases];
        (self.layout, self.rods, self.touching) = (layout, rods, touching);
        self.islands = Islands::default();
        self.view.clone_from(view);
        self.read_model(USUAL_STEP);
        self.put(&state, |_| true);
        Ok(())
    }

    /// Pose and velocity of a body as this solver has them.
    pub(crate) fn body_state(&self, body: BodyId) -> (Pose, Spatial) {
        match self.layout.roles[body.index()] {
            Role::Segment(r, n) => {
                let rod = &self.rods[r as usize];
                (rod.pose[n as usize], rod.velocity[n as usize])
            }
            Role::Base(k) => (self.base_q[k as usize], self.base_qd[k as usize]),
        }
    }

    /// Kinetic energy of the segments \[J\].
    pub fn kinetic_energy(&self) -> f64 {
        let of = |rod: &Rod, n: usize| {
            let (v, node) = (&rod.velocity[n], &rod.nodes[n]);
            let spin = node.inertia.momentum(&rod.pose[n].q, &v.ang).dot(&v.ang);
            0.5 * (node.mass * v.lin.norm_squared() + spin)
        };
        self.rods.iter().map(|rod| (0..rod.nodes.len()).map(|n| of(rod, n)).sum::<f64>()).sum()
    }
}
