//! A free axis of a joint: drive, limits, dry friction, added inertia. Theory:
//! `docs/theory/rigid-rows.md` eq. (12)–(17).
//!
//! With the coordinate q of the axis and its rate q̇ over the step, spring and damper of a row are
//! one row, K = ke + kd/h and C = (ke e + kd ė)/K:
//!
//! ```text
//! drive     e = q − target inside the limits, ė = q̇ − target rate     |force| ≤ effort limit
//! limit     e = q − bound, ė = q̇, the nearer bound; a force out of it is dropped
//! friction  p = λ + ρ (o + Δq),  force = p inside ±friction           o: offset from its anchor
//! armature  K = armature/h²,     C = Δq − h q̇₀
//! ```
//! Forces pull the first body along the axis and the second one back.

use coact_model::JointAxis;

use crate::row::CompliantRow;

/// Bounds beyond this are none, as the reference has it.
const NO_BOUND: f64 = 1e10;

/// Where an axis is in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisMotion {
    /// Coordinate \[m or rad\].
    pub q: f64,
    /// What it changed since the begin of the step \[m or rad\].
    pub moved: f64,
    /// Its rate over the step \[m/s or rad/s\].
    pub rate: f64,
}

/// Force and stiffness of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// Against a growing coordinate \[N or N·m\].
    pub force: f64,
    /// \[N/m or N·m\].
    pub stiffness: f64,
}

/// What an axis remembers between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisMemory {
    /// Multiplier of the drive \[N or N·m\].
    pub drive: f64,
    /// Multiplier of the limit; its sign says which bound presses.
    pub limit: f64,
    /// Multiplier of dry friction.
    pub friction: f64,
    /// Offset from the anchor of dry friction \[m or rad\].
    pub offset: f64,
}

/// An axis in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct AxisRows {
    /// The rows of drive and limit.
    drive: CompliantRow,
    limit: CompliantRow,
    /// Shares of ke in the two, per K: C = share e + (1 − share) ė h.
    drive_share: f64,
    limit_share: f64,
    bounds: [f64; 2],
    target: [f64; 2],
    effort: f64,
    /// Metric of dry friction; its largest force.
    rho: f64,
    friction: f64,
    /// armature/h² and h q̇₀.
    armature: [f64; 2],
    /// Generalised force of the control.
    load: f64,
    h: f64,
    /// Multipliers in use.
    pub memory: AxisMemory,
}

/// How the metric of the rows of an axis is chosen.
#[derive(Clone, Copy, Debug)]
pub struct AxisMetric {
    /// Inertia against which the axis moves, over h² \[N/m or N·m\].
    pub support: f64,
    /// Metric of what has a finite stiffness; `None` = at least nine times it.
    pub finite: Option<f64>,
    /// Metric of what is hard.
    pub hard: f64,
}

/// What drives an axis over a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct AxisControl {
    /// Target of the coordinate and of its rate.
    pub target: [f64; 2],
    /// Generalised force \[N or N·m\].
    pub load: f64,
    /// Rate at the begin of the step.
    pub rate: f64,
}

impl AxisRows {
    /// The rows of a step of size `h`; multipliers are kept, those of rows that are off are dropped.
    pub fn begin(&mut self, a: &JointAxis, metric: &AxisMetric, control: &AxisControl, h: f64) {
        let drive = a.target_ke + a.target_kd / h;
        let limit = a.limit_ke + a.limit_kd / h;
        let rho = |k: f64| match (metric.finite, k.is_finite()) {
            (_, false) => metric.hard,
            (Some(rho), true) => rho,
            (None, true) => metric.support.max(9.0 * k),
        };
        self.h = h;
        self.bounds = [a.limit_lower, a.limit_upper];
        let bounded = a.limit_lower > -NO_BOUND || a.limit_upper < NO_BOUND;
        let limit_rho = if metric.finite.is_none() { metric.support } else { rho(limit) };
        self.drive = CompliantRow::new(drive, rho(drive));
        self.limit = CompliantRow::new(if bounded { limit } else { 0.0 }, limit_rho);
        self.drive_share = share(a.target_ke, drive);
        self.limit_share = share(a.limit_ke, limit);
        self.target = control.target;
        self.effort = a.effort_limit;
        (self.friction, self.rho) = (a.friction, metric.support);
        self.armature = [a.armature / (h * h), control.rate * h];
        self.load = control.load;
        if self.drive == CompliantRow::OFF {
            self.memory.drive = 0.0;
        }
        if self.limit == CompliantRow::OFF {
            self.memory.limit = 0.0;
        }
        if self.friction == 0.0 {
            (self.memory.friction, self.memory.offset) = (0.0, 0.0);
        }
    }

    /// Whether nothing acts along the axis.
    pub fn is_idle(&self) -> bool {
        self.drive == CompliantRow::OFF
            && self.limit == CompliantRow::OFF
            && self.friction == 0.0
            && self.armature[0] == 0.0
            && self.load == 0.0
    }

