//! Chosen entities are put elsewhere: what is remembered of them is forgotten, all else stays.
//!
//! Forgotten are multipliers, anchors and matches of contacts with a chosen body or particle, of joints
//! and attachments at one, and what the last step corrected of it. A neighbour keeps its own memory.

use coact_math::{Pose, Spatial};
use coact_model::{BodyId, EntityId, ModelView, ParticleId, State};

use crate::solver::SolverVbd;

/// Which entities were chosen, by id.
#[derive(Clone, Debug)]
pub struct Chosen {
    bodies: Vec<bool>,
    particles: Vec<bool>,
    joints: Vec<bool>,
    /// Those that a chosen body carries.
    shapes: Vec<bool>,
}

impl Chosen {
    /// Entities of a view.
    pub fn new(view: &ModelView, entities: &[EntityId]) -> Self {
        let mut chosen = Self {
            bodies: vec![false; view.body_count()],
            particles: vec![false; view.particle_count()],
            joints: vec![false; view.joint_count()],
            shapes: Vec::new(),
        };
        for e in entities {
            match e {
                EntityId::Body(b) => chosen.bodies[b.index()] = true,
                EntityId::Particle(p) => chosen.particles[p.index()] = true,
                EntityId::Joint(j) => chosen.joints[j.index()] = true,
            }
        }
        let on_chosen = |b: &Option<BodyId>| b.is_some_and(|b| chosen.bodies[b.index()]);
        chosen.shapes = view.shape_body.iter().map(on_chosen).collect();
        chosen
    }

    /// Whether it is a chosen body; the world is none.
    pub fn body(&self, body: u32) -> bool {
        self.bodies.get(body as usize).is_some_and(|&c| c)
    }

    /// Whether it is a chosen particle.
    pub fn particle(&self, particle: u32) -> bool {
        self.particles[particle as usize]
    }

    /// Whether it is a chosen joint.
    pub fn joint(&self, joint: u32) -> bool {
        self.joints[joint as usize]
    }

    /// Whether a chosen body carries the shape.
    pub fn shape(&self, shape: u32) -> bool {
        self.shapes[shape as usize]
    }
}

impl SolverVbd {
    /// Takes over the rows of what is chosen and forgets the rest of it.
    pub(crate) fn put_elsewhere(&mut self, state: &State, chosen: &[EntityId]) {
        for e in chosen {
            match *e {
                EntityId::Body(b) => self.put_body(b, state),
                EntityId::Particle(p) => self.put_particle(p, state),
                EntityId::Joint(_) => {}
            }
        }
        let chosen = Chosen::new(&self.view, chosen);
        self.rigid.forget(&chosen);
        self.particles.forget(&chosen);
    }

    fn put_body(&mut self, b: BodyId, state: &State) {
        let body = self.bodies.get_mut(b.index());
        body.set_frame(&state.body_q[b.index()]);
        body.velocity = state.body_qd[b.index()];
        body.kept = Spatial::zeros();
        body.begin_here();
        self.put_external(b, &state.body_q[b.index()], &state.body_qd[b.index()]);
    }

    /// Bodies of another solver do not come from where they were.
    fn put_external(&mut self, b: BodyId, pose: &Pose, velocity: &Spatial) {
        if let Some(external) = &mut self.external {
            external.put(b, pose, velocity);
        }
    }

    fn put_particle(&mut self, p: ParticleId, state: &State) {
        self.particles.set(p, state.particle_q[p.index()], state.particle_qd[p.index()]);
    }
}
