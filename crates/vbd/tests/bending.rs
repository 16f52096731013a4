//! Published acceptance values of bending: cloths whose rest shape is curved keep it.

mod support;

use coact_math::Vec3;
use coact_model::{ClothDef, Model, ModelBuilder, TriMesh};
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use support::scenes::{Run, grid};

const DT: f64 = 1.0 / 60.0;

/// A sheet of 0.9 m curled in one direction and wavy in the other: angles of both signs.
fn curved() -> TriMesh {
    let mut mesh = grid(10, 0.1);
    for v in &mut mesh.vertices {
        v.z = 0.25 * (3.0 * v.x).cos() + 0.05 * (9.0 * v.y).sin() * v.x;
    }
    mesh
}

fn cloth(gravity: f64, bend_ke: f64, bend_kd: f64, kd: f64) -> Model {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::new(0.0, 0.0, -gravity);
    b.color_bending = true;
    let def = ClothDef { density: 1.0, mu: 1e3, lambda: 1e3, kd, bend_ke, bend_kd, ..ClothDef::default() };
    b.add_cloth("cloth", &curved(), &def);
    b.finalize().unwrap()
}

/// Signed angle between the two triangles at each hinge.
fn angles(model: &Model, x: &[Vec3]) -> Vec<f64> {
    let angle = |h: &[coact_model::ParticleId; 4]| {
        let [o0, o1, a, b] = h.map(|p| x[p.index()]);
        let (n1, n2, e) = ((a - o0).cross(&(b - o0)), (b - o1).cross(&(a - o1)), (b - a).normalize());
        n1.cross(&n2).dot(&e).atan2(n1.dot(&n2))
    };
    model.hinge_indices.iter().map(angle).collect()
}

/// The largest change of any angle over a second, and the run.
fn drift(model: Model) -> (f64, Run) {
    let before = angles(&model, &model.particle_q);
    assert!(before.iter().any(|a| *a > 0.1) && before.iter().any(|a| *a < -0.1), "curved both ways");
    let mut run = Run::new(model, VbdConfig::default());
    let mut worst: f64 = 0.0;
    for _ in 0..60 {
        run.step(DT);
        let state = run.state();
        let now = angles(&run.model, &state.particle_q);
        worst = before.iter().zip(&now).map(|(a, b)| (a - b).abs()).fold(worst, f64::max);
    }
    (worst, run)
}

#[test]
fn the_rest_angle_that_is_measured_is_the_angle_that_is_computed() {
    let (worst, mut run) = drift(cloth(0.0, 10.0, 0.0, 0.0));
    assert!(worst <= 0.01, "{worst} rad");
    let rest = run.model.hinge_rest_angle.to_vec();
    let state = run.state();
    let now = angles(&run.model, &state.particle_q);
    assert!(rest.iter().zip(&now).all(|(a, b)| (a - b).abs() < 0.01), "of the same sign and size");
    let double = VbdConfig { precision: Precision::Double, ..VbdConfig::default() };
    let stored = SolverVbd::new(&coact_model::ModelView::whole(&run.model), double);
    assert!(coact_solver::Solver::stored_energy(&mut stored.unwrap()) < 1e-12, "no energy at rest");
}

#[test]
fn stiff_damped_hinges_keep_complex_rest_angles_under_gravity() {
    let (worst, _) = drift(cloth(9.81, 1e3, 1.0, 0.0));
    assert!(worst <= 0.1, "{worst} rad");
}

/// Nothing holds it, so that neither stiffness nor damping may do anything to its fall.
#[test]
fn internal_forces_and_damping_leave_a_free_fall_alone() {
    let (worst, mut run) = drift(cloth(9.81, 10.0, 1e-2, 1.0));
    let (now, start) = (run.state(), run.model.particle_q.to_vec());
    let fall = 0.5 * 9.81 * (1.0 + DT);
    for (q, q0) in now.particle_q.iter().zip(&start) {
        assert!((q - q0).xy().norm() < 0.02, "sideways by {}", (q - q0).xy().norm());
        assert!((q.z - q0.z + fall).abs() < 0.02, "fell by {} of {fall}", q0.z - q.z);
    }
    assert!(worst <= 0.1, "{worst} rad");
}
