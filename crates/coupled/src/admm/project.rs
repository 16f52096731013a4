//! The rows' problem on a model of the interface: `docs/theory/admm-coupling.md` eq. (14)–(17).
//!
//! Residuals are modelled as r(λ) = q − B λ. Rows without bounds are eliminated; what is left, ranges
//! and Coulomb disks, is swept by projected Gauss–Seidel. No entry is touched.

use coact_math::cholesky;

/// What a multiplier may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    /// Anything: the row holds both ways.
    Free,
    /// Between two values: limits, efforts, dry friction.
    Range(f64, f64),
    /// Not negative: a contact pushes. The next two rows are its tangents if it rubs.
    Normal {
        /// Coefficient of friction; 0 = no tangents follow.
        mu: f64,
    },
    /// One of the two tangents of the normal before.
    Tangent,
}

/// Sweeps at most; more than a model that is itself approximate is worth.
const SWEEPS: usize = 400;
/// Change of a multiplier, in shares of the largest one, at which sweeps end.
const SETTLED: f64 = 1e-13;
const REDUNDANT: f64 = 1e-11;

/// Memory of the projected solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Projection {
    free: Vec<usize>,
    bound: Vec<usize>,
    /// Factors of B among free rows; their response to bounded ones, one column after another.
    factor: Vec<f64>,
    response: Vec<f64>,
    /// What is left of B among bounded rows, and of q.
    schur: Vec<f64>,
    rest: Vec<f64>,
    lambda: Vec<f64>,
    q_free: Vec<f64>,
}

impl Projection {
    /// Eliminates the free rows of B (dense, row-major) once for several solves.
    pub fn prepare(&mut self, b: &[f64], bounds: &[Bound]) {
        let n = bounds.len();
        self.free.clear();
        self.bound.clear();
        for (i, bound) in bounds.iter().enumerate() {
            if *bound == Bound::Free { self.free.push(i) } else { self.bound.push(i) }
        }
        let (f, m) = (self.free.len(), self.bound.len());
        self.factor.clear();
        self.factor.extend(self.free.iter().flat_map(|&i| self.free.iter().map(move |&j| b[i * n + j])));
        cholesky::factor_above(&mut self.factor, f, REDUNDANT);
        self.response.clear();
        for &j in &self.bound {
            let start = self.response.len();
            self.response.extend(self.free.iter().map(|&i| b[i * n + j]));
            cholesky::solve(&self.factor, &mut self.response[start..]);
        }
        self.schur.clear();
        for &i in &self.bound {
            for (c, &j) in self.bound.iter().enumerate() {
                let through: f64 =
                    self.free.iter().zip(&self.response[c * f..]).map(|(&k, x)| b[i * n + k] * x).sum();
                self.schur.push(b[i * n + j] - through);
            }
        }
        debug_assert_eq!(self.schur.len(), m * m);
    }

    /// Eq. (14): λ for which r = q − B λ and the bounds agree, from `lambda` on, in place.
    pub fn solve(&mut self, b: &[f64], q: &[f64], bounds: &[Bound], lambda: &mut [f64]) {
        let (n, f) = (bounds.len(), self.free.len());
        self.q_free.clear();
        self.q_free.extend(self.free.iter().map(|&i| q[i]));
        cholesky::solve(&self.factor, &mut self.q_free);
        self.rest.clear();
        self.lambda.clear();
        for &i in &self.bound {
            let through: f64 = self.free.iter().zip(&self.q_free).map(|(&k, x)| b[i * n + k] * x).sum();
            self.rest.push(q[i] - through);
            self.lambda.push(lambda[i]);
        }
        self.sweep(bounds);
        for (k, &i) in self.free.iter().enumerate() {
            let through: f64 = (0..self.bound.len()).map(|c| self.response[c * f + k] * self.lambda[c]).sum();
            lambda[i] = self.q_free[k] - through;
        }
        self.bound.iter().zip(&self.lambda).for_each(|(&i, l)| lambda[i] = *l);
    }

