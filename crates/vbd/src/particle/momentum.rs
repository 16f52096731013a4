//! What nothing acts on keeps its momentum. Theory: `docs/theory/vbd.md` eq. (5a)–(5c).
//!
//! Backward Euler turns a body that spins slower by (ω h)² per step, and sweeps that end early leave
//! inner forces that do not add up to zero. Both are corrections d that inner forces cannot make.
//! Where nothing but gravity and given forces acts on a component, its mean d is taken out and its
//! end velocities get the rigid spin that restores its angular momentum.
//!
//! Left out on purpose: components with rows, pairs with other components, bounds of others in their way,
//! proxies, or anything immovable, which get momentum from elsewhere.

use std::ops::{AddAssign, Range};

use coact_collide::Mobility;
use coact_math::{Mat3, Scalar, V3, Vec3};

use super::cpu::CpuParticles;
use super::parts::Parts;
use crate::coarse::components;

/// Share of the largest moment of inertia below which a component has none.
const THIN: f64 = 1e-12;

/// Radius of gyration over the distance from the origin below which a component is a point.
pub(super) const POINT: f64 = 1e-6;

/// Sums over a component: masses, and first moments of its begin, its end and its correction.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    mass: f64,
    begin: Vec3,
    end: Vec3,
    d: Vec3,
}

/// Angular momentum that it should have less what it has, and inertia, about its centre of mass.
#[derive(Clone, Copy, Debug)]
struct Spin {
    lost: Vec3,
    inertia: Mat3,
}

impl Default for Spin {
    fn default() -> Self {
        Self { lost: Vec3::zeros(), inertia: Mat3::zeros() }
    }
}

impl AddAssign for Moments {
    fn add_assign(&mut self, o: Self) {
        self.mass += o.mass;
        self.begin += o.begin;
        self.end += o.end;
        self.d += o.d;
    }
}

impl AddAssign for Spin {
    fn add_assign(&mut self, o: Self) {
        self.lost += o.lost;
        self.inertia += o.inertia;
    }
}

