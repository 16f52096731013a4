//! Joints between rigid bodies, as compliant rows. Theory: `docs/theory/rigid-rows.md`.
//!
//! Map: `linear.rs` holds anchors together, `turning.rs` holds rotations, `angular.rs` measures
//! them, `axis.rs` drives, limits and rubs what is free, `begin.rs` reads the model and chooses
//! metrics, `load.rs` tells what a joint carried. This file is one joint at an iterate, and all of them.
//!
//! | kind | linear rows | angular rows | axes |
//! |---|---|---|---|
//! | fixed | 3 | 3: rotation vector | |
//! | revolute | 3 | 2 | 1 angle |
//! | prismatic | 2 | 3 | 1 displacement |
//! | ball | 3 | | |
//! | D6 | 3 − linear axes | 3 − angular axes | each |
//! | distance | | | 1: distance of the anchors |
//! | rod | 3: shear, shear, stretch | 3: bend, bend, twist | |

mod angular;
mod axis;
mod begin;
mod linear;
mod load;
mod turning;

use coact_math::{Mat3, Pose, Quat, Vec3};
use coact_model::{JointId, JointKind, ModelView};

use crate::body::{Bodies, Iterate};
use crate::reset::Chosen;
use crate::rigid::{Bond, Change, EdgeTerms, Follow, eval_arm_stiffness};
use crate::row::CompliantRow;
use angular::{Derivative, Turn, eval_angles, eval_rotation, eval_strain};
use axis::{AxisMemory, AxisMotion, AxisRows};
use linear::{Ends, LinearLaw, LinearRows};
use turning::TurnRows;

pub use crate::body::Place;
pub use begin::{JointInput, JointSettings};

/// How the relative rotation is measured.
#[derive(Clone, Copy, Debug, Default)]
enum Measure {
    /// Not at all.
    #[default]
    Free,
    /// From a rotation at which the one free angle, if there is one, has this value.
    Rotation(Quat, f64),
    /// Two or three angles, next to these.
    Angles(Vec3),
    /// Bend and twist of a rod against those at rest.
    Strain(Vec3),
}

/// A joint at an iterate, before any law.
#[derive(Clone, Copy, Debug, Default)]
struct JointPlace {
    ends: Ends,
    turn: Turn,
    /// φ₁ − φ₀: how far the child has turned in the step more than the parent.
    turned: Vec3,
}

/// One joint in a step.
#[derive(Clone, Debug)]
pub struct Joint {
    id: JointId,
    /// Its place among the joints of the solver.
    index: u32,
    kind: JointKind,
    /// Parent and child; out of range = world.
    pub bodies: [u32; 2],
    /// Whether it acts in this step.
    pub on: bool,
    /// Anchors from the centres of mass, body axes \[m\].
    anchor: [Vec3; 2],
    /// Joint frames in body axes.
    frame: [Quat; 2],
    /// Free linear and angular axes in the joint frames, and their counts.
    axis: [[Vec3; 3]; 2],
    count: [usize; 2],
    measure: Measure,
    /// The rotation at construction and the angle that it had.
    rest: (Quat, f64),
    linear: LinearRows,
    turn: TurnRows,
    rows: [AxisRows; 6],
    /// Coordinates at the begin of the step, linear ones first.
    begin: [f64; 6],
    /// Torque of the control on a ball, in the parent's joint frame \[N·m\].
    load: Vec3,
    /// Where it was last looked at.
    place: JointPlace,
    /// Whether its multipliers followed there: they are what it pulls with.
    followed: bool,
    exact: bool,
    /// Step \[s\].
    h: f64,
}

/// What a joint keeps between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointMemory {
    linear: Vec3,
    turn: Vec3,
    axes: [AxisMemory; 6],
    angle: Vec3,
}

impl JointMemory {
    /// Torques are measured against forces at one metre.
    fn change(&self, before: &Self) -> Change {
        let pairs = [(self.linear, before.linear), (self.turn, before.turn)];
        let of = |m: &AxisMemory| m.drive + m.limit + m.friction;
        let vectors = pairs.map(|(a, b)| Change { by: (a - b).norm(), of: a.norm() });
        let axes = self.axes.iter().zip(&before.axes).map(|(a, b)| Change::new(of(b), of(a)));
        vectors.into_iter().chain(axes).fold(Change::default(), Change::and)
    }
}

