//! Rods of `SolverRod` in motion, at default settings: vibration, and what a step costs.

use coact_math::{Spatial, Vec3};
use coact_model::RodDef;

use super::rods::{Rig, body, rig, straight};
use super::{Case, CaseError, Measure};

/// The cases of this area.
pub const CASES: [Case; 2] = [
    Case { name: "rods/free-vibration", long: false, run: vibration },
    Case { name: "rods/newton-iterations", long: false, run: iterations },
];

/// cosh β cos β = −1: the first three bending modes of a clamped rod.
const BETA: [f64; 3] = [1.875_104_068_711_961, 4.694_091_132_974_175, 7.854_757_438_237_613];

/// Shape of a mode of a clamped rod of 1 m and its slope.
fn mode(beta: f64, s: f64) -> (f64, f64) {
    let (x, b) = (beta * s, beta);
    let ratio = (b.cosh() + b.cos()) / (b.sinh() + b.sin());
    let shape = x.cosh() - x.cos() - ratio * (x.sinh() - x.sin());
    (shape, b * (x.sinh() + x.sin() - ratio * (x.cosh() - x.cos())))
}

/// A clamped rod (1 m, radius 5 mm, 64 segments) that starts in a mode: each mode's frequency against
/// β² √(EI/ρA)/2π, and what is left of it per period against (1 + ω²h²)^(−π/(atan ωh)).
fn vibration() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for (k, beta) in BETA.into_iter().enumerate() {
        let def = RodDef { young: 1e9, ..straight(1.0, 64) };
        let stiffness = def.section.stiffness(def.young, def.shear.modulus(def.young));
        let omega = beta * beta * (stiffness.ei[0] / (def.density * def.section.area())).sqrt();
        let mut rig = rig(def, 0.0)?;
        start_in_mode(&mut rig, beta, 1e-4 * omega);
        let h = std::f64::consts::TAU / omega / 200.0;
        let (frequency, kept) = swing(&mut rig, h)?;
        let exact = omega / std::f64::consts::TAU;
        measures.push(Measure::relative(format!("frequency {} [Hz]", k + 1), frequency, exact, 0.02));
        let wh = omega * h;
        let loss = (1.0 + wh * wh).powf(-std::f64::consts::PI / wh.atan());
        measures.push(Measure::relative(format!("kept per period, mode {}", k + 1), kept, loss, 0.005));
    }
    Ok(measures)
}

fn start_in_mode(rig: &mut Rig, beta: f64, speed: f64) {
    for i in 0..64 {
        let (shape, slope) = mode(beta, (i as f64 + 0.5) / 64.0);
        let b = body(rig, i).index();
        rig.bench.state.body_qd[b] = Spatial::new(Vec3::z() * (shape * speed), Vec3::y() * (-slope * speed));
    }
    rig.bench.solver.load(&rig.bench.state);
}

/// Steps through four periods: frequency of the tip, and what it keeps of its swing per period.
fn swing(rig: &mut Rig, h: f64) -> Result<(f64, f64), CaseError> {
    let (mut crossings, mut peaks) = (Vec::new(), Vec::new());
    let (mut z0, mut z1) = (0.0, 0.0);
    for step in 0..850 {
        rig.bench.step(h)?;
        let z = rig.pose(63).p.z;
        if z1 < 0.0 && z >= 0.0 {
            crossings.push(step as f64 - z / (z - z1));
        }
        if step > 1 && z1 > z0 && z1 >= z && z1 > 0.0 {
            // the top of the parabola through three points
            peaks.push(z1 + (z - z0).powi(2) / (8.0 * (2.0 * z1 - z0 - z)));
        }
        (z0, z1) = (z1, z);
    }
    let (Some(first), Some(last)) = (crossings.first(), crossings.last()) else {
        return Err(CaseError("the rod does not swing".into()));
    };
    let (n, m) = (crossings.len() - 1, peaks.len() - 1);
    if n < 2 || m < 2 {
        return Err(CaseError("fewer than two periods were seen".into()));
    }
    Ok((n as f64 / ((last - first) * h), (peaks[m] / peaks[0]).powf(1.0 / m as f64)))
}

/// A cantilever (1 m, radius 5 mm, 64 segments), released straight, dt 1/240, 1 s: Newton steps per step.
fn iterations() -> Result<Vec<Measure>, CaseError> {
    let mut measures = Vec::new();
    for young in [1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 2e11] {
        let mut rig = rig(RodDef { young, ..straight(1.0, 64) }, 9.81)?;
        let (mut sum, mut most) = (0, 0);
        for _ in 0..240 {
            rig.bench.step(1.0 / 240.0)?;
            sum += rig.bench.report.iterations;
            most = most.max(rig.bench.report.iterations);
        }
        let mean = sum as f64 / 240.0;
        let what = format!("Newton steps per step, E = {young:.0e} Pa (mean; most {most}), up to 4");
        measures.push(Measure::absolute(what, mean, 0.0, 4.0));
    }
    Ok(measures)
}
