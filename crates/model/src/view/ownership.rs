//! Who owns what, as lists and as masks.

use crate::ids::{BodyId, JointId, ParticleId, ShapeId};
use crate::model::Model;

/// What an entry owns and what stands in it for others. Lists of global ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ownership {
    /// Owned bodies.
    pub bodies: Vec<BodyId>,
    /// Owned particles.
    pub particles: Vec<ParticleId>,
    /// Owned joints.
    pub joints: Vec<JointId>,
    /// Visible shapes among those of the static world and of kinematic bodies of others;
    /// `None` = all of them.
    pub shapes: Option<Vec<ShapeId>>,
    /// Bodies of others that are dynamic here as proxies.
    pub proxy_bodies: Vec<BodyId>,
    /// Particles of others that are dynamic here as proxies.
    pub proxy_particles: Vec<ParticleId>,
    /// Joints of others that stay enabled between proxies.
    pub proxy_joints: Vec<JointId>,
}

impl Ownership {
    /// Owns everything.
    pub fn everything(model: &Model) -> Self {
        Self {
            bodies: (0..model.body_count()).map(BodyId::new).collect(),
            particles: (0..model.particle_count()).map(ParticleId::new).collect(),
            joints: (0..model.joint_count()).map(JointId::new).collect(),
            ..Self::default()
        }
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.bodies.clone_from(&other.bodies);
        self.particles.clone_from(&other.particles);
        self.joints.clone_from(&other.joints);
        self.shapes.clone_from(&other.shapes);
        self.proxy_bodies.clone_from(&other.proxy_bodies);
        self.proxy_particles.clone_from(&other.proxy_particles);
        self.proxy_joints.clone_from(&other.proxy_joints);
    }
}

/// The lists as masks over global ids.
#[derive(Clone, Debug)]
pub(super) struct Masks {
    pub body_owned: Vec<bool>,
    pub body_proxy: Vec<bool>,
    pub particle_owned: Vec<bool>,
    pub particle_proxy: Vec<bool>,
    pub joint_solved: Vec<bool>,
    pub shape_listed: Vec<bool>,
}

impl Masks {
    pub fn new(model: &Model, o: &Ownership) -> Self {
        let (bodies, particles) = (model.body_count(), model.particle_count());
        let joints = o.joints.iter().chain(&o.proxy_joints);
        let shape_listed = match &o.shapes {
            Some(list) => mask(model.shape_count(), list.iter().map(|s| s.index())),
            None => vec![true; model.shape_count()],
        };
        Self {
            body_owned: mask(bodies, o.bodies.iter().map(|b| b.index())),
            body_proxy: mask(bodies, o.proxy_bodies.iter().map(|b| b.index())),
            particle_owned: mask(particles, o.particles.iter().map(|p| p.index())),
            particle_proxy: mask(particles, o.proxy_particles.iter().map(|p| p.index())),
            joint_solved: mask(model.joint_count(), joints.map(|j| j.index())),
            shape_listed,
        }
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.body_owned.clone_from(&other.body_owned);
        self.body_proxy.clone_from(&other.body_proxy);
        self.particle_owned.clone_from(&other.particle_owned);
        self.particle_proxy.clone_from(&other.particle_proxy);
        self.joint_solved.clone_from(&other.joint_solved);
        self.shape_listed.clone_from(&other.shape_listed);
    }
}

fn mask(count: usize, ids: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut m = vec![false; count];
    ids.for_each(|i| m[i] = true);
    m
}