    fn sweep(&mut self, bounds: &[Bound]) {
        let m = self.bound.len();
        for _ in 0..SWEEPS {
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            let mut c = 0;
            while c < m {
                let moved = match bounds[self.bound[c]] {
                    Bound::Normal { mu } if mu > 0.0 => self.visit_contact(c, mu),
                    bound => self.visit(c, &bound),
                };
                let rows =
                    if matches!(bounds[self.bound[c]], Bound::Normal { mu } if mu > 0.0) { 3 } else { 1 };
                size = self.lambda[c..c + rows].iter().fold(size, |s, l| s.max(l.abs()));
                change = change.max(moved);
                c += rows;
            }
            if change <= SETTLED * size {
                break;
            }
        }
    }

    /// r of a bounded row.
    fn residual(&self, c: usize) -> f64 {
        let m = self.bound.len();
        self.rest[c]
            - self.schur[c * m..(c + 1) * m].iter().zip(&self.lambda).map(|(b, l)| b * l).sum::<f64>()
    }

    fn visit(&mut self, c: usize, bound: &Bound) -> f64 {
        let diagonal = self.schur[c * self.bound.len() + c];
        let wanted =
            if diagonal > 0.0 { self.lambda[c] + self.residual(c) / diagonal } else { self.lambda[c] };
        let next = project(bound, wanted);
        let moved = (next - self.lambda[c]).abs();
        self.lambda[c] = next;
        moved
    }

    /// Normal, then both tangents as one: eq. (16), (17).
    fn visit_contact(&mut self, c: usize, mu: f64) -> f64 {
        let mut moved = self.visit(c, &Bound::Normal { mu });
        let m = self.bound.len();
        let at = |i: usize, j: usize| self.schur[(c + i) * m + c + j];
        let sigma = largest_eigenvalue(at(1, 1), at(2, 2), at(1, 2));
        if sigma <= 0.0 {
            return moved;
        }
        let wanted = [1, 2].map(|k| self.lambda[c + k] + self.residual(c + k) / sigma);
        let next = project_disk(wanted, mu * self.lambda[c]);
        for (now, next) in self.lambda[c + 1..c + 3].iter_mut().zip(next) {
            moved = moved.max((next - *now).abs());
            *now = next;
        }
        moved
    }
}

/// The nearest multiplier within a bound.
pub(super) fn project(bound: &Bound, lambda: f64) -> f64 {
    match *bound {
        Bound::Free | Bound::Tangent => lambda,
        Bound::Range(least, most) => lambda.max(least).min(most),
        Bound::Normal { .. } => lambda.max(0.0),
    }
}

/// The nearest point of a disk.
pub(super) fn project_disk(t: [f64; 2], radius: f64) -> [f64; 2] {
    let size = t[0].hypot(t[1]);
    if size <= radius { t } else { t.map(|x| x * (radius / size)) }
}

/// Of a symmetric 2×2 matrix with these diagonal entries.
pub(super) fn largest_eigenvalue(a: f64, b: f64, off: f64) -> f64 {
    let half = 0.5 * (a - b);
    0.5 * (a + b) + (half * half + off * off).sqrt()
}

