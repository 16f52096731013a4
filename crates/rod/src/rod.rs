//! One rod: segments that elements connect, with the memory of a step.
//!
//! Theory: `docs/theory/rod.md` section 3. The objective of a step is that of eq. (10); this file
//! evaluates it, its gradient and its Hessian, and moves the iterate.

use coact_math::{BlockSparse, Mat6, Pose, Spatial, Vec3, Vec6};

use crate::config::RodLaw;
use crate::contact::{Rate, Touch};
use crate::element::{Element, Hessian, Side};
use crate::node::{Iterate, Node, Target};
use crate::strain::angular;

/// Stiffness of hard rows over that of the inertia of the whole rod: they give way by g h² over it.
/// Larger loses digits.
const HARD: f64 = 1e7;

/// Segments that elements connect with each other, and those elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rod {
    pub nodes: Vec<Node>,
    pub elements: Vec<Element>,
    /// Poses of body frames. Shape: \[nodes\].
    pub pose: Vec<Pose>,
    /// (centre of mass, angular). Shape: \[nodes\].
    pub velocity: Vec<Spatial>,
    /// What the last step corrected over its h², \[m/s², rad/s²\]. Shape: \[nodes\].
    pub correction: Vec<Spatial>,
    pub target: Vec<Target>,
    pub at: Vec<Iterate>,
    /// Applied torques \[N·m\]. Shape: \[nodes\].
    pub torque: Vec<Vec3>,
    pub gradient: Vec<Vec6>,
    /// What of it comes from all but contacts.
    pub smooth: Vec<Vec6>,
    /// The Newton step.
    pub step: Vec<Vec6>,
    /// A step of the contact problem within it, and what of its gradient comes from all but contacts.
    pub piece: Vec<Vec6>,
    pub rest: Vec<Vec6>,
    /// How contacts move with a step of the contact problem. Shape: \[touches\].
    pub rates: Vec<Rate>,
    /// Contacts of the step.
    pub touches: Vec<Touch>,
    /// The graph of the linear system.
    pub edges: Vec<(u32, u32)>,
    /// Memory of another one.
    pub spare: Vec<(u32, u32)>,
    /// Lists that grew in the step.
    pub grew: usize,
    /// Share of the secant of what slides that its stiffness leaves out.
    pub slack: f64,
    /// Contacts were added at the end of its solve.
    pub again: bool,
    /// By segment: the first one of what it is connected with; and whether something holds that, where it
    /// is a first one. Members of one of these groups.
    pub groups: Vec<usize>,
    pub held: Vec<bool>,
    pub members: Vec<usize>,
    /// What is left of it at its end.
    pub left: Vec<Vec6>,
    /// Arm at which turns and torques are compared with places and forces \[m\].
    pub arm: f64,
    /// An iterate to come back to, with the branches of its elements.
    pub kept: Vec<Iterate>,
    pub kept_phi: Vec<Vec3>,
    pub system: BlockSparse,
    /// The system of places alone.
    pub places: BlockSparse,
    /// Of the last step.
    pub outcome: Outcome,
}

/// What the solve of a step did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Newton steps.
    pub iterations: usize,
    /// Largest and sum of squares of the force left over at the begin and at the end \[N\].
    pub residual: [(f64, f64); 2],
    /// Linear systems that were singular.
    pub singular: usize,
}

impl Rod {
    pub fn new(nodes: Vec<Node>, elements: Vec<Element>) -> Self {
        let (n, m) = (nodes.len(), elements.len());
        let mut rod = Self {
            pose: vec![Pose::identity(); n],
            velocity: vec![Spatial::zeros(); n],
            correction: vec![Spatial::zeros(); n],
            target: vec![Target::default(); n],
            at: vec![Iterate::default(); n],
            torque: vec![Vec3::zeros(); n],
            gradient: vec![Vec6::zeros(); n],
            step: vec![Vec6::zeros(); n],
            left: vec![Vec6::zeros(); n],
            smooth: vec![Vec6::zeros(); n],
            piece: vec![Vec6::zeros(); n],
            rest: vec![Vec6::zeros(); n],
            arm: 1.0,
            kept: vec![Iterate::default(); n],
            kept_phi: vec![Vec3::zeros(); m],
            nodes,
            elements,
            ..Self::default()
        };
        let mut edge = 0;
        for e in &mut rod.elements {
            if let [Some(_), Some(_)] = e.nodes() {
                e.edge = Some(edge);
                edge += 1;
            }
        }
        for system in [&mut rod.system, &mut rod.places] {
            let found = system.set_pattern(n, &[], usize::MAX);
            debug_assert!(found, "no bound was set");
        }
        rod.tie();
        rod
    }

