//! Rods that nothing holds keep their momentum.
//!
//! Theory: `docs/theory/rod.md` eq. (22), `docs/theory/rod-contact.md` section 5. Elements push with the arms that they have at the end of
//! the step, which have turned by ω h since its begin; what that costs of the momentum is given back
//! as one rigid velocity.

use coact_math::{Mat3, Spatial, Vec3};

use crate::contact::Touch;
use crate::element::Element;
use crate::layout::find;
use crate::rod::Rod;

/// Momenta of a group about its centre of mass.
struct Momenta {
    linear: Vec3,
    angular: Vec3,
}

impl Rod {
    /// Numbers segments by what elements and pressing contacts connect: the first one of each group.
    fn group(&mut self) {
        let mut top = std::mem::take(&mut self.groups);
        top.clear();
        top.extend(0..self.nodes.len());
        let elements = self.elements.iter().filter(|e| e.on).map(Element::nodes);
        let touches = self.touches.iter().filter(|t| t.presses()).map(Touch::nodes);
        for nodes in elements.chain(touches) {
            if let [Some(a), Some(b)] = nodes {
                let (a, b) = (find(&mut top, a), find(&mut top, b));
                top[a.max(b)] = a.min(b);
            }
        }
        (0..top.len()).for_each(|n| top[n] = find(&mut top, n));
        self.groups = top;
    }

    /// Groups on which something acts from outside besides gravity and applied forces; of these `held`
    /// is true at the first segment.
    fn mark_held(&self, held: &mut Vec<bool>) {
        held.clear();
        held.resize(self.nodes.len(), false);
        let mut mark = |nodes: [Option<usize>; 2]| {
            if let [Some(n), None] | [None, Some(n)] = nodes {
                held[self.groups[n]] = true;
            }
        };
        self.elements.iter().filter(|e| e.on).for_each(|e| mark(e.nodes()));
        self.touches.iter().filter(|t| t.presses()).for_each(|t| mark(t.nodes()));
        let proxies = self.nodes.iter().zip(&self.groups).filter(|(n, _)| n.proxy);
        proxies.for_each(|(_, &group)| held[group] = true);
    }

    /// Gives what is adrift its momentum; velocities are those of the end of the step, poses still those
    /// of the begin.
    pub fn keep_momentum(&mut self, h: f64) {
        if self.at.iter().all(|at| at.d == Spatial::zeros()) {
            return;
        }
        self.group();
        let mut held = std::mem::take(&mut self.held);
        self.mark_held(&mut held);
        let mut members = std::mem::take(&mut self.members);
        for (first, _) in held.iter().enumerate().filter(|(_, held)| !**held) {
            if self.groups[first] == first {
                members.clear();
                members.extend((first..self.nodes.len()).filter(|&n| self.groups[n] == first));
                self.keep_momentum_of(&members, h);
            }
        }
        (self.held, self.members) = (held, members);
    }

    fn keep_momentum_of(&mut self, group: &[usize], h: f64) {
        if group.iter().all(|&n| self.at[n].d == Spatial::zeros()) {
            return;
        }
        let begin = |r: &Self, n: usize| r.pose[n].point(&r.nodes[n].com);
        let end = |r: &Self, n: usize| r.at[n].pose(&r.target[n]).p;
        let spin = |r: &Self, n: usize| r.target[n].inertia * r.target[n].velocity.ang + r.torque[n] * h;
        let turned = |r: &Self, n: usize| r.inertia_at_end(n) * r.velocity[n].ang;
        let free = self.momenta(group, begin, |r, n| r.target[n].velocity.lin, spin);
        let is = self.momenta(group, end, |r, n| r.velocity[n].lin, turned);
        let mass: f64 = group.iter().map(|&n| self.nodes[n].mass).sum();
        let center = self.center(group, end);
        let Some(inverse) = self.inertia_about(group, &center).try_inverse() else { return };
        let shift = (free.linear - is.linear) / mass;
        let turn = inverse * (free.angular - is.angular);
        for &n in group {
            let arm = end(self, n) - center;
            self.velocity[n] += Spatial::new(shift + turn.cross(&arm), turn);
        }
    }

    fn center(&self, group: &[usize], place: impl Fn(&Self, usize) -> Vec3) -> Vec3 {
        let mass: f64 = group.iter().map(|&n| self.nodes[n].mass).sum();
        group.iter().map(|&n| place(self, n) * self.nodes[n].mass).sum::<Vec3>() / mass
    }

    fn momenta(
        &self,
        group: &[usize],
        place: impl Fn(&Self, usize) -> Vec3,
        velocity: impl Fn(&Self, usize) -> Vec3,
        spin: impl Fn(&Self, usize) -> Vec3,
    ) -> Momenta {
        let center = self.center(group, &place);
        let mut m = Momenta { linear: Vec3::zeros(), angular: Vec3::zeros() };
        for &n in group {
            let p = velocity(self, n) * self.nodes[n].mass;
            m.linear += p;
            m.angular += (place(self, n) - center).cross(&p) + spin(self, n);
        }
        m
    }

    /// Inertia of a group at the end of the step \[kg·m²\].
    fn inertia_about(&self, group: &[usize], center: &Vec3) -> Mat3 {
        let of = |n: usize| {
            let r = self.at[n].pose(&self.target[n]).p - center;
            self.inertia_at_end(n)
                + (Mat3::identity() * r.norm_squared() - r * r.transpose()) * self.nodes[n].mass
        };
        group.iter().map(|&n| of(n)).sum()
    }

    /// Inertia of a segment in world axes at the end of the step \[kg·m²\].
    fn inertia_at_end(&self, n: usize) -> Mat3 {
        let axes = self.at[n].q.to_rotation_matrix();
        axes.matrix() * self.nodes[n].inertia.tensor() * axes.matrix().transpose()
    }
}
