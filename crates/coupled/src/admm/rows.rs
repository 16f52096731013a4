//! The rows of a step: directions, compliance, targets, multipliers, and what they measure at the end.
//!
//! `docs/theory/admm-coupling.md` eq. (2)–(8).

use coact_math::{Spatial, Vec3};
use coact_model::{Control, Model};
use coact_solver::EndpointState;

use super::axis::{AxisInput, drive_target};
use super::contact::Contact;
use super::ends::Ends;
use super::link::{Axis, Frames, Law, Link};
use super::project::Bound;
use crate::proxy::displacement;

/// What a row measures.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measure {
    /// A law of a link.
    Link { link: usize, law: Law },
    /// How deep a contact is.
    Depth { contact: usize },
    /// How far a contact has slipped along one of its tangents.
    Slip { contact: usize, tangent: usize },
}

/// One scalar condition between two endpoints in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Places of its ends.
    pub places: [usize; 2],
    /// What a unit multiplier takes from the first end and gives to the second, each about its own
    /// centre of mass at the moment at which its forces act.
    pub wrench: [Spatial; 2],
    pub measure: Measure,
    /// Interface that it belongs to.
    pub pair: usize,
    /// C at the begin of the step.
    pub begin: f64,
    /// Where C should be at the end, for no multiplier: eq. (7), (8).
    pub target: f64,
    /// C per multiplier; 0 = hard.
    pub compliance: f64,
    /// What its multiplier may be.
    pub bound: Bound,
    /// Rate that C should have at the end of the step, where velocities are corrected.
    pub rate: f64,
    /// To what it is solved \[m, rad\].
    pub tolerance: f64,
    /// Where its multiplier is kept: in the memory of all links, or of this contact.
    pub memory: usize,
}

/// Stiffness and damping of a kind of rows, in their real units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spring {
    pub ke: f64,
    pub kd: f64,
}

/// How gaps at the begin of a step are taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing {
    /// Share that a step closes.
    pub share: f64,
    /// At most so much in a step.
    pub most: f64,
}

impl Closing {
    /// Eq. (8): what a hard row may still be off at the end.
    pub fn target(&self, begin: f64) -> f64 {
        let closed = (self.share * begin.abs()).min(self.most.max(0.0));
        begin - closed.copysign(begin)
    }
}

/// What rows of a link share in a step.
pub(super) struct LinkInput<'a> {
    pub linear: Spring,
    pub angular: Spring,
    pub closing: Closing,
    pub dt: f64,
    pub tolerance: f64,
    pub model: &'a Model,
    pub control: &'a Control,
}

/// What rows measure with.
#[derive(Clone, Copy)]
pub(super) struct Measured<'a> {
    pub links: &'a [Link],
    pub contacts: &'a [Contact],
    pub ends: &'a Ends,
}

impl Row {
    /// Whether it is a force, not a torque.
    pub fn is_angular(&self) -> bool {
        matches!(self.measure, Measure::Link { law, .. } if law.is_angular())
    }

    /// Eq. (7): λ = k C⁺ + (d/h)(C⁺ − C), as C⁺ = target + compliance λ. `None`: nothing holds.
    fn with_spring(mut self, spring: Spring, closing: Closing, dt: f64) -> Option<Self> {
        if spring.ke.is_infinite() {
            (self.compliance, self.target) = (0.0, closing.target(self.begin));
            return Some(self);
        }
        let damping = spring.kd / dt;
        let k = spring.ke + damping;
        if k <= 0.0 {
            return None;
        }
        (self.compliance, self.target) = (1.0 / k, damping / k * self.begin);
        Some(self)
    }

    /// Eq. (1): what the end of the step leaves of the condition.
    pub fn residual(&self, x: Measured, lambda: f64) -> f64 {
        let at = |end: usize| &x.ends.end[self.places[end]].pose;
        let c = match self.measure {
            Measure::Link { link, law } => x.links[link].eval(&law, &x.links[link].frames(at(0), at(1))),
            Measure::Depth { contact } => -x.contacts[contact].gap(at(0), at(1)),
            Measure::Slip { .. } => {
                let way = |end: usize| {
                    let p = self.places[end];
                    displacement(&x.ends.begin[p].pose, &x.ends.end[p].pose, &x.ends.com[p])
                };
                self.wrench[0].dot(&way(0)) - self.wrench[1].dot(&way(1))
            }
        };
        c - self.target - self.compliance * lambda
    }

