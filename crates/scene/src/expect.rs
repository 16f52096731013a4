//! The checks of a run: what is gathered on the way, and the verdicts at the end.

use coact_math::Vec3;
use coact_model::kinematics::joint_error;
use coact_model::{EntityId, JointId, Model, State, measure_joints};
use coact_solver::StepReport;
use coact_verify::intersect::intersecting_pairs;

use crate::file::Expectation;
use crate::resolve::Number;

/// An expectation with its names resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The expectation as written.
    pub expectation: Expectation,
    /// Bodies it speaks of, by index.
    pub bodies: Vec<usize>,
    /// Particles it speaks of, by index.
    pub particles: Vec<usize>,
}

/// The outcome of one check.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was asked, in words.
    pub what: String,
    /// What came out; the worst of all matches.
    pub measured: f64,
    /// What was allowed, in words.
    pub bound: String,
    /// Whether it holds.
    pub passed: bool,
}

/// What a run leaves behind for its checks. Recorded after every step.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Lowest origin height of each body \[m\]. Shape: \[body_count\].
    body_lowest: Vec<f64>,
    /// Highest origin height of each body since its lowest one \[m\]. Shape: \[body_count\].
    body_rebound: Vec<f64>,
    /// Lowest height of each particle \[m\]. Shape: \[particle_count\].
    particle_lowest: Vec<f64>,
    penetration: f64,
    momentum_defect: f64,
    energy_first: Option<f64>,
    energy_highest: f64,
    nonfinite: Option<(EntityId, f64)>,
    surfaces: Vec<Surface>,
    joints: Option<Joints>,
    end: State,
}

/// The joints, where a check speaks of them.
#[derive(Clone, Debug)]
struct Joints {
    model: Model,
    /// Where they are measured.
    state: State,
    /// Largest distance of any joint from what it allows, after any step \[m\].
    gap: f64,
}

impl Joints {
    fn new(model: &Model) -> Self {
        Self { model: model.clone(), state: model.state(), gap: 0.0 }
    }

    fn record(&mut self, state: &State) {
        self.state.body_q.clone_from(&state.body_q);
        self.state.body_qd.clone_from(&state.body_qd);
        measure_joints(&self.model, &mut self.state);
        let acting = (0..self.model.joint_count()).filter(|&j| self.model.joint_enabled[j]);
        let gap = |j| joint_error(&self.model, JointId::new(j), &self.state.body_q, &self.state.joint_q).0;
        self.gap = worst(acting.map(gap).chain([self.gap]));
    }
}

/// The triangles that a check speaks of.
#[derive(Clone, Debug)]
struct Surface {
    particles: Vec<usize>,
    triangles: Vec<[u32; 3]>,
    /// Most intersecting pairs after any step.
    worst: usize,
}

impl Surface {
    /// Triangles of cloth and boundaries of solids whose corners are all among `particles`,
    /// which are in rising order.
    fn new(model: &Model, particles: &[usize]) -> Self {
        let among = |t: &&[u32; 3]| t.iter().all(|&p| particles.binary_search(&(p as usize)).is_ok());
        let all = model.names.groups.iter().flat_map(|g| &g.surface);
        Self { particles: particles.to_vec(), triangles: all.filter(among).copied().collect(), worst: 0 }
    }

    /// What is not finite is told by the check for that.
    fn record(&mut self, state: &State) {
        let pairs = intersecting_pairs(&state.particle_q, &self.triangles).map_or(0, |p| p.len());
        self.worst = self.worst.max(pairs);
    }
}

impl History {
    /// Begins with the initial state; keeps what `checks` ask for.
    pub fn new(model: &Model, state: &State, checks: &[Check]) -> Self {
        let apart = |c: &&Check| matches!(c.expectation, Expectation::NoIntersections { .. });
        let jointed = checks.iter().any(|c| matches!(c.expectation, Expectation::JointGap(_)));
        let height = |i: usize| state.body_q[i].p.z;
        Self {
            body_lowest: (0..model.body_count()).map(height).collect(),
            body_rebound: (0..model.body_count()).map(height).collect(),
            particle_lowest: state.particle_q.iter().map(|q| q.z).collect(),
            energy_highest: f64::NEG_INFINITY,
            surfaces: checks.iter().filter(apart).map(|c| Surface::new(model, &c.particles)).collect(),
            joints: jointed.then(|| Joints::new(model)),
            end: state.clone(),
            ..Self::default()
        }
    }

