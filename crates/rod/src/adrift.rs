//! Rods that nothing holds keep their momentum.
//!
//! Theory: `docs/theory/rod.md` eq. (22). Elements push with the arms that they have at the end of
//! the step, which have turned by ω h since its begin; what that costs of the momentum is given back
//! as one rigid velocity.

use coact_math::{Mat3, Spatial, Vec3};

use crate::element::Side;
use crate::rod::Rod;

/// Momenta of a rod about its centre of mass.
struct Momenta {
    linear: Vec3,
    angular: Vec3,
}

impl Rod {
    /// Whether nothing but gravity and applied forces acts on it from outside.
    fn is_adrift(&self) -> bool {
        let free = self.elements.iter().filter(|e| e.on);
        let holds = |side: Side| !matches!(side, Side::Node(_));
        !self.nodes.iter().any(|n| n.proxy) && !free.flat_map(|e| e.sides).any(holds)
    }

    /// Gives a rod adrift its momentum; its velocities are those of the end of the step, its poses
    /// still those of the begin.
    pub fn keep_momentum(&mut self, h: f64) {
        let is_free_motion = self.at.iter().all(|at| at.d == Spatial::zeros());
        if is_free_motion || !self.is_adrift() {
            return;
        }
        let begin = |r: &Self, n: usize| r.pose[n].point(&r.nodes[n].com);
        let end = |r: &Self, n: usize| r.at[n].pose(&r.target[n]).p;
        let spin = |r: &Self, n: usize| r.target[n].inertia * r.target[n].velocity.ang + r.torque[n] * h;
        let turned = |r: &Self, n: usize| r.inertia_at_end(n) * r.velocity[n].ang;
        let free = self.momenta(begin, |r, n| r.target[n].velocity.lin, spin);
        let is = self.momenta(end, |r, n| r.velocity[n].lin, turned);
        let mass: f64 = self.nodes.iter().map(|n| n.mass).sum();
        let center = self.center(end);
        let Some(inverse) = self.inertia_about(&center).try_inverse() else { return };
        let shift = (free.linear - is.linear) / mass;
        let turn = inverse * (free.angular - is.angular);
        for n in 0..self.nodes.len() {
            let arm = end(self, n) - center;
            self.velocity[n] += Spatial::new(shift + turn.cross(&arm), turn);
        }
    }

    fn center(&self, place: impl Fn(&Self, usize) -> Vec3) -> Vec3 {
        let sum = |f: &dyn Fn(usize) -> Vec3| (0..self.nodes.len()).map(f).sum::<Vec3>();
        let mass: f64 = self.nodes.iter().map(|n| n.mass).sum();
        sum(&|n| place(self, n) * self.nodes[n].mass) / mass
    }

    fn momenta(
        &self,
        place: impl Fn(&Self, usize) -> Vec3,
        velocity: impl Fn(&Self, usize) -> Vec3,
        spin: impl Fn(&Self, usize) -> Vec3,
    ) -> Momenta {
        let center = self.center(&place);
        let mut m = Momenta { linear: Vec3::zeros(), angular: Vec3::zeros() };
        for n in 0..self.nodes.len() {
            let p = velocity(self, n) * self.nodes[n].mass;
            m.linear += p;
            m.angular += (place(self, n) - center).cross(&p) + spin(self, n);
        }
        m
    }

    /// Inertia of the whole at the end of the step \[kg·m²\].
    fn inertia_about(&self, center: &Vec3) -> Mat3 {
        let of = |n: usize| {
            let r = self.at[n].pose(&self.target[n]).p - center;
            self.inertia_at_end(n)
                + (Mat3::identity() * r.norm_squared() - r * r.transpose()) * self.nodes[n].mass
        };
        (0..self.nodes.len()).map(of).sum()
    }

    /// Inertia of a segment in world axes at the end of the step \[kg·m²\].
    fn inertia_at_end(&self, n: usize) -> Mat3 {
        let axes = self.at[n].q.to_rotation_matrix();
        axes.matrix() * self.nodes[n].inertia.tensor() * axes.matrix().transpose()
    }
}
