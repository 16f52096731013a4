//! Lanes and threads change no bit of a result.

mod support;

use coact_math::{Pose, Vec3};
use coact_model::{
    ClothDef, Material, MaterialId, Model, ModelBuilder, ShapeDef, SoftDef, SpringDef, TetMesh,
};
use coact_vbd::{Precision, Simd, VbdConfig};
use support::scenes::{Run, add_block, add_cloth, add_particle, bits, grid};

/// A damped cloth, a block and a spring on the ground, of sizes that no number of lanes divides.
fn scene() -> Model {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { ke: 2e3, kd: 1.0, mu: 0.3, ..Material::default() });
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

/// Cloth and soft blocks at rest, 100 m from the middle of the scene.
fn far_apart() -> Model {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    for x in [-100.0, 100.0] {
        let pose = Pose::translation(Vec3::new(x, 0.3 * x, 0.7 * x));
        let cloth = ClothDef { pose, mu: STIFFNESS, lambda: STIFFNESS, bend_ke: 0.0, ..ClothDef::default() };
        b.add_cloth(format!("cloth {x}"), &grid(17, EDGE), &cloth);
        let (vertices, tets) =
            (vec![Vec3::zeros(), Vec3::x() * EDGE, Vec3::y() * EDGE, Vec3::z() * EDGE], vec![[0, 1, 2, 3]]);
        let soft = SoftDef { pose, mu: STIFFNESS / EDGE, lambda: STIFFNESS / EDGE, ..SoftDef::default() };
        b.add_soft(format!("tet {x}"), &TetMesh { vertices, tets }, &soft);
    }
    b.finalize().expect("scene is valid")
}

const EDGE: f64 = 0.01;
const STIFFNESS: f64 = 1e3;

/// Eight triangles meet at a vertex, each with three edges and their products: some tens of roundings
/// of k times the edge. Rounded positions would give k ε 100 m, ten thousand times as much.
#[test]
fn what_is_at_rest_far_away_feels_only_the_rounding_of_its_own_edges() {
    let config = VbdConfig { precision: Precision::Mixed, report_residual: true, ..VbdConfig::default() };
    let mut run = Run::new(far_apart(), config);
    run.step(1.0 / 240.0);
    let noise = run.report.residual_first.max;
    let rounding = STIFFNESS * EDGE * f64::from(f32::EPSILON);
    assert!(noise > 0.0 && noise < 40.0 * rounding, "{noise:e} N, {} roundings", noise / rounding);
}
