//! Detection of particles near shapes. Theory: `docs/theory/vbd.md` eq. (12).
//!
//! A record is kept where the signed distance of the particle's centre is below
//! `gap + margin + radius + motion`. Closest point (body frame) and normal (world frame)
//! are those of the begin of the step. Each shape is rejected by its bounding sphere
//! first. The loop over particles is the caller's: it knows where positions live.
//!
//! Left out on purpose: pairs that can do nothing, and pairs of proxies with static
//! shapes or with other proxies, which the source of the proxy handles by itself.

use coact_math::{Pose, V3, Vec3};
use coact_model::{BodyId, ModelView, ParticleId, ShapeFlags, ShapeId};

use crate::contacts::ParticleShapeContact;
use crate::sdf::Sdf;

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

/// A shape as detection sees it.
#[derive(Clone, Copy, Debug)]
struct Target {
    shape: ShapeId,
    sdf: Sdf,
    body: Option<BodyId>,
    /// Shape frame in the body (or world) frame.
    x_local: Pose,
    /// Shape frame in the world.
    x_world: Pose,
    mobility: Mobility,
    margin: f64,
    gap: f64,
    motion: f64,
    visible: bool,
}

/// A shape that this detection cannot meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedShape {
    /// The shape.
    pub shape: ShapeId,
    /// The word for its geometry.
    pub kind: &'static str,
}

/// The shapes of a view, ready to be met by particles.
#[derive(Clone, Debug, Default)]
pub struct ParticleShapeDetector {
    targets: Vec<Target>,
    gap: Option<f64>,
}

impl ParticleShapeDetector {
    /// The shapes of `view` that collide with particles. `gap` \[m\] replaces the gaps of
    /// the shapes.
    ///
    /// # Errors
    /// The first visible shape whose distance is not known in closed form.
    pub fn new(view: &ModelView, gap: Option<f64>) -> Result<Self, UnsupportedShape> {
        let mut detector = Self { targets: Vec::new(), gap };
        for s in (0..view.shape_count()).map(ShapeId::new) {
            let geometry = &view.shape_geometry[s.index()];
            match Sdf::of(geometry) {
                Some(sdf) => detector.targets.push(detector.target(view, s, sdf)),
                None if view.shape_flags[s.index()].contains(ShapeFlags::COLLIDE_PARTICLES) => {
                    return Err(UnsupportedShape { shape: s, kind: geometry.kind() });
                }
                None => {}
            }
        }
        Ok(detector)
    }

    /// Takes over poses, flags, margins and gaps that changed in the view.
    pub fn update(&mut self, view: &ModelView) {
        for i in 0..self.targets.len() {
            let Target { shape, sdf, x_world, motion, .. } = self.targets[i];
            // a shape that changed its kind to one without a distance keeps what it was
            let sdf = Sdf::of(&view.shape_geometry[shape.index()]).unwrap_or(sdf);
            self.targets[i] = Target { x_world, motion, ..self.target(view, shape, sdf) };
        }
    }

    fn target(&self, view: &ModelView, shape: ShapeId, sdf: Sdf) -> Target {
        let (i, body) = (shape.index(), view.shape_body[shape.index()]);
        Target {
            shape,
            sdf,
            body,
            x_local: view.shape_x[i],
            x_world: view.shape_x[i],
            mobility: body.map_or(Mobility::Static, |b| body_mobility(view, b)),
            margin: view.shape_margin[i],
            gap: self.gap.unwrap_or(view.shape_gap[i]),
            motion: 0.0,
            visible: view.shape_flags[i].contains(ShapeFlags::COLLIDE_PARTICLES),
        }
    }

    /// Whether there is any shape to meet.
    pub fn is_empty(&self) -> bool {
        !self.targets.iter().any(|t| t.visible)
    }

