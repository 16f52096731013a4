//! Energy and momentum of a state, from the model's masses.
//!
//! Kinetic: `½ m v²` of particles and of centres of mass, and `½ ωᵀ R I Rᵀ ω` of bodies.
//! Gravity: `−m g·x` at particles and centres of mass, zero at the world origin. Angular
//! momentum is taken about the world origin: `x × m v + R I Rᵀ ω`. What no force moves
//! (zero inverse mass: pinned, kinematic) counts nowhere.

use coact_math::{Spatial, Vec3};
use coact_model::{BodyId, Model, State};
use serde::Serialize;

/// Energies \[J\] and momentum of everything that forces move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of height, relative to the world origin.
    pub gravity: f64,
    /// Stored in elements, as the solvers report it.
    pub stored: f64,
    /// Linear \[kg·m/s\], then angular momentum about the world origin \[kg·m²/s\].
    pub momentum: [f64; 6],
}

impl Energy {
    /// Of `state`; `stored` comes from the solvers.
    pub fn of(model: &Model, state: &State, stored: f64) -> Self {
        let mut sum = Self { stored, ..Self::default() };
        for (i, (x, v)) in state.particle_q.iter().zip(&state.particle_qd).enumerate() {
            if model.particle_inv_mass[i] > 0.0 {
                sum.add_point(model, model.particle_mass[i], x, v);
            }
        }
        for (i, (q, qd)) in state.body_q.iter().zip(&state.body_qd).enumerate() {
            if model.body_inv_mass[i] > 0.0 {
                let com = model.com_at(BodyId::new(i), q);
                sum.add_point(model, model.body_mass[i], &com, &qd.lin);
                sum.add_spin(&(q.q * (model.body_inertia[i] * (q.q.inverse() * qd.ang))), qd);
            }
        }
        sum
    }

    /// Kinetic + gravity + stored \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.stored
    }

    fn add_point(&mut self, model: &Model, mass: f64, x: &Vec3, v: &Vec3) {
        self.kinetic += 0.5 * mass * v.norm_squared();
        self.gravity -= mass * model.gravity.dot(x);
        let (p, l) = (v * mass, x.cross(v) * mass);
        for k in 0..3 {
            self.momentum[k] += p[k];
            self.momentum[3 + k] += l[k];
        }
    }

    fn add_spin(&mut self, spin: &Vec3, qd: &Spatial) {
        self.kinetic += 0.5 * spin.dot(&qd.ang);
        for k in 0..3 {
            self.momentum[3 + k] += spin[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use coact_math::{Mat3, Pose, Quat};

    use super::*;

    fn model() -> Model {
        Model {
            gravity: Vec3::new(0.0, 0.0, -10.0),
            particle_mass: vec![2.0, 5.0].into(),
            particle_inv_mass: vec![0.5, 0.0].into(),
            body_mass: vec![3.0].into(),
            body_inv_mass: vec![1.0 / 3.0].into(),
            body_com: vec![Vec3::new(1.0, 0.0, 0.0)].into(),
            body_inertia: vec![Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 4.0))].into(),
            ..Model::default()
        }
    }

    #[test]
    fn particle_counts_and_pinned_does_not() {
        let state = State {
            particle_q: vec![Vec3::new(0.0, 0.0, 3.0), Vec3::new(0.0, 0.0, 100.0)],
            particle_qd: vec![Vec3::new(4.0, 0.0, 0.0), Vec3::new(9.0, 9.0, 9.0)],
            ..State::default()
        };
        let e = Energy::of(&model(), &state, 7.0);
        assert_eq!((e.kinetic, e.gravity, e.stored, e.total()), (16.0, 60.0, 7.0, 83.0));
        assert_eq!(e.momentum, [8.0, 0.0, 0.0, 0.0, 24.0, 0.0]);
    }

    #[test]
    fn body_turns_about_its_centre_of_mass() {
        // A quarter turn about z brings body x to world y: the centre of mass lies at
        // (0, 1, 2), and a spin about world y meets the inertia of body x, which is 1.
        let q = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
        let state = State {
            body_q: vec![Pose::new(Vec3::new(0.0, 0.0, 2.0), q)],
            body_qd: vec![Spatial::new(Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 3.0, 0.0))],
            ..State::default()
        };
        let e = Energy::of(&model(), &state, 0.0);
        assert!((e.kinetic - (0.5 * 3.0 * 4.0 + 0.5 * 1.0 * 9.0)).abs() < 1e-12);
        assert!((e.gravity - 60.0).abs() < 1e-12);
        let l = [0.0, 3.0 + 3.0 * 2.0 * 2.0, -6.0];
        let near = e.momentum[3..].iter().zip(&l).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near, "{:?}", e.momentum);
    }
}