    /// All rows of the axis.
    pub fn eval(&self, at: &AxisMotion) -> Pull {
        let (drive, limit, friction) = (self.eval_drive(at), self.eval_limit(at), self.eval_friction(at));
        let inertia = self.armature[0];
        Pull {
            force: drive.force + limit.force + friction.force + inertia * (at.moved - self.armature[1])
                - self.load,
            stiffness: drive.stiffness + limit.stiffness + friction.stiffness + inertia,
        }
    }

    /// The dual update of all rows.
    pub fn update(&mut self, at: &AxisMotion) {
        let (drive, limit) = (self.eval_drive(at).force, self.eval_limit(at).force);
        self.memory.drive = drive;
        self.memory.limit = limit;
        self.memory.friction = self.eval_friction(at).force;
    }

    /// The end of the step: a dual update; the anchor of friction follows what it could not hold.
    pub fn commit(&mut self, at: &AxisMotion) {
        self.rest(at);
        let held = self.memory.offset * self.rho + self.memory.friction;
        self.update(at);
        self.memory.friction = held;
    }

    /// The anchor of friction follows what it could not hold; multipliers stay.
    pub fn rest(&mut self, at: &AxisMotion) {
        if self.friction > 0.0 && self.rho > 0.0 {
            let held = self.eval_friction(at).force;
            self.memory.offset = (held - self.memory.friction) / self.rho;
        }
    }

    /// The same axis as it pulled at the end of the step, `followed` by its multipliers or not: these are
    /// what drive and limit pull with then, and dry friction has found its hold either way.
    pub fn held(&self, followed: bool) -> Self {
        let mut held = *self;
        if followed {
            (held.drive, held.limit) = (self.drive.held(), self.limit.held());
        } else {
            held.memory.friction += self.rho * self.memory.offset;
        }
        held.rho = 0.0;
        held
    }

    /// eq. (12).
    fn eval_drive(&self, at: &AxisMotion) -> Pull {
        if self.drive == CompliantRow::OFF {
            return Pull::default();
        }
        let target = self.target[0].max(self.bounds[0]).min(self.bounds[1]);
        let c = self.drive_share * (at.q - target)
            + (1.0 - self.drive_share) * (at.rate - self.target[1]) * self.h;
        let force = self.drive.force1(c, self.memory.drive);
        // a drive at its limit pulls with that; its secant keeps descent going
        let held = force.clamp(-self.effort, self.effort);
        let part = if held == force { 1.0 } else { held / force };
        Pull { force: held, stiffness: self.drive.k * part }
    }

    /// eq. (13).
    fn eval_limit(&self, at: &AxisMotion) -> Pull {
        let Some((gap, sign)) = self.nearer_bound(at.q).filter(|_| self.limit != CompliantRow::OFF) else {
            return Pull::default();
        };
        let c = self.limit_share * gap + (1.0 - self.limit_share) * at.rate * self.h;
        let force = self.limit.force1(c, self.memory.limit);
        match force * sign > 0.0 || sign == 0.0 {
            true => Pull { force, stiffness: self.limit.k },
            false => Pull::default(),
        }
    }

    /// Distance from the nearer bound and the sign of a force that it may give; 0 = both.
    fn nearer_bound(&self, q: f64) -> Option<(f64, f64)> {
        let [lower, upper] = self.bounds;
        match (lower > -NO_BOUND, upper < NO_BOUND) {
            (false, false) => None,
            (true, true) if lower == upper => Some((q - lower, 0.0)),
            (false, true) => Some((q - upper, 1.0)),
            (true, true) if q - lower > upper - q => Some((q - upper, 1.0)),
            (true, _) => Some((q - lower, -1.0)),
        }
    }

    /// eq. (15).
    fn eval_friction(&self, at: &AxisMotion) -> Pull {
        if self.friction == 0.0 {
            return Pull::default();
        }
        let p = self.memory.friction + self.rho * (self.memory.offset + at.moved);
        let force = p.clamp(-self.friction, self.friction);
        Pull { force, stiffness: if force == p { self.rho } else { self.rho * force / p } }
    }
}

