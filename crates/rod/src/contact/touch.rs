//! One contact of a step: where it is, what it puts on its two sides, and what it remembers.
//!
//! Theory: `docs/theory/rod-contact.md` section 1, 2. Of a side b, with the arm a of its skeleton point
//! and o from there to the surface,
//!
//! ```text
//! δC = ∓n·(δc + δθ × a),    δu = ±P (δc + δθ × (a + o)),    upper signs for the second side
//! ```

use coact_collide::ShapeContact;
use coact_math::{BlockSparse, Mat3, Mat6, Pose, Vec3, Vec6, rotation_between, skew};

use super::law::{Law, Push, Spot};
use crate::element::{Hessian, Side};
use crate::geometric::arm_stiffness;
use crate::node::{Iterate, Target};
use crate::strain::{angular, linear, stack};

/// What a contact stands on, on one of its sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foot {
    pub side: Side,
    /// Skeleton point from the centre of mass of a segment, in its axes \[m\].
    pub r: Vec3,
    /// Skeleton point at the begin of the step \[m\].
    pub begin: Vec3,
    /// From there to the surface, world axes; it stays as it is \[m\].
    pub offset: Vec3,
    /// Of what is prescribed: the skeleton point at the end of the step, and the way of the surface \[m\].
    pub end: Vec3,
    pub way: Vec3,
}

/// Segments at an iterate, and the poses of their body frames at the begin of the step.
#[derive(Clone, Copy)]
pub(crate) struct Segments<'a> {
    pub at: &'a [Iterate],
    pub target: &'a [Target],
    pub begin: &'a [Pose],
}

/// A contact that a step may meet.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub contact: ShapeContact,
    pub feet: [Foot; 2],
    /// The edge of the linear system, where both sides are segments.
    pub edge: Option<u32>,
    /// Whether it is a row of the step; else it was too far off so far.
    pub on: bool,
    pub law: Law,
    pub mu: f64,
    /// Sum of the margins, less what need not be pushed out in the step \[m\].
    pub margin: f64,
    /// Way of the second surface against the first by their own velocities \[m\].
    pub carried: Vec3,
    /// λ \[N\].
    pub grip: Vec3,
    /// From the centres of mass to the skeleton points, at the iterate \[m\].
    pub arms: [Vec3; 2],
    /// At the iterate.
    pub here: Spot,
    /// Where the present step of all segments leads, by what is linear in it.
    pub ahead: Spot,
    /// Forces that were foreseen last.
    pub foreseen: Push,
}

/// How fast a contact moves with a step: its depth, and its slip.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    pub depth: f64,
    pub slip: Vec3,
}

impl Foot {
    /// (skeleton point, arm, way of the surface in the step).
    fn place(&self, s: &Segments) -> (Vec3, Vec3, Vec3) {
        let Side::Node(n) = self.side else { return (self.end, Vec3::zeros(), self.way) };
        let n = n as usize;
        let arm = s.at[n].q * self.r;
        let x = s.target[n].com + s.at[n].d.lin + arm;
        let turn = rotation_between(&s.begin[n].q, &s.at[n].q);
        (x, arm, x - self.begin + turn.cross(&self.offset))
    }

    fn node(&self) -> Option<usize> {
        if let Side::Node(n) = self.side { Some(n as usize) } else { None }
    }
}

impl Touch {
    /// The segments on its sides.
    pub fn nodes(&self) -> [Option<usize>; 2] {
        [self.feet[0].node(), self.feet[1].node()]
    }

    /// eq. (1), (3): where it is.
    pub fn look(&mut self, s: &Segments) {
        let n = &self.contact.normal;
        let [(x0, a0, w0), (x1, a1, w1)] = [self.feet[0].place(s), self.feet[1].place(s)];
        let slip = w1 - w0 + self.carried;
        self.arms = [a0, a1];
        self.here = Spot {
            depth: self.margin - n.dot(&(x1 - x0)),
            trial: self.grip + (slip - n * n.dot(&slip)) * self.law.rho,
        };
    }

    /// How far the skeleton points have moved against each other since the begin \[m\].
    pub fn way(&self, s: &Segments) -> f64 {
        let moved = |f: &Foot| f.place(s).0 - f.begin;
        (moved(&self.feet[1]) - moved(&self.feet[0])).norm()
    }