/// Components that may be free, and memory.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeComponents {
    parts: Parts,
    /// Whether something may act on it from elsewhere.
    held: Vec<bool>,
    /// The same in this step.
    acted: Vec<bool>,
    moments: (Vec<Moments>, Vec<Moments>),
    spins: (Vec<Spin>, Vec<Spin>),
    /// Centre of mass at the end, and what spin is added \[1/s\].
    added: Vec<[Vec3; 2]>,
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Finds components once, since connectivity stays, and which of them something may hold.
    pub(super) fn read_free_components(&mut self) {
        let free = &mut self.free;
        if free.parts.count() == 0 {
            let (component, count) = components(self.columns.mobility.len(), &self.elements);
            free.parts = Parts::new(component, count, self.layout.block_count);
            free.parts.reserve((&mut free.moments.0, &mut free.moments.1));
            free.parts.reserve((&mut free.spins.0, &mut free.spins.1));
            free.added.resize(count, [Vec3::zeros(); 2]);
        }
        free.held.clear();
        free.held.resize(free.parts.count(), false);
        for (s, m) in self.columns.mobility.iter().enumerate() {
            free.held[free.parts.of(s)] |= *m != Mobility::Dynamic;
        }
    }

    /// eq. (5a), (5b): takes the mean correction out, and finds the spin that was lost.
    pub(super) fn find_lost_momentum(&mut self) {
        if self.free.parts.count() == 0 {
            return;
        }
        let n = self.layout.block_count;
        let mut free = std::mem::take(&mut self.free);
        free.acted.clone_from(&free.held);
        self.find_acted(&mut free);
        if free.acted.contains(&false) {
            self.sum_momentum(&mut free);
            self.leave_what_would_meet(&mut free);
            for s in (0..n).filter(|&s| !free.acted[free.parts.of(s)]) {
                let m = &free.moments.1[free.parts.of(s)];
                self.columns.exact[s] -= V3::from_host(&(m.d / m.mass));
            }
        }
        self.free = free;
    }

    /// Marks components with a row, an attachment, or a pair with another component; a pair within one
    /// gives it no momentum.
    fn find_acted(&self, free: &mut FreeComponents) {
        let n = self.layout.block_count;
        let any = |slots: &Range<usize>| self.rows.any(slots) || self.attachments.any(slots);
        if any(&(0..n)) {
            for s in (0..n).filter(|&s| any(&(s..s + 1))) {
                free.acted[free.parts.of(s)] = true;
            }
        }
        for pair in self.self_contact.iter().flat_map(|sc| sc.pairs.all()) {
            let of = pair.v.map(|s| free.parts.of(s as usize));
            if of.iter().any(|&c| c != of[0]) {
                of.iter().for_each(|&c| free.acted[c] = true);
            }
        }
    }

    /// A component whose mean correction came from the bounds of others near it keeps it: without it, it
    /// would go where these may be.
    fn leave_what_would_meet(&self, free: &mut FreeComponents) {
        let Some(sc) = &self.self_contact else { return };
        for s in 0..self.layout.block_count {
            let c = free.parts.of(s);
            let m = &free.moments.1[c];
            if !free.acted[c] {
                let x = self.columns.end(s, self.options.velocity) - m.d / m.mass;
                free.acted[c] = !sc.is_clear(s, &x);
            }
        }
    }

    fn sum_momentum(&self, free: &mut FreeComponents) {
        let FreeComponents { parts, acted, moments, spins, added, .. } = free;
        let (columns, h) = (&self.columns, self.h);
        let parallel = self.is_spread(&(0..self.layout.block_count));
        let counts = |c: usize| !acted[c];
        parts.sum((&mut moments.0, &mut moments.1), parallel, counts, |run: Range<usize>| {
            let mut sum = Moments::default();
            for s in run {
                let (m, d) = (columns.mass[s], columns.exact[s].to_host(0));
                let [begin, end] = [columns.x0[s].to_host(0), columns.y[s].to_host(0) + d];
                sum += Moments { mass: m, begin: begin * m, end: end * m, d: d * m };
            }
            sum
        });
        let totals = &moments.1;
        parts.sum((&mut spins.0, &mut spins.1), parallel, counts, |run: Range<usize>| {
            let total = &totals[parts.of(run.start)];
            let [begin, end, mean] = [total.begin, total.end, total.d].map(|x| x / total.mass);
            let mut sum = Spin::default();
            for s in run {
                let (m, d) = (columns.mass[s], columns.exact[s].to_host(0));
                let v_free = columns.v_free[s].to_host(0);
                let [r0, r] = [columns.x0[s].to_host(0) - begin, columns.y[s].to_host(0) + d - end];
                sum.lost += (r0.cross(&v_free) - r.cross(&(v_free + (d - mean) / h))) * m;
                sum.inertia += (Mat3::identity() * r.norm_squared() - r * r.transpose()) * m;
            }
            sum
        });
        for (c, added) in added.iter_mut().enumerate().filter(|(c, _)| !acted[*c]) {
            let (t, spin) = (&totals[c], &spins.1[c]);
            let centre = (t.end - t.d) / t.mass;
            let is_point = spin.inertia.trace() <= t.mass * POINT * POINT * centre.norm_squared();
            let spin = if is_point { Vec3::zeros() } else { inverse_inertia(&spin.inertia) * spin.lost };
            *added = [centre, spin];
        }
    }

    /// eq. (5c): gives end velocities the spin that was lost; positions are those of the end.
    pub(super) fn restore_momentum(&mut self) {
        let FreeComponents { parts, acted, added, .. } = &self.free;
        if !acted.contains(&false) {
            return;
        }
        for s in (0..self.layout.block_count).filter(|&s| !acted[parts.of(s)]) {
            let [centre, spin] = &added[parts.of(s)];
            let v = spin.cross(&(self.columns.x0[s].to_host(0) - centre));
            self.columns.v[s] += V3::from_host(&v);
        }
    }
}

/// Inverse of an inertia; what is thin does not turn about its axis.
pub(super) fn inverse_inertia(inertia: &Mat3) -> Mat3 {
    let eigen = inertia.symmetric_eigen();
    let largest = eigen.eigenvalues.max();
    let inverse = eigen.eigenvalues.map(|i| if i > THIN * largest { 1.0 / i } else { 0.0 });
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_particles_gets_no_spin_about_itself() {
        let line = Mat3::from_diagonal(&Vec3::new(2.0, 2.0, 0.0));
        assert_eq!(inverse_inertia(&line) * Vec3::repeat(1.0), Vec3::new(0.5, 0.5, 0.0));
        assert_eq!(inverse_inertia(&Mat3::zeros()), Mat3::zeros());
    }
}
