//! Steps that give energy out of nothing are drawn back. Theory: `docs/theory/rigid-rows.md` eq. (38a)–(38c).
//!
//! Hard rows that no motion satisfies, a box in a slot too narrow for it, a row of cylinders that a door
//! closes on, may lead a Newton step out of the slot sideways, and with it more energy into the bodies than
//! anything could have given them. What the minimiser of a step with hard rows gains is bounded by what
//! the place where the step began costs, for that place satisfies them.
//!
//! Left out on purpose: islands that store energy or take it from elsewhere, by springs, drives, compliant
//! contacts, torques or particles.

use coact_math::{Pose, Spatial, Vec3, rotation_between};

use super::components::Forest;
use crate::body::{Along, Bodies, Body, turned};

/// Times what the begin of the step costs that its end may cost. At 1 steps that are not quite solved
/// would be drawn back.
const SLACK: f64 = 4.0;

/// What bodies may come to on average, over the speed at which overlaps are resolved, of n pairs that do:
/// a tower comes apart from below, the topmost box at n times that speed. High ones take their time.
fn out(pairs: f64) -> f64 {
    0.5 + 0.6 * pairs.min(3.0)
}

/// The same, over that of what is prescribed and presses on them: the two sides of a lever have different
/// speeds.
pub const DRIVEN: f64 = 10.0;

/// What an island is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Island {
    mass: f64,
    /// Σ m |dx|² + θ·Jθ at the begin and at the end of the step \[kg·m²\].
    cost: Along,
    /// Of prescribed surfaces that press on it \[m/s\].
    fastest: f64,
    /// Whether it has energy of its own.
    stores: bool,
    /// Pairs of bodies in it that overlapped.
    overlaps: f64,
}

impl Island {
    fn add(&mut self, b: &Body) {
        let (begin, end) = (b.begin.p - b.target.p, b.dx);
        let (turn_begin, turn_end) = (rotation_between(&b.target.q, &b.begin.q), b.theta());
        let inertia = b.world_inertia();
        let product =
            |a: (&Vec3, &Vec3), c: (&Vec3, &Vec3)| b.mass * a.0.dot(c.0) + a.1.dot(&(inertia * c.1));
        let (begin, end) = ((&begin, &turn_begin), (&end, &turn_end));
        self.mass += b.mass;
        self.cost.begin += product(begin, begin);
        self.cost.end += product(end, end);
        self.cost.mixed += product(begin, end);
        self.stores |= !b.moves_freely() || b.torque != Vec3::zeros();
    }

    /// Whether it may be pressed from two sides: others are not looked at.
    fn is_pressed(&self) -> bool {
        self.overlaps > 0.0 || self.fastest > 0.0
    }

    /// eq. (38b), (38c): the share of its motion that is kept.
    fn share(&self, speed: f64, h: f64) -> f64 {
        let way = (out(self.overlaps) * speed + DRIVEN * self.fastest) * h;
        let most = SLACK * self.cost.begin + self.mass * way * way;
        if self.stores || !self.is_pressed() || self.cost.end <= most { 1.0 } else { self.cost.nearest() }
    }
}

/// Islands of a step, and how far each is drawn back. Memory is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Retreat {
    forest: Forest,
    /// By the first body of an island.
    islands: Vec<Island>,
    share: Vec<f64>,
}

/// What connects two bodies at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Bond {
    /// Out of range = world.
    pub bodies: [u32; 2],
    /// Speed of its surface where a prescribed body or a belt takes part \[m/s\].
    pub speed: f64,
    /// Whether energy may be in it.
    pub stores: bool,
    /// Whether it is asked out of an overlap, or was in one of the last steps.
    pub overlaps: bool,
    /// Whether it presses: others do not connect.
    pub presses: bool,
    /// What it does at most to bring them out of an overlap \[J\].
    pub work: f64,
}

impl Retreat {
    /// Sums over islands. `bonds` are asked for twice; `acted`: whether anything else acts on a body.
    pub(super) fn measure<B: Iterator<Item = Bond>>(
        &mut self,
        bodies: &Bodies,
        bonds: impl Fn() -> B,
        acted: impl Fn(usize) -> bool,
    ) {
        let (n, Self { forest, islands, .. }) = (bodies.len(), self);
        forest.begin(n);
        let is_free = |b: &u32| bodies.moves(*b);
        for bond in bonds().filter(|b| b.presses && b.bodies.iter().all(is_free)) {
            forest.unite(bond.bodies);
        }
        islands.clear();
        islands.resize(n, Island::default());
        let mut counted = [u32::MAX; 2];
        for bond in bonds() {
            // contacts of a pair follow each other
            let new = bond.overlaps && std::mem::replace(&mut counted, bond.bodies) != bond.bodies;
            for &b in bond.bodies.iter().filter(|b| is_free(b)) {
                let island = &mut islands[forest.find(b)];
                island.overlaps += f64::from(u8::from(new));
                island.stores |= bond.stores && bond.presses;
                island.fastest = island.fastest.max(if bond.presses { bond.speed } else { 0.0 });
            }
        }
        for b in (0..n).filter(|&b| bodies.moves(b as u32)) {
            let island = &mut islands[forest.find(b as u32)];
            if island.is_pressed() && !island.stores {
                island.add(bodies.get(b));
                island.stores |= acted(b);
            }
        }
    }

    /// Draws bodies back in a step of size `h`; `speed`: of pushing out \[m/s\]. Whether there were any.
    pub(super) fn apply(&mut self, bodies: &mut Bodies, speed: f64, h: f64) -> bool {
        self.share.clear();
        self.share.extend(self.islands.iter().map(|i| i.share(speed, h)));
        if self.share.iter().all(|s| *s == 1.0) {
            return false;
        }
        for b in 0..bodies.len() {
            let s = self.share[self.forest.find(b as u32)];
            if s < 1.0 && bodies.moves(b as u32) {
                draw_back(bodies.get_mut(b), s);
            }
        }
        true
    }

    /// Whether a body was drawn back.
    pub(super) fn holds(&mut self, body: u32) -> bool {
        (body as usize) < self.share.len() && self.share[self.forest.find(body)] < 1.0
    }
}

/// To a share of the way from where the step began.
fn draw_back(b: &mut Body, share: f64) {
    let moved = b.moved * share;
    let pose = Pose::new(b.begin.p + moved.lin, turned(&b.begin.q, &moved.ang));
    b.go(pose);
    b.dx = pose.p - b.target.p;
    b.kept = Spatial::zeros();
}
