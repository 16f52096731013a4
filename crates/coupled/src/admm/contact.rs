//! A contact between two entries: how it measures, and its rows.
//!
//! `docs/theory/admm-coupling.md` eq. (23)–(26). The first end is pushed away from the second one along the
//! normal, which is fixed over the step; slip is measured along the arc.

use coact_collide::{ParticleShapeContact, ShapeContact};
use coact_math::{Pose, Spatial, Vec3};
use coact_solver::Endpoint;

use super::ends::Ends;
use super::link::complete;
use super::project::Bound;
use super::rows::{Closing, Measure, Measured, Row};

/// What tells a contact from others, from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    /// Matched by the detector's own rules.
    Shapes(ShapeContact),
    /// Particle and shape.
    ParticleShape(u32, u32),
    /// Two particles.
    Particles(u32, u32),
}

impl AsRef<ShapeContact> for Contact {
    /// The record of two shapes; only such contacts are asked.
    fn as_ref(&self) -> &ShapeContact {
        match &self.key {
            Key::Shapes(c) => c,
            _ => unreachable!("contacts of shapes are kept apart from those of particles"),
        }
    }
}

/// A contact in this step, and what it leaves for the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contact {
    pub key: Key,
    pub entries: [usize; 2],
    pub ends: [Endpoint; 2],
    pub pair: usize,
    /// Skeleton points in the body frames \[m\].
    pub points: [Vec3; 2],
    /// Where the surface of the second end is met, in its body frame \[m\].
    pub surface: Vec3,
    /// What surfaces lie outside of the skeleton points, both together \[m\].
    pub extent: f64,
    /// From the second end to the first.
    pub normal: Vec3,
    pub mu: f64,
    pub restitution: f64,
    /// Force on the first end in the last step \[N\], world axes.
    pub force: Vec3,
    /// Slip that sticking has left over \[m\], world axes.
    pub offset: Vec3,
}

/// What the rows of contacts share.
pub(super) struct ContactInput {
    pub closing: Closing,
    pub dt: f64,
    /// Closing speed \[m/s\] below which nothing bounces.
    pub threshold: f64,
    pub tolerance: f64,
}

impl Contact {
    /// Of two shapes on bodies.
    pub fn of_shapes(
        c: &ShapeContact,
        entries: [usize; 2],
        pair: usize,
        (mu, restitution): (f64, f64),
    ) -> Option<Self> {
        let ends = [Endpoint::Body(c.body1?), Endpoint::Body(c.body0?)];
        Some(Self {
            key: Key::Shapes(*c),
            entries,
            ends,
            pair,
            points: [c.point1, c.point0],
            surface: c.point0 + c.offset0,
            extent: c.margin0 + c.margin1,
            normal: c.normal,
            mu,
            restitution,
            force: Vec3::zeros(),
            offset: Vec3::zeros(),
        })
    }

    /// Of a particle with a shape on a body.
    pub fn of_particle(
        c: &ParticleShapeContact,
        radius: f64,
        entries: [usize; 2],
        pair: usize,
        (mu, restitution): (f64, f64),
    ) -> Option<Self> {
        Some(Self {
            key: Key::ParticleShape(c.particle.0, c.shape.0),
            entries,
            ends: [Endpoint::Particle(c.particle), Endpoint::Body(c.body?)],
            pair,
            points: [Vec3::zeros(), c.point],
            surface: c.point,
            extent: c.margin + radius,
            normal: c.normal,
            mu,
            restitution,
            force: Vec3::zeros(),
            offset: Vec3::zeros(),
        })
    }

    /// Takes over what the same contact of the step before has kept.
    pub fn recall(&mut self, before: &Self) {
        (self.force, self.offset) = (before.force, before.offset);
    }

    /// Takes over the points of a record that sticks to them.
    pub fn take_points(&mut self, c: &ShapeContact) {
        self.key = Key::Shapes(*c);
        (self.points, self.surface) = ([c.point1, c.point0], c.point0 + c.offset0);
    }

    /// An order of contacts with particles.
    pub fn order(&self) -> (u8, u32, u32) {
        match self.key {
            Key::Shapes(_) => (0, 0, 0),
            Key::ParticleShape(a, b) => (1, a, b),
            Key::Particles(a, b) => (2, a, b),
        }
    }

