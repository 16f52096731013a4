//! x
use coact_math::Vec3;
use coact_model::ModelView;
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use coact_verify::*;
fn main() {
    for (mass, rate) in [(0.05, 120.0), (0.1,120.0), (0.2, 120.0)] {
        for precision in [Precision::Double, Precision::Mixed] {
            let run = |nudge: f64, two: bool| {
                let mut model = validate::coupling::box_on_cloth(mass).expect("valid");
                model.body_q.make_mut()[0].p += Vec3::new(nudge, 0.7 * nudge, 0.0);
                let config = VbdConfig { precision, iterations: 8, ..VbdConfig::default() };
                let _ = two; let solver: Box<dyn coact_solver::Solver> = Box::new(SolverVbd::new(&ModelView::whole(&model), config).expect("valid"));
                let mut bench = validate::Bench::new(model, solver);
                (0..(rate as usize * 3 / 2)).map(|_| {let s = bench.step(1.0 / rate).expect("runs"); (s.body_q[0].p, s.particle_q.to_vec())}).collect::<Vec<_>>()
            };
            let base = run(0.0, false);
            println!("{mass} {rate} {precision:?} z {}", base.iter().skip(18).step_by(1).take(40).map(|b| format!("{:.4}", b.0.z)).collect::<Vec<_>>().join(" "));
            for (name, other) in [("nudge", run(1e-15, false))] {
                let d: Vec<String> = base.iter().zip(&other).map(|(a, b)| format!("{:.0e}", (a.0 - b.0).norm())).skip(18).step_by(1).take(40).collect();
                println!("   {name} box {}", d.join(" "));
            }
        }
    }
}
