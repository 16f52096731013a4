//! The begin of a step of the joints: what the model says now, metrics, multipliers. Theory:
//! `docs/theory/rigid-rows.md` section 4.
//!
//! What is finite is a plain spring where the bodies are solved together, a hard row has
//! ρ = 10³ m/h² of the heaviest body that is solved with them: its multiplier is right to a
//! thousandth after one update. Where bodies are solved one by one ρ must not be stiffer than what
//! their inertia can answer: the guide's metrics.

use coact_math::{Quat, Vec3};
use coact_model::{Control, JointAxis, JointId, JointKind, ModelView};
use rayon::prelude::*;

use super::angular::{eval_angles, eval_strain};
use super::axis::{AxisControl, AxisMetric, AxisRows};
use super::linear::{Ends, LinearLaw, LinearRows, projector};
use super::turning::TurnRows;
use super::{Derivative, Joint, JointMemory, JointPlace, Joints, Measure, Place, eval_rotation, law};
use crate::body::Bodies;
use crate::rigid::HARD;
use crate::row::CompliantRow;

/// Settings of all joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSettings {
    /// Stiffness of locked linear \[N/m\] and angular \[N·m\] rows, but those of rods.
    pub ke: [f64; 2],
    /// Their damping \[N·s/m, N·m·s\].
    pub kd: [f64; 2],
    /// Share of the multipliers that a step takes over.
    pub retention: f64,
    /// Exact derivatives and reactions at one point; else as the reference has them.
    pub exact: bool,
    /// Speed at which hard joints that are apart at the begin are closed \[m/s\].
    pub closing_speed: f64,
}

impl Default for JointSettings {
    fn default() -> Self {
        Self {
            ke: [f64::INFINITY; 2],
            kd: [0.0; 2],
            retention: 1.0,
            exact: true,
            closing_speed: f64::INFINITY,
        }
    }
}

/// What a step of the joints starts from.
#[derive(Clone, Copy)]
pub struct JointInput<'a> {
    /// Enabled flags, frames, axes.
    pub view: &'a ModelView,
    /// Drive targets and generalised forces.
    pub control: &'a Control,
    /// Bodies at their targets.
    pub bodies: &'a Bodies,
    /// Mass of the heaviest body that is solved together with a body \[kg\]; 0 = it is alone.
    pub together: &'a [f64],
    /// Size of all torques that are applied to what is solved together with a body \[N·m\]; empty = none.
    pub torques: &'a [f64],
    /// Step \[s\].
    pub h: f64,
}

impl Joints {
    /// The joints that `view` solves, at its initial poses.
    pub fn new(view: &ModelView, settings: JointSettings) -> Self {
        let ids = (0..view.joint_count()).map(JointId::new);
        let solved = ids.filter(|&j| view.solves_joint(j) && view.joint_kind[j.index()] != JointKind::Free);
        let list: Vec<_> =
            solved.enumerate().map(|(i, j)| Box::new(joint(view, j, i, settings.exact))).collect();
        Self { at: (0..list.len() as u32).collect(), list, settings }
    }

    /// eq. (18)–(21): rows of a step, made side by side where `parallel`.
    pub fn begin(&mut self, input: &JointInput, parallel: bool) {
        let settings = self.settings;
        let start = |j: &mut Box<Joint>| {
            j.read(input);
            if j.on {
                j.start(input, &settings);
            } else {
                j.remember(&JointMemory { angle: j.angles(), ..JointMemory::default() });
            }
        };
        match parallel {
            true => self.list.par_iter_mut().with_min_len(32).for_each(start),
            false => self.list.iter_mut().for_each(start),
        }
    }
}