    /// Takes note of the state after a step at time `t` \[s\]. Positions and velocities of
    /// particles and bodies must be stored.
    pub fn record(&mut self, t: f64, state: &State, report: &StepReport) {
        for (i, pose) in state.body_q.iter().enumerate() {
            let z = pose.p.z;
            if z < self.body_lowest[i] {
                (self.body_lowest[i], self.body_rebound[i]) = (z, z);
            }
            self.body_rebound[i] = self.body_rebound[i].max(z);
        }
        for (lowest, q) in self.particle_lowest.iter_mut().zip(&state.particle_q) {
            *lowest = lowest.min(q.z);
        }
        self.record_report(t, state, report);
        self.surfaces.iter_mut().for_each(|s| s.record(state));
        self.joints.iter_mut().for_each(|j| j.record(state));
        self.end.clone_from(state);
    }

    /// Takes note of the total energy \[J\]; the first call sets the start.
    pub fn record_energy(&mut self, total: f64) {
        self.energy_first.get_or_insert(total);
        self.energy_highest = self.energy_highest.max(total);
    }

    fn record_report(&mut self, t: f64, state: &State, report: &StepReport) {
        self.penetration = self.penetration.max(deepest(report));
        for i in &report.interfaces {
            let d2: f64 = (0..3).map(|k| (i.impulse_source[k] - i.impulse_destination[k]).powi(2)).sum();
            self.momentum_defect = self.momentum_defect.max(d2.sqrt());
        }
        if self.nonfinite.is_none() {
            let first = report.nonfinite.first().copied().or_else(|| state.first_nonfinite());
            self.nonfinite = first.map(|entity| (entity, t));
        }
    }

    /// The first entity that went non-finite, and when \[s\].
    pub fn nonfinite(&self) -> Option<(EntityId, f64)> {
        self.nonfinite
    }

    /// The deepest penetration of any step \[m\].
    pub fn deepest_penetration(&self) -> f64 {
        self.penetration
    }

    /// The rise of the total energy above its start \[J\]; not a number when no energy was
    /// recorded, so that a check of it cannot pass unseen.
    pub fn energy_gain(&self) -> f64 {
        self.energy_first.map_or(f64::NAN, |first| self.energy_highest - first)
    }

    /// One verdict per check, in order.
    pub fn verdicts(&self, checks: &[Check]) -> Vec<Verdict> {
        checks.iter().map(|c| self.verdict(c)).collect()
    }

    fn verdict(&self, c: &Check) -> Verdict {
        use Expectation as E;
        let bodies = |f: &dyn Fn(usize) -> f64| c.bodies.iter().map(|&i| f(i)).collect::<Vec<_>>();
        match &c.expectation {
            E::Finite => upper("non-finite entities", f64::from(u8::from(self.nonfinite.is_some())), 0.0, ""),
            E::BodyHeight { body, min, max } => {
                let z = bodies(&|i| self.end.body_q[i].p.z);
                within(format!("height of `{body}` at the end"), &z, *min, *max)
            }
            E::BodyRebound { body, min, max } => {
                within(format!("rebound of `{body}`"), &bodies(&|i| self.body_rebound[i]), *min, *max)
            }
            E::ParticleExtent { of, min, max } => {
                outside(of, c.particles.iter().map(|&i| &self.end.particle_q[i]), min, max)
            }
            E::BodyExtent { of, min, max } => {
                outside(of, c.bodies.iter().map(|&i| &self.end.body_q[i].p), min, max)
            }
            E::StayAbove { of, height } => {
                let lowest = bodies(&|i| self.body_lowest[i]).into_iter();
                let all: Vec<f64> =
                    lowest.chain(c.particles.iter().map(|&i| self.particle_lowest[i])).collect();
                within(format!("lowest point of `{of}`"), &all, Some(*height), None)
            }
            E::NoIntersections { of } => {
                let surface = self.surfaces.iter().find(|s| s.particles == c.particles);
                let worst = surface.map_or(f64::NAN, |s| s.worst as f64);
                upper(&format!("intersecting pairs of triangles of `{of}` in a step"), worst, 0.0, "")
            }
            E::AtRest { of, speed } => {
                upper(&format!("speed of `{of}` at the end"), self.speed(c), *speed, "m/s")
            }
            E::MaxPenetration(limit) => upper("deepest penetration", self.penetration, *limit, "m"),
            E::JointGap(limit) => {
                let gap = self.joints.as_ref().map_or(f64::NAN, |j| j.gap);
                upper("gap of a joint in a step", gap, *limit, "m")
            }
            E::EnergyGain(limit) => upper("energy gained", self.energy_gain(), *limit, "J"),
            E::MomentumDefect(limit) => upper("momentum defect", self.momentum_defect, *limit, "N·s"),
        }
    }

