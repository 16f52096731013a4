//! Rigid bodies: state, free motion, block solve, end of step. All in `f64`, world frame.
//!
//! A body is known by its centre of mass c and its rotation q. The unknown of its block is
//! (dx, θ): displacement and rotation vector from the inertial target (c*, q*). Theory:
//! `docs/theory/vbd.md` section 4.

mod along;
mod block;
mod iterate;
mod mobility;
mod motion;

use coact_collide::{Mobility, body_mobility};
use coact_math::{Mat3, Pose, PrincipalInertia, Quat, Spatial, Vec3, rotation_between};
use coact_model::{BodyId, Model, ModelView};

use crate::config::{RotationUpdate, VelocityRule};

pub use along::Along;
pub use block::BodyLoad;
pub use iterate::{Inertial, Iterate, Motion};
pub use mobility::{Plane, PointMobility, tangents};
pub use motion::{FreeEnd, advanced};

/// One body. What the names of a step mean: `0` begin, `t` inertial target.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// How it moves; `Static` for bodies of others.
    pub mobility: Mobility,
    /// Whether its motion is stored.
    pub owned: bool,
    /// Mass \[kg\]; 0 = moved by no force.
    pub mass: f64,
    /// Inertia about the centre of mass, body axes \[kg·m²\].
    pub inertia: Mat3,
    /// Its inverse; zero where there is none.
    pub inverse_inertia: Mat3,
    /// The same, diagonalised.
    pub principal: PrincipalInertia,
    /// Centre of mass in the body frame \[m\].
    pub com: Vec3,
    /// Centre of mass \[m\] and rotation now.
    pub now: Pose,
    /// Velocity of the centre of mass \[m/s\] and angular velocity \[rad/s\].
    pub velocity: Spatial,
    /// Velocity at the begin of the step.
    pub begin_velocity: Spatial,
    /// Pose at the begin of the step.
    pub begin: Pose,
    /// What it moved and turned since then.
    pub moved: Spatial,
    /// Inverse inertia in the world at the begin of the step \[1/(kg·m²)\].
    mobility_now: Mat3,
    /// Inertial target.
    pub target: Pose,
    /// Velocity at the end of the free motion.
    pub free_velocity: Spatial,
    /// Displacement of the centre of mass from the target \[m\].
    pub dx: Vec3,
    /// Torque that acts as a potential \[N·m\].
    pub torque: Vec3,
    /// What connections corrected in the last step, over h²: where the next one starts.
    pub kept: Spatial,
    /// Whether the last sweep found nothing that presses on it.
    pub untouched: bool,
}

impl Body {
    /// Whether a block is solved for it.
    pub fn is_free(&self) -> bool {
        self.mass > 0.0 && matches!(self.mobility, Mobility::Dynamic | Mobility::Proxy)
    }

    /// Whether it moves by forces alone, and stands for nothing else.
    pub fn moves_freely(&self) -> bool {
        self.is_free() && self.mobility == Mobility::Dynamic
    }

    fn turn_mobility(&self, g: &Vec3) -> f64 {
        g.dot(&(self.mobility_now * g))
    }

    /// Rotation vector from the target to where it now is \[rad\].
    pub fn theta(&self) -> Vec3 {
        rotation_between(&self.target.q, &self.now.q)
    }

    /// Inertia in the world frame at the present rotation.
    pub fn world_inertia(&self) -> Mat3 {
        let r = self.now.q.to_rotation_matrix();
        r.matrix() * self.inertia * r.matrix().transpose()
    }

    /// The pose of the body frame.
    pub fn frame(&self) -> Pose {
        Pose::new(self.now.p - self.now.q * self.com, self.now.q)
    }

    /// The pose of the body frame at the begin of the step.
    pub fn begin_frame(&self) -> Pose {
        Pose::new(self.begin.p - self.begin.q * self.com, self.begin.q)
    }

