//! Detection of particles near shapes. Theory: `docs/theory/vbd.md` eq. (12); what is far
//! is left alone by `docs/theory/distance.md` eq. (14).
//!
//! A record is kept where the signed distance of the particle's centre is below
//! `gap + margin + radius + motion`. Closest point (body frame) and normal (world frame)
//! are those of the begin of the step. A chunk of particles is tested by its box against
//! the box of each shape, then each particle against the boxes that are left.
//!
//! Trees of meshes are built once per geometry and kept while it stays.
//!
//! Left out on purpose: pairs that can do nothing, and pairs of proxies with static
//! shapes or with other proxies, which the source of the proxy handles by itself.

mod chunks;
mod target;

use coact_math::{Pose, Vec3};
use coact_model::{BodyId, ModelView, ParticleId, ShapeFlags, ShapeId};

use self::chunks::{Chunk, detect_chunks};
use self::target::Target;
use crate::contacts::ParticleShapeContact;
use crate::sdf::{MeshFault, ShapeDistance};
use crate::world_box::WorldBox;

/// How one side of a pair moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// The static world.
    Static,
    /// Moved by prescription only.
    Prescribed,
    /// Moved by force.
    Dynamic,
    /// Moved by force, on behalf of another solver.
    Proxy,
}

/// Whether a particle and a shape are a pair of this detection.
pub fn is_pair(particle: Mobility, shape: Mobility) -> bool {
    use Mobility::{Dynamic, Proxy, Static};
    let moves = |m| matches!(m, Dynamic | Proxy);
    let foreign = particle == Proxy && matches!(shape, Static | Proxy);
    (moves(particle) || moves(shape)) && !foreign
}

/// One particle to be tested.
#[derive(Clone, Copy, Debug)]
pub struct ParticleQuery {
    /// The particle.
    pub particle: ParticleId,
    /// Its position \[m\].
    pub x: Vec3,
    /// Its contact radius \[m\].
    pub radius: f64,
    /// How far it is expected to move in the step \[m\]; 0 = look at the gap alone.
    pub motion: f64,
    /// How it moves.
    pub mobility: Mobility,
}

impl ParticleQuery {
    fn is_finite(&self) -> bool {
        self.x.iter().all(|x| x.is_finite()) && self.motion.is_finite()
    }
}

/// A shape that this detection cannot meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedShape {
    /// The shape.
    pub shape: ShapeId,
    /// The word for its geometry.
    pub kind: &'static str,
    /// What is wrong with it.
    pub fault: MeshFault,
}

/// The shapes of a view, ready to be met by particles.
#[derive(Clone, Debug, Default)]
pub struct ParticleShapeDetector {
    targets: Vec<Target>,
    gap: Option<f64>,
    chunks: Vec<Chunk>,
}

impl ParticleShapeDetector {
    /// The shapes of `view` that collide with particles. `gap` \[m\] replaces the gaps of
    /// the shapes.
    ///
    /// # Errors
    /// The first visible shape that has no distance.
    pub fn new(view: &ModelView, gap: Option<f64>) -> Result<Self, UnsupportedShape> {
        let mut detector = Self { targets: Vec::new(), gap, chunks: Vec::new() };
        for s in (0..view.shape_count()).map(ShapeId::new) {
            let target = detector.target(view, s)?;
            detector.targets.push(target);
        }
        Ok(detector)
    }

    /// Takes over geometries, poses, flags, margins and gaps that changed in the view.
    pub fn update(&mut self, view: &ModelView) {
        for i in 0..self.targets.len() {
            // a geometry that came to have no distance leaves the shape as it was
            let Ok(made) = self.target(view, self.targets[i].shape) else { continue };
            let t = &mut self.targets[i];
            let x_world = if t.body.is_some() { t.x_world } else { made.x_world };
            *t = Target { x_world, motion: t.motion, ..made };
            t.bound();
        }
    }

    fn target(&self, view: &ModelView, shape: ShapeId) -> Result<Target, UnsupportedShape> {
        let (i, body) = (shape.index(), view.shape_body[shape.index()]);
        let (geometry, known) = (&view.shape_geometry[i], self.targets.iter());
        let visible = view.shape_flags[i].contains(ShapeFlags::COLLIDE_PARTICLES);
        let distance = || ShapeDistance::of(geometry, known.filter_map(|t| t.distance.as_ref()));
        let distance = visible.then(distance).transpose();
        let distance = distance.map_err(|fault| UnsupportedShape { shape, kind: geometry.kind(), fault })?;
        let mut target = Target {
            shape,
            distance,
            body,
            x_local: view.shape_x[i],
            x_world: view.shape_x[i],
            mobility: body.map_or(Mobility::Static, |b| body_mobility(view, b)),
            margin: view.shape_margin[i],
            gap: self.gap.unwrap_or(view.shape_gap[i]),
            motion: 0.0,
            visible,
            bounds: WorldBox::ALL,
        };
        target.bound();
        Ok(target)
    }

    /// Whether there is any shape to meet.
    pub fn is_empty(&self) -> bool {
        !self.targets.iter().any(|t| t.visible)
    }

    /// Moves the shapes to the begin of a step: `pose(b)` is the body frame, `motion(b, p)`
    /// bounds how far a point at distance `p` \[m\] from the body's origin moves in the step.
    pub fn place(&mut self, pose: impl Fn(BodyId) -> Pose, motion: impl Fn(BodyId, f64) -> f64) {
        for t in &mut self.targets {
            let (Some(b), Some(distance)) = (t.body, &t.distance) else { continue };
            t.x_world = pose(b) * t.x_local;
            let far = t.x_local.p.norm() + distance.bounding_radius();
            t.motion = if far.is_finite() { motion(b, far) } else { 0.0 };
            t.bound();
        }
    }

    /// Appends the contacts of one particle, in order of shapes.
    pub fn detect_particle(&self, q: &ParticleQuery, out: &mut Vec<ParticleShapeContact>) {
        let seen = |t: &&Target| t.visible && q.is_finite() && is_pair(q.mobility, t.mobility);
        out.extend(self.targets.iter().filter(seen).filter_map(|t| t.meet(q)));
    }

    /// Appends the contacts of particles 0..`count`, by particle, then shape: the records that
    /// [`detect_particle`](Self::detect_particle) gives, in any number of threads. `query` may
    /// be asked twice for a particle; `None` leaves it out. Answers whether memory was taken
    /// besides that of `out`.
    pub fn detect_all(
        &mut self,
        query: impl Fn(usize) -> Option<ParticleQuery> + Sync,
        count: usize,
        out: &mut Vec<ParticleShapeContact>,
    ) -> bool {
        detect_chunks(&mut self.chunks, &self.targets, count, &query, out)
    }
}

/// How a body moves in this view.
pub fn body_mobility(view: &ModelView, b: BodyId) -> Mobility {
    if view.is_proxy_body(b) {
        Mobility::Proxy
    } else if view.body_inv_mass[b.index()] > 0.0 && !view.body_kinematic[b.index()] {
        Mobility::Dynamic
    } else {
        Mobility::Prescribed
    }
}

#[cfg(test)]
mod tests;
