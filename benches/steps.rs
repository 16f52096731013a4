//! Milliseconds per step: `cargo bench -p coact-benches`.

use coact_coupled::ProxyMode;
use coact_model::{Model, ModelView};
use coact_solver::Solver;
use coact_vbd::{SolverVbd, VbdConfig};
use coact_verify::validate::{Bench, coupling};
use criterion::{Criterion, criterion_group, criterion_main};

fn vbd(model: &Model) -> Box<dyn Solver> {
    Box::new(SolverVbd::new(&ModelView::whole(model), VbdConfig::default()).expect("settings are valid"))
}

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    group.sample_size(20);
    for n in [32, 128] {
        let model = coact_benches::hanging_cloth(n).expect("scene is valid");
        let mut bench = Bench::new(model.clone(), vbd(&model));
        group.bench_function(format!("cloth {n}x{n}"), |b| b.iter(|| bench.step(1.0 / 600.0).map(|_| ())));
    }
    let model = coact_benches::clamped_block(12).expect("scene is valid");
    let mut bench = Bench::new(model.clone(), vbd(&model));
    group.bench_function("block 8640 tets", |b| b.iter(|| bench.step(1.0 / 600.0).map(|_| ())));
    let model = coupling::box_on_cloth(1.0).expect("scene is valid");
    let coupled = coupling::coupled(&model, ProxyMode::Predicted).expect("coupler is valid");
    let mut bench = Bench::new(model, coupled);
    group.bench_function("box on cloth, predicted", |b| b.iter(|| bench.step(1.0 / 120.0).map(|_| ())));
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