/// Eq. (15): what a projection step would still move each row, in its own unit; bounds of contacts are
/// those that their normals have now.
pub(super) fn natural_residual(
    diagonal: &dyn Fn(usize) -> f64,
    bounds: &[Bound],
    lambda: &[f64],
    r: &[f64],
    out: &mut [f64],
) {
    let mut i = 0;
    while i < bounds.len() {
        let d = diagonal(i);
        out[i] = match bounds[i] {
            Bound::Free | Bound::Tangent => r[i],
            bound if d > 0.0 => (project(&bound, lambda[i] + r[i] / d) - lambda[i]) * d,
            _ => 0.0,
        };
        if let Bound::Normal { mu } = bounds[i]
            && mu > 0.0
        {
            let sigma = diagonal(i + 1).max(diagonal(i + 2));
            if sigma > 0.0 {
                let wanted = [1, 2].map(|k| lambda[i + k] + r[i + k] / sigma);
                let next = project_disk(wanted, mu * lambda[i].max(0.0));
                (1..3).for_each(|k| out[i + k] = (next[k - 1] - lambda[i + k]) * sigma);
            }
            i += 2;
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(b: &[f64], q: &[f64], bounds: &[Bound]) -> Vec<f64> {
        let (mut p, mut lambda) = (Projection::default(), vec![0.0; q.len()]);
        p.prepare(b, bounds);
        p.solve(b, q, bounds, &mut lambda);
        lambda
    }

    fn residual(b: &[f64], q: &[f64], lambda: &[f64]) -> Vec<f64> {
        let n = q.len();
        (0..n).map(|i| q[i] - (0..n).map(|j| b[i * n + j] * lambda[j]).sum::<f64>()).collect()
    }

    /// A matrix of five rows: two free, one range, and what couples them.
    const B: [f64; 25] = [
        2.0, 0.3, 0.1, -0.2, 0.4, 0.3, 1.5, 0.2, 0.1, 0.0, 0.1, 0.2, 1.0, 0.3, -0.1, -0.2, 0.1, 0.3, 2.5,
        0.2, 0.4, 0.0, -0.1, 0.2, 1.8,
    ];

    #[test]
    fn ranges_and_free_rows_fulfil_their_conditions() {
        let bounds = [
            Bound::Free,
            Bound::Range(-0.2, 0.2),
            Bound::Range(0.0, f64::INFINITY),
            Bound::Free,
            Bound::Range(-1.0, 0.0),
        ];
        for q in [[1.0, 2.0, 3.0, -1.0, 0.5], [-1.0, 0.1, -2.0, 2.0, -0.3], [0.0, -3.0, 0.2, 1.0, 4.0]] {
            let lambda = solve(&B, &q, &bounds);
            let r = residual(&B, &q, &lambda);
            for i in 0..5 {
                let inside = match bounds[i] {
                    Bound::Range(a, b) => lambda[i] > a + 1e-12 && lambda[i] < b - 1e-12,
                    _ => true,
                };
                match (inside, bounds[i]) {
                    (true, _) => assert!(r[i].abs() < 1e-10, "{i}: {r:?}"),
                    (false, Bound::Range(a, _)) if lambda[i] <= a + 1e-12 => assert!(r[i] <= 1e-10),
                    _ => assert!(r[i] >= -1e-10),
                }
            }
            let mut natural = [0.0; 5];
            natural_residual(&|i| B[i * 5 + i], &bounds, &lambda, &r, &mut natural);
            assert!(natural.iter().all(|x| x.abs() < 1e-10), "{natural:?}");
        }
    }

    /// A block on a plane: sticks inside the cone, slides at its rim against the slip, opens when pulled.
    #[test]
    fn a_contact_sticks_slides_and_opens() {
        let b = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let bounds = [Bound::Normal { mu: 0.5 }, Bound::Tangent, Bound::Tangent];
        assert_eq!(solve(&b, &[2.0, 0.3, -0.4], &bounds), [2.0, 0.3, -0.4]);
        let sliding = solve(&b, &[2.0, 3.0, -4.0], &bounds);
        assert!((sliding[1] - 0.6).abs() < 1e-12 && (sliding[2] + 0.8).abs() < 1e-12);
        assert_eq!(solve(&b, &[-1.0, 3.0, 4.0], &bounds), [0.0; 3]);
        let mut natural = [0.0; 3];
        natural_residual(&|_| 1.0, &bounds, &[0.0; 3], &[-1.0, 3.0, 4.0], &mut natural);
        assert_eq!(natural, [0.0; 3]);
        natural_residual(&|_| 1.0, &bounds, &[2.0, 0.0, 0.0], &[0.0, 3.0, 0.0], &mut natural);
        assert_eq!(natural, [0.0, 1.0, 0.0]);
    }
}
