//! The law of one contact between bodies. Theory: `docs/theory/rigid-rows.md` section 3.
//!
//! ```text
//! C = m − n·(x₁ − x₀)                 x: skeleton points, m: sum of the margins
//! N = max(0, k C + s λ_n)             along n on the second body, −n on the first
//! p = λ_t + ρ (o + u_t)               u: slip of the surfaces in the step
//! F = s p,  s = min(1, mu N/|p|)      on the first body, −F on the second
//! ```
//! The normal force acts at the skeleton points, friction at the surface points: what is round
//! rolls on its surface and is lifted at its middle.

use coact_math::{Mat3, Vec3};

use super::spin::{SpinGrasp, SpinRow};
use crate::body::SurfacePoint;
use crate::config::RotationUpdate;
use crate::rigid::EdgeTerms;
use crate::row::CompliantRow;

/// What a contact remembers, and its multipliers in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grasp {
    /// Multiplier of the normal row \[N\].
    pub normal: f64,
    /// That of friction, tangential, world frame \[N\].
    pub tangent: Vec3,
    /// Offset of the second surface from its anchor on the first at the begin of the step \[m\].
    pub offset: Vec3,
    /// mu N after the last sweep \[N\].
    pub limit: f64,
    /// Offset from the anchor that the last dual update found \[m\].
    pub next: Vec3,
    /// Share of the speed at which it may come out of an overlap, eq. (34b).
    pub pace: f64,
    /// Depth at which it was stuck in the last step \[m\]; infinite: it was not.
    pub rest: f64,
    /// Of friction against turning.
    pub spin: SpinGrasp,
}

impl Default for Grasp {
    fn default() -> Self {
        let (o, spin) = (Vec3::zeros(), SpinGrasp::default());
        Self { normal: 0.0, tangent: o, offset: o, limit: 0.0, next: o, pace: 1.0, rest: f64::INFINITY, spin }
    }
}

impl Grasp {
    /// eq. (29): anchors follow as the last dual update found them.
    pub fn settle(&mut self) {
        (self.offset, self.spin.offset) = (self.next, self.spin.next);
    }
}

/// Coefficients of a contact in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct TouchRow {
    /// From the first body to the second.
    pub normal: Vec3,
    /// Sum of the margins \[m\].
    pub margin: f64,
    /// What is left of the penetration at the begin of the step: not pushed out yet \[m\].
    pub allowed: f64,
    /// Normal row.
    pub row: CompliantRow,
    /// Metric of friction \[N/m\].
    pub rho: f64,
    /// Damping over the step, kd/h \[N/m\].
    pub damping: f64,
    /// Friction coefficient.
    pub mu: f64,
    /// Velocity of the second surface against the first, times h: conveyors \[m\].
    pub carried: Vec3,
    /// Friction against turning.
    pub spin: SpinRow,
}

/// How all contacts are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchLaw {
    /// Chord and sliding metric of the reference, or arc and secant.
    pub rotation: RotationUpdate,
    /// Slip below which the sliding metric of the reference is smooth \[m\].
    pub epsilon: f64,
    /// Over how many penetrations an approach is damped.
    pub damped_depth: f64,
}

/// A contact at an iterate, before any law.
#[derive(Clone, Copy, Debug, Default)]
pub struct TouchPlace {
    /// Penetration m − n·(x₁ − x₀) \[m\].
    pub depth: f64,
    /// How far the skeletons came closer in the step \[m\].
    pub approach: f64,
    /// Tangential slip u_t of the surfaces in the step \[m\].
    pub slip: Vec3,
    /// Turn of the second body against the first in the step.
    pub turn: Vec3,
    /// Arms from the centres of mass to where the normal force acts, and to where friction does.
    pub arms: [[Vec3; 2]; 2],
}

/// What a contact applied to its second body where it was last looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Applied {
    /// Normal force with damping \[N\].
    pub normal: f64,
    /// Friction \[N\].
    pub friction: Vec3,
    /// Friction against turning \[N·m\].
    pub spin: Vec3,
}

