//! Scenes and runs that the tests share.

use std::sync::Arc;

use coact_compute::GpuContext;
use coact_math::{Pose, Spatial, Vec3};
use coact_model::mesh::{CellSplit, Diagonal, cloth_grid, tet_box};
use coact_model::{
    BodyDef, BodyId, ClothDef, Control, Forces, Geometry, LooseSpring, Material, Model, ModelBuilder,
    ModelView, ParticleDef, ParticleId, ShapeDef, SoftDef, State, StateFields,
};
use coact_solver::{Solver, StepInput, StepReport};
use coact_vbd::{
    Acceleration, CoarseCorrection, FrictionLaw, MembraneHessian, Precision, SolverVbd, VbdConfig,
};

pub const H: f64 = 1.0 / 240.0;

/// A solver with what it is driven by.
pub struct Run {
    pub solver: SolverVbd,
    pub report: StepReport,
    pub state: State,
    pub control: Control,
    model: Model,
}

impl Run {
    pub fn new(view: &ModelView, config: VbdConfig, device: Option<&Arc<GpuContext>>) -> Self {
        let solver = SolverVbd::with_device(view, config, device.cloned()).unwrap();
        let model = view.model().clone();
        let (state, control) = (model.state(), model.control());
        Self { solver, report: StepReport::default(), state, control, model }
    }

    pub fn step(&mut self, n: usize) {
        let forces = Forces::zeros(self.model.particle_count(), self.model.body_count());
        let input = StepInput { control: &self.control, forces: &forces, contacts: None };
        for _ in 0..n {
            self.solver.step(&input, H, &mut self.report).unwrap();
        }
    }

    pub fn state(&mut self) -> &State {
        self.solver.store(StateFields::all(), &mut self.state);
        &self.state
    }
}

/// The host path that a device is compared with.
pub fn config() -> VbdConfig {
    // what a device has not
    let (membrane_hessian, coarse) = (MembraneHessian::Clamped, CoarseCorrection::Off);
    let (precision, threads, friction) = (Precision::Single, Some(1), FrictionLaw::Smoothed);
    let base = VbdConfig { acceleration: Acceleration::Off, ..VbdConfig::default() };
    VbdConfig { precision, threads, friction, membrane_hessian, coarse, ..base }
}

fn cloth(cells: usize, z: f64) -> (ModelBuilder, usize) {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([cells, cells], [1.0, 1.0], Diagonal::Alternating);
    let def = ClothDef {
        pose: Pose::translation(Vec3::new(0.0, 0.0, z)),
        kd: 0.05,
        bend_ke: 1e-3,
        bend_kd: 1e-5,
        ..ClothDef::default()
    };
    b.add_cloth("cloth", &mesh, &def);
    (b, cells + 1)
}

/// 33 × 33 particles, held at two corners.
pub fn hanging_cloth() -> Model {
    let (mut b, n) = cloth(32, 1.0);
    b.pin_particle(ParticleId(0));
    b.pin_particle(ParticleId::new(n - 1));
    b.finalize().unwrap()
}

/// A cloth that falls on a static box, a sphere and a capsule, with friction and damping.
pub fn cloth_on_shapes() -> Model {
    let (mut b, _) = cloth(32, 0.012);
    b.set_material(coact_model::MaterialId(0), Material { ke: 2e3, kd: 0.5, mu: 0.4, ..Material::default() });
    let half_extents = Vec3::new(0.2, 0.15, 0.1);
    let shapes = [
        (Geometry::Box { half_extents }, Vec3::new(0.5, 0.5, -0.1)),
        (Geometry::Sphere { radius: 0.1 }, Vec3::new(0.15, 0.2, -0.1)),
        (Geometry::Capsule { radius: 0.08, half_height: 0.1 }, Vec3::new(0.85, 0.7, -0.18)),
        (Geometry::Plane, Vec3::new(0.0, 0.0, -0.2)),
    ];
    for (geometry, at) in shapes {
        b.add_shape(ShapeDef { geometry, pose: Pose::translation(at), ..ShapeDef::default() });
    }
    b.finalize().unwrap()
}

/// A cloth held at its four corners, and a box that falls on it.
pub fn box_on_cloth() -> Model {
    let (mut b, n) = cloth(16, 0.5);
    for p in [0, n - 1, n * (n - 1), n * n - 1] {
        b.pin_particle(ParticleId::new(p));
    }
    let half_extents = Vec3::new(0.12, 0.1, 0.08);
    let pose = Pose::new(Vec3::new(0.5, 0.48, 0.6), coact_math::exp_so3(&Vec3::new(0.1, 0.05, 0.3)));
    let velocity = Spatial::new(Vec3::new(0.1, 0.0, -1.0), Vec3::new(0.3, 0.2, 1.0));
    let body = b.add_body(BodyDef { name: "box".into(), pose, velocity, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents };
    b.add_shape(ShapeDef { body: Some(body), geometry, density: 60.0, ..ShapeDef::default() });
    b.finalize().unwrap()
}

pub const BOX: BodyId = BodyId(0);

/// A block of tetrahedra that falls on the ground.
pub fn soft_block() -> Model {
    let mut b = ModelBuilder::new();
    let mesh = tet_box([6, 6, 6], Vec3::new(0.3, 0.3, 0.3), CellSplit::Five);
    let pose = Pose::translation(Vec3::new(0.0, 0.0, 0.01));
    b.add_soft("block", &mesh, &SoftDef { pose, mu: 3e4, lambda: 6e4, kd: 5.0, ..SoftDef::default() });
    b.add_shape(ShapeDef::default());
    b.finalize().unwrap()
}

/// A net of springs, damped, held at one end.
pub fn spring_net() -> Model {
    let mut b = ModelBuilder::new();
    let n = 12_u32;
    let at = |i: u32| Vec3::new(f64::from(i % n) * 0.05, f64::from(i / n) * 0.05, 1.0);
    let particles: Vec<_> =
        (0..n * n).map(|i| ParticleDef { q: at(i), mass: 0.01, ..ParticleDef::default() }).collect();
    let spring = |a, b| LooseSpring { ends: [a, b], ke: 80.0, kd: 0.02, rest_length: None };
    let right = (0..n * n).filter(|i| i % n + 1 < n).map(|i| spring(i, i + 1));
    let up = (0..n * (n - 1)).map(|i| spring(i, i + n));
    b.add_particles("net", &particles, &right.chain(up).collect::<Vec<_>>());
    (0..n).for_each(|i| b.pin_particle(ParticleId(i)));
    b.finalize().unwrap()
}

/// Largest distance of particles, and of centres of bodies.
pub fn distance(a: &State, b: &State) -> f64 {
    let particles = a.particle_q.iter().zip(&b.particle_q).map(|(p, q)| (p - q).norm());
    let bodies = a.body_q.iter().zip(&b.body_q).map(|(p, q)| (p.p - q.p).norm() + p.q.angle_to(&q.q));
    particles.chain(bodies).fold(0.0, f64::max)
}