    /// The pose of the body frame after `time`, in a step of size `h`, as its own velocity leads there without
    /// what acts on it; of what moves by prescription, as prescribed in the step.
    pub fn frame_ahead(&self, time: f64, h: f64) -> Pose {
        let prescribed = || {
            let turn = rotation_between(&self.begin.q, &self.target.q);
            Spatial::new(self.target.p - self.begin.p, turn) * (1.0 / h)
        };
        let velocity = if self.is_free() { self.begin_velocity } else { prescribed() };
        let end = advanced(&self.begin, &velocity, time);
        Pose::new(end.p - end.q * self.com, end.q)
    }

    /// How far a point at distance `far` \[m\] from the body's origin moves at most from the
    /// begin to the target.
    pub fn motion_bound(&self, far: f64) -> f64 {
        let turn = rotation_between(&self.begin.q, &self.target.q).norm();
        (self.target.p - self.begin.p).norm() + turn * (far + self.com.norm())
    }

    /// Whether what no force moves moves.
    pub fn is_carried(&self) -> bool {
        self.target != self.begin || self.velocity != Spatial::zeros()
    }

    /// Less its kinetic energy at the begin of a step of size `h`, and what gravity and given forces did to it
    /// in the step \[J\].
    pub fn gain_before_motion(&self, h: f64) -> f64 {
        let (v, w) = (self.begin_velocity.lin, self.begin_velocity.ang);
        let turn = w.dot(&self.principal.momentum(&self.begin.q, &w));
        let work = (self.free_velocity.lin - v).dot(&self.moved.lin) / h;
        -0.5 * (self.mass * v.norm_squared() + turn) - self.mass * work
    }

    /// Puts the centre of mass and the rotation at `pose`.
    pub fn go(&mut self, pose: Pose) {
        self.now = pose;
        let turn = rotation_between(&self.begin.q, &pose.q);
        self.moved = Spatial::new(pose.p - self.begin.p, turn);
    }

    /// A step begins where it is.
    pub fn begin_here(&mut self) {
        (self.begin, self.begin_velocity) = (self.now, self.velocity);
        self.moved = Spatial::zeros();
        let r = self.now.q.to_rotation_matrix();
        self.mobility_now = r.matrix() * self.inverse_inertia * r.matrix().transpose();
    }

    /// Puts the body frame at `frame`.
    pub fn set_frame(&mut self, frame: &Pose) {
        self.go(Pose::new(frame.point(&self.com), frame.q));
    }

    /// Rounds where it is to `f32`.
    fn round(&mut self) {
        self.go(rounded(&self.now, &self.com));
    }

    fn is_finite(&self) -> bool {
        self.now.is_finite() && self.velocity.is_finite()
    }
}

/// A moment of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its begin.
    Begin,
    /// The iterate.
    Now,
}

/// A surface point of a body and how far it moved since the begin of the step \[m\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfacePoint {
    /// Where it is.
    pub position: Vec3,
    /// How far the surface moved there.
    pub displacement: Vec3,
}

/// All bodies of the model, by id.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    list: Vec<Body>,
    rotation: RotationUpdate,
    /// Poses and velocities are numbers of `f32`.
    single: bool,
}

impl Bodies {
    /// From a view, at its initial state.
    pub fn new(view: &ModelView, rotation: RotationUpdate, velocity: VelocityRule) -> Self {
        let list = (0..view.body_count()).map(|b| body(view, BodyId::new(b))).collect();
        let single = velocity == VelocityRule::PositionDifference;
        let mut bodies = Self { list, rotation, single };
        bodies.load(&view.body_q, &view.body_qd);
        bodies
    }

    /// Takes over masses and flags; poses and velocities stay. Returns whether what moves, and how,
    /// is another.
    pub fn read_masses(&mut self, view: &ModelView) -> bool {
        let mut changed = false;
        for (i, b) in self.list.iter_mut().enumerate() {
            let frame = b.frame();
            let fresh = body(view, BodyId::new(i));
            changed |= fresh.mobility != b.mobility || fresh.is_free() != b.is_free();
            *b = Body { now: b.now, velocity: b.velocity, begin: b.begin, kept: b.kept, ..fresh };
            b.set_frame(&frame);
            b.begin_here();
        }
        changed
    }

