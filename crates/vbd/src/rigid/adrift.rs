//! Mechanisms adrift: bodies that joints hold together and that nothing else touches keep their angular
//! momentum. Theory: `docs/theory/rigid-rows.md` eq. (40b), (40c).
//!
//! Backward Euler gives the momentum that joints pass on at the places where the step ends, while it was
//! there at those where the step began: of what turns about a common centre a share (ω h)²/2 is lost in
//! a step. Inner forces cannot do that, so the spin that is missing is given back to the whole.
//!
//! Left out on purpose: single bodies, whose free motion is exact; what touches without a joint, since it
//! parts again; whatever particles, proxies, prescribed bodies or the world act on.

use coact_math::{Mat3, Vec3};

use super::components::Forest;
use crate::body::{Bodies, Body};

/// Share of the largest moment of inertia below which there is none about an axis.
const THIN: f64 = 1e-12;

/// What mechanisms there are in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Adrift {
    mechanisms: Forest,
    /// By body: whether it moves by forces alone.
    free: Vec<bool>,
    /// By the first body of a mechanism: whether anything from outside holds it, and whether a joint
    /// is in it.
    held: Vec<bool>,
    jointed: Vec<bool>,
    sums: Vec<Sums>,
    lost: Vec<Lost>,
}

/// Sums over a mechanism: mass, and first and second moments of places and velocities, at the begin of the
/// step in free motion, and at its end.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    mass: f64,
    begin: Moments,
    end: Moments,
    inertia: Mat3,
}

/// Σ m x, Σ m v, and angular momentum about the origin.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    place: Vec3,
    momentum: Vec3,
    spin: Vec3,
}

impl Moments {
    fn add(&mut self, mass: f64, x: &Vec3, v: &Vec3, own: &Vec3) {
        self.place += x * mass;
        self.momentum += v * mass;
        self.spin += x.cross(v) * mass + own;
    }

    /// About the centre of mass.
    fn central(&self, mass: f64) -> Vec3 {
        self.spin - self.place.cross(&self.momentum) / mass
    }
}

impl Adrift {
    /// Starts with every body alone.
    pub(super) fn begin(&mut self, bodies: &Bodies) {
        let n = bodies.len();
        self.mechanisms.begin(n);
        self.free.clear();
        self.free.extend(bodies.iter().map(Body::moves_freely));
        for flags in [&mut self.held, &mut self.jointed] {
            flags.clear();
            flags.resize(n, false);
        }
    }

    /// Takes note of what connects two bodies; out of range = world.
    pub(super) fn connect(&mut self, of: [u32; 2], is_joint: bool) {
        let free = of.map(|b| self.free.get(b as usize).copied().unwrap_or(false));
        if free == [true; 2] {
            let [top, other] = self.mechanisms.unite(of);
            self.jointed[top] |= is_joint || self.jointed[other];
            self.held[top] |= self.held[other];
            return;
        }
        for (b, _) in of.into_iter().zip(free).filter(|(_, free)| *free) {
            let top = self.mechanisms.find(b);
            self.held[top] = true;
        }
    }

    /// eq. (40b), (40c): gives back what was lost; `acted`: whether anything else acts on a body.
    pub(super) fn keep_momentum(
        &mut self,
        bodies: &mut Bodies,
        acted: &dyn Fn(usize, &Bodies) -> bool,
        h: f64,
    ) {
        if !self.jointed.contains(&true) {
            return;
        }
        for b in 0..bodies.len() {
            let top = self.mechanisms.find(b as u32);
            if self.jointed[top] && !self.held[top] && acted(b, bodies) {
                self.held[top] = true;
            }
        }
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(bodies.len(), Sums::default());
        for b in 0..bodies.len() {
            if let Some(top) = self.adrift(b) {
                sums[top].add(bodies.get(b), h);
            }
        }
        let mut lost = std::mem::take(&mut self.lost);
        lost.clear();
        lost.extend(sums.iter().map(|s| if s.mass > 0.0 { s.lost() } else { Lost::default() }));
        for b in 0..bodies.len() {
            if let Some(top) = self.adrift(b) {
                lost[top].give_back(bodies.get_mut(b));
            }
        }
        (self.sums, self.lost) = (sums, lost);
    }

    /// The mechanism of a body, where that is adrift.
    fn adrift(&mut self, body: usize) -> Option<usize> {
        let top = self.mechanisms.find(body as u32);
        (self.jointed[top] && !self.held[top]).then_some(top)
    }
}

impl Sums {
    fn add(&mut self, b: &Body, h: f64) {
        let free = b.principal.momentum(&b.target.q, &b.free_velocity.ang) + b.torque * h;
        self.mass += b.mass;
        self.begin.add(b.mass, &b.begin.p, &b.free_velocity.lin, &free);
        let inertia = b.world_inertia();
        self.end.add(b.mass, &b.now.p, &b.velocity.lin, &(inertia * b.velocity.ang));
        let x = b.now.p;
        self.inertia += inertia + (Mat3::identity() * x.norm_squared() - x * x.transpose()) * b.mass;
    }

    fn lost(&self) -> Lost {
        let centre = self.end.place / self.mass;
        let about = Mat3::identity() * centre.norm_squared() - centre * centre.transpose();
        let inertia = self.inertia - about * self.mass;
        let spin = self.begin.central(self.mass) - self.end.central(self.mass);
        let inverse = inertia.pseudo_inverse(THIN * inertia.trace());
        let turn = inverse.map_or_else(|_| Vec3::zeros(), |i| i * spin);
        Lost { centre, velocity: (self.begin.momentum - self.end.momentum) / self.mass, turn }
    }
}

/// What a mechanism lost: velocity, and spin about where its centre of mass is.
#[derive(Clone, Copy, Debug, Default)]
struct Lost {
    centre: Vec3,
    velocity: Vec3,
    turn: Vec3,
}

impl Lost {
    fn give_back(&self, b: &mut Body) {
        b.velocity.lin += self.velocity + self.turn.cross(&(b.now.p - self.centre));
        b.velocity.ang += self.turn;
    }
}
