//! The equation of a microstep: residual, fixed point, and Newton where that is slow.
//!
//! Theory: `docs/theory/articulated.md` eq. (15)-(18).

use coact_math::{Pose, Spatial, left_jacobian_inverse, log_so3};

use crate::coordinates::integrate;
use crate::drift::{Drift, Moving};
use crate::layout::{Layout, Tree};
use crate::lu;
use coact_math::cholesky;

/// Rounds before the microstep is halved.
const MAX_ROUNDS: usize = 30;
/// Relative change of w at which the equation is solved: a few rounding errors.
const TOLERANCE: f64 = 1e-14;
/// A change that no longer falls is rounding when it is below this share of w: rounding of
/// Δc/δ, times the condition of the mass matrix. It is handed on, so that it is not lost.
const STALLED: f64 = 1e-6;
/// A round that leaves more than this share of the last change calls for a new Jacobian:
/// long light chains with a heavy end, where the fixed point contracts badly.
const SLOW: f64 = 0.2;

/// The matrix K of Newton's method on one tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    matrix: Vec<f64>,
    pivot: Vec<usize>,
    column: Vec<f64>,
    moved: Vec<bool>,
    /// Whether the factors are of this microstep.
    fresh: bool,
}

impl Newton {
    pub fn new(layout: &Layout) -> Self {
        let largest = layout.trees.iter().map(|t| t.n()).max().unwrap_or(0);
        Self {
            matrix: vec![0.0; largest * largest],
            pivot: vec![0; largest],
            column: vec![0.0; layout.dofs.len()],
            moved: vec![false; layout.links.len()],
            fresh: false,
        }
    }
}

impl Drift {
    /// Solves eq. (16). At the end q, kinematics and link momenta are at w.
    pub(crate) fn solve_rates(&mut self, m: &mut Moving, tree: &Tree, base: &Pose, delta: f64) -> bool {
        let (mut before, mut slow) = (f64::INFINITY, false);
        self.newton.fresh = false;
        for _ in 0..MAX_ROUNDS {
            self.eval_end(m, tree, base, delta);
            self.eval_residual(m.layout, tree);
            let size = self.w[tree.dofs.clone()].iter().fold(1e-9, |a: f64, x| a.max(x.abs()));
            if slow {
                self.assemble_newton(m, tree);
            }
            let change = self.solve_round(tree);
            if change <= TOLERANCE * size || (change <= STALLED * size && change >= 0.5 * before) {
                return true;
            }
            if change.is_nan() || change >= 1e3 * before {
                return false;
            }
            slow = change > SLOW * before;
            before = change;
            for d in tree.dofs.clone() {
                self.w[d] += self.r[d];
            }
        }
        false
    }

    /// r ← K⁻¹ r; returns its largest entry. The residual itself is kept as the defect.
    fn solve_round(&mut self, tree: &Tree) -> f64 {
        let r = &mut self.r[tree.dofs.clone()];
        self.defect[tree.dofs.clone()].copy_from_slice(r);
        if self.newton.fresh {
            let n = tree.n();
            lu::solve(&self.newton.matrix[..n * n], &self.newton.pivot[..n], r);
        } else {
            cholesky::solve(&self.matrix.factor[tree.block()], r);
        }
        r.iter().fold(0.0, |a: f64, x| if x.is_nan() { *x } else { a.max(x.abs()) })
    }

    /// Kinematics and link momenta (m Δc/δ, Λ) at q ⊕ δ w: eq. (15), (17).
    fn eval_end(&mut self, m: &mut Moving, tree: &Tree, base: &Pose, delta: f64) {
        for i in tree.links.clone() {
            let link = &m.layout.links[i];
            let coords = link.coord..link.coord + link.kind.coord_count();
            let q = &mut m.motion.q[coords.clone()];
            q.copy_from_slice(&self.q_step[coords]);
            integrate(link, q, &self.w[link.dofs.clone()], delta);
        }
        m.kin.eval(m.layout, tree, base, &m.motion.q);
        for i in tree.links.clone() {
            let lin = (m.kin.com[i] - self.begin.com[i]) * (m.layout.links[i].mass / delta);
            let xi = log_so3(&(m.kin.pose[i].q * self.begin.pose[i].q.inverse()));
            let ang = left_jacobian_inverse(&xi).tr_mul(&(self.begin.inertia[i] * xi)) / delta;
            self.wrench[i] = Spatial::new(lin, ang);
        }
    }

    /// r = p + drives - J(q)ᵀ (m Δc/δ, Λ) - D w: eq. (16).
    fn eval_residual(&mut self, layout: &Layout, tree: &Tree) {
        for i in tree.links.clone() {
            self.sums[i] = -self.wrench[i];
        }
        for d in tree.dofs.clone() {
            let [explicit, gain, at] = self.drive[d];
            let own = layout.dofs[d].armature * self.w[d];
            self.r[d] = self.p_step[d] + explicit - gain * (self.w[d] - at) - own;
        }
        self.begin.project(layout, tree, &mut self.sums, &mut self.r);
    }

    /// K = J(q)ᵀ M J(q⁺) + D + drives, column by column: what (16) loses when a rate grows.
    /// Exact for the centres; for turns J_l is left out, an error of the second order in ξ.
    fn assemble_newton(&mut self, m: &Moving, tree: &Tree) {
        let (n, first) = (tree.n(), tree.dofs.start);
        for d in tree.dofs.clone() {
            for i in tree.links.clone() {
                let (link, own) = (&m.layout.links[i], m.layout.dofs[d].link == i);
                self.newton.moved[i] = own || link.parent.is_some_and(|p| self.newton.moved[p]);
                self.sums[i] = Spatial::zeros();
                if self.newton.moved[i] {
                    let v = m.kin.column(d, &m.kin.com[i]);
                    self.sums[i] = Spatial::new(v.lin * link.mass, self.begin.inertia[i] * v.ang);
                }
            }
            self.newton.column[tree.dofs.clone()].fill(0.0);
            self.begin.project(m.layout, tree, &mut self.sums, &mut self.newton.column);
            for k in 0..n {
                self.newton.matrix[k * n + d - first] = self.newton.column[first + k];
            }
            self.newton.matrix[(d - first) * (n + 1)] += m.layout.dofs[d].armature + self.drive[d][1];
        }
        lu::factor(&mut self.newton.matrix[..n * n], &mut self.newton.pivot[..n]);
        self.newton.fresh = true;
    }
}