fn joint(view: &ModelView, id: JointId, index: usize, exact: bool) -> Joint {
    let i = id.index();
    let kind = view.joint_kind[i];
    let count = match kind {
        JointKind::Revolute => [0, 1],
        JointKind::Prismatic | JointKind::Distance => [1, 0],
        JointKind::D6 { linear, angular } => [linear as usize, angular as usize],
        _ => [0, 0],
    };
    let axes = view.axes_of(id);
    let axis = [0, 1].map(|part| {
        let first = part * count[0];
        std::array::from_fn(
            |k| if k < count[part] { axes[first + k].axis.normalize() } else { Vec3::zeros() },
        )
    });
    let rest = rest_rotation(view, id, count, exact);
    let measure = match (kind, count[1]) {
        (JointKind::Rod, _) => Measure::Strain(eval_strain(&Quat::identity(), &rest.0, &Vec3::zeros()).kappa),
        (JointKind::Ball | JointKind::Distance | JointKind::Free, _) => Measure::Free,
        (_, 0 | 1) => Measure::Rotation(rest.0, rest.1),
        _ => Measure::Angles(Vec3::zeros()),
    };
    let mut j = Joint {
        id,
        index: index as u32,
        kind,
        bodies: [view.joint_parent[i].map_or(u32::MAX, |b| b.0), view.joint_child[i].0],
        on: false,
        anchor: [Vec3::zeros(); 2],
        frame: [Quat::identity(); 2],
        axis,
        count,
        measure,
        rest,
        linear: LinearRows { law: law(kind, count[0], &axis[0], exact), ..LinearRows::default() },
        turn: TurnRows::default(),
        rows: [AxisRows::default(); 6],
        begin: [0.0; 6],
        load: Vec3::zeros(),
        place: JointPlace::default(),
        followed: false,
        exact,
        h: 1.0,
    };
    j.turn.locked = match kind {
        JointKind::Ball | JointKind::Distance | JointKind::Free => coact_math::Mat3::zeros(),
        _ => projector(&Quat::identity(), &axis[1][..count[1]]),
    };
    j.turn.strain = kind == JointKind::Rod;
    j.begin[3] = rest.1;
    j
}

/// The relative rotation that counts as no turn, with the angle that it has about a single free
/// axis. The reference takes that of the initial poses.
fn rest_rotation(view: &ModelView, id: JointId, count: [usize; 2], exact: bool) -> (Quat, f64) {
    let i = id.index();
    let rest = view.joint_rest_rotation[i];
    let angle = match count[1] {
        1 => view.joint_q[view.joint_q_start[i] as usize + count[0]],
        _ => 0.0,
    };
    if exact || view.joint_kind[i] == JointKind::Rod {
        let turn = match count[1] {
            1 => Quat::from_scaled_axis(view.axes_of(id)[count[0]].axis * angle),
            _ => Quat::identity(),
        };
        return (turn * rest, angle);
    }
    let parent = view.joint_parent[i].map_or_else(Quat::identity, |b| view.body_q[b.index()].q);
    let child = view.body_q[view.joint_child[i].index()].q;
    ((parent * view.joint_x_p[i].q).inverse() * child * view.joint_x_c[i].q, angle)
}

impl Joint {
    /// What the model says now.
    fn read(&mut self, input: &JointInput) {
        let (view, i) = (input.view, self.id.index());
        let com = |b: u32| if b == u32::MAX { Vec3::zeros() } else { input.bodies.com(b as usize) };
        self.anchor = [view.joint_x_p[i].p - com(self.bodies[0]), view.joint_x_c[i].p - com(self.bodies[1])];
        self.frame = [view.joint_x_p[i].q, view.joint_x_c[i].q];
        self.on = view.joint_enabled[i] && self.bodies.iter().any(|&b| input.bodies.moves(b));
        self.h = input.h;
    }

    fn start(&mut self, input: &JointInput, settings: &JointSettings) {
        let at = self.bodies.map(|b| input.bodies.placed(b, Place::Begin));
        let ends = self.ends_at([&at[0], &at[1]]);
        self.unwind(&ends);
        let turn = self.eval_turn(&ends);
        self.turn.begin = turn.kappa;
        self.linear.begin = self.linear.residual(&ends);
        for i in self.axes() {
            self.begin[i] = self.coordinate(i, &ends, &turn);
        }
        self.start_structure(input, settings, &ends);
        self.start_axes(input, &ends, &turn);
        self.linear.lambda *= settings.retention;
        self.turn.lambda *= settings.retention;
        for r in &mut self.rows {
            r.memory.drive *= settings.retention;
            r.memory.limit *= settings.retention;
        }
    }

