//! Two bodies that meet at the begin of a step, and what their contacts start from: what is
//! remembered, turned along, and metrics. Theory: `docs/theory/rigid-rows.md` section 4.

use coact_collide::ShapeContact;
use coact_math::{Mat3, Pose, Spatial, Vec3};

use super::begin::{TouchInput, TouchSettings};
use super::law::{Grasp, inside};
use super::metric::{in_series, series, spin_support, tangent_support};
use super::push_out::LEFT_TO_COME;
use super::spin::SpinGrasp;
use super::{ActsAt, Touch};
use crate::body::{Place, PointMobility, tangents};
use crate::config::RotationUpdate;
use crate::rigid::HARD;
use crate::row::CompliantRow;

/// One body of a pair at the begin of a step, for all contacts of the pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) com: Vec3,
    begin: Pose,
    pub(super) begin_axes: Mat3,
    now: Pose,
    mobility: PointMobility,
}

/// Two bodies that meet, for all their contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) sides: [Side; 2],
    /// Whether forces move both.
    both_move: bool,
    /// Relative speeds of the two, and angular speeds of each, at the begin and at the end of the free
    /// motion, summed.
    approach: f64,
    spin: [f64; 2],
    /// Mean rotation vector of the two since the begin.
    turn: Vec3,
    /// Mass of the heaviest body that is solved with both \[kg\]; whether they are swept instead.
    heaviest: f64,
    alone: bool,
    /// Stiffness of the joints of each \[N/m\].
    stiff: [f64; 2],
    /// Magnitude \[m/s²\].
    gravity: f64,
    exact: bool,
}

impl Meeting {
    pub(super) fn new(of: [u32; 2], input: &TouchInput, settings: &TouchSettings) -> Self {
        let bodies = input.bodies;
        let side = |b: u32| {
            let begin = bodies.placed(b, Place::Begin);
            let com = if b == u32::MAX { Vec3::zeros() } else { bodies.com(b as usize) };
            let begin_axes = begin.q.to_rotation_matrix().into_inner();
            Side {
                com,
                begin,
                begin_axes,
                now: bodies.placed(b, Place::Now),
                mobility: bodies.point_mobility(b),
            }
        };
        let speed = |v: [Spatial; 2]| (v[0].lin - v[1].lin).norm();
        let heaviest = (input.together)(of);
        let exact = settings.rotation == RotationUpdate::Exponential;
        Self {
            sides: of.map(side),
            both_move: of.iter().all(|&b| bodies.moves(b)),
            approach: speed(of.map(|b| bodies.begin_velocity(b)))
                + speed(of.map(|b| bodies.free_velocity(b))),
            spin: of.map(|b| bodies.begin_velocity(b).ang.norm() + bodies.free_velocity(b).ang.norm()),
            turn: of.iter().map(|&b| bodies.turned(b) * 0.5).sum(),
            heaviest,
            alone: heaviest == 0.0 || !exact,
            stiff: of.map(|b| input.structure.get(b as usize).copied().unwrap_or(0.0)),
            gravity: input.view.gravity.norm(),
            exact,
        }
    }

    /// Way of the second surface against the first in the step, by their own velocities \[m\].
    pub(super) fn carried_by(&self, c: &ShapeContact, input: &TouchInput) -> Vec3 {
        let v = [c.shape0, c.shape1].map(|s| input.view.shape_surface_velocity[s.index()]);
        (self.sides[1].begin_axes * v[1] - self.sides[0].begin_axes * v[0]) * input.h
    }

    /// Where the forces of a contact act.
    pub(super) fn acts_at(&self, c: &ShapeContact) -> ActsAt {
        if !self.exact || !self.both_move {
            return ActsAt::Own;
        }
        match (c.offset0 == Vec3::zeros(), c.offset1 == Vec3::zeros()) {
            (false, true) => ActsAt::Surface(0),
            (true, false) => ActsAt::Surface(1),
            _ => ActsAt::Middle,
        }
    }
}

impl Touch {
    /// What is kept, turned with the bodies and into the new plane.
    pub(super) fn carried(
        &self,
        k: &Grasp,
        meeting: &Meeting,
        settings: &TouchSettings,
        again: bool,
    ) -> Grasp {
        let n = self.row.normal;
        let plane = |v: &Vec3| v - n * n.dot(v);
        let retention = if again { 1.0 } else { settings.retention };
        let normal = k.normal * retention;
        if !meeting.exact && settings.sticky {
            let x = |i: usize| meeting.sides[i].begin.p + meeting.sides[i].begin_axes * self.surface()[i];
            return Grasp { normal, offset: plane(&(x(1) - x(0))), ..Grasp::default() };
        }
        // what lies in the plane turns in it
        let spin = if again || !meeting.exact { 0.0 } else { meeting.turn.dot(&n) };
        let (sin, cos) = spin.sin_cos();
        let turned = |v: &Vec3| {
            let v = plane(v);
            v * cos + n.cross(&v) * sin
        };
        Grasp {
            normal,
            tangent: inside(turned(&k.tangent) * retention, self.row.mu * normal),
            offset: if meeting.exact {
                turned(&k.offset) * self.way_back(meeting, again)
            } else {
                Vec3::zeros()
            },
            limit: k.limit,
            next: Vec3::zeros(),
            pace: k.pace,
            rest: k.rest,
            spin: self.carried_spin(&k.spin, normal, (sin, cos), retention),
        }
    }