    /// Mean distance of anchors from the centres of their segments \[m\].
    pub fn mean_arm(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for e in &self.elements {
            for (side, n) in e.nodes().into_iter().enumerate() {
                if n.is_some() {
                    (sum, count) = (sum + e.frames[side].p.norm(), count + 1.0);
                }
            }
        }
        if sum > 0.0 { sum / count } else { 1.0 }
    }

    /// Stiffness of rows that have an infinite one, for steps of `h`: eq. (7a).
    pub fn hard_stiffness(&self, h: f64) -> [f64; 2] {
        let mass: f64 = self.nodes.iter().map(|n| n.mass).sum();
        let linear = HARD * mass / (h * h);
        [linear, linear * self.mean_arm().powi(2)]
    }

    /// Strains, stresses and the gradient at the iterate; `bases`: body frames of what is prescribed,
    /// at the end of the step.
    pub fn evaluate(&mut self, law: RodLaw, bases: &[Pose], h: f64) {
        for (n, node) in self.nodes.iter().enumerate() {
            let mut g = self.at[n].eval_gradient(node.mass, &self.target[n], h);
            (0..3).for_each(|i| g[3 + i] -= self.torque[n][i]);
            self.gradient[n] = g;
        }
        for e in self.elements.iter_mut().filter(|e| e.on) {
            e.ends = e.place(|side| match side {
                Side::Node(n) => self.at[n as usize].pose(&self.target[n as usize]),
                Side::Base(b) => bases[b as usize],
                Side::World => Pose::identity(),
            });
            e.strain = e.eval_strain(law, &e.ends, &e.strain.phi);
            let s = e.eval_stress(h);
            for (side, n) in e.nodes().into_iter().enumerate() {
                if let Some(n) = n {
                    self.gradient[n] += e.strain.jacobian[side].tr_mul(&s);
                }
            }
        }
        if !self.touches.is_empty() {
            self.look_at_contacts();
        }
    }

    /// Assembles the Hessian at the iterate.
    pub fn assemble(&mut self, law: RodLaw, h: f64, kind: Hessian) {
        self.system.clear();
        for (n, node) in self.nodes.iter().enumerate() {
            self.system.add_diagonal(n, &self.at[n].eval_hessian(node.mass, &self.target[n], h));
        }
        for e in self.elements.iter().filter(|e| e.on) {
            let [h00, h11, h01]: [Mat6; 3] = e.eval_hessian(law, h, kind);
            for (n, block) in e.nodes().into_iter().zip([h00, h11]) {
                if let Some(n) = n {
                    self.system.add_diagonal(n, &block);
                }
            }
            if let Some(edge) = e.edge {
                self.system.add_edge(edge as usize, &h01);
            }
        }
        for touch in self.touches.iter().filter(|t| t.on) {
            touch.add_stiffness(kind, self.slack, &mut self.system);
        }
    }

    /// Goes back to the kept iterate.
    pub fn back(&mut self) {
        self.at.copy_from_slice(&self.kept);
        for (e, phi) in self.elements.iter_mut().zip(&self.kept_phi) {
            e.strain.phi = *phi;
        }
    }

    /// Remembers the iterate.
    pub fn keep(&mut self) {
        self.kept.copy_from_slice(&self.at);
        for (phi, e) in self.kept_phi.iter_mut().zip(&self.elements) {
            *phi = e.strain.phi;
        }
    }

    /// eq. (16): the stress that the Newton step foresees.
    pub fn foresee_stress(&mut self, h: f64, t: f64) {
        for e in self.elements.iter_mut().filter(|e| e.on) {
            let mut change = Vec6::zeros();
            for (side, n) in e.nodes().into_iter().enumerate() {
                if let Some(n) = n {
                    change += e.strain.jacobian[side] * self.step[n] * t;
                }
            }
            e.stress = e.eval_stress(h) + e.tangent(h).component_mul(&change);
        }
    }

    /// The objective of the step: eq. (10).
    pub fn eval_objective(&self, h: f64) -> f64 {
        let inertia = self.nodes.iter().enumerate().map(|(n, node)| {
            let work = self.torque[n].dot(&self.at[n].turned);
            self.at[n].eval_energy(node.mass, &self.target[n], h) - work
        });
        let elements = self.elements.iter().filter(|e| e.on).map(|e| e.eval_objective(h));
        let touches = self.touches.iter().filter(|t| t.on).map(|t| t.law.eval_potential(&t.here));
        inertia.sum::<f64>() + elements.sum::<f64>() + touches.sum::<f64>()
    }

    /// The largest turn of the Newton step that an element sees between its sides \[rad\].
    pub fn largest_bend_of_step(&self) -> f64 {
        let turn = |n: Option<usize>| n.map_or_else(Vec3::zeros, |n| angular(&self.step[n]));
        let bend = |e: &Element| {
            let [a, b] = e.nodes();
            (turn(b) - turn(a)).norm_squared()
        };
        self.elements.iter().filter(|e| e.on).map(bend).fold(0.0, f64::max).sqrt()
    }
}