    /// Takes over poses of body frames and velocities.
    pub fn load(&mut self, q: &[Pose], qd: &[Spatial]) {
        for ((b, q), qd) in self.list.iter_mut().zip(q).zip(qd) {
            b.set_frame(q);
            b.velocity = *qd;
            b.kept = Spatial::zeros();
            b.begin_here();
        }
    }

    /// By id.
    pub fn get(&self, body: usize) -> &Body {
        &self.list[body]
    }

    /// By id, to be changed.
    pub fn get_mut(&mut self, body: usize) -> &mut Body {
        &mut self.list[body]
    }

    /// In order of ids.
    pub fn iter(&self) -> impl Iterator<Item = &Body> {
        self.list.iter()
    }

    /// Count.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The pose of a body frame.
    pub fn frame_at(&self, body: usize, place: Place) -> Pose {
        let b = &self.list[body];
        if place == Place::Begin { b.begin_frame() } else { b.frame() }
    }

    /// Centre of mass in the body frame.
    pub fn com(&self, body: usize) -> Vec3 {
        self.list[body].com
    }

    /// Mass of what a force can move \[kg\]; 0 for all others and the static world.
    pub fn mass(&self, body: u32) -> f64 {
        self.list.get(body as usize).filter(|b| b.is_free()).map_or(0.0, |b| b.mass)
    }

    /// Pose of the centre of mass; a body out of range is the static world.
    pub fn placed(&self, body: u32, place: Place) -> Pose {
        let at = |b: &Body| if place == Place::Begin { b.begin } else { b.now };
        self.list.get(body as usize).map_or_else(Pose::identity, at)
    }

    /// Rotation vector since the begin of the step; the static world does not turn.
    pub fn turned(&self, body: u32) -> Vec3 {
        self.list.get(body as usize).map_or_else(Vec3::zeros, |b| b.moved.ang)
    }

    /// Velocity; the static world has none.
    pub fn velocity_of(&self, body: u32) -> Spatial {
        self.list.get(body as usize).map_or_else(Spatial::zeros, |b| b.velocity)
    }

    /// Speed of the faster one of two points of bodies that no force moves, at arms \[m\] in body axes
    /// \[m/s\]; 0 of others.
    pub fn prescribed_speed(&self, of: [u32; 2], arms: &[Vec3; 2]) -> f64 {
        let speed = |(b, r): (u32, &Vec3)| match self.list.get(b as usize).filter(|b| !b.is_free()) {
            None => 0.0,
            Some(b) => (b.velocity.lin + b.velocity.ang.cross(&(b.now.q * r))).norm(),
        };
        of.into_iter().zip(arms).map(speed).fold(0.0, f64::max)
    }

    /// Whether forces move it; the static world stays.
    pub fn moves(&self, body: u32) -> bool {
        self.mass(body) > 0.0
    }

    /// How far a point at the arm `r` \[m\] of a body moves along `a` for a force along it, at the
    /// begin of the step \[1/kg\]; 0 for what no force moves.
    pub fn line_mobility(&self, body: u32, r: &Vec3, a: &Vec3) -> f64 {
        let Some(b) = self.list.get(body as usize).filter(|b| b.is_free()) else { return 0.0 };
        1.0 / b.mass + b.turn_mobility(&r.cross(a))
    }

    /// How a body moves for a force on it, at the begin of the step; not at all where no force moves
    /// it.
    pub fn point_mobility(&self, body: u32) -> PointMobility {
        let Some(b) = self.list.get(body as usize).filter(|b| b.is_free()) else {
            return PointMobility::default();
        };
        PointMobility { mass: 1.0 / b.mass, turn: b.mobility_now }
    }