    /// J·(velocities of both ends) at some state of them.
    pub fn rate(&self, velocity: [&Spatial; 2]) -> f64 {
        self.wrench[0].dot(velocity[0]) - self.wrench[1].dot(velocity[1])
    }

    /// Eq. (6a): the row's wrenches with the ends at these states.
    pub fn place(&mut self, x: Measured, states: &[EndpointState]) {
        let com = &x.ends.com;
        let (direction, point) = match self.measure {
            Measure::Link { link, law } => {
                let at = frames_of(&x.links[link], self.places, states);
                (x.links[link].direction(&law, &at), at.first.p)
            }
            Measure::Depth { contact } => x.contacts[contact].direction(None, &states[self.places[1]].pose),
            Measure::Slip { contact, tangent } => {
                x.contacts[contact].direction(Some(tangent), &states[self.places[1]].pose)
            }
        };
        self.wrench = self.places.map(|p| at_lever(&direction, &(point - states[p].pose.point(&com[p]))));
    }
}

/// Appends the rows of a link that hold in this step.
pub(super) fn append_link(index: usize, x: Measured, input: &LinkInput, out: &mut Vec<Row>) {
    let (link, ends) = (&x.links[index], x.ends);
    let places = [0, 1].map(|i| ends.place(link.sides[i].entry, link.sides[i].endpoint));
    let begin = frames_of(link, places, &ends.begin);
    let row = |law: Law, memory: usize| {
        let mut row = Row {
            places,
            wrench: [Spatial::zeros(); 2],
            measure: Measure::Link { link: index, law },
            pair: link.pair,
            begin: link.eval(&law, &begin),
            target: 0.0,
            compliance: 0.0,
            bound: Bound::Free,
            rate: 0.0,
            tolerance: input.tolerance,
            memory,
        };
        row.place(x, &ends.middle);
        row
    };
    for (k, &law) in link.laws.iter().enumerate() {
        let spring = if law.is_angular() { input.angular } else { input.linear };
        out.extend(row(law, link.memory.start + k).with_spring(spring, input.closing, input.dt));
    }
    for axis in &link.axes {
        append_axis(axis, row(axis.law, axis.memory), ends, input, out);
    }
}

/// The rows of a free axis.
fn append_axis(axis: &Axis, row: Row, ends: &Ends, input: &LinkInput, out: &mut Vec<Row>) {
    let velocity = |end: usize| &ends.begin[row.places[end]].velocity;
    let force = axis.dof.and_then(|d| input.control.joint_f.get(d)).copied().unwrap_or(0.0);
    let of = AxisInput {
        axis: &input.model.joint_axis[axis.axis],
        target: drive_target(input.control, axis.axis),
        force,
        begin: row.begin,
        rate: row.rate([velocity(0), velocity(1)]),
        closing: input.closing,
        dt: input.dt,
    };
    for (k, made) in of.rows().into_iter().enumerate() {
        out.extend(made.map(|m| Row {
            target: m.target,
            compliance: m.compliance,
            bound: m.bound,
            memory: axis.memory + k,
            ..row
        }));
    }
}

fn frames_of(link: &Link, places: [usize; 2], states: &[EndpointState]) -> Frames {
    link.frames(&states[places[0]].pose, &states[places[1]].pose)
}

/// A wrench at a point as one about the centre of mass.
fn at_lever(w: &Spatial, lever: &Vec3) -> Spatial {
    Spatial::new(w.lin, w.ang + lever.cross(&w.lin))
}

/// Wrenches of all rows on the ends: −λ J on the first, +λ J on the second.
pub(super) fn sum_forces(rows: &[Row], lambda: &[f64], force: &mut [Spatial]) {
    force.fill(Spatial::zeros());
    for (row, &l) in rows.iter().zip(lambda) {
        force[row.places[0]] -= row.wrench[0] * l;
        force[row.places[1]] += row.wrench[1] * l;
    }
}