/// All joints that a view solves, in the order in which they are swept.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    #[expect(clippy::vec_box, reason = "they are some kilobytes each, and sorted when clusters change")]
    list: Vec<Box<Joint>>,
    /// Where each one is, in order of ids.
    at: Vec<u32>,
    settings: JointSettings,
}

impl Joints {
    /// Settings of all joints.
    pub fn settings(&self) -> &JointSettings {
        &self.settings
    }

    /// In order of ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Joint> {
        self.at.iter().map(|&i| &*self.list[i as usize])
    }

    /// All of them, as they are swept.
    pub fn split(&mut self) -> &mut [Box<Joint>] {
        &mut self.list
    }

    /// Sorts them by a `sequence` of their places among the ids.
    pub fn arrange(&mut self, sequence: &[u32]) {
        sequence.iter().enumerate().for_each(|(i, &j)| self.at[j as usize] = i as u32);
        let at = &self.at;
        self.list.sort_unstable_by_key(|j| at[j.index as usize]);
    }

    /// By id.
    pub fn get(&self, id: JointId) -> Option<&Joint> {
        let i = self.at.binary_search_by_key(&id, |&i| self.list[i as usize].id).ok()?;
        Some(&self.list[self.at[i] as usize])
    }

    /// The one with the largest gap at the end of the last step, and that gap \[m\].
    pub fn worst(&self) -> Option<(JointId, f64)> {
        let acting = self.iter().filter(|j| j.on).map(|j| (j.id, j.gap(&j.place.ends)));
        acting.fold(None, |worst, (id, gap)| match worst {
            Some((_, most)) if gap <= most => worst,
            _ => Some((id, gap)),
        })
    }

    /// What is kept between steps.
    pub fn save(&self, to: &mut Vec<JointMemory>) {
        to.clear();
        to.extend(self.iter().map(Joint::memory));
    }

    /// Goes back to what was saved; `None` = nothing is remembered.
    pub fn restore(&mut self, from: Option<&[JointMemory]>) {
        for j in &mut self.list {
            let memory = from.map_or_else(|| j.fresh(), |m| m[j.index as usize]);
            j.remember(&memory);
        }
    }
}

impl Joints {
    /// Forgets the multipliers of chosen joints and of those at a chosen body.
    pub fn forget(&mut self, chosen: &Chosen) {
        let is_chosen =
            |j: &&mut Box<Joint>| chosen.joint(j.id.0) || j.bodies.iter().any(|&b| chosen.body(b));
        self.list.iter_mut().filter(is_chosen).for_each(|j| j.remember(&j.fresh()));
    }
}

impl Joints {
    /// Joints of bodies that were drawn back carried nothing.
    pub fn give_up(&mut self, mut is_back: impl FnMut(u32) -> bool) {
        for j in self.list.iter_mut().filter(|j| j.on) {
            if j.bodies.iter().any(|&b| is_back(b)) {
                j.remember(&j.fresh());
            }
        }
    }
}

impl Joint {
    /// What it is between its bodies.
    pub fn bond(&self, bodies: &Bodies) -> Bond {
        let speed = bodies.prescribed_speed(self.bodies, &self.anchor);
        Bond { bodies: self.bodies, speed, stores: self.stores(), overlaps: false, presses: true, work: 0.0 }
    }

    /// Its bodies where it acts; else none.
    pub fn ends_in(&self, view: &ModelView) -> [u32; 2] {
        if view.joint_enabled[self.id.index()] { self.bodies } else { [u32::MAX; 2] }
    }

    /// Stiffness of its stiffest linear row \[N/m\]; 0 = none. `ke`: that of all but rods.
    pub fn linear_ke(&self, view: &ModelView, ke: f64) -> f64 {
        match (self.kind, &self.linear.law) {
            (JointKind::Rod, _) => view.axes_of(self.id)[..3].iter().map(|a| a.target_ke).fold(0.0, f64::max),
            (_, LinearLaw::Free) => 0.0,
            _ => ke,
        }
    }

    /// Whether energy may be in it, or comes from it: anything but hard rows.
    pub fn stores(&self) -> bool {
        let rows = self.linear.rows.iter().chain(&self.turn.rows);
        let soft = rows.filter(|r| **r != CompliantRow::OFF).any(|r| r.a > 0.0);
        soft || self.load != Vec3::zeros() || self.axes().any(|i| !self.rows[i].is_idle())
    }