    /// Eq. (23) with both bodies at these poses.
    pub fn gap(&self, first: &Pose, second: &Pose) -> f64 {
        self.normal.dot(&(first.point(&self.points[0]) - second.point(&self.points[1]))) - self.extent
    }

    /// Direction of the depth (`None`) or of a tangent, and the point at which both ends are pushed.
    pub fn direction(&self, tangent: Option<usize>, second: &Pose) -> (Spatial, Vec3) {
        let d = tangent.map_or_else(|| -self.normal, |k| self.tangents()[k]);
        (Spatial::new(d, Vec3::zeros()), second.point(&self.surface))
    }

    /// Two tangents that depend on the normal alone.
    pub fn tangents(&self) -> [Vec3; 2] {
        complete(&self.normal)
    }

    /// What the multipliers of the last step were: (normal, two tangents), from the force kept.
    pub fn multipliers(&self, share: f64) -> [f64; 3] {
        let [t, u] = self.tangents();
        let f = self.force * share;
        // a multiplier takes from the first end: depth pushes along −(−n), tangents against themselves
        [f.dot(&self.normal), -f.dot(&t), -f.dot(&u)]
    }

    /// Keeps what the rows of the step have come to.
    pub fn keep(&mut self, lambda: [f64; 3], slip: [f64; 2]) {
        let [t, u] = self.tangents();
        self.force = self.normal * lambda[0] - t * lambda[1] - u * lambda[2];
        let holds = lambda[0] > 0.0 && lambda[1].hypot(lambda[2]) < self.mu * lambda[0];
        self.offset = if holds { t * slip[0] + u * slip[1] } else { Vec3::zeros() };
        if !self.force.iter().all(|x| x.is_finite()) {
            (self.force, self.offset) = (Vec3::zeros(), Vec3::zeros());
        }
    }
}

/// Appends the rows of a contact: depth, then both tangents if it rubs.
pub(super) fn append_contact(index: usize, x: Measured, input: &ContactInput, out: &mut Vec<Row>) {
    let (c, ends) = (&x.contacts[index], x.ends);
    let places = [0, 1].map(|i| ends.place(c.entries[i], c.ends[i]));
    let pose = |i: usize| &ends.begin[places[i]].pose;
    let gap = c.gap(pose(0), pose(1));
    let mut depth = Row {
        places,
        wrench: [Spatial::zeros(); 2],
        measure: Measure::Depth { contact: index },
        pair: c.pair,
        begin: -gap,
        target: 0.0,
        compliance: 0.0,
        bound: Bound::Normal { mu: c.mu },
        rate: 0.0,
        tolerance: input.tolerance,
        memory: index,
    };
    depth.place(x, &ends.middle);
    // eq. (24): penetration at the begin is taken back in time
    if gap < 0.0 {
        depth.target = input.closing.target(-gap);
    }
    let velocity = |end: usize| &ends.begin[places[end]].velocity;
    let approach = depth.rate([velocity(0), velocity(1)]);
    bounce(c, &mut depth, (gap, approach), ends, input);
    out.push(depth);
    if c.mu > 0.0 {
        for tangent in 0..2 {
            let mut slip = Row {
                measure: Measure::Slip { contact: index, tangent },
                begin: 0.0,
                target: -c.offset.dot(&c.tangents()[tangent]),
                bound: Bound::Tangent,
                rate: 0.0,
                ..depth
            };
            slip.place(x, &ends.middle);
            out.push(slip);
        }
    }
}

/// Eq. (25): what arrives in this step faster than the threshold leaves with its share of that speed.
fn bounce(c: &Contact, row: &mut Row, (gap, approach): (f64, f64), ends: &Ends, input: &ContactInput) {
    if c.restitution <= 0.0 || approach <= input.threshold || gap - input.dt * approach > 0.0 {
        return;
    }
    let share = |i: usize| {
        let (p, moves) = (row.places[i], ends.response[row.places[i]].velocity.trace());
        (ends.share[p] * moves, moves)
    };
    let ((a, m), (b, n)) = (share(0), share(1));
    let s = if m + n > 0.0 { (a + b) / (m + n) } else { 0.0 };
    let after = -c.restitution * approach;
    (row.target, row.rate) = (row.begin + input.dt * ((1.0 - s) * after + s * approach), after);
}
