//! Projected Gauss-Seidel over all rows, at velocity level.
//!
//! Theory: `docs/theory/articulated.md` eq. (28)-(31). Rows see v = v0 + J du with
//! du = A⁻¹ Jᵀ λ kept up to date; a normal impulse stays non-negative, the tangential
//! pair stays in the disk of radius mu λ_n. The change of an impulse, over h, is the
//! residual in newton.

use coact_math::Vec3;
use coact_solver::{Residual, StepReport};

use super::rows::{Contact, ContactSet, RowContext, Warm, dot};
use crate::config::ArticulatedConfig;
use crate::layout::Layout;

/// Sum of squares and largest change of one sweep.
#[derive(Default)]
struct Changes {
    max: f64,
    squares: f64,
    count: usize,
}

impl Changes {
    fn note(&mut self, change: f64) {
        self.max = self.max.max(change.abs());
        self.squares += change * change;
        self.count += 1;
    }

    fn residual(&self, h: f64) -> Residual {
        let rms = (self.squares / self.count.max(1) as f64).sqrt();
        Residual { max: self.max / h, rms: rms / h }
    }
}

impl ContactSet {
    /// Solves the assembled rows; afterwards `du` is the change of rates.
    pub fn solve(&mut self, cx: &RowContext, config: &ArticulatedConfig, report: &mut StepReport) {
        self.du.fill(0.0);
        self.eval_targets(cx, config);
        self.apply_warm_start(cx.layout, config.warm_start);
        for sweep in 0..config.iterations {
            if self.contacts.is_empty() && self.scalars.is_empty() {
                break;
            }
            let residual = self.sweep(cx).residual(cx.h);
            if sweep == 0 {
                report.residual_first = residual;
            }
            report.residual_last = residual;
            report.iterations = sweep + 1;
            if residual.max == 0.0 {
                break;
            }
        }
        self.keep_impulses();
    }

    /// Least normal velocity: eq. (28). A gap may close in this step, a penetration is
    /// taken back by its Baumgarte share, an impact faster than the threshold rebounds.
    fn eval_targets(&mut self, cx: &RowContext, config: &ArticulatedConfig) {
        for c in &mut self.contacts {
            let share = if c.gap > 0.0 { config.speculative } else { config.baumgarte };
            c.target = -share * c.gap / cx.h;
            let reaches = c.gap + cx.h * c.v0[0] <= 0.0;
            if c.restitution > 0.0 && reaches && c.v0[0] < -config.restitution_threshold {
                c.target = -c.restitution * c.v0[0];
            }
        }
    }

    /// Impulses of the last step, by key. Both lists are in order of detection, so that
    /// the search goes on where it stopped.
    fn apply_warm_start(&mut self, layout: &Layout, share: f64) {
        let mut from = 0;
        for k in 0..self.contacts.len() {
            let c = &self.contacts[k];
            let count = self.warm.len();
            let at = (0..count).map(|i| (from + i) % count).find(|&i| self.warm[i].key == c.key);
            let Some(at) = at else { continue };
            from = at;
            let impulse = self.warm[at].impulse * share;
            let wanted = c.axes.map(|a| a.dot(&impulse));
            let normal = wanted[0].max(0.0);
            let tangent = project_disk([wanted[1], wanted[2]], c.mu * normal);
            self.apply(layout, k, [normal, tangent[0], tangent[1]]);
        }
        for k in 0..self.scalars.len() {
            let row = &self.scalars[k];
            let impulse = (self.warm_scalar[row.dof][row.slot] * share).clamp(row.bounds.0, row.bounds.1);
            self.apply_scalar(layout, k, impulse);
        }
    }

    fn sweep(&mut self, cx: &RowContext) -> Changes {
        let mut changes = Changes::default();
        for k in 0..self.scalars.len() {
            let row = self.scalars[k];
            let v = row.sign * (cx.u[row.dof] + self.du[row.dof]);
            let wanted = row.impulse - (v - row.target) * row.inv_diagonal;
            let change = self.apply_scalar(cx.layout, k, wanted.clamp(row.bounds.0, row.bounds.1));
            changes.note(change);
        }
        for k in 0..self.contacts.len() {
            let c = self.contacts[k];
            let v = self.row_velocity(cx.layout, &c, 0);
            let normal = (c.impulse[0] - (v - c.target) * c.inv_diagonal[0]).max(0.0);
            self.apply(cx.layout, k, [normal, c.impulse[1], c.impulse[2]]);
            let slip = [1, 2].map(|r| self.row_velocity(cx.layout, &c, r));
            let free = [0, 1].map(|r| c.impulse[r + 1] - slip[r] * c.inv_diagonal[1]);
            let tangent = project_disk(free, c.mu * normal);
            self.apply(cx.layout, k, [normal, tangent[0], tangent[1]]);
            let end = self.contacts[k].impulse;
            (0..3).for_each(|r| changes.note(end[r] - c.impulse[r]));
        }
        changes
    }

    fn row_velocity(&self, layout: &Layout, c: &Contact, row: usize) -> f64 {
        c.segments.iter().flatten().fold(c.v0[row], |v, s| {
            let tree = &layout.trees[s.tree];
            let at = s.start + row * tree.n();
            v + dot(&self.jacobian[at..at + tree.n()], &self.du[tree.dofs.clone()])
        })
    }

    /// Sets the impulses of contact `k` and carries the change into `du`.
    fn apply(&mut self, layout: &Layout, k: usize, impulse: [f64; 3]) {
        let c = &mut self.contacts[k];
        let change = [0, 1, 2].map(|r| impulse[r] - c.impulse[r]);
        c.impulse = impulse;
        for s in c.segments.iter().flatten() {
            let tree = &layout.trees[s.tree];
            for (row, change) in change.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                let at = s.start + row * tree.n();
                add_scaled(&mut self.du[tree.dofs.clone()], &self.response[at..at + tree.n()], *change);
            }
        }
    }

    fn apply_scalar(&mut self, layout: &Layout, k: usize, impulse: f64) -> f64 {
        let row = &mut self.scalars[k];
        let change = impulse - row.impulse;
        row.impulse = impulse;
        let tree = &layout.trees[row.tree];
        let y = &self.response[row.start..row.start + tree.n()];
        add_scaled(&mut self.du[tree.dofs.clone()], y, row.sign * change);
        change
    }

    fn keep_impulses(&mut self) {
        self.warm.clear();
        self.warm.extend(self.contacts.iter().filter(|c| c.impulse[0] > 0.0).map(|c| {
            let impulse: Vec3 = c.axes.iter().zip(&c.impulse).map(|(a, l)| a * *l).sum();
            Warm { key: c.key, impulse }
        }));
        self.warm_scalar.fill([0.0; 3]);
        for row in &self.scalars {
            self.warm_scalar[row.dof][row.slot] = row.impulse;
        }
    }
}

/// The nearest point of the disk of radius `r`.
fn project_disk(x: [f64; 2], r: f64) -> [f64; 2] {
    let size = x[0].hypot(x[1]);
    if size <= r { x } else { x.map(|v| v * (r / size)) }
}

fn add_scaled(to: &mut [f64], x: &[f64], s: f64) {
    for (t, x) in to.iter_mut().zip(x) {
        *t += s * x;
    }
}
