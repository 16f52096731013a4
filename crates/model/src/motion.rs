//! Prescribed motion: where kinematic things are at a time, and the velocities that carry
//! them there over a step. Theory: `docs/theory/vbd.md` eq. (2a).
//!
//! A [`Motion`] is a rigid motion of space, X(t), the identity at t = 0. A [`MotionPlan`]
//! applies motions, each within its own times, to pinned particles and kinematic bodies. A
//! step from t₀ to t₁ takes each of them in a straight line (a body also by one rotation)
//! from X(t₀) to X(t₁): its velocity is the difference over t₁ − t₀, so that contact and
//! damping see the motion that happens. Left out on purpose: motion that depends on state.

use coact_math::{Pose, Quat, Spatial, Vec3, rotation_between};

use crate::{BodyId, Control, Model, ParticleId};

/// A rigid motion of space. Times in s since its start.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// At a constant velocity \[m/s\].
    Translate(Vec3),
    /// About an axis at a constant rate.
    Rotate {
        /// A point of the axis \[m\].
        center: Vec3,
        /// Direction of the axis; of length 1.
        axis: Vec3,
        /// Rate \[rad/s\], right-handed.
        rate: f64,
    },
    /// Along a polygon: linear between knots, the first one at time 0.
    Path {
        /// (time \[s\], offset from the start \[m\]), in rising order of time.
        knots: Vec<(f64, Vec3)>,
        /// Begins again after the last knot; else the last offset is held.
        repeat: bool,
    },
}

impl Motion {
    /// X(t): takes a point from where it is at the start to where it is at `t` ≥ 0 \[s\].
    pub fn pose(&self, t: f64) -> Pose {
        match self {
            Self::Translate(v) => Pose::translation(v * t),
            Self::Rotate { center, axis, rate } => {
                let q = Quat::from_scaled_axis(axis * (rate * t));
                Pose::new(center - q * center, q)
            }
            Self::Path { knots, repeat } => Pose::translation(along(knots, *repeat, t)),
        }
    }
}

/// The offset of a polygon at `t`.
fn along(knots: &[(f64, Vec3)], repeat: bool, t: f64) -> Vec3 {
    let Some(&(end, last)) = knots.last() else { return Vec3::zeros() };
    let t = if repeat && end > 0.0 { t.rem_euclid(end) } else { t };
    let next = knots.partition_point(|k| k.0 <= t);
    match (next.checked_sub(1).map(|k| knots[k]), knots.get(next)) {
        (_, None) => last,
        (None, Some(first)) => first.1,
        (Some((t0, x0)), Some(&(t1, x1))) => x0 + (x1 - x0) * ((t - t0) / (t1 - t0)),
    }
}

/// A motion within its times: before `start` nothing has moved, after `stop` it stays.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedMotion {
    /// The motion.
    pub motion: Motion,
    /// When it begins \[s\].
    pub start: f64,
    /// When it ends \[s\]; infinite: never.
    pub stop: f64,
}

impl TimedMotion {
    /// From time 0 on, for ever.
    pub fn always(motion: Motion) -> Self {
        Self { motion, start: 0.0, stop: f64::INFINITY }
    }

    /// X at the time `t` of the simulation \[s\].
    pub fn pose(&self, t: f64) -> Pose {
        self.motion.pose((t.min(self.stop) - self.start).max(0.0))
    }
}

/// Things that one chain of motions carries.
#[derive(Clone, Debug, Default)]
struct Carried {
    /// Applied in this order.
    motions: Vec<TimedMotion>,
    /// Where each particle begins \[m\].
    particles: Vec<(ParticleId, Vec3)>,
    /// Where each body frame begins, and its centre of mass in it \[m\].
    bodies: Vec<(BodyId, Pose, Vec3)>,
}

impl Carried {
    fn pose(&self, t: f64) -> Pose {
        self.motions.iter().fold(Pose::identity(), |x, m| m.pose(t) * x)
    }
}

/// Which things move by prescription, and how.
#[derive(Clone, Debug, Default)]
pub struct MotionPlan {
    carried: Vec<Carried>,
}

impl MotionPlan {
    /// Carries `particles` (pinned, so that nothing else moves them) and `bodies`
    /// (kinematic) from where `model` has them, by `motions` one after the other. Of two
    /// motions of one thing, the one added last counts.
    pub fn carry(
        &mut self,
        model: &Model,
        motions: Vec<TimedMotion>,
        particles: impl IntoIterator<Item = ParticleId>,
        bodies: impl IntoIterator<Item = BodyId>,
    ) {
        let particle = |p: ParticleId| (p, model.particle_q[p.index()]);
        let body = |b: BodyId| (b, model.body_q[b.index()], model.body_com[b.index()]);
        self.carried.push(Carried {
            motions,
            particles: particles.into_iter().map(particle).collect(),
            bodies: bodies.into_iter().map(body).collect(),
        });
    }

    /// Whether nothing is carried.
    pub fn is_empty(&self) -> bool {
        self.carried.is_empty()
    }