    /// Looks where it is, with its bodies `at`.
    pub fn look(&mut self, at: [&Iterate; 2]) {
        self.place = self.placed(at);
    }

    /// Adds what it puts on its bodies where it was last looked at.
    pub fn add(&self, terms: &mut EdgeTerms) {
        self.add_at(&self.place, terms);
    }

    /// Adds what it puts on its bodies `at` these places.
    pub fn add_seen(&self, at: [&Iterate; 2], terms: &mut EdgeTerms) {
        self.add_at(&self.placed(at), terms);
    }

    fn add_at(&self, place: &JointPlace, terms: &mut EdgeTerms) {
        let JointPlace { ends, turn, turned } = place;
        self.linear.add(ends, terms);
        if self.turn.is_on() {
            self.turn.add(turn, turned, terms);
        }
        self.add_axes(ends, turn, turned, terms);
        if self.load != Vec3::zeros() {
            terms.add_turn(&-(ends.q[0] * self.load), &Mat3::zeros());
        }
        if self.exact && self.kind != JointKind::Rod && terms.stiffness.is_some() {
            let pull = terms.wrench[0].lin;
            terms.stiffen(0, &eval_arm_stiffness(&pull, &ends.r[0]));
            terms.stiffen(1, &eval_arm_stiffness(&-pull, &ends.r[1]));
        }
    }

    /// Multipliers, and anchors of its dry friction, follow, where it was last looked at.
    pub fn follow(&mut self, when: Follow) -> Change {
        match (self.on, when) {
            (false, _) => Change::default(),
            (true, Follow::Sweep) => self.update(AxisRows::update),
            (true, Follow::End) => self.update(AxisRows::commit),
            (true, Follow::Unsolved | Follow::Settled) => {
                self.followed = when == Follow::Settled;
                self.rest();
                Change::default()
            }
        }
    }

    fn placed(&self, at: [&Iterate; 2]) -> JointPlace {
        let ends = self.ends_at([&at[0].now, &at[1].now]);
        JointPlace { ends, turn: self.eval_turn(&ends), turned: at[1].moved.ang - at[0].moved.ang }
    }

    fn add_axes(&self, ends: &Ends, turn: &Turn, turned: &Vec3, terms: &mut EdgeTerms) {
        for i in self.axes().filter(|&i| !self.rows[i].is_idle()) {
            let pull = self.rows[i].eval(&self.axis_motion(i, ends, turn, turned));
            match i.checked_sub(3) {
                Some(k) => {
                    let g = turn.jacobian.tr_mul(&self.axis[1][k]);
                    terms.add_turn(&(g * pull.force), &(g * g.transpose() * pull.stiffness));
                }
                None => {
                    let (a, [r0, r1]) = self.line(i, ends);
                    terms.add_point(&(a * pull.force), &(a * a.transpose() * pull.stiffness), [&r0, &r1]);
                }
            }
        }
    }

    /// Anchors of dry friction follow what they could not hold.
    fn rest(&mut self) {
        let JointPlace { ends, turn, turned } = self.place;
        for i in self.axes() {
            let at = self.axis_motion(i, &ends, &turn, &turned);
            self.rows[i].rest(&at);
        }
    }

    fn update(&mut self, advance: fn(&mut AxisRows, &AxisMotion)) -> Change {
        let before = self.memory();
        let JointPlace { ends, turn, turned } = self.place;
        self.followed = true;
        self.linear.update(&ends);
        if self.turn.is_on() {
            self.turn.update(&turn);
        }
        for i in self.axes() {
            let at = self.axis_motion(i, &ends, &turn, &turned);
            advance(&mut self.rows[i], &at);
        }
        self.memory().change(&before)
    }

    /// Places of the axes in `rows`: linear ones from 0, angular ones from 3.
    fn axes(&self) -> impl Iterator<Item = usize> + use<> {
        let [linear, angular] = self.count;
        (0..linear).chain(3..3 + angular)
    }

    /// Direction of a linear axis in the world and the arms at which it acts.
    fn line(&self, i: usize, ends: &Ends) -> (Vec3, [Vec3; 2]) {
        if self.kind == JointKind::Distance {
            let gap = ends.gap();
            return (gap.try_normalize(0.0).unwrap_or_else(Vec3::z), ends.r);
        }
        let a = ends.q[0] * self.axis[0][i];
        (a, if self.exact { ends.child_arms() } else { ends.r })
    }

