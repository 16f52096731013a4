//! Small reference cases with the reference's switches: the unit scenes in `f64` at every
//! record, elastic scenes over their whole length.
//!
//! Tolerances. Unit scenes are single steps in `f32` there: 2e-7 m. Over many steps the
//! reference takes velocities from rounded positions, which changes gravity by up to
//! ulp(x)/(2 h²), 2.7e-3 m/s² at 1 m and h = 1/300: in `f64` that is a difference of 9e-5 m
//! after 100 steps. With its rule and `f32` the block agrees to 2e-6 m and free fall to the
//! bit; the strongly stretched corners of the cloth keep 4e-5 m.

mod support;

use coact_model::{Forces, ModelView};
use coact_solver::{Solver, StepInput, StepReport};
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use support::Case;

/// Largest difference of positions (bodies: pose numbers) at each record.
fn differences(name: &str, variant: &str, iterations: Option<usize>, precision: Precision) -> Vec<(usize, f64)> {
    let case = Case::read(name);
    let (model, iterations) = (case.model(), iterations.unwrap_or(case.iterations()));
    let config = VbdConfig { iterations, report_residual: false, precision, ..VbdConfig::reference() };
    let mut solver = SolverVbd::new(&ModelView::whole(&model), config).unwrap();
    let forces = Forces::zeros(model.particle_count(), model.body_count());
    let control = model.control();
    let input = StepInput { control: &control, forces: &forces, contacts: None };
    let (mut state, mut report) = (model.state(), StepReport::default());
    let particles = model.particle_count() > 0;
    let expected = case.output(if particles { "particle_q" } else { "body_q" }, variant);
    let bodies = if particles && model.body_count() > 0 { case.output("body_q", variant) } else { Vec::new() };
    let (mut out, mut done) = (Vec::new(), 0);
    for (r, &record) in case.record_steps().iter().enumerate() {
        while done < record {
            solver.step(&input, case.dt(), &mut report).unwrap();
            done += 1;
        }
        solver.store(coact_model::StateFields::all(), &mut state);
        let body_numbers: Vec<f64> = state.body_q.iter().flat_map(|q| q.to_array()).collect();
        let particle_numbers: Vec<f64> = state.particle_q.iter().flat_map(|q| [q.x, q.y, q.z]).collect();
        let worst = |have: &[f64], want: &[f64]| {
            let want = &want[r * have.len()..(r + 1) * have.len()];
            have.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let d = if particles { worst(&particle_numbers, &expected) } else { worst(&body_numbers, &expected) };
        let d_body = if bodies.is_empty() { 0.0 } else { worst(&body_numbers, &bodies) };
        out.push((record, d.max(d_body)));
    }
    out
}

/// Compares up to step `until`; `.itN` variants take N iterations.
fn assert_within(name: &str, variant: &str, precision: Precision, tolerance: f64, until: usize) {
    let iterations = variant.strip_prefix(".it").map(|n| n.parse().unwrap());
    let found = differences(name, variant, iterations, precision);
    let list: Vec<String> = found.iter().map(|(s, d)| format!("{s}: {d:.1e}")).collect();
    println!("{name}{variant}: {}", list.join(", "));
    for (step, d) in found {
        assert!(step > until || d <= tolerance, "{name}{variant} at step {step}: {d:.3e} > {tolerance:.0e}");
    }
}

#[test]
fn unit_scenes_agree_at_every_record() {
    let cases = ["triangle", "tet", "hinge", "spring", "triangle_damped", "tet_damped", "hinge_damped"];
    for case in cases.iter().chain(&["spring_damped", "particle_plane"]) {
        for n in [1, 2, 10] {
            let variant = format!(".it{n}");
            assert_within(&format!("unit_{case}"), &variant, Precision::Double, 2e-7, usize::MAX);
        }
    }
}

#[test]
fn elastic_scenes_agree_over_a_hundred_steps() {
    assert_within("block_clamped", "", Precision::Single, 5e-6, 100);
    for case in ["cloth_hanging_20", "cloth_hanging_20_damped"] {
        assert_within(case, "", Precision::Single, 2e-5, 50);
        assert_within(case, "", Precision::Single, 5e-5, 100);
        assert_within(case, "", Precision::Double, 2e-4, 100);
    }
}

#[test]
fn a_free_body_spins_as_there() {
    assert_within("free_spin", "", Precision::Double, 2e-5, usize::MAX);
}

/// Contact makes trajectories chaotic: they are compared over the first steps only.
#[test]
fn cloth_on_shapes_agrees_over_the_first_steps() {
    assert_within("cloth_on_sphere", "", Precision::Double, 1e-5, 20);
    assert_within("cloth_on_box", "", Precision::Double, 2e-5, 20);
}
