//! x
use coact_math::Vec3;
use coact_coupled::ProxyMode;
use coact_model::ModelView;
use coact_vbd::{Precision, SolverVbd, VbdConfig};
use coact_verify::*;
fn main() {
    for (mass, rate) in [(10.0, 120.0), (1.0, 60.0), (1.0, 120.0)] {
        for precision in [Precision::Double, Precision::Mixed] {
            let run = |nudge: f64, two: bool| {
                let mut model = validate::coupling::box_on_cloth(mass).expect("valid");
                model.body_q.make_mut()[0].p += Vec3::new(nudge, 0.7 * nudge, 0.0);
                let config = VbdConfig { precision, iterations: 8, ..VbdConfig::default() };
                let solver: Box<dyn coact_solver::Solver> = if two { validate::coupling::coupled_in(&model, ProxyMode::Predicted, precision).unwrap() } else { Box::new(SolverVbd::new(&ModelView::whole(&model), config).expect("valid")) };
                let mut bench = validate::Bench::new(model, solver);
                (0..(rate as usize * 3 / 2)).map(|_| {let s = bench.step(1.0 / rate).expect("runs"); (s.body_q[0].p, s.particle_q.to_vec())}).collect::<Vec<_>>()
            };
            let base = run(0.0, false);
            println!("{mass} {rate} {precision:?} z {}", base.iter().skip(10).step_by(5).map(|b| format!("{:.4}", b.0.z)).collect::<Vec<_>>().join(" "));
            for (name, other) in [("nudge", run(1e-15, false)), ("coupled", run(0.0, true))] {
                let d: Vec<String> = base.iter().zip(&other).map(|(a, b)| format!("{:.0e}", (a.0 - b.0).norm())).skip(10).step_by(5).collect();
                println!("   {name} box {}", d.join(" "));
            }
        }
    }
}