/// Forces of a contact on its second body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Push {
    /// Normal force without damping \[N\]; 0 = open.
    pub normal: f64,
    /// Normal force with damping, and its stiffness \[N, N/m\].
    pub damped: [f64; 2],
    /// Friction on the first body \[N\].
    pub friction: Vec3,
    /// s: 1 while it holds.
    pub share: f64,
    /// Whether it puts anything on its bodies: it presses, or rubs by what it pressed before.
    pub acts: bool,
}

impl TouchRow {
    /// eq. (23), (24): depth, approach and slip between skeleton and surface points.
    #[inline]
    pub fn place(
        &self,
        skeleton: &[SurfacePoint; 2],
        surface: &[SurfacePoint; 2],
        arms: [[Vec3; 2]; 2],
        turn: Vec3,
    ) -> TouchPlace {
        let n = &self.normal;
        let slip = surface[1].displacement - surface[0].displacement + self.carried;
        TouchPlace {
            depth: self.depth(&skeleton[0].position, &skeleton[1].position),
            approach: -n.dot(&(skeleton[1].displacement - skeleton[0].displacement)),
            slip: slip - n * n.dot(&slip),
            turn,
            arms,
        }
    }

    /// eq. (22): of skeleton points at these places \[m\].
    #[inline]
    pub fn depth(&self, x0: &Vec3, x1: &Vec3) -> f64 {
        self.margin - self.normal.dot(&(x1 - x0))
    }

    /// Normal force at this depth \[N\]; 0 = open.
    #[inline]
    fn normal_force(&self, grasp: &Grasp, depth: f64) -> f64 {
        self.row.force1(depth - self.allowed, grasp.normal).max(0.0)
    }

    /// Whether it acts at this depth: friction goes by the last dual update, and so does not end where the
    /// contact opens on the way to the next one.
    #[inline]
    pub fn acts(&self, grasp: &Grasp, law: &TouchLaw, depth: f64) -> bool {
        self.normal_force(grasp, depth) > 0.0 || self.rubs(grasp, law)
    }

    #[inline]
    fn rubs(&self, grasp: &Grasp, law: &TouchLaw) -> bool {
        law.rotation == RotationUpdate::Exponential
            && (grasp.limit > 0.0 || (self.spin.is_on() && grasp.normal > 0.0))
    }

    /// eq. (25), (26).
    #[inline]
    pub fn eval(&self, grasp: &Grasp, law: &TouchLaw, at: &TouchPlace) -> Push {
        let normal = self.normal_force(grasp, at.depth);
        if normal == 0.0 && !self.rubs(grasp, law) {
            return Push::default();
        }
        let p = grasp.tangent + (grasp.offset + at.slip) * self.rho;
        let limit = match law.rotation {
            RotationUpdate::Exponential => grasp.limit,
            RotationUpdate::FirstOrder => self.mu * normal,
        };
        let size = p.norm();
        let share = if size > limit { limit / size } else { 1.0 };
        Push { normal, damped: self.damped(normal, law, at), friction: p * share, share, acts: true }
    }

    /// A normal force with damping, and its stiffness.
    #[inline]
    fn damped(&self, normal: f64, law: &TouchLaw, at: &TouchPlace) -> [f64; 2] {
        if normal == 0.0 {
            return [0.0; 2];
        }
        let damped = at.approach.min(law.damped_depth * at.depth.max(0.0)).max(0.0);
        let stiff = if damped > 0.0 { self.damping } else { 0.0 };
        [normal + self.damping * damped, self.row.k + stiff]
    }

