//! Endpoints: who couples, where it is, what a force on it moves.

use coact_math::{Mat3, Mat6, Pose, Quat, Spatial, Vec3};
use coact_model::{BodyId, Forces, Model, ModelView, ParticleId, State, StateFields};

/// A body or particle that couples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// A rigid body, at its centre of mass.
    Body(BodyId),
    /// A particle.
    Particle(ParticleId),
}

impl Endpoint {
    /// Everything that takes part in a view: what it owns, then its proxies.
    pub fn all(view: &ModelView) -> impl Iterator<Item = Self> {
        let o = view.ownership();
        let bodies = o.bodies.iter().chain(&o.proxy_bodies).copied().map(Self::Body);
        bodies.chain(o.particles.iter().chain(&o.proxy_particles).copied().map(Self::Particle))
    }

    /// Whether it stands in the view for another entry's.
    pub fn is_proxy(&self, view: &ModelView) -> bool {
        match *self {
            Self::Body(b) => view.is_proxy_body(b),
            Self::Particle(p) => view.is_proxy_particle(p),
        }
    }

    /// Centre of mass in body axes \[m\]; zero for a particle.
    pub fn com(&self, model: &Model) -> Vec3 {
        match *self {
            Self::Body(b) => model.body_com[b.index()],
            Self::Particle(_) => Vec3::zeros(),
        }
    }

    /// Its row of the forces.
    pub fn force(&self, forces: &Forces) -> Spatial {
        match *self {
            Self::Body(b) => forces.body_f[b.index()],
            Self::Particle(p) => Spatial::new(forces.particle_f[p.index()], Vec3::zeros()),
        }
    }
}

/// Pose and velocity of an endpoint. For a body `pose` is the body frame and `velocity`
/// (centre of mass, angular); for a particle the rotation is the identity and the angular
/// velocity zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndpointState {
    /// Pose of the body frame, or position.
    pub pose: Pose,
    /// Velocity \[m/s, rad/s\].
    pub velocity: Spatial,
}

impl EndpointState {
    /// A particle's.
    pub fn particle(q: Vec3, qd: Vec3) -> Self {
        Self { pose: Pose::new(q, Quat::identity()), velocity: Spatial::new(qd, Vec3::zeros()) }
    }

    /// An endpoint's in a state.
    pub fn of(e: &Endpoint, state: &State) -> Self {
        match *e {
            Endpoint::Body(b) => Self { pose: state.body_q[b.index()], velocity: state.body_qd[b.index()] },
            Endpoint::Particle(p) => {
                Self::particle(state.particle_q[p.index()], state.particle_qd[p.index()])
            }
        }
    }

    /// Writes the asked `fields` of an endpoint into a state.
    pub fn write(&self, e: &Endpoint, fields: StateFields, state: &mut State) {
        match *e {
            Endpoint::Body(b) => {
                put(fields.contains(StateFields::BODY_Q), &mut state.body_q[b.index()], self.pose);
                put(fields.contains(StateFields::BODY_QD), &mut state.body_qd[b.index()], self.velocity);
            }
            Endpoint::Particle(p) => {
                let (q, qd) = (&mut state.particle_q[p.index()], &mut state.particle_qd[p.index()]);
                put(fields.contains(StateFields::PARTICLE_Q), q, self.pose.p);
                put(fields.contains(StateFields::PARTICLE_QD), qd, self.velocity.lin);
            }
        }
    }

    /// After `dt` at constant velocity, turned about the centre of mass `com` (body axes).
    pub fn coasted(&self, com: &Vec3, dt: f64) -> Self {
        Self { pose: self.pose.displaced(com, &(self.velocity * dt)), velocity: self.velocity }
    }
}

fn put<T>(asked: bool, to: &mut T, value: T) {
    if asked {
        *to = value;
    }
}

/// How a proxy moves in the coming step if its destination does not touch it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProxyMotion {
    /// At the begin of the step.
    pub begin: EndpointState,
    /// At the end of the step.
    pub free: EndpointState,
}