    fn axis_motion(&self, i: usize, ends: &Ends, turn: &Turn, turned: &Vec3) -> AxisMotion {
        let q = self.coordinate(i, ends, turn);
        let moved = match (self.exact, i.checked_sub(3)) {
            (false, Some(k)) => (turn.jacobian * turned).dot(&self.axis[1][k]),
            (false, None) => (ends.gap() - self.linear.begin).dot(&self.line(i, ends).0),
            (true, _) => q - self.begin[i],
        };
        AxisMotion { q, moved, rate: moved / self.h }
    }

    /// Coordinate of an axis \[m or rad\].
    fn coordinate(&self, i: usize, ends: &Ends, turn: &Turn) -> f64 {
        let Some(k) = i.checked_sub(3) else {
            return if self.kind == JointKind::Distance {
                ends.gap().norm()
            } else {
                ends.gap().dot(&(ends.q[0] * self.axis[0][i]))
            };
        };
        let angle = turn.kappa.dot(&self.axis[1][k]);
        match self.measure {
            Measure::Rotation(_, at) if self.exact => at + angle,
            Measure::Rotation(_, at) => {
                let (angle, near) = (at + angle, self.begin[3]);
                angle + std::f64::consts::TAU * ((near - angle) / std::f64::consts::TAU).round()
            }
            _ => angle,
        }
    }

    fn eval_turn(&self, ends: &Ends) -> Turn {
        let [q0, q1] = &ends.q;
        let derivative = if self.exact { Derivative::Exact } else { Derivative::Series };
        match &self.measure {
            Measure::Free => Turn { kappa: Vec3::zeros(), jacobian: Mat3::zeros() },
            Measure::Rotation(rest, _) => eval_rotation(q0, q1, rest, derivative),
            Measure::Angles(near) => {
                let [a, b, c] = self.axis[1];
                let third = if self.count[1] == 3 { c } else { a.cross(&b) };
                eval_angles(q0, q1, &[a, b, third], near)
            }
            Measure::Strain(rest) => eval_strain(q0, q1, rest),
        }
    }

    /// Its ends at the poses of the centres of mass.
    fn ends_at(&self, at: [&Pose; 2]) -> Ends {
        let r = [at[0].q * self.anchor[0], at[1].q * self.anchor[1]];
        let q = [at[0].q * self.frame[0], at[1].q * self.frame[1]];
        Ends { x: [at[0].p + r[0], at[1].p + r[1]], q, r }
    }

    fn gap(&self, ends: &Ends) -> f64 {
        if self.kind == JointKind::Rod { 0.0 } else { self.linear.error(ends) }
    }

    fn memory(&self) -> JointMemory {
        JointMemory {
            linear: self.linear.lambda,
            turn: self.turn.lambda,
            axes: self.rows.map(|r| r.memory),
            angle: self.angles(),
        }
    }

    fn remember(&mut self, m: &JointMemory) {
        (self.linear.lambda, self.turn.lambda) = (m.linear, m.turn);
        self.rows.iter_mut().zip(&m.axes).for_each(|(r, m)| r.memory = *m);
        self.begin[3..].copy_from_slice(m.angle.as_slice());
    }

    /// Angles that unwinding starts from.
    fn angles(&self) -> Vec3 {
        Vec3::new(self.begin[3], self.begin[4], self.begin[5])
    }

    /// Memory without any multiplier, at the angles of the model.
    fn fresh(&self) -> JointMemory {
        JointMemory { angle: Vec3::new(self.rest.1, 0.0, 0.0), ..JointMemory::default() }
    }
}

/// Whether linear rows of a kind are all locked, in default mode.
fn law(kind: JointKind, count: usize, axes: &[Vec3; 3], exact: bool) -> LinearLaw {
    match (kind, exact, count) {
        (JointKind::Free | JointKind::Distance, ..) => LinearLaw::Free,
        (JointKind::Rod, ..) => LinearLaw::Material(Mat3::identity()),
        (_, true, 1 | 2) => LinearLaw::Material(linear::basis(&axes[..count])),
        (_, _, 3) => LinearLaw::Free,
        _ => LinearLaw::World(count, *axes),
    }
}