/// ke/K, 1 for a hard spring.
fn share(ke: f64, k: f64) -> f64 {
    if ke.is_infinite() {
        1.0
    } else if k > 0.0 {
        ke / k
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f64 = 0.01;

    fn metric() -> AxisMetric {
        AxisMetric { support: 1e4, finite: None, hard: 1e4 }
    }

    fn rows(a: JointAxis, control: AxisControl) -> AxisRows {
        let mut r = AxisRows::default();
        r.begin(&a, &metric(), &control, H);
        r
    }

    fn at(q: f64) -> AxisMotion {
        AxisMotion { q, moved: q, rate: q / H }
    }

    /// Iterates multipliers at a fixed motion: the force must become that of spring and damper.
    fn settled(mut r: AxisRows, m: AxisMotion) -> f64 {
        (0..2000).for_each(|_| r.update(&m));
        r.eval(&m).force
    }

    #[test]
    fn a_drive_is_its_spring_and_its_damper() {
        let a = JointAxis { target_ke: 500.0, target_kd: 3.0, ..JointAxis::default() };
        let r = rows(a, AxisControl { target: [0.2, 0.5], ..AxisControl::default() });
        let m = AxisMotion { q: 0.35, moved: 0.01, rate: 1.5 };
        assert!((settled(r, m) - (500.0 * 0.15 + 3.0 * 1.0)).abs() < 1e-9);
        let damper = JointAxis { target_kd: 3.0, ..JointAxis::default() };
        assert!((settled(rows(damper, AxisControl::default()), m) - 4.5).abs() < 1e-9);
    }

    #[test]
    fn a_drive_gives_no_more_than_its_effort_and_aims_inside_the_limits() {
        let a = JointAxis { target_ke: 500.0, effort_limit: 20.0, ..JointAxis::default() };
        let r = rows(a, AxisControl { target: [1.0, 0.0], ..AxisControl::default() });
        assert!((settled(r, at(0.0)) + 20.0).abs() < 1e-9);
        let a = JointAxis { target_ke: 500.0, limit_upper: 0.1, limit_ke: 0.0, ..JointAxis::default() };
        let r = rows(a, AxisControl { target: [1.0, 0.0], ..AxisControl::default() });
        assert!((settled(r, at(0.0)) + 50.0).abs() < 1e-9);
    }

    #[test]
    fn a_limit_presses_only_from_outside_and_from_the_nearer_side() {
        let a = JointAxis { limit_lower: -0.1, limit_upper: 0.2, limit_ke: 1e3, ..JointAxis::default() };
        let force = |q| settled(rows(a, AxisControl::default()), AxisMotion { q, ..AxisMotion::default() });
        for (q, f) in [(0.0, 0.0), (0.19, 0.0), (0.25, 50.0), (-0.15, -50.0)] {
            assert!((force(q) - f).abs() < 1e-9, "{q}: {}", force(q));
        }
    }

    #[test]
    fn a_hard_limit_builds_up_its_force_and_equal_bounds_hold_both_ways() {
        let a = JointAxis { limit_lower: 0.0, limit_upper: 0.0, ..JointAxis::default() };
        for q in [1e-3, -1e-3] {
            let mut r = rows(a, AxisControl::default());
            r.update(&at(q));
            r.update(&at(q));
            assert!((r.eval(&at(0.0)).force - 2.0 * 1e4 * q).abs() < 1e-9);
        }
    }

    #[test]
    fn dry_friction_holds_up_to_its_force_and_its_anchor_follows() {
        let a = JointAxis { friction: 2.0, ..JointAxis::default() };
        let mut r = rows(a, AxisControl::default());
        assert!((r.eval(&at(1e-4)).force - 1.0).abs() < 1e-12);
        assert!((r.eval(&at(1.0)).force - 2.0).abs() < 1e-12);
        r.commit(&at(1.0));
        assert!((r.memory.offset - 2e-4).abs() < 1e-12 && r.memory.friction == 2.0);
    }

    /// Whether multipliers followed or not, what is held is what pulled before.
    #[test]
    fn what_an_axis_held_is_what_it_pulled_with() {
        let a = JointAxis {
            target_ke: 500.0,
            target_kd: 3.0,
            limit_lower: -0.1,
            limit_upper: 0.2,
            friction: 2.0,
            armature: 0.5,
            ..JointAxis::default()
        };
        let control = AxisControl { target: [0.1, 0.5], load: 3.0, rate: 1.0 };
        for m in [AxisMotion { q: 0.25, moved: 1e-4, rate: 0.01 }, at(0.15)] {
            let mut r = rows(a, control);
            (0..3).for_each(|_| r.update(&m));
            r.memory.offset = 3e-5;
            let pulled = r.eval(&m).force;
            let near = |held: f64| assert!((held / pulled - 1.0).abs() < 1e-14, "{held} {pulled}");
            let (mut rested, mut committed) = (r, r);
            rested.rest(&m);
            near(rested.held(false).eval(&m).force);
            committed.commit(&m);
            near(committed.held(true).eval(&m).force);
        }
    }

    #[test]
    fn a_generalised_force_pushes_the_coordinate_up_and_armature_resists_its_change() {
        let r = rows(JointAxis::default(), AxisControl { load: 3.0, ..AxisControl::default() });
        assert_eq!(r.eval(&at(0.0)), Pull { force: -3.0, stiffness: 0.0 });
        let a = JointAxis { armature: 0.5, ..JointAxis::default() };
        let r = rows(a, AxisControl { rate: 2.0, ..AxisControl::default() });
        assert!((r.eval(&at(2.0 * H)).force).abs() < 1e-12);
        assert!((r.eval(&at(0.0)).force + 0.5 * 2.0 / H).abs() < 1e-9);
        assert!(rows(JointAxis::default(), AxisControl::default()).is_idle());
    }
}