    /// Moves the shapes to the begin of a step: `pose(b)` is the body frame, `motion(b, p)`
    /// bounds how far a point at distance `p` \[m\] from the body's origin moves in the step.
    pub fn place(&mut self, pose: impl Fn(BodyId) -> Pose, motion: impl Fn(BodyId, f64) -> f64) {
        for t in &mut self.targets {
            let Some(b) = t.body else { continue };
            t.x_world = pose(b) * t.x_local;
            let far = t.x_local.p.norm() + t.sdf.bounding_radius();
            t.motion = if far.is_finite() { motion(b, far) } else { 0.0 };
        }
    }

    /// Appends the contacts of one particle, in order of shapes.
    pub fn detect_particle(&self, q: &ParticleQuery, out: &mut Vec<ParticleShapeContact>) {
        for t in &self.targets {
            if t.visible && is_pair(q.mobility, t.mobility) {
                out.extend(t.meet(q));
            }
        }
    }
}

impl Target {
    /// eq. (12): the record of `q` against this shape, if it is near enough.
    fn meet(&self, q: &ParticleQuery) -> Option<ParticleShapeContact> {
        let reach = self.gap + self.margin + q.radius + q.motion + self.motion;
        let away = q.x - self.x_world.p;
        if away.norm() - self.sdf.bounding_radius() >= reach {
            return None;
        }
        let local = self.x_world.q.inverse_transform_vector(&away);
        let at = self.sdf.eval(V3::<f64>::from_host(&local));
        // a particle that is not a number meets nothing
        (at.distance < reach).then(|| ParticleShapeContact {
            particle: q.particle,
            shape: self.shape,
            body: self.body,
            point: self.x_local.point(&at.point.to_host(0)),
            normal: self.x_world.q * at.normal.to_host(0),
            margin: self.margin,
        })
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
mod tests {
    use super::*;

    #[test]
    fn pairs_that_can_do_nothing_or_belong_to_the_source_are_left_out() {
        use Mobility::{Dynamic, Prescribed, Proxy, Static};
        for shape in [Static, Prescribed, Dynamic, Proxy] {
            assert!(is_pair(Dynamic, shape));
        }
        assert!(!is_pair(Prescribed, Static) && !is_pair(Prescribed, Prescribed));
        assert!(is_pair(Prescribed, Dynamic) && is_pair(Prescribed, Proxy));
        assert!(!is_pair(Proxy, Static) && !is_pair(Proxy, Proxy));
        assert!(is_pair(Proxy, Dynamic) && is_pair(Proxy, Prescribed));
    }

    fn target(gap: f64, motion: f64) -> Target {
        let x_local = Pose::translation(Vec3::new(0.0, 0.0, 0.5));
        Target {
            shape: ShapeId(3),
            sdf: Sdf::Sphere { radius: 0.5 },
            body: Some(BodyId(1)),
            x_local,
            x_world: Pose::translation(Vec3::new(1.0, 0.0, 0.0)) * x_local,
            mobility: Mobility::Dynamic,
            margin: 0.02,
            gap,
            motion,
            visible: true,
        }
    }

    fn query(z: f64) -> ParticleQuery {
        let x = Vec3::new(1.0, 0.0, z);
        ParticleQuery { particle: ParticleId(0), x, radius: 0.05, motion: 0.0, mobility: Mobility::Dynamic }
    }

    #[test]
    fn a_record_is_kept_below_gap_margin_radius_and_motion() {
        // the surface is at z = 1, so the limit is 1 + 0.01 + 0.02 + 0.05
        assert!(target(0.01, 0.0).meet(&query(1.0799)).is_some());
        assert!(target(0.01, 0.0).meet(&query(1.0801)).is_none());
        assert!(target(0.01, 0.1).meet(&query(1.1799)).is_some());
        assert!(target(0.01, 0.0).meet(&query(f64::NAN)).is_none());
    }

    #[test]
    fn the_point_is_in_the_body_frame_and_the_normal_in_the_world() {
        let c = target(0.01, 0.0).meet(&query(1.05)).unwrap();
        assert!((c.point - Vec3::new(0.0, 0.0, 1.0)).norm() < 1e-15);
        assert_eq!(c.normal, Vec3::z());
        assert_eq!((c.shape, c.body, c.margin), (ShapeId(3), Some(BodyId(1)), 0.02));
    }
}
