//! The rows of a step: directions, compliance, targets, multipliers, and what they measure at the end.
//!
//! `docs/theory/admm-coupling.md` eq. (2)–(8).

use coact_math::{Spatial, Vec3};
use coact_solver::EndpointState;

use super::ends::Ends;
use super::link::{Frames, Law, Link};

/// One scalar condition between two endpoints in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Places of its ends.
    pub places: [usize; 2],
    /// What a unit multiplier takes from the first end and gives to the second, each about its own
    /// centre of mass at the moment at which its forces act.
    pub wrench: [Spatial; 2],
    /// Link and law in it.
    pub link: usize,
    pub law: Law,
    /// C at the begin of the step.
    pub begin: f64,
    /// Where C should be at the end, for no multiplier: eq. (7), (8).
    pub target: f64,
    /// C per multiplier; 0 = hard.
    pub compliance: f64,
    /// To what it is solved \[m, rad\].
    pub tolerance: f64,
    /// Place of its multiplier in the memory of all links.
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
pub(super) struct LinkInput {
    pub linear: Spring,
    pub angular: Spring,
    pub closing: Closing,
    pub dt: f64,
    pub tolerance: f64,
}

impl Row {
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

    /// Eq. (9): what the end of the step leaves of the condition.
    pub fn residual(&self, link: &Link, ends: &Ends, lambda: f64) -> f64 {
        let at = |end: usize| &ends.end[self.places[end]].pose;
        link.eval(&self.law, &link.frames(at(0), at(1))) - self.target - self.compliance * lambda
    }

    /// J·(velocities of both ends) at some state of them.
    pub fn rate(&self, velocity: [&Spatial; 2]) -> f64 {
        self.wrench[0].dot(velocity[0]) - self.wrench[1].dot(velocity[1])
    }
}

/// Appends the rows of a link that hold in this step.
pub(super) fn append_rows(index: usize, link: &Link, ends: &Ends, input: &LinkInput, out: &mut Vec<Row>) {
    let places = [0, 1].map(|i| ends.place(link.sides[i].entry, link.sides[i].endpoint));
    let begin = frames_of(link, places, &ends.begin);
    for (k, &law) in link.laws.iter().enumerate() {
        let mut row = Row {
            places,
            wrench: [Spatial::zeros(); 2],
            link: index,
            law,
            begin: link.eval(&law, &begin),
            target: 0.0,
            compliance: 0.0,
            tolerance: input.tolerance,
            memory: link.memory.start + k,
        };
        place_row(&mut row, link, &ends.middle, &ends.com);
        let spring = if law.is_angular() { input.angular } else { input.linear };
        out.extend(row.with_spring(spring, input.closing, input.dt));
    }
}

fn frames_of(link: &Link, places: [usize; 2], states: &[EndpointState]) -> Frames {
    link.frames(&states[places[0]].pose, &states[places[1]].pose)
}

/// Eq. (6a): the row's wrenches with the ends at these states. Both ends are pushed at one point, the
/// anchor of the first end, so that no momentum is made.
pub(super) fn place_row(row: &mut Row, link: &Link, states: &[EndpointState], com: &[Vec3]) {
    let at = frames_of(link, row.places, states);
    let direction = link.direction(&row.law, &at);
    row.wrench = row.places.map(|p| at_lever(&direction, &(at.first.p - states[p].pose.point(&com[p]))));
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
