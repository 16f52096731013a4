//! What acts on one body, and what it pushes back with. Theory: `docs/theory/vbd.md` eq. (17)–(19).
//!
//! ```text
//! H = diag(m/h² I, J/h²)         + per contact at r = p − c, with the particle's (f, H_c):
//! F −= f, τ −= r × f             H_ll += H_c, H_al += [r]× H_c, H_aa += [r]× H_c [r]×ᵀ
//! (δ, δθ) = H⁻¹ (F, τ)
//! ```

use coact_math::{Mat3, Mat6, Spatial, Vec3, skew};

use super::{Bodies, Body, Inertial, Iterate};

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
        self.stiffen(h, r);
    }

    /// Adds the stiffness `h` \[N/m\] at offset `r`.
    pub fn stiffen(&mut self, h: &Mat3, r: &Vec3) {
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
        Inertial::of(self).add(&Iterate::of(self), h, load);
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
}