    /// Share of the way back to its anchor that friction goes in a step.
    fn way_back(&self, meeting: &Meeting, again: bool) -> f64 {
        if meeting.alone && !again { 1.0 - LEFT_TO_COME } else { 1.0 }
    }

    /// What is kept of torques: along the normal along the new one, in the plane turned with it by an
    /// angle of this sine and cosine.
    fn carried_spin(&self, k: &SpinGrasp, normal: f64, (sin, cos): (f64, f64), retention: f64) -> SpinGrasp {
        if !self.row.spin.is_on() {
            return SpinGrasp::default();
        }
        let n = self.row.normal;
        let turned = |v: &Vec3| {
            let along = n * n.dot(v);
            let v = v - along;
            (v * cos + n.cross(&v) * sin, along)
        };
        let (rolling, torsion) = turned(&(k.torque * retention));
        let [r, t] = self.row.spin.arm.map(|arm| arm * normal);
        let (plane, along) = turned(&k.offset);
        SpinGrasp {
            torque: inside(rolling, r) + inside(torsion, t),
            offset: plane + along,
            next: Vec3::zeros(),
        }
    }

    /// eq. (30)–(34): metrics of a contact with the material stiffness `ke`.
    pub(super) fn measure(&mut self, ke: f64, meeting: &Meeting, h: f64, settings: &TouchSettings) {
        let (n, h2) = (self.row.normal, h * h);
        let [s0, s1] = &meeting.sides;
        let arms = |points: &[Vec3; 2]| [s0.begin_axes * points[0], s1.begin_axes * points[1]];
        let lift = arms(&self.points);
        let rub = if self.is_round { arms(&self.surface()) } else { lift };
        let (alone, stiff, known) = (meeting.alone, meeting.stiff, self.memory.grasp.limit > 0.0);
        let natural = match alone || !known {
            true => {
                let along = [s0.mobility.along(&lift[0], &n), s1.mobility.along(&lift[1], &n)];
                series(along, if alone { stiff } else { [0.0; 2] }, h2)
            }
            false => 0.0,
        };
        let rho = match (alone, ke.is_finite()) {
            (true, _) => natural,
            (false, true) => f64::INFINITY,
            (false, false) => HARD * meeting.heaviest / h2,
        };
        self.row.row = CompliantRow::new(ke, rho);
        let across = tangents(&n);
        let plane = |s: &Side, arm: &Vec3| s.mobility.across(arm, &across);
        let support = tangent_support(plane(s0, &rub[0]), plane(s1, &rub[1]), h2);
        self.row.rho = match alone {
            true => support.max(rho.min(in_series(stiff[0], stiff[1]))),
            false if meeting.gravity > 0.0 => support.max(self.memory.grasp.normal / (meeting.gravity * h2)),
            false => support,
        };
        if self.row.spin.is_on() {
            let turn = meeting.sides[0].mobility.turn + meeting.sides[1].mobility.turn;
            let arms = rub.iter().map(Vec3::norm_squared).fold(0.0, f64::max);
            self.row.spin.rho = spin_support(&turn, &n, support * arms, h2);
        }
        self.fastest = meeting.approach + meeting.spin[0] * lift[0].norm() + meeting.spin[1] * lift[1].norm();
        if meeting.exact {
            self.begin(ke, natural, meeting, lift, settings.depenetration_speed * h);
        }
    }

    /// eq. (34): a hard contact that begins deep is pushed out by no more than `pushed`; a new one
    /// expects the load that its inertia would bring. `arms`: to the skeletons, at the begin.
    fn begin(&mut self, ke: f64, natural: f64, meeting: &Meeting, arms: [Vec3; 2], pushed: f64) {
        let [a, b] = &meeting.sides;
        let depth = |x: [Vec3; 2]| self.row.margin - self.row.normal.dot(&(x[1] - x[0]));
        let begin = depth([a.begin.p + arms[0], b.begin.p + arms[1]]);
        let unknown = self.fresh || self.memory.grasp.limit == 0.0;
        let now =
            if unknown { depth([a.now.point(&self.points[0]), b.now.point(&self.points[1])]) } else { 0.0 };
        self.note_begin(begin, ke.is_infinite());
        if ke.is_infinite() {
            self.ask_out(begin, pushed, !meeting.alone);
        }
        self.fresh &= now > 0.0;
        let grasp = &mut self.memory.grasp;
        if grasp.limit == 0.0 {
            let depth = now - self.row.allowed;
            let k = in_series(ke.min(1e300), natural);
            grasp.limit = self.row.mu * k * depth.max(0.0);
        }
    }
}