    /// Angles go on where they were; what is exact is measured from there.
    fn unwind(&mut self, ends: &Ends) {
        let ([q0, q1], near) = (&ends.q, self.angles());
        match self.measure {
            Measure::Rotation(..) if self.count[1] == 1 && self.exact => {
                let (a, (rest, at)) = (self.axis[1][0], self.rest);
                let turned_to = |angle: f64| Quat::from_scaled_axis(a * (angle - at)) * rest;
                let gone = eval_rotation(q0, q1, &turned_to(near.x), Derivative::Exact).kappa.dot(&a);
                self.measure = Measure::Rotation(turned_to(near.x + gone), near.x + gone);
            }
            Measure::Angles(_) => {
                let [a, b, c] = self.axis[1];
                let third = if self.count[1] == 3 { c } else { a.cross(&b) };
                let axes = [a, b, third];
                let kappa = eval_angles(q0, q1, &axes, &near).kappa;
                self.measure = Measure::Angles(Vec3::from_fn(|i, _| kappa.dot(&axes[i])));
            }
            _ => {}
        }
    }

    fn start_structure(&mut self, input: &JointInput, settings: &JointSettings, ends: &Ends) {
        let (axes, rod) = (input.view.axes_of(self.id), self.kind == JointKind::Rod);
        let (ke, kd) = (
            |part: usize, i: usize| if rod { axes[3 * part + i].target_ke } else { settings.ke[part] },
            |part: usize, i: usize| if rod { axes[3 * part + i].target_kd } else { settings.kd[part] },
        );
        let metric = self.structure_metric(input, ends);
        let row = |part: usize, i: usize| CompliantRow::new(ke(part, i), metric.rho(part, ke(part, i)));
        self.linear.rows = std::array::from_fn(|i| row(0, i));
        self.linear.damping = std::array::from_fn(|i| kd(0, i) / input.h);
        if matches!(self.linear.law, LinearLaw::Material(_)) {
            for i in 0..self.count[0] {
                (self.linear.rows[i], self.linear.damping[i]) = (CompliantRow::OFF, 0.0);
            }
        }
        self.turn.rows = std::array::from_fn(|i| row(1, i));
        self.turn.damping = std::array::from_fn(|i| kd(1, i) / input.h);
        self.bound_closing(settings, &metric, input.h);
    }

    /// eq. (34c): hard rows that begin far apart are closed at a bounded speed, turns by as much at the
    /// arm at which the bodies resist them.
    fn bound_closing(&mut self, settings: &JointSettings, metric: &Metric, h: f64) {
        let way = settings.closing_speed * h;
        let is_bounded = |part: usize| {
            self.exact && self.kind != JointKind::Rod && settings.ke[part].is_infinite() && way.is_finite()
        };
        let bounded = [is_bounded(0), is_bounded(1)];
        self.linear.allow_beyond(if bounded[0] { way } else { f64::INFINITY });
        self.turn.allow_beyond(if bounded[1] { way / metric.arm } else { f64::INFINITY });
    }

    fn structure_metric(&self, input: &JointInput, ends: &Ends) -> Metric {
        let (bodies, h2) = (input.bodies, input.h * input.h);
        let sum = |f: &dyn Fn(u32) -> f64| self.bodies.iter().map(|&b| f(b)).sum::<f64>();
        let inverse = |w: f64| if w > 0.0 { 1.0 / (h2 * w) } else { 0.0 };
        let inverse_mass = |b: u32| if bodies.moves(b) { 1.0 / bodies.mass(b) } else { 0.0 };
        let support = [inverse(sum(&inverse_mass)), inverse(sum(&|b| bodies.mean_turn_mobility(b)))];
        let mass = self.together(input);
        let hard = HARD * mass / h2;
        let arm = ends.r.iter().map(Vec3::norm_squared).sum::<f64>();
        let gyration = if support[0] > 0.0 { support[1] / support[0] } else { 0.0 };
        let solved_together = mass > 0.0 && self.exact;
        let squared = arm + gyration;
        let turns = (hard * squared).max(HARD * self.torque(input));
        Metric { support, hard: solved_together.then_some([hard, turns]), arm: squared.sqrt() }
    }

    /// Size of the torques that its rows may have to carry \[N·m\].
    fn torque(&self, input: &JointInput) -> f64 {
        self.bodies.iter().filter_map(|&b| input.torques.get(b as usize)).fold(0.0, |m: f64, x| m.max(*x))
    }

