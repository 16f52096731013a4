//! When rods of `SolverRod` buckle, at default settings, against the textbook.
//!
//! Near a critical load the stiffness of the rod against the shape that it buckles into falls to zero
//! in proportion to the square of what is left. Two loads below give the critical one by a straight
//! line through the stiffness over the square of the load.

use coact_math::{Pose, Spatial, Vec3};
use coact_model::{RodDef, RodPath, RodRest, RodSection};

use super::rods::{Rig, body, end_of, rig, rig_with_handle, straight};
use super::{Case, CaseError, Measure};

/// The cases of this area.
pub const CASES: [Case; 3] = [
    Case { name: "rods/lateral-buckling", long: false, run: lateral },
    Case { name: "rods/twisted-ring-buckles", long: false, run: ring },
    Case { name: "rods/twisted-rod-buckles", long: false, run: clamped },
];

/// Loads of the two measurements, as shares of a guess.
const SHARES: [f64; 2] = [0.9, 0.97];

/// Size of the push against which stiffness is measured, over E I/L²: small enough for a linear answer.
const PUSH: f64 = 1e-6;

/// The load at which `stiffness` is zero.
fn critical(guess: f64, stiffness: impl Fn(f64) -> Result<f64, CaseError>) -> Result<f64, CaseError> {
    let [p, q] = SHARES.map(|s| s * guess);
    let (a, b) = (stiffness(p)?, stiffness(q)?);
    let square = (a * q * q - b * p * p) / (a - b);
    Ok(square.sqrt())
}

/// A blade of 1 m, 1000 times stiffer upright, with a load at its tip: its stiffness sideways.
fn lateral() -> Result<Vec<Measure>, CaseError> {
    let (weak, gj) = (1.0, 0.5);
    let section =
        RodSection::Direct { ei: [1e3 * weak, weak], gj, ea: 1e7, ga: 1e7, area: 1e-4, radius: 0.005 };
    let exact = 4.013 * f64::sqrt(weak * gj);
    let load = critical(exact, |p| {
        let def = RodDef { section, first_axis: Some(Vec3::y()), ..straight(1.0, 64) };
        let mut rig = rig_with_handle(def.clone(), end_of(&def, 1.0)?, false)?;
        let push = PUSH * weak;
        rig.bench.forces.body_f[rig.handle] = Spatial::new(Vec3::new(0.0, push, -p), Vec3::zeros());
        rig.settle(200, 1.0, 1e-9)?;
        Ok(push / rig.handle_pose().p.y)
    })?;
    Ok(vec![Measure::relative("P L²/√(EI GJ) at buckling", load, exact, 0.01)])
}

/// A ring of a straight rod that was twisted before it was closed: its stiffness against a saddle.
fn ring() -> Result<Vec<Measure>, CaseError> {
    let (n, radius) = (96, 1.0 / std::f64::consts::TAU);
    let (ei, gj) = (1.0, 0.8);
    let section = RodSection::Direct { ei: [ei; 2], gj, ea: 1e6, ga: 1e6, area: 1e-4, radius: 0.005 };
    let exact = std::f64::consts::TAU * 3.0_f64.sqrt() * ei / gj;
    let saddle = |i: usize| (2.0 * std::f64::consts::TAU * (i as f64 + 0.5) / n as f64).cos();
    let twist = critical(exact, |twist| {
        let rest = RodRest::PerElement(vec![Vec3::z() * (-twist / n as f64); n]);
        let path = RodPath::Ring { frame: Pose::identity(), radius, segments: n };
        let mut rig = rig(RodDef { path, section, rest, ..RodDef::default() }, 0.0)?;
        let push = PUSH * ei / n as f64;
        for i in 0..n {
            let b = body(&rig, i).index();
            rig.bench.forces.body_f[b].lin.z = push * saddle(i);
        }
        rig.settle(200, 1.0, 1e-9)?;
        let answer: f64 = (0..n).map(|i| rig.pose(i).p.z * saddle(i)).sum();
        Ok(push / answer)
    })?;
    Ok(vec![Measure::relative("twist at which the ring buckles [rad]", twist, exact, 0.01)])
}

/// A rod of 1 m whose other clamp turns: its stiffness sideways in the middle.
fn clamped() -> Result<Vec<Measure>, CaseError> {
    let (ei, gj) = (1.0, 0.8);
    let section = RodSection::Direct { ei: [ei; 2], gj, ea: 1e6, ga: 1e6, area: 1e-4, radius: 0.005 };
    let exact = 8.987 * ei / gj;
    let twist = critical(exact, |twist| {
        let def = RodDef { section, ..straight(1.0, 64) };
        let mut rig = rig_with_handle(def.clone(), end_of(&def, 1.0)?, true)?;
        turn_handle(&mut rig, twist)?;
        let push = PUSH * ei;
        let middle = body(&rig, 32).index();
        rig.bench.forces.body_f[middle].lin.y = push;
        rig.settle(200, 1.0, 1e-9)?;
        Ok(push / rig.pose(32).p.y)
    })?;
    Ok(vec![Measure::relative("twist at which it buckles [rad]", twist, exact, 0.02)])
}

/// Turns the handle about x in forty steps: in one, the clamp could not tell several turns from none.
fn turn_handle(rig: &mut Rig, angle: f64) -> Result<(), CaseError> {
    let handle = coact_model::BodyId::new(rig.handle);
    rig.bench.control.body_motion = vec![(handle, Spatial::new(Vec3::zeros(), Vec3::x() * (angle / 40.0)))];
    rig.bench.run(40, 1.0)?;
    rig.bench.control.body_motion[0].1 = Spatial::zeros();
    Ok(())
}
