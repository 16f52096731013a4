//! Lanes and threads change no bit of a result.

mod support;

use coact_math::Vec3;
use coact_model::{Material, MaterialId, Model, ModelBuilder, ShapeDef, SpringDef};
use coact_vbd::{Precision, Simd, VbdConfig};
use support::scenes::{Run, add_block, add_cloth, add_particle, bits};

/// A damped cloth, a block and a spring on the ground, of sizes that no number of lanes divides.
fn scene() -> Model {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 2e3, kd: 1.0, mu: 0.3, restitution: 0.0 });
    add_cloth(&mut b, 13, 0.002);
    add_block(&mut b, 3, 0.05);
    let (p, q) = (Vec3::new(2.0, 0.0, 0.3), Vec3::new(2.0, 0.1, 0.1));
    let ends = [p, q].map(|x| add_particle(&mut b, x, Vec3::zeros(), 0.1, 0.01));
    b.add_spring(SpringDef { particles: ends, ke: 500.0, kd: 0.5, rest_length: None });
    b.add_shape(ShapeDef::default());
    b.finalize().expect("scene is valid")
}

fn run(model: &Model, config: VbdConfig) -> Vec<u64> {
    let mut run = Run::new(model.clone(), config);
    run.steps(12, 1.0 / 240.0);
    bits(&run.state())
}

#[test]
fn the_width_of_lanes_and_the_number_of_threads_change_no_bit() {
    let model = scene();
    for precision in [Precision::Double, Precision::Mixed, Precision::Single] {
        let with = |simd, threads| {
            let base = VbdConfig { precision, parallel_threshold: 16, ..VbdConfig::default() };
            run(&model, VbdConfig { simd, threads: Some(threads), ..base })
        };
        let one = with(Simd::Portable, 1);
        assert!(one != bits(&model.state()), "nothing happened");
        for simd in [Simd::Portable, Simd::Avx2, Simd::Avx512, Simd::Auto] {
            for threads in [1, 3] {
                if simd.is_available() {
                    assert!(one == with(simd, threads), "{precision:?} {simd:?} {threads} threads");
                }
            }
        }
    }
}
