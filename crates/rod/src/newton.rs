//! The solve of a step of one rod: Newton steps that cannot run away.
//!
//! Theory: `docs/theory/rod.md` section 4. A Newton step is good where what is left of it, H⁻¹ gradient
//! at its end, is shorter than it is; this looks past the energy of stretch that every straight step
//! of a bent rod makes and that the next one takes back. Where a row of steps is not good, the last
//! good iterate is gone back to, for a step of a positive matrix by which the objective falls.

use coact_math::{Pose, Vec6};

use crate::config::{RodConfig, RodLaw};
use crate::element::{Element, Hessian};
use crate::rod::Rod;
use crate::strain::{angular, linear};

/// Largest turn \[rad\] between two segments in a Newton step: above half a turn the branch of a
/// rotation vector would be lost.
const LARGEST_BEND: f64 = 1.5;

/// Newton steps in a row that may lead uphill before the last good iterate is gone back to.
const WATCHED: usize = 12;

/// Turn \[rad\] of a segment in a Newton step above which the straight way of its centre is far from
/// the arc.
const FAR_TURN: f64 = 0.1;

/// Halvings of a step of the positive matrix: what gains nothing after them is at its rounding.
const HALVINGS: usize = 30;

/// What a step must gain, as a share of what its slope promises.
const ARMIJO: f64 = 1e-4;

/// Rounding of the objective, as a share of the energies in it.
const ROUNDING: f64 = 1e-14;

/// What a solve reads.
#[derive(Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub config: &'a RodConfig,
    /// Body frames of what is prescribed at the end of the step.
    pub bases: &'a [Pose],
    /// Size of gravity \[m/s²\].
    pub gravity: f64,
    /// Size of the step \[s\].
    pub h: f64,
}

/// Newton steps since the iterate that is kept.
#[derive(Default)]
struct Watch {
    steps: usize,
    objective: f64,
    decrement: f64,
}

impl Rod {
    /// Finds the minimum of the objective from the iterate on, at which it was evaluated.
    pub fn solve(&mut self, p: &Problem) {
        if self.outcome.iterations == 0 {
            self.outcome.residual[0] = self.residual();
        }
        let mut watch = Watch::default();
        for _ in 0..p.config.max_iterations {
            self.outcome.iterations += 1;
            self.follow_friction();
            let Some(decrement) = self.solve_step(p, Hessian::Full) else { break };
            if decrement <= self.eval_solved(p) {
                self.try_step(p, 1.0);
                watch.steps = 0;
                if self.add_missed(p) {
                    continue;
                }
                break;
            }
            if !self.advance(p, decrement, &mut watch) {
                break;
            }
        }
        if watch.steps > 0 {
            self.return_to_kept(p);
        }
        self.outcome.residual[1] = self.residual();
    }

    /// The Newton step −H⁻¹ gradient of the asked Hessian, or of the positive one where that is not
    /// positive, and gᵀH⁻¹g \[J\]. Nothing where numbers are not finite.
    fn solve_step(&mut self, p: &Problem, kind: Hessian) -> Option<f64> {
        if !self.touches.is_empty() {
            let solved = self.eval_solved(p);
            let decrement = self.solve_touching(p, kind, solved);
            self.outcome.singular += usize::from(decrement.is_none());
            return decrement.filter(|d| d.is_finite());
        }
        if !self.factor_definite(p.config.law, p.h, kind) {
            self.outcome.singular += 1;
            return None;
        }
        for (step, g) in self.step.iter_mut().zip(&self.gradient) {
            *step = -g;
        }
        self.system.solve(&mut self.step);
        let decrement: f64 = self.step.iter().zip(&self.gradient).map(|(s, g)| -s.dot(g)).sum();
        decrement.is_finite().then_some(decrement)
    }

    /// Factors the asked Hessian at the iterate, or the positive one where that is not positive; false:
    /// it is singular, since numbers are not finite.
    pub(crate) fn factor_definite(&mut self, law: RodLaw, h: f64, kind: Hessian) -> bool {
        self.assemble(law, h, kind);
        if self.system.factor().is_ok() && self.system.is_positive() {
            return true;
        }
        self.assemble(law, h, Hessian::Positive);
        self.system.factor().is_ok()
    }

