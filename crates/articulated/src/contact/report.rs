//! What contacts tell after a step: counts, the deepest penetration, wrenches on links.

use coact_math::{Spatial, Vec3};
use coact_model::ShapeId;
use coact_solver::StepReport;

use super::rows::{Contact, ContactSet, RowContext};

impl ContactSet {
    /// `out[link]` = wrench of its contacts about its centre of mass at the begin of the step.
    pub fn eval_wrenches(&self, cx: &RowContext, out: &mut [Spatial]) {
        out.fill(Spatial::zeros());
        for c in &self.contacts {
            let force: Vec3 = c.axes.iter().zip(&c.impulse).map(|(a, l)| a * (l / cx.h)).sum();
            for (end, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(i) = c.ends[end].link {
                    out[i] += Spatial::wrench_at(&(force * sign), &(c.at - cx.kin.com[i]));
                }
            }
        }
    }

    /// Counts, and the deepest penetration where `cx` is: the end of the step.
    pub fn report(&self, cx: &RowContext, report: &mut StepReport) {
        report.contacts.shapes = self.contacts.len();
        report.contacts.shapes_active = self.contacts.iter().filter(|c| c.impulse[0] > 0.0).count();
        for c in &self.contacts {
            let depth = -end_gap(cx, c);
            if depth > report.penetration.depth {
                report.penetration.depth = depth;
                report.penetration.shape = Some(ShapeId(c.key.0));
            }
        }
    }
}

fn end_gap(cx: &RowContext, c: &Contact) -> f64 {
    let x = [0, 1].map(|k| cx.end_pose(&c.ends[k]).point(&c.ends[k].local));
    c.normal.dot(&(x[1] - x[0])) - c.margin
}
