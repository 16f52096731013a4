//! Runs a scene file without writing anything, and prints its verdicts.

use coact_model::StateFields;
use coact_scene::{History, load};
use coact_solver::StepReport;
fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("a scene file");
    let sets: Vec<String> = args.collect();
    let scene = load(path.as_ref(), &sets).unwrap_or_else(|e| panic!("{e:?}"));
    let mut sim = scene.build(coact_compute::DeviceChoice::Cpu).unwrap_or_else(|e| panic!("{e:?}"));
    let mut history = History::new(&sim.model, &sim.state);
    let mut report = StepReport::default();
    let start = std::time::Instant::now();
    while !sim.finished() {
        sim.step(&mut report).unwrap();
        sim.store(StateFields::all());
        history.record(sim.time(), &sim.state, &report);
        if sim.frame_due() {
            print!("{:.3}", sim.time());
            for i in 0..sim.model.body_count() { print!(" {:.3}", sim.state.body_q[i].p.z); }
            let lo = sim.state.particle_q.iter().map(|q| q.z).fold(f64::INFINITY, f64::min);
            for g in &sim.model.names.groups {
                let r = g.particles.start as usize..g.particles.end as usize;
                let n = r.len() as f64;
                let c = sim.state.particle_q[r.clone()].iter().sum::<coact_math::Vec3>() / n;
                let v = sim.state.particle_qd[r].iter().map(|v| v.norm()).fold(0.0, f64::max);
                print!(" {}: ({:.3} {:.3} {:.3}) vmax {v:.2}", g.name, c.x, c.y, c.z);
            }
            println!(" lo {lo:.3} pen {:.4}", history.deepest_penetration());
        }
        if let Some(bad) = history.nonfinite() { println!("{bad:?}"); break; }
    }
    println!("{:.2} ms per step", start.elapsed().as_secs_f64() * 1e3 / sim.steps_done() as f64);
    for v in history.verdicts(&sim.checks) {
        println!("{} {}: {:.5} ({})", if v.passed { "ok  " } else { "FAIL" }, v.what, v.measured, v.bound);
    }
}