    /// Mass of the heaviest body that is solved with either end.
    fn together(&self, input: &JointInput) -> f64 {
        self.bodies.iter().filter_map(|&b| input.together.get(b as usize)).fold(0.0, |m: f64, x| m.max(*x))
    }

    fn start_axes(&mut self, input: &JointInput, ends: &Ends, turn: &super::Turn) {
        let (bodies, h2) = (input.bodies, input.h * input.h);
        let axes: &[JointAxis] = input.view.axes_of(self.id);
        let (first, free) = (input.view.joint_axis_start[self.id.index()] as usize, self.count[0]);
        let first_dof = input.view.joint_qd_start[self.id.index()] as usize;
        let (mass, torque) = (self.together(input), self.torque(input));
        self.load = ball_load(self.kind, &input.control.joint_f, first_dof);
        for i in self.axes() {
            let k = if i < 3 { i } else { free + i - 3 };
            let mobility: f64 = if i < 3 {
                let (a, r) = self.line(i, ends);
                (0..2).map(|e| bodies.line_mobility(self.bodies[e], &r[e], &a)).sum()
            } else {
                let g = turn.jacobian.tr_mul(&self.axis[1][i - 3]);
                self.bodies.iter().map(|&b| bodies.turn_mobility(b, &g)).sum()
            };
            let support = if mobility > 0.0 { 1.0 / (h2 * mobility) } else { 0.0 };
            let metric = match mass > 0.0 && self.exact {
                // by how much the heaviest body outweighs this axis
                true => AxisMetric {
                    support,
                    finite: Some(f64::INFINITY),
                    hard: match i {
                        0..3 => support.max(HARD * mass / h2),
                        _ => (HARD * mass / h2 * arm_squared(ends, support, h2, mass))
                            .max(support)
                            .max(HARD * (torque + input.control.joint_f[first_dof + k].abs())),
                    },
                },
                false => AxisMetric { support, finite: None, hard: support },
            };
            let distance = self.kind == JointKind::Distance;
            let control = AxisControl {
                target: [input.control.joint_target_q[first + k], input.control.joint_target_qd[first + k]],
                load: if distance { 0.0 } else { input.control.joint_f[first_dof + k] },
                rate: self.begin_rate(i, bodies, ends, turn),
            };
            self.rows[i].begin(&axes[k], &metric, &control, input.h);
        }
    }

    /// Rate of an axis at the begin of the step.
    fn begin_rate(&self, i: usize, bodies: &Bodies, ends: &Ends, turn: &super::Turn) -> f64 {
        let v = self.bodies.map(|b| bodies.velocity_of(b));
        if i < 3 {
            let (a, r) = self.line(i, ends);
            return a.dot(&(v[1].velocity_at(&r[1]) - v[0].velocity_at(&r[0])));
        }
        (turn.jacobian * (v[1].ang - v[0].ang)).dot(&self.axis[1][i - 3])
    }
}

/// Square of the arm at which the heaviest mass acts on an angular axis \[m²\].
fn arm_squared(ends: &Ends, support: f64, h2: f64, mass: f64) -> f64 {
    ends.r.iter().map(Vec3::norm_squared).sum::<f64>().max(support * h2 / mass)
}

/// The generalised force of the control on a ball: a torque in the parent's joint frame.
fn ball_load(kind: JointKind, joint_f: &[f64], first: usize) -> Vec3 {
    match kind {
        JointKind::Ball => Vec3::from_column_slice(&joint_f[first..first + 3]),
        _ => Vec3::zeros(),
    }
}

/// Metrics of the locked rows: linear, angular.
struct Metric {
    support: [f64; 2],
    hard: Option<[f64; 2]>,
    /// At which the bodies resist a turn \[m\].
    arm: f64,
}

impl Metric {
    fn rho(&self, part: usize, ke: f64) -> f64 {
        match (self.hard, ke.is_finite()) {
            (Some(_), true) => f64::INFINITY,
            (Some(hard), false) => hard[part],
            (None, true) => self.support[part].max(9.0 * ke),
            (None, false) => self.support[part],
        }
    }
}
