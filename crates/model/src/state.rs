//! What changes in time: state, control and forces, in `f64`, global ids.

use coact_math::{Pose, Spatial, Vec3};

use crate::ids::EntityId;
use crate::{BodyId, ParticleId};

bitflags::bitflags! {
    /// Parts of a [`State`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct StateFields: u32 {
        /// `particle_q`.
        const PARTICLE_Q = 1;
        /// `particle_qd`.
        const PARTICLE_QD = 2;
        /// `body_q`.
        const BODY_Q = 4;
        /// `body_qd`.
        const BODY_QD = 8;
        /// `joint_q`.
        const JOINT_Q = 16;
        /// `joint_qd`.
        const JOINT_QD = 32;
    }
}

/// Positions and velocities of everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Positions \[m\]. Shape: \[particle_count\].
    pub particle_q: Vec<Vec3>,
    /// Velocities \[m/s\]. Shape: \[particle_count\].
    pub particle_qd: Vec<Vec3>,
    /// Poses of body frames. Shape: \[body_count\].
    pub body_q: Vec<Pose>,
    /// (centre of mass, angular) velocities, world frame. Shape: \[body_count\].
    pub body_qd: Vec<Spatial>,
    /// Joint coordinates. Shape: \[coord_count\].
    pub joint_q: Vec<f64>,
    /// Joint velocities. Shape: \[dof_count\].
    pub joint_qd: Vec<f64>,
}

impl State {
    /// Copies `other` into the existing memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.particle_q.clone_from(&other.particle_q);
        self.particle_qd.clone_from(&other.particle_qd);
        self.body_q.clone_from(&other.body_q);
        self.body_qd.clone_from(&other.body_qd);
        self.joint_q.clone_from(&other.joint_q);
        self.joint_qd.clone_from(&other.joint_qd);
    }

    /// The first entity with a number that is not finite: particles, then bodies.
    pub fn first_nonfinite(&self) -> Option<EntityId> {
        let bad = |v: &Vec3| v.iter().any(|x| !x.is_finite());
        let p = (0..self.particle_q.len())
            .find(|&i| bad(&self.particle_q[i]) || bad(&self.particle_qd[i]))
            .map(|i| EntityId::Particle(ParticleId::new(i)));
        p.or_else(|| {
            (0..self.body_q.len())
                .find(|&i| !self.body_q[i].is_finite() || !self.body_qd[i].is_finite())
                .map(|i| EntityId::Body(BodyId::new(i)))
        })
    }
}

/// Drive targets, generalised forces and prescribed velocities, constant over a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Control {
    /// Position targets per axis \[m or rad\]. Shape: \[axis_count\].
    pub joint_target_q: Vec<f64>,
    /// Velocity targets per axis \[m/s or rad/s\]. Shape: \[axis_count\].
    pub joint_target_qd: Vec<f64>,
    /// Generalised forces per freedom \[N or N·m\]. Shape: \[dof_count\].
    pub joint_f: Vec<f64>,
    /// Velocities \[m/s\] with which pinned particles move over the step. One that is not
    /// listed stands still; one that is not pinned moves by itself.
    pub particle_motion: Vec<(ParticleId, Vec3)>,
    /// Velocities (centre of mass, angular) with which kinematic bodies move over the step and
    /// which they keep. One that is not listed keeps its velocity.
    pub body_motion: Vec<(BodyId, Spatial)>,
}

/// External forces, constant over a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Forces on particles \[N\]. Shape: \[particle_count\].
    pub particle_f: Vec<Vec3>,
    /// (force \[N\], torque about the centre of mass \[N·m\]) on bodies. Shape: \[body_count\].
    pub body_f: Vec<Spatial>,
}

impl Forces {
    /// No force on `particles` particles and `bodies` bodies.
    pub fn zeros(particles: usize, bodies: usize) -> Self {
        Self { particle_f: vec![Vec3::zeros(); particles], body_f: vec![Spatial::zeros(); bodies] }
    }

    /// Sets every force to zero.
    pub fn clear(&mut self) {
        self.particle_f.fill(Vec3::zeros());
        self.body_f.fill(Spatial::zeros());
    }

    /// Copies `other` into the existing memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.particle_f.clone_from(&other.particle_f);
        self.body_f.clone_from(&other.body_f);
    }
}
