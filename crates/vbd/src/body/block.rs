//! The block of one body: gradient, Hessian, 6×6 solve, update. Theory:
//! `docs/theory/vbd.md` eq. (17)–(19).
//!
//! ```text
//! force   F = −m dx/h²           torque  τ = τ_ext − J θ/h²        J = R I Rᵀ now
//! H = diag(m/h² I, J/h²)         + per contact at r = p − c, with the particle's (f, H_c):
//! F −= f, τ −= r × f             H_ll += H_c, H_al += [r]× H_c, H_aa += [r]× H_c [r]×ᵀ
//! (δ, δθ) = H⁻¹ (F, τ)           dx += δ, q ← exp(δθ) q
//! ```

use coact_math::{Mat3, Mat6, Pose, Quat, Spatial, Vec3, skew};

use super::{Bodies, Body, turned};
use crate::config::RotationUpdate;

/// Where a body is against its target.
#[derive(Clone, Copy, Debug)]
pub struct Displacement {
    dx: Vec3,
    q: Quat,
}

/// Wrench on a body and its Hessian, summed over what acts on it.
#[derive(Clone, Copy, Debug)]
pub struct BodyLoad {
    /// Force and torque about the centre of mass.
    pub wrench: Spatial,
    /// Linear-linear block \[N/m\].
    pub ll: Mat3,
    /// Angular-linear block \[N\].
    pub al: Mat3,
    /// Angular-angular block \[N·m\].
    pub aa: Mat3,
}

impl std::ops::AddAssign<&BodyLoad> for BodyLoad {
    fn add_assign(&mut self, other: &BodyLoad) {
        self.wrench += other.wrench;
        self.ll += other.ll;
        self.al += other.al;
        self.aa += other.aa;
    }
}

impl Default for BodyLoad {
    fn default() -> Self {
        Self { wrench: Spatial::zeros(), ll: Mat3::zeros(), al: Mat3::zeros(), aa: Mat3::zeros() }
    }
}

impl BodyLoad {
    /// Adds the reaction to the force `f` on what touches the body at offset `r`.
    pub fn react(&mut self, f: &Vec3, h: &Mat3, r: &Vec3) {
        self.wrench -= Spatial::wrench_at(f, r);
        let k = skew(r);
        let kh = k * h;
        self.ll += h;
        self.al += kh;
        self.aa += kh * k.transpose();
    }

    /// Whether anything pushes back.
    pub fn is_stiff(&self) -> bool {
        self.ll.trace() != 0.0 || self.aa.trace() != 0.0
    }

    /// The whole block.
    pub fn matrix(&self) -> Mat6 {
        let mut m = Mat6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.ll);
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&self.al);
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.al.transpose());
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.aa);
        m
    }
}

impl Body {
    /// eq. (17): inertia and external torque.
    pub fn add_inertia(&self, load: &mut BodyLoad, h: f64) {
        let w = 1.0 / (h * h);
        let j = self.world_inertia() * w;
        load.wrench += Spatial::new(-self.dx * (self.mass * w), self.torque - j * self.theta());
        load.ll += Mat3::identity() * (self.mass * w);
        load.aa += j;
    }

    /// What a step of inertia alone would gain under a wrench: F² h²/m + τᵀ J⁻¹ τ h² \[J\].
    pub fn gain(&self, wrench: &Spatial, h: f64) -> f64 {
        let t = self.now.q.inverse_transform_vector(&wrench.ang);
        h * h * (wrench.lin.norm_squared() / self.mass + t.dot(&(self.inverse_inertia * t)))
    }

    /// m |dx|²/h² + θᵀ J θ/h² \[J\].
    pub fn corrected(&self, h: f64) -> f64 {
        let (r, t) = (self.received(h), self.theta());
        r.lin.dot(&self.dx) + r.ang.dot(&t)
    }

    /// eq. (19): force and torque that the inertia of the block balances, what the rest of
    /// the world gave it: m dx/h² and J θ/h².
    pub fn received(&self, h: f64) -> Spatial {
        let w = 1.0 / (h * h);
        Spatial::new(self.dx * (self.mass * w), self.world_inertia() * self.theta() * w)
    }
}

impl Bodies {
    /// Residual wrench of a body, given what contacts and rows put on it.
    pub fn residual(&self, body: usize, contacts: BodyLoad, h: f64) -> Spatial {
        let mut load = contacts;
        self.get(body).add_inertia(&mut load, h);
        load.wrench
    }

    /// eq. (18): the system of a body, given what acts on it; it takes note of whether that presses.
    pub fn system(&self, body: usize, acting: &BodyLoad, h: f64) -> BodyLoad {
        let mut load = *acting;
        self.get(body).add_inertia(&mut load, h);
        if self.rotation == RotationUpdate::FirstOrder {
            load.aa += Mat3::identity() * (1e-9 * (load.aa.trace() / 3.0 + 1.0));
        }
        load
    }

    /// Where a body is against its target.
    pub fn displaced_to(&self, body: usize) -> Displacement {
        let b = self.get(body);
        Displacement { dx: b.dx, q: b.now.q }
    }

    /// Puts a body where it was.
    pub fn put_back(&mut self, body: usize, at: &Displacement) {
        let b = self.get_mut(body);
        b.dx = at.dx;
        b.go(Pose::new(b.target.p + at.dx, at.q));
    }

    /// eq. (18): one descent step of a body; `touched`: whether anything else acts on it.
    pub fn advance(&mut self, body: usize, step: &Spatial, touched: bool) {
        let (rotation, single) = (self.rotation, self.single);
        let b = self.get_mut(body);
        b.untouched = !touched;
        b.dx += step.lin;
        let q = match rotation {
            RotationUpdate::Exponential => turned(&b.now.q, &step.ang),
            RotationUpdate::FirstOrder => half_turned(&b.now.q, &step.ang),
        };
        b.go(Pose::new(b.target.p + b.dx, q));
        if single {
            b.round();
            b.dx = b.now.p - b.target.p;
        }
    }
}

/// The rotation by 2 atan(|w|/2) about w.
fn half_turned(q: &Quat, w: &Vec3) -> Quat {
    let turn = Quat::from_quaternion(nalgebra::Quaternion::from_parts(1.0, w * 0.5));
    let mut out = turn * q;
    out.renormalize();
    out
}