    /// Whether it was deep at the begin of the step, by more than a hundredth of its margins.
    pub fn began_deep(&self) -> bool {
        self.margin < 0.99 * (self.contact.margin0 + self.contact.margin1)
    }

    /// eq. (7): the radius of the disk follows what was foreseen, by a share.
    pub fn take_over(&mut self, share: f64) {
        self.law.limit += (self.mu * self.foreseen.normal - self.law.limit) * share;
    }

    /// Adds forces, as a gradient, `share` times.
    pub fn add_forces(&self, push: &Push, share: f64, gradient: &mut [Vec6]) {
        let lift = self.contact.normal * (-push.normal * share);
        let rub = push.friction * share;
        for (b, sign) in [-1.0, 1.0].into_iter().enumerate() {
            if let Some(n) = self.feet[b].node() {
                let (a, f) = (self.arms[b], lift + rub);
                let turn = a.cross(&f) + self.feet[b].offset.cross(&rub);
                gradient[n] += stack(&f, &turn) * sign;
            }
        }
    }

    /// eq. (8): how it moves with a step of all segments.
    pub fn rate(&self, step: &[Vec6]) -> Rate {
        let (n, mut apart, mut slip) = (&self.contact.normal, Vec3::zeros(), Vec3::zeros());
        for (b, sign) in [-1.0, 1.0].into_iter().enumerate() {
            if let Some(i) = self.feet[b].node() {
                let (v, w) = (linear(&step[i]), angular(&step[i]));
                let skeleton = v + w.cross(&self.arms[b]);
                apart += skeleton * sign;
                slip += (skeleton + w.cross(&self.feet[b].offset)) * sign;
            }
        }
        Rate { depth: -n.dot(&apart), slip: slip - n * n.dot(&slip) }
    }

    /// Where `t` times a step of this rate leads from where it is ahead.
    pub fn ahead_by(&self, rate: &Rate, t: f64) -> Spot {
        Spot {
            depth: self.ahead.depth + rate.depth * t,
            trial: self.ahead.trial + rate.slip * (self.law.rho * t),
        }
    }

    /// What its stiffness makes of a step of this rate.
    pub fn stiff(&self, rate: &Rate, slack: f64) -> Push {
        let (k, across) = self.law.stiffness(&self.contact.normal, &self.ahead, slack);
        Push { normal: k * rate.depth, friction: across * rate.slip }
    }

    /// eq. (9): adds its stiffness where it leads to; in the full Hessian also what its force adds
    /// since arms turn.
    pub fn add_stiffness(&self, kind: Hessian, slack: f64, system: &mut BlockSparse) {
        let n = &self.contact.normal;
        let (k, across) = self.law.stiffness(n, &self.ahead, slack);
        let row = [0, 1].map(|b| stack(n, &self.arms[b].cross(n)));
        let at = [0, 1].map(|b| self.arms[b] + self.feet[b].offset);
        let block = |a: usize, b: usize| row[a] * row[b].transpose() * k + between(&at[a], &across, &at[b]);
        let force = self.foreseen.friction - n * self.foreseen.normal;
        for (b, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let Some(i) = self.feet[b].node() else { continue };
            let mut own = block(b, b);
            if kind == Hessian::Full {
                let mut turns = own.fixed_view_mut::<3, 3>(3, 3);
                turns -= arm_stiffness(&(force * sign), &self.arms[b]);
            }
            system.add_diagonal(i, &own);
        }
        if let Some(edge) = self.edge {
            system.add_edge(edge as usize, &-block(0, 1));
        }
    }

    /// Whether it presses at the iterate.
    pub fn presses(&self) -> bool {
        self.on && self.here.depth > 0.0
    }
}

/// BᵀKB of two points at arms `a`, `b`: B = (1, −[arm]).
fn between(a: &Vec3, k: &Mat3, b: &Vec3) -> Mat6 {
    let (left, right) = (skew(a), skew(b));
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(k);
    m.fixed_view_mut::<3, 3>(0, 3).copy_from(&-(k * right));
    m.fixed_view_mut::<3, 3>(3, 0).copy_from(&(left * k));
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&-(left * k * right));
    m
}