    fn speed(&self, c: &Check) -> f64 {
        let bodies = c.bodies.iter().map(|&i| self.end.body_qd[i].lin.norm());
        let particles = c.particles.iter().map(|&i| self.end.particle_qd[i].norm());
        worst(bodies.chain(particles))
    }
}

/// How far the worst of some points is outside a box.
fn outside<'a>(of: &str, points: impl Iterator<Item = &'a Vec3>, min: &[f64; 3], max: &[f64; 3]) -> Verdict {
    let beyond = |q: &Vec3| worst((0..3).map(|k| (min[k] - q[k]).max(q[k] - max[k])));
    let what = format!("distance of `{of}` outside its box");
    upper(&what, worst(points.map(beyond).chain([0.0])), 0.0, "m")
}

/// The deepest penetration of a step, entries included.
fn deepest(report: &StepReport) -> f64 {
    report.entries.iter().map(|e| deepest(&e.report)).fold(report.penetration.depth, f64::max)
}

/// The largest value; not a number if any is not.
fn worst(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
}

fn upper(what: &str, measured: f64, limit: f64, unit: &str) -> Verdict {
    Verdict {
        what: what.to_owned(),
        measured,
        bound: format!("at most {} {unit}", Number(limit)).trim_end().to_owned(),
        passed: measured <= limit,
    }
}

/// The value that violates the range most, or the first.
fn within(what: String, values: &[f64], min: Option<f64>, max: Option<f64>) -> Verdict {
    let (lo, hi) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
    let excess = |v: f64| (lo - v).max(v - hi);
    let mut measured = values.first().copied().unwrap_or(f64::NAN);
    for &v in values {
        if v.is_nan() || excess(v) > excess(measured) {
            measured = v;
        }
    }
    let bound = match (min, max) {
        (Some(a), Some(b)) => format!("from {} to {} m", Number(a), Number(b)),
        (Some(a), None) => format!("at least {} m", Number(a)),
        (None, Some(b)) => format!("at most {} m", Number(b)),
        (None, None) => "anything".to_owned(),
    };
    Verdict { what, measured, bound, passed: measured >= lo && measured <= hi }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_match_decides() {
        let v = within("z".into(), &[0.5, 1.2, 0.1], Some(0.2), Some(1.0));
        assert_eq!((v.measured, v.passed), (1.2, false));
        assert!(within("z".into(), &[0.5, 0.9], Some(0.2), None).passed);
        assert_eq!(upper("x", 0.0, 1e-9, "N").bound, "at most 1e-9 N");
    }

    #[test]
    fn the_point_farthest_outside_a_box_decides() {
        let points = [Vec3::new(0.5, 0.5, 0.5), Vec3::new(0.5, -0.25, 1.1)];
        let told = |max: f64| outside("x", points.iter(), &[0.0; 3], &[max; 3]);
        assert_eq!((told(1.0).measured, told(1.0).passed), (0.25, false));
        assert!(outside("x", points.iter(), &[-0.3; 3], &[1.2; 3]).passed);
        assert!(!outside("x", [Vec3::repeat(f64::NAN)].iter(), &[0.0; 3], &[1.0; 3]).passed);
    }

    #[test]
    fn what_is_not_a_number_never_passes() {
        assert!(!within("z".into(), &[0.5, f64::NAN], Some(0.2), None).passed);
        assert!(!within("z".into(), &[], Some(0.2), None).passed);
        assert!(!upper("x", f64::NAN, 1.0, "m").passed);
    }
}
