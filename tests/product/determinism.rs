//! Same input, same bits: for any number of threads and from run to run.

use coact_coupled::ProxyMode;
use coact_model::State;
use coact_verify::validate::{Bench, coupling};

fn run(threads: usize) -> State {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    pool.install(|| {
        let model = coupling::box_on_cloth(1.0).expect("valid");
        let mut bench =
            Bench::new(model.clone(), coupling::coupled(&model, ProxyMode::Predicted).expect("valid"));
        bench.run(60, 1.0 / 120.0).expect("runs").clone()
    })
}

#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    let one = run(1);
    assert!(one.body_q[0].p.z < 1.1, "the box has met the cloth");
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn two_runs_give_the_same_bits() {
    assert_eq!(run(2), run(2));
}
