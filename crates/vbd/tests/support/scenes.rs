//! Small scenes for tests of the solver.

#![allow(dead_code)]

use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, BodyMass, ClothDef, Forces, Geometry, Material, Model, ModelBuilder, ModelView,
    ParticleDef, ParticleId, ShapeDef, SoftDef, State, StateFields, TetMesh, TriMesh,
};
use coact_solver::{Solver, StepInput, StepReport};
use coact_vbd::{SolverVbd, VbdConfig};

/// A grid of `n` × `n` vertices with spacing `dx`, centred on the origin, in the xy plane.
pub fn grid(n: usize, dx: f64) -> TriMesh {
    let at = |i: usize| (i as f64 - 0.5 * (n - 1) as f64) * dx;
    let vertices = (0..n * n).map(|k| Vec3::new(at(k % n), at(k / n), 0.0)).collect();
    let mut triangles = Vec::new();
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| ((j + y) * n + i + x) as u32);
            triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    TriMesh { vertices, triangles }
}

/// A heavy cloth of `n` × `n` vertices at height `z`.
pub fn add_cloth(b: &mut ModelBuilder, n: usize, z: f64) {
    let def = ClothDef {
        pose: Pose::translation(Vec3::new(0.0, 0.0, z)),
        density: 2.0,
        mu: 200.0,
        lambda: 200.0,
        kd: 1e-2,
        bend_ke: 1e-3,
        bend_kd: 1e-5,
        ..ClothDef::default()
    };
    b.add_cloth("cloth", &grid(n, 0.05), &def);
}

/// A body with a box shape.
pub fn add_box(b: &mut ModelBuilder, half: Vec3, mass: f64, pose: Pose, velocity: Spatial) -> BodyId {
    let [x, y, z] = [half.x * half.x, half.y * half.y, half.z * half.z];
    let inertia = Mat3::from_diagonal(&Vec3::new(y + z, x + z, x + y)) * (mass / 3.0);
    let mass = BodyMass::Given { mass, com: Vec3::zeros(), inertia };
    let body = b.add_body(BodyDef { pose, velocity, mass, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: half };
    b.add_shape(ShapeDef { body: Some(body), geometry, ..ShapeDef::default() });
    body
}

/// A free cloth with a box falling onto it, tilted and turning; no gravity. Contacts are
/// damped in proportion to `mu`.
pub fn box_on_cloth(mu: f64) -> Model {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::zeros();
    b.set_material(coact_model::MaterialId(0), Material { ke: 2e3, kd: 2.0 * mu, mu, ..Material::default() });
    add_cloth(&mut b, 9, 0.0);
    let turn = coact_math::exp_so3(&Vec3::new(0.2, -0.1, 0.3));
    let pose = Pose::new(Vec3::new(0.01, 0.02, 0.066), turn);
    let velocity = Spatial::new(Vec3::new(0.1, 0.0, -1.0), Vec3::new(1.0, 2.0, -3.0));
    add_box(&mut b, Vec3::new(0.06, 0.05, 0.04), 0.3, pose, velocity);
    b.finalize().unwrap()
}

/// One particle, by position, velocity, mass and radius.
pub fn add_particle(b: &mut ModelBuilder, q: Vec3, qd: Vec3, mass: f64, radius: f64) -> ParticleId {
    b.add_particle(ParticleDef { q, qd, mass, radius, ..ParticleDef::default() })
}

/// A solver of a whole model, with what a step needs.
pub struct Run {
    pub model: Model,
    pub solver: SolverVbd,
    pub forces: Forces,
    pub report: StepReport,
}

impl Run {
    pub fn new(model: Model, config: VbdConfig) -> Self {
        let view = ModelView::whole(&model);
        let solver = SolverVbd::new(&view, config).unwrap();
        let forces = Forces::zeros(model.particle_count(), model.body_count());
        Self { model, solver, forces, report: StepReport::default() }
    }

    pub fn step(&mut self, dt: f64) {
        let control = self.model.control();
        let input = StepInput { control: &control, forces: &self.forces, contacts: None };
        self.solver.step(&input, dt, &mut self.report).unwrap();
    }

    pub fn steps(&mut self, n: usize, dt: f64) {
        (0..n).for_each(|_| self.step(dt));
    }

    pub fn state(&mut self) -> State {
        let mut state = self.model.state();
        self.solver.store(StateFields::all(), &mut state);
        state
    }

    /// Linear momentum of everything \[N·s\].
    pub fn momentum(&mut self) -> Vec3 {
        let s = self.state();
        let p = s.particle_qd.iter().zip(self.model.particle_mass.iter()).map(|(v, m)| v * *m);
        let b = s.body_qd.iter().zip(self.model.body_mass.iter()).map(|(v, m)| v.lin * *m);
        p.chain(b).sum()
    }
}

/// Every number of a state, as bits.
pub fn bits(s: &State) -> Vec<u64> {
    let particles = s.particle_q.iter().chain(&s.particle_qd).flat_map(|v| [v.x, v.y, v.z]);
    let bodies = s.body_q.iter().flat_map(|q| q.to_array());
    let twists = s.body_qd.iter().flat_map(|v| [v.lin.x, v.lin.y, v.lin.z, v.ang.x, v.ang.y, v.ang.z]);
    particles.chain(bodies).chain(twists).map(f64::to_bits).collect()
}

/// A soft cube of `n`³ cells of size `dx` with its corner at the origin, on the ground.
pub fn add_block(b: &mut ModelBuilder, n: usize, dx: f64) {
    let m = n + 1;
    let id = |i: usize, j: usize, k: usize| ((k * m + j) * m + i) as u32;
    let mut mesh = TetMesh::default();
    for k in 0..m {
        for j in 0..m {
            mesh.vertices.extend((0..m).map(|i| Vec3::new(i as f64, j as f64, k as f64) * dx));
        }
    }
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                let c = |a, b, c| id(i + a, j + b, k + c);
                // six tetrahedra around the diagonal of the cell
                let ring = [c(1, 0, 0), c(1, 1, 0), c(0, 1, 0), c(0, 1, 1), c(0, 0, 1), c(1, 0, 1)];
                mesh.tets.extend((0..6).map(|t| [c(0, 0, 0), ring[t], ring[(t + 1) % 6], c(1, 1, 1)]));
            }
        }
    }
    let def = SoftDef { density: 500.0, mu: 2e4, lambda: 4e4, kd: 20.0, ..SoftDef::default() };
    b.add_soft("block", &mesh, &def);
}