/// Share of a free body's mobility that stands for none. Larger lets proxies give way, smaller loses digits.
const BLOCKED_MOBILITY: f64 = 1e-9;

/// Mass \[kg\] and inertia \[kg·m²\] (about the centre of mass, body axes) that a force at
/// an endpoint feels. A particle's inertia is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassBlock {
    /// Effective mass; infinite when immovable.
    pub mass: f64,
    /// Effective inertia.
    pub inertia: Mat3,
}

impl MassBlock {
    /// What no force moves.
    pub fn immovable() -> Self {
        Self { mass: f64::INFINITY, inertia: Mat3::zeros() }
    }

    /// As a model or view has it.
    pub fn of(e: &Endpoint, model: &Model) -> Self {
        match *e {
            Endpoint::Body(b) if model.body_inv_mass[b.index()] > 0.0 && !model.body_kinematic[b.index()] => {
                Self { mass: model.body_mass[b.index()], inertia: model.body_inertia[b.index()] }
            }
            Endpoint::Particle(p) if model.particle_inv_mass[p.index()] > 0.0 => {
                Self { mass: model.particle_mass[p.index()], inertia: Mat3::zeros() }
            }
            _ => Self::immovable(),
        }
    }

    /// Of what moves with the mobility `w` (linear, angular; world frame) at orientation `q`: the mean over
    /// directions in mass, the inverse in inertia. `own`: its own mass \[kg\] and largest moment of inertia
    /// \[kg·m²\]; a mobility below a share of theirs counts as that, since a proxy needs a finite mass. What is
    /// blocked in all directions is immovable.
    pub fn of_mobility(w: &Mat6, q: &Quat, own: (f64, f64)) -> Self {
        let (least, floor) = (BLOCKED_MOBILITY / own.0, BLOCKED_MOBILITY / own.1);
        let linear = (w[(0, 0)] + w[(1, 1)] + w[(2, 2)]) / 3.0;
        let axes = *q.to_rotation_matrix().matrix();
        let angular: Mat3 = w.fixed_view::<3, 3>(3, 3).into_owned();
        let angular = axes.transpose() * angular * axes;
        if linear <= least && angular.trace() <= floor {
            return Self::immovable();
        }
        let eigen = ((angular + angular.transpose()) * 0.5).symmetric_eigen();
        let moments = eigen.eigenvalues.map(|x| 1.0 / x.max(floor));
        let inertia = eigen.eigenvectors * Mat3::from_diagonal(&moments) * eigen.eigenvectors.transpose();
        Self { mass: 1.0 / linear.max(least), inertia }
    }

    /// Whether a force moves it at all.
    pub fn is_movable(&self) -> bool {
        self.mass.is_finite() && self.mass > 0.0
    }

    /// M⁻¹F at orientation `q`, (f/m, R I⁻¹ Rᵀ τ); zero for what no force moves.
    pub fn acceleration(&self, q: &Quat, f: &Spatial) -> Spatial {
        if !self.is_movable() {
            return Spatial::zeros();
        }
        let torque = q.inverse() * f.ang;
        let ang = self.inertia.try_inverse().map_or_else(Vec3::zeros, |inv| q * (inv * torque));
        Spatial::new(f.lin / self.mass, ang)
    }
}

impl Default for MassBlock {
    fn default() -> Self {
        Self { mass: 0.0, inertia: Mat3::zeros() }
    }
}

/// Derivatives of an endpoint's end state with respect to a wrench that is constant over
/// the step, under the solver's own integrator. World frame, order (linear, angular).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// d(end displacement, end rotation vector) / d(force, torque) \[m/N, …\].
    pub pose: Mat6,
    /// d(end velocity) / d(force, torque) \[(m/s)/N, …\].
    pub velocity: Mat6,
}

impl Default for Response {
    fn default() -> Self {
        Self { pose: Mat6::zeros(), velocity: Mat6::zeros() }
    }
}
