//! Rigid bodies with what connects them: the rigid half of a step. Theory:
//! `docs/theory/rigid-rows.md`.
//!
//! Map: `terms.rs` is what a connection puts on its two bodies, `cluster.rs` which bodies are
//! solved together, `crate::joint` the joints, `crate::touch` the contacts.

mod cluster;
mod terms;

use coact_model::{Control, JointId, ModelView};

use crate::body::{Bodies, BodyLoad};
use crate::joint::{JointInput, JointMemory, JointState, Joints};
use crate::particle::ParticleBackend;

use cluster::{Clusters, Edges};

pub use crate::joint::JointSettings;
pub use cluster::BodyBlocks;
pub use terms::{EdgeTerms, eval_arm_stiffness};

/// Joints and contacts of the bodies of a view.
#[derive(Default)]
pub struct Rigid {
    connections: Connections,
    clusters: Clusters,
    blocks: BodyBlocks,
    /// Bodies of each color, where the model gives them.
    groups: Vec<Vec<u32>>,
    /// Ends of all connections in this step.
    ends: Vec<[u32; 2]>,
    h: f64,
    parallel: bool,
}

/// What lies between bodies.
#[derive(Default)]
struct Connections {
    joints: Joints,
}

/// What the rigid half of a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidSummary {
    /// Joint with the largest gap, and that gap \[m\].
    pub worst_joint: Option<(JointId, f64)>,
}

impl Edges for Connections {
    fn add(&self, edge: usize, bodies: &Bodies, terms: &mut EdgeTerms) {
        self.joints.get(edge).add(bodies, terms);
    }
}

impl Rigid {
    /// The joints that a view solves.
    pub fn new(view: &ModelView, blocks: BodyBlocks, joints: JointSettings, parallel: bool) -> Self {
        let groups = view.body_color_groups.iter().map(|g| g.iter().map(|b| b.0).collect()).collect();
        let connections = Connections { joints: Joints::new(view, joints) };
        Self { connections, blocks, groups, parallel, ..Self::default() }
    }

    /// Rows of a step of size `h`; bodies are at their targets.
    pub fn begin(&mut self, view: &ModelView, control: &Control, bodies: &Bodies, h: f64) {
        self.h = h;
        self.ends.clear();
        self.ends.extend(self.connections.joints.iter().map(|j| j.ends_in(view)));
        let joints = self.connections.joints.iter().len();
        self.clusters.update(bodies, &self.ends, joints, self.blocks, &self.groups);
        let together = self.clusters.together();
        self.connections.joints.begin(&JointInput { view, control, bodies, together, h });
    }

    /// Every free body once; returns how many have a singular system.
    pub fn sweep(&mut self, bodies: &mut Bodies, particles: &mut dyn ParticleBackend) -> usize {
        self.clusters.sweep(bodies, &self.connections, particles, self.h, self.parallel)
    }

    /// Multipliers follow a sweep.
    pub fn update_duals(&mut self, bodies: &Bodies) {
        self.connections.joints.update_duals(bodies);
    }

    /// The end of a step.
    pub fn commit(&mut self, bodies: &Bodies) {
        self.connections.joints.commit(bodies);
    }

    /// What connections put on every body, added to `loads`. Shape: \[body_count\].
    pub fn add_loads(&self, bodies: &Bodies, loads: &mut [BodyLoad]) {
        for (edge, ends) in self.ends.iter().enumerate() {
            let mut terms = EdgeTerms::default();
            self.connections.add(edge, bodies, &mut terms);
            for (side, &b) in ends.iter().enumerate() {
                if let Some(load) = loads.get_mut(b as usize) {
                    *load += &terms.load[side];
                }
            }
        }
    }

    /// Whether anything connects bodies.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What a joint did at the end of the last step.
    pub fn joint(&self, id: JointId, bodies: &Bodies) -> Option<JointState> {
        self.connections.joints.state(id, bodies)
    }

    /// The rigid half of the report.
    pub fn summary(&self, bodies: &Bodies) -> RigidSummary {
        let mut worst: Option<(JointId, f64)> = None;
        for (id, s) in self.connections.joints.states(bodies) {
            if worst.is_none_or(|(_, gap)| s.gap > gap) {
                worst = Some((id, s.gap));
            }
        }
        RigidSummary { worst_joint: worst }
    }

    /// What is kept between steps.
    pub fn save(&self, to: &mut RigidMemory) {
        self.connections.joints.save(&mut to.joints);
    }

    /// Goes back to what was saved; `None` = nothing is remembered.
    pub fn restore(&mut self, from: Option<&RigidMemory>) {
        self.connections.joints.restore(from.map(|m| &m.joints[..]));
    }
}

/// What joints and contacts keep between steps.
#[derive(Clone, Debug, Default)]
pub struct RigidMemory {
    joints: Vec<JointMemory>,
}
