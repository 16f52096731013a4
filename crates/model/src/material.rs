//! Contact materials and the one rule that mixes two of them.

/// What a surface is like in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Contact stiffness where particles are involved \[N/m\].
    pub ke: f64,
    /// Contact stiffness between rigid bodies \[N/m\]; infinite = hard.
    pub rigid_ke: f64,
    /// Contact damping \[N·s/m\].
    pub kd: f64,
    /// Coulomb friction coefficient.
    pub mu: f64,
    /// Restitution in \[0, 1\].
    pub restitution: f64,
    /// Largest torque against rolling per normal force, between rigid bodies \[m\].
    pub rolling: f64,
    /// Largest torque about the normal per normal force, between rigid bodies \[m\].
    pub torsion: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            ke: 1.0e4,
            rigid_ke: f64::INFINITY,
            kd: 0.0,
            mu: 0.5,
            restitution: 0.0,
            rolling: 0.0,
            torsion: 0.0,
        }
    }
}

impl Material {
    /// The material of a pair: everything by the arithmetic mean, but Coulomb friction by the
    /// geometric mean.
    pub fn mix(a: &Self, b: &Self) -> Self {
        Self {
            ke: 0.5 * (a.ke + b.ke),
            rigid_ke: 0.5 * (a.rigid_ke + b.rigid_ke),
            kd: 0.5 * (a.kd + b.kd),
            mu: (a.mu * b.mu).sqrt(),
            restitution: 0.5 * (a.restitution + b.restitution),
            rolling: 0.5 * (a.rolling + b.rolling),
            torsion: 0.5 * (a.torsion + b.torsion),
        }
    }
}