    /// Writes into `control` the velocities that carry everything from where it is at `t0`
    /// to where it is at `t1` > `t0` \[s\].
    pub fn apply(&self, t0: f64, t1: f64, control: &mut Control) {
        control.particle_motion.clear();
        control.body_motion.clear();
        let rate = 1.0 / (t1 - t0);
        for c in &self.carried {
            let (from, to) = (c.pose(t0), c.pose(t1));
            let velocity = |x: &Vec3| (to.point(x) - from.point(x)) * rate;
            control.particle_motion.extend(c.particles.iter().map(|(p, x)| (*p, velocity(x))));
            control.body_motion.extend(c.bodies.iter().map(|(b, pose, com)| {
                let (begin, end) = (from * *pose, to * *pose);
                let centre = end.point(com) - begin.point(com);
                (*b, Spatial::new(centre, rotation_between(&begin.q, &end.q)) * rate)
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDef, BodyMass, ModelBuilder, ParticleDef};
    use coact_math::Mat3;

    fn twist() -> Motion {
        Motion::Rotate { center: Vec3::new(0.3, -0.2, 0.5), axis: Vec3::new(0.0, 0.6, 0.8), rate: 2.0 }
    }

    fn path(repeat: bool) -> Motion {
        let knots = vec![(0.0, Vec3::zeros()), (1.0, Vec3::x()), (3.0, Vec3::new(1.0, 4.0, 0.0))];
        Motion::Path { knots, repeat }
    }

    #[test]
    fn a_path_is_linear_between_knots_then_holds_or_begins_again() {
        for (t, x, y) in [(0.0, 0.0, 0.0), (0.25, 0.25, 0.0), (1.0, 1.0, 0.0), (2.0, 1.0, 2.0)] {
            assert_eq!(path(false).pose(t).p, Vec3::new(x, y, 0.0));
            assert_eq!(path(true).pose(t).p, path(false).pose(t).p);
        }
        assert_eq!(path(false).pose(9.0).p, Vec3::new(1.0, 4.0, 0.0));
        assert_eq!(path(true).pose(3.25).p, Vec3::new(0.25, 0.0, 0.0));
    }

    #[test]
    fn every_motion_begins_as_the_identity_and_stops_where_it_is() {
        for motion in [Motion::Translate(Vec3::new(1.0, 2.0, 3.0)), twist(), path(false)] {
            let timed = TimedMotion { motion: motion.clone(), start: 0.5, stop: 1.25 };
            assert_eq!(timed.pose(0.2), Pose::identity());
            assert_eq!(timed.pose(0.5), Pose::identity());
            assert_eq!(timed.pose(1.0), motion.pose(0.5));
            assert_eq!(timed.pose(7.0), motion.pose(0.75));
            assert_ne!(timed.pose(7.0), Pose::identity());
        }
    }

    #[test]
    fn the_axis_stays_and_the_rest_turns_at_the_rate() {
        let Motion::Rotate { center, axis, rate } = twist() else { unreachable!() };
        let x = twist().pose(0.4);
        assert!((x.point(&(center + axis * 1.7)) - (center + axis * 1.7)).norm() < 1e-15);
        assert!((x.q.scaled_axis() - axis * (rate * 0.4)).norm() < 1e-15);
    }

    #[test]
    fn velocities_carry_particles_and_bodies_to_where_the_motions_put_them() {
        let mut b = ModelBuilder::new();
        let p = b.add_particle(ParticleDef { q: Vec3::new(1.0, 0.0, 0.2), ..ParticleDef::default() });
        let com = Vec3::new(0.1, 0.0, -0.1);
        let mass = BodyMass::Given { mass: 1.0, com, inertia: Mat3::identity() };
        let pose = Pose::new(Vec3::new(0.0, 1.0, 0.0), Quat::from_scaled_axis(Vec3::x()));
        let body = b.add_body(BodyDef { pose, mass, kinematic: true, ..BodyDef::default() });
        let model = b.finalize().unwrap();
        let motions = vec![
            TimedMotion { motion: twist(), start: 0.1, stop: 0.6 },
            TimedMotion::always(Motion::Translate(Vec3::z())),
        ];
        let mut plan = MotionPlan::default();
        plan.carry(&model, motions.clone(), [p], [body]);
        let (mut control, h) = (model.control(), 1.0 / 64.0);
        let (mut x, mut frame) = (model.particle_q[0], pose);
        for step in 0..64 {
            let t = f64::from(step) * h;
            plan.apply(t, t + h, &mut control);
            x += control.particle_motion[0].1 * h;
            frame = frame.displaced(&com, &(control.body_motion[0].1 * h));
            let to = motions[1].pose(t + h) * motions[0].pose(t + h);
            assert!((x - to.point(&model.particle_q[0])).norm() < 1e-13, "step {step}");
            assert!((frame.p - (to * pose).p).norm() < 1e-13, "step {step}");
            assert!(rotation_between(&frame.q, &(to * pose).q).norm() < 1e-13, "step {step}");
        }
        assert!((x - model.particle_q[0]).norm() > 0.5);
        assert_eq!(control.particle_motion.len(), 1);
    }
}
