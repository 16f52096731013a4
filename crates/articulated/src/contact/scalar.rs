//! Rows on one freedom: joint limits and dry joint friction.
//!
//! Theory: `docs/theory/articulated.md` eq. (27). The Jacobian is a unit vector, so a row
//! keeps only its response A⁻¹ e. Limits are hard here: `limit_ke` and `limit_kd` of the
//! model are not read.

use coact_math::cholesky;

use super::rows::{ContactSet, RowContext};

/// A row on freedom `dof`, in the direction of `sign`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarRow {
    pub dof: usize,
    pub tree: usize,
    /// Start of A⁻¹ e in the response buffer.
    pub start: usize,
    pub sign: f64,
    /// Which of the freedom's impulses: lower limit, upper limit, friction.
    pub slot: usize,
    /// The velocity along `sign` must not be less than this.
    pub target: f64,
    /// Bounds of the impulse.
    pub bounds: (f64, f64),
    pub inv_diagonal: f64,
    pub impulse: f64,
}

impl ContactSet {
    pub(super) fn assemble_scalars(&mut self, cx: &RowContext) {
        self.scalars.clear();
        for (d, dof) in cx.layout.dofs.iter().enumerate() {
            if dof.axis.is_none() {
                continue;
            }
            let q = cx.motion.q[cx.layout.links[dof.link].coord + d - cx.layout.links[dof.link].dofs.start];
            let open = (0.0, f64::INFINITY);
            if dof.lower.is_finite() && self.limits {
                self.add_scalar(cx, d, (0, 1.0), self.limit_target(q - dof.lower, cx.h), open);
            }
            if dof.upper.is_finite() && self.limits {
                self.add_scalar(cx, d, (1, -1.0), self.limit_target(dof.upper - q, cx.h), open);
            }
            if dof.friction > 0.0 {
                let bound = cx.h * dof.friction;
                self.add_scalar(cx, d, (2, 1.0), 0.0, (-bound, bound));
            }
        }
    }

    /// A gap may close in one step, a penetration is taken back by its Baumgarte share.
    fn limit_target(&self, gap: f64, h: f64) -> f64 {
        if gap > 0.0 { -gap / h } else { -self.baumgarte * gap / h }
    }

    fn add_scalar(
        &mut self,
        cx: &RowContext,
        dof: usize,
        (slot, sign): (usize, f64),
        target: f64,
        bounds: (f64, f64),
    ) {
        let tree_index = cx.layout.links[cx.layout.dofs[dof].link].tree;
        let tree = &cx.layout.trees[tree_index];
        let start = self.response.len();
        self.response.resize(start + tree.n(), 0.0);
        let y = &mut self.response[start..];
        let k = dof - tree.dofs.start;
        y[k] = 1.0;
        cholesky::solve(&cx.drives.factor[tree.block()], y);
        let inv_diagonal = if y[k] > 0.0 { 1.0 / y[k] } else { 0.0 };
        let row = ScalarRow {
            dof,
            tree: tree_index,
            start,
            sign,
            slot,
            target,
            bounds,
            inv_diagonal,
            impulse: 0.0,
        };
        self.scalars.push(row);
    }
}