    /// Moves by the Newton step; false: nothing is gained any more.
    fn advance(&mut self, p: &Problem, decrement: f64, watch: &mut Watch) -> bool {
        let t = (LARGEST_BEND / self.largest_bend_of_step()).min(1.0);
        if watch.steps == 0 {
            self.keep();
            (watch.objective, watch.decrement) = (self.eval_objective(p.h), decrement);
        }
        let length = self.length_of(&self.step);
        self.try_step(p, t);
        let good = (1.0 - 0.25 * t) * length;
        let mut is_good = self.left_of_step() <= good;
        if !is_good && t * self.largest_turn_of_step() > FAR_TURN {
            self.settle_places(p);
            is_good = self.left_of_step() <= good;
        }
        if is_good || self.eval_objective(p.h) <= watch.objective - ARMIJO * t * watch.decrement {
            watch.steps = 0;
            return true;
        }
        watch.steps += 1;
        if watch.steps < WATCHED {
            return true;
        }
        watch.steps = 0;
        self.return_to_kept(p);
        self.solve_step(p, Hessian::Positive).is_some() && self.descend(p)
    }

    /// A share of the step of the positive matrix by which the objective falls.
    fn descend(&mut self, p: &Problem) -> bool {
        let slope: f64 = self.step.iter().zip(&self.gradient).map(|(s, g)| s.dot(g)).sum();
        let (before, slack) = (self.eval_objective(p.h), ROUNDING * self.eval_scale(p));
        let mut t = (LARGEST_BEND / self.largest_bend_of_step()).min(1.0);
        for _ in 0..HALVINGS {
            self.try_step(p, t);
            if t * self.largest_turn_of_step() > FAR_TURN {
                self.settle_places(p);
            }
            if self.eval_objective(p.h) <= before + ARMIJO * t * slope + slack {
                return true;
            }
            self.return_to_kept(p);
            t *= 0.5;
        }
        false
    }

    /// Moves by `t` times the Newton step.
    fn try_step(&mut self, p: &Problem, t: f64) {
        self.foresee_stress(p.h, t);
        for n in 0..self.nodes.len() {
            self.at[n] = self.at[n].moved(&self.target[n], &self.step[n], t);
        }
        self.evaluate(p.config.law, p.bases, p.h);
    }

    fn return_to_kept(&mut self, p: &Problem) {
        self.back();
        self.evaluate(p.config.law, p.bases, p.h);
    }

    /// Largest turn of a segment in the Newton step \[rad\].
    fn largest_turn_of_step(&self) -> f64 {
        self.step.iter().map(|s| angular(s).norm_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Length of H⁻¹ gradient, with the matrix that was factored last: eq. (17).
    fn left_of_step(&mut self) -> f64 {
        let mut left = std::mem::take(&mut self.left);
        left.copy_from_slice(&self.gradient);
        self.system.solve(&mut left);
        let length = self.length_of(&left);
        self.left = left;
        length
    }

    /// Length of a motion of all segments, turns taken at the arm of a segment \[m\].
    fn length_of(&self, motion: &[Vec6]) -> f64 {
        let of = |v: &Vec6| linear(v).norm_squared() + self.arm * self.arm * angular(v).norm_squared();
        motion.iter().map(of).sum::<f64>().sqrt()
    }

    /// Largest and sum of squares of the forces that are left over, torques taken at the arm \[N\].
    fn residual(&self) -> (f64, f64) {
        let of = |g: &Vec6| linear(g).norm().max(angular(g).norm() / self.arm);
        let sizes = self.gradient.iter().map(of);
        sizes.fold((0.0, 0.0), |(max, sum), r| (f64::max(max, r), sum + r * r))
    }

    /// The energy that rounding of places and rotations makes of what is at rest: eq. (19).
    fn eval_rounding(&self, h: f64) -> f64 {
        let of = |e: &Element| {
            let (k, place) = (e.tangent(h), e.ends.x[0].norm_squared() + self.arm * self.arm);
            linear(&k).sum() * place + angular(&k).sum()
        };
        let elements = self.elements.iter().filter(|e| e.on).map(of).sum::<f64>();
        let touches = self.touches.iter().filter(|t| t.on);
        let stiff = touches.map(|t| t.law.k * (t.feet[0].begin.norm_squared() + self.arm * self.arm));
        (elements + stiff.sum::<f64>()) * (4.0 * f64::EPSILON).powi(2)
    }

    /// eq. (19): what the next Newton step may still gain \[J\].
    fn eval_solved(&self, p: &Problem) -> f64 {
        p.config.tolerance * p.config.tolerance * self.eval_scale(p) + self.eval_rounding(p.h)
    }

    /// The energies at work in a step: eq. (19).
    fn eval_scale(&self, p: &Problem) -> f64 {
        let fall = p.gravity * p.gravity * p.h * p.h;
        let inertia = self.nodes.iter().enumerate().map(|(n, node)| {
            let work = self.torque[n].dot(&self.at[n].turned).abs();
            2.0 * self.at[n].eval_energy(node.mass, &self.target[n], p.h) + node.mass * fall + work
        });
        let elements = self.elements.iter().filter(|e| e.on).map(|e| 2.0 * e.eval_objective(p.h));
        inertia.sum::<f64>() + elements.sum::<f64>()
    }
}
