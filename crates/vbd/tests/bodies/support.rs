//! Scenes of bodies.

use coact_math::{Mat3, Pose, Quat, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, BodyMass, Control, Forces, Geometry, JointAxis, JointDef, JointKind, Material,
    MaterialId, Model, ModelBuilder, ModelView, ShapeDef, State, StateFields,
};
use coact_solver::{Solver, StepInput, StepReport};
use coact_vbd::{SolverVbd, VbdConfig};

pub const G: f64 = 9.81;

/// A builder whose surfaces all have this friction.
pub fn builder(mu: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.set_material(MaterialId(0), Material { mu, ..Material::default() });
    b
}

/// A floor that leans by an angle about y: what slides goes towards −x … down the slope.
pub fn floor(b: &mut ModelBuilder, tilt: f64) -> Quat {
    let q = Quat::from_axis_angle(&Vec3::y_axis(), tilt);
    let pose = Pose::new(Vec3::zeros(), q);
    b.add_shape(ShapeDef { geometry: Geometry::Plane, pose, ..ShapeDef::default() });
    q
}

/// A massive body without a shape.
pub fn bare(b: &mut ModelBuilder, p: Vec3, half: Vec3, mass: f64) -> BodyId {
    let s = half.component_mul(&half);
    let inertia = Mat3::from_diagonal(&Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y)) * (mass / 3.0);
    let mass = BodyMass::Given { mass, com: Vec3::zeros(), inertia };
    b.add_body(BodyDef { pose: Pose::translation(p), mass, ..BodyDef::default() })
}

/// A box.
pub fn cuboid(b: &mut ModelBuilder, pose: Pose, half: Vec3, mass: f64) -> BodyId {
    let s = half.component_mul(&half);
    let inertia = Mat3::from_diagonal(&Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y)) * (mass / 3.0);
    let mass = BodyMass::Given { mass, com: Vec3::zeros(), inertia };
    let id = b.add_body(BodyDef { pose, mass, ..BodyDef::default() });
    let geometry = Geometry::Box { half_extents: half };
    b.add_shape(ShapeDef { body: Some(id), geometry, density: 0.0, ..ShapeDef::default() });
    id
}

/// A ball.
pub fn ball(b: &mut ModelBuilder, p: Vec3, v: Vec3, radius: f64, mass: f64) -> BodyId {
    let inertia = Mat3::identity() * (0.4 * mass * radius * radius);
    let id = b.add_body(BodyDef {
        pose: Pose::translation(p),
        velocity: Spatial::new(v, Vec3::zeros()),
        mass: BodyMass::Given { mass, com: Vec3::zeros(), inertia },
        ..BodyDef::default()
    });
    b.add_shape(ShapeDef {
        body: Some(id),
        geometry: Geometry::Sphere { radius },
        density: 0.0,
        ..ShapeDef::default()
    });
    id
}

/// A revolute or prismatic joint to the world at the origin of the child.
pub fn to_world(b: &mut ModelBuilder, kind: JointKind, child: BodyId, at: Vec3, axis: JointAxis) {
    b.add_joint(JointDef {
        x_p: Pose::translation(at),
        axes: vec![axis],
        ..JointDef::new(kind, None, child)
    });
}

/// A run with its report and what drives it.
pub struct Run {
    pub model: Model,
    pub solver: SolverVbd,
    pub state: State,
    pub report: StepReport,
    pub control: Control,
    pub forces: Forces,
}

impl Run {
    pub fn new(b: ModelBuilder) -> Self {
        Self::with(b, VbdConfig::default())
    }

    pub fn with(b: ModelBuilder, config: VbdConfig) -> Self {
        let model = b.finalize().unwrap();
        let solver = SolverVbd::new(&ModelView::whole(&model), config).unwrap();
        let (state, control) = (model.state(), model.control());
        let forces = Forces::zeros(model.particle_count(), model.body_count());
        Self { model, solver, state, report: StepReport::default(), control, forces }
    }

    pub fn step(&mut self, h: f64) {
        let input = StepInput { control: &self.control, forces: &self.forces, contacts: None };
        self.solver.step(&input, h, &mut self.report).unwrap();
        self.solver.store(StateFields::all(), &mut self.state);
        assert_eq!(self.report.nonfinite_count, 0);
    }

    pub fn seconds(&mut self, t: f64, h: f64) {
        (0..(t / h).round() as usize).for_each(|_| self.step(h));
    }

    pub fn p(&self, body: usize) -> Vec3 {
        self.state.body_q[body].p
    }

    pub fn v(&self, body: usize) -> Vec3 {
        self.state.body_qd[body].lin
    }

    /// Kinetic and gravitational energy \[J\].
    pub fn energy(&self) -> f64 {
        (0..self.model.body_count())
            .map(|i| {
                let (m, v) = (self.model.body_mass[i], self.state.body_qd[i]);
                let w = self.state.body_q[i].q.inverse() * v.ang;
                0.5 * m * v.lin.norm_squared() + 0.5 * w.dot(&(self.model.body_inertia[i] * w))
                    - m * self.model.gravity.dot(&self.p(i))
            })
            .sum()
    }
}