    /// Change of the angular velocity by an impulse of torque where it now is \[rad/s\]; none of what no
    /// force moves.
    pub fn turned_by(&self, body: u32, impulse: &Vec3) -> Vec3 {
        let b = self.list.get(body as usize).filter(|b| b.is_free());
        b.map_or_else(Vec3::zeros, |b| {
            b.now.q * (b.inverse_inertia * b.now.q.inverse_transform_vector(impulse))
        })
    }

    /// How far a body turns about `g` for a torque along it \[1/(kg·m²)\].
    pub fn turn_mobility(&self, body: u32, g: &Vec3) -> f64 {
        let b = self.list.get(body as usize).filter(|b| b.is_free());
        b.map_or(0.0, |b| b.turn_mobility(g))
    }

    /// A third of the trace of the inverse inertia \[1/(kg·m²)\].
    pub fn mean_turn_mobility(&self, body: u32) -> f64 {
        let b = self.list.get(body as usize).filter(|b| b.is_free());
        b.map_or(0.0, |b| b.inverse_inertia.trace() / 3.0)
    }

    /// Rotation now; a body out of range is the static world.
    pub fn rotation_of(&self, body: u32) -> Quat {
        self.list.get(body as usize).map_or_else(Quat::identity, |b| b.now.q)
    }

    /// eq. (9): the surface point `point` (relative to the centre of mass, body axes) now.
    /// Its displacement is that of the material point. A body out of range is the static world.
    pub fn surface_point(&self, body: u32, point: &Vec3) -> SurfacePoint {
        let Some(b) = self.list.get(body as usize) else {
            return SurfacePoint { position: *point, displacement: Vec3::zeros() };
        };
        let r = b.now.q * point;
        SurfacePoint { position: b.now.p + r, displacement: b.moved.lin + (r - b.begin.q * point) }
    }

    /// Names bodies with a number that is not finite.
    pub fn note_nonfinite(&self, mut note: impl FnMut(BodyId)) {
        for (i, b) in self.list.iter().enumerate() {
            if b.owned && !b.is_finite() {
                note(BodyId::new(i));
            }
        }
    }
}

fn body(view: &ModelView, id: BodyId) -> Body {
    let (i, model): (usize, &Model) = (id.index(), view);
    let (owned, proxy) = (view.owns_body(id), view.is_proxy_body(id));
    Body {
        mobility: if owned || proxy { body_mobility(view, id) } else { Mobility::Static },
        owned,
        mass: if model.body_inv_mass[i] > 0.0 { model.body_mass[i] } else { 0.0 },
        inertia: model.body_inertia[i],
        inverse_inertia: model.body_inertia[i].try_inverse().unwrap_or_default(),
        principal: PrincipalInertia::from_tensor(&model.body_inertia[i]),
        com: model.body_com[i],
        now: Pose::identity(),
        velocity: Spatial::zeros(),
        begin_velocity: Spatial::zeros(),
        begin: Pose::identity(),
        moved: Spatial::zeros(),
        mobility_now: Mat3::zeros(),
        target: Pose::identity(),
        free_velocity: Spatial::zeros(),
        dx: Vec3::zeros(),
        torque: Vec3::zeros(),
        kept: Spatial::zeros(),
        untouched: false,
    }
}

/// A pose of the centre of mass `com`, as a body frame in `f32`.
fn rounded(pose: &Pose, com: &Vec3) -> Pose {
    let frame = Pose::new(pose.p - pose.q * com, pose.q);
    let frame = Pose::from_array(frame.to_array().map(|x| f64::from(x as f32)));
    Pose::new(frame.point(com), frame.q)
}

/// The rotation of `q` by the rotation vector `theta`, normalised. No turn changes no bit.
pub fn turned(q: &Quat, theta: &Vec3) -> Quat {
    if *theta == Vec3::zeros() {
        return *q;
    }
    let mut out = coact_math::exp_so3(theta) * q;
    out.renormalize();
    out
}