    /// Adds forces and stiffness of `push`.
    #[inline]
    pub fn add(&self, grasp: &Grasp, law: &TouchLaw, at: &TouchPlace, terms: &mut EdgeTerms) {
        let push = &self.eval(grasp, law, at);
        if !push.acts {
            return;
        }
        if self.spin.is_on() {
            self.spin.add(&grasp.spin, &self.normal, grasp.normal, &at.turn, terms);
        }
        let [force, stiffness] = push.damped;
        let (n, [lift, rub]) = (&self.normal, &at.arms);
        terms.add_force(&(n * -force), [&lift[0], &lift[1]]);
        terms.add_force(&push.friction, [&rub[0], &rub[1]]);
        if terms.stiffness.is_none() {
            return;
        }
        let across = push.share * self.rho;
        if law.rotation == RotationUpdate::FirstOrder && push.share < 1.0 {
            terms.add_axial(n, stiffness, 0.0, [&lift[0], &lift[1]]);
            let tangent = self.sliding(push, law, at);
            terms.add_point(&Vec3::zeros(), &tangent, [&rub[0], &rub[1]]);
        } else if lift == rub {
            terms.add_axial(n, stiffness, across, [&lift[0], &lift[1]]);
        } else {
            terms.add_axial(n, stiffness, 0.0, [&lift[0], &lift[1]]);
            terms.add_axial(n, 0.0, across, [&rub[0], &rub[1]]);
        }
    }

    /// eq. (27): the sliding metric of the reference.
    fn sliding(&self, push: &Push, law: &TouchLaw, at: &TouchPlace) -> Mat3 {
        let limit = push.friction.norm();
        let plane = Mat3::identity() - self.normal * self.normal.transpose();
        if limit == 0.0 {
            return Mat3::zeros();
        }
        let t = push.friction / limit;
        let (u, e) = (at.slip.norm(), law.epsilon);
        let scale = if u > e { 1.0 / u } else { (2.0 - u / e) / e };
        let along = t * t.transpose();
        (plane - along) * (push.share * self.rho) + along * (limit * scale)
    }

    /// What it puts on its second body.
    pub fn eval_applied(&self, grasp: &Grasp, law: &TouchLaw, at: &TouchPlace) -> Applied {
        self.applied(&self.eval(grasp, law, at), grasp, at)
    }

    /// The same, `push` being its forces there.
    fn applied(&self, push: &Push, grasp: &Grasp, at: &TouchPlace) -> Applied {
        let spins = self.spin.is_on() && push.acts;
        let spin = if spins {
            self.spin.torque(&grasp.spin, &self.normal, grasp.normal, &at.turn)
        } else {
            Vec3::zeros()
        };
        Applied { normal: push.damped[0], friction: -push.friction, spin: -spin }
    }

    /// eq. (28): the dual update: the normal first, friction inside the cone that it leaves. Returns
    /// what the contact applied with the multipliers before.
    pub fn update(&self, grasp: &mut Grasp, law: &TouchLaw, at: &TouchPlace) -> Applied {
        let push = self.eval(grasp, law, at);
        let applied = self.applied(&push, grasp, at);
        grasp.normal = push.normal;
        grasp.limit = self.mu * push.normal;
        if push.normal == 0.0 {
            (grasp.tangent, grasp.next, grasp.spin) = (Vec3::zeros(), Vec3::zeros(), SpinGrasp::default());
            return applied;
        }
        if self.spin.is_on() {
            self.spin.update(&mut grasp.spin, &self.normal, grasp.normal, &at.turn);
        }
        let p = grasp.tangent + (grasp.offset + at.slip) * self.rho;
        let held = inside(p, grasp.limit);
        grasp.next = if self.rho > 0.0 { (held - grasp.tangent) / self.rho } else { Vec3::zeros() };
        grasp.tangent = held;
        applied
    }

    /// The end of a step without a dual update: the anchor follows what it could not hold.
    pub fn rest(&self, grasp: &mut Grasp, law: &TouchLaw, at: &TouchPlace) -> Applied {
        let push = self.eval(grasp, law, at);
        let applied = self.applied(&push, grasp, at);
        let held = self.rho > 0.0 && push.normal > 0.0;
        grasp.offset = if held { (push.friction - grasp.tangent) / self.rho } else { Vec3::zeros() };
        if self.spin.is_on() {
            self.spin.rest(&mut grasp.spin, &self.normal, grasp.normal, &at.turn);
        }
        applied
    }
}

/// The part of `p` inside the disk of radius `limit`.
pub fn inside(p: Vec3, limit: f64) -> Vec3 {
    let size = p.norm();
    if size > limit { p * (limit / size) } else { p }
}
