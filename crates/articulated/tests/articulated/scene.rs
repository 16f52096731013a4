//! Scenes and a stepping harness for the tests.

use coact_articulated::{ArticulatedConfig, SolverArticulated};
use coact_math::{Mat3, Pose, Quat, Spatial, Vec3};
use coact_model::{
    BodyDef, BodyId, BodyMass, Control, Forces, Geometry, JointAxis, JointDef, JointKind, Material, Model,
    ModelBuilder, ModelView, ShapeDef, State, StateFields,
};
use coact_solver::{Solver, StepInput, StepReport};

/// A solver with what a step needs.
pub struct Run {
    pub solver: SolverArticulated,
    pub control: Control,
    pub forces: Forces,
    pub report: StepReport,
    state: State,
}

impl Run {
    pub fn new(model: &Model) -> Self {
        Self::with(model, ArticulatedConfig::default())
    }

    pub fn with(model: &Model, config: ArticulatedConfig) -> Self {
        let solver =
            SolverArticulated::new(&ModelView::whole(model), config).expect("a scene that it can solve");
        Self {
            solver,
            control: model.control(),
            forces: Forces::zeros(0, model.body_count()),
            report: StepReport::default(),
            state: model.state(),
        }
    }

    pub fn step(&mut self, dt: f64) {
        let input = StepInput { control: &self.control, forces: &self.forces, contacts: None };
        self.solver.step(&input, dt, &mut self.report).expect("no fault of the machine");
    }

    pub fn steps(&mut self, n: usize, dt: f64) {
        (0..n).for_each(|_| self.step(dt));
    }

    pub fn state(&mut self) -> &State {
        self.solver.store(StateFields::all(), &mut self.state);
        &self.state
    }

    pub fn load(&mut self, edit: impl FnOnce(&mut State)) {
        self.solver.store(StateFields::all(), &mut self.state);
        edit(&mut self.state);
        self.solver.load(&self.state);
    }

    pub fn energy(&self) -> f64 {
        self.solver.kinetic_energy() + self.solver.gravity_energy()
    }
}

pub fn builder(gravity: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new();
    b.gravity = Vec3::new(0.0, 0.0, -gravity);
    b
}

/// A body without shapes, centre of mass at its frame.
pub fn body(b: &mut ModelBuilder, pose: Pose, mass: f64, inertia: Vec3) -> BodyId {
    let inertia = Mat3::from_diagonal(&inertia);
    b.add_body(BodyDef {
        pose,
        mass: BodyMass::Given { mass, com: Vec3::zeros(), inertia },
        ..BodyDef::default()
    })
}

pub fn axis(direction: Vec3) -> JointAxis {
    JointAxis { axis: direction, ..JointAxis::default() }
}

/// A joint of one axis with anchors at given points (frames unturned).
pub fn hinge(parent: Option<BodyId>, child: BodyId, p: Vec3, c: Vec3, direction: Vec3) -> JointDef {
    JointDef {
        x_p: Pose::translation(p),
        x_c: Pose::translation(c),
        axes: vec![axis(direction)],
        ..JointDef::new(JointKind::Revolute, parent, child)
    }
}

/// Mass, distance to the hinge, inertia about the centre of the test pendulum.
pub const PENDULUM: (f64, f64, f64) = (1.5, 0.6, 0.08);

/// A pendulum about y at the origin, released at angle `theta` from hanging down.
pub fn pendulum(theta: f64) -> Model {
    let (m, l, i) = PENDULUM;
    let q = Quat::from_scaled_axis(Vec3::y() * theta);
    let mut b = builder(9.81);
    let link = body(&mut b, Pose::new(q * Vec3::new(0.0, 0.0, -l), q), m, Vec3::new(i, i, 0.01));
    b.add_joint(hinge(None, link, Vec3::zeros(), Vec3::new(0.0, 0.0, l), Vec3::y()));
    b.finalize().expect("a valid scene")
}

/// `n` links of 1 kg along x from a hinge at the origin, each of length `l`, a thin rod of
/// 0.1 mass of cross inertia. `root`: the first joint's kind (`None`: no joint to the world).
pub fn chain(n: usize, l: f64, gravity: f64, kind: JointKind, rooted: bool) -> Model {
    let mut b = builder(gravity);
    let i = l * l / 12.0;
    let mut parent = None;
    for k in 0..n {
        let x = Vec3::new(l * (k as f64 + 0.5), 0.0, 0.0);
        let link = body(&mut b, Pose::translation(x), 1.0, Vec3::new(0.02 * i, i, i));
        if rooted || k > 0 {
            let end = Vec3::new(0.5 * l, 0.0, 0.0);
            let mut joint = JointDef::new(kind, parent, link);
            joint.x_p = Pose::translation(if k == 0 { Vec3::zeros() } else { end });
            joint.x_c = Pose::translation(-end);
            joint.axes.iter_mut().for_each(|a| a.axis = Vec3::y());
            b.add_joint(joint);
        }
        parent = Some(link);
    }
    b.finalize().expect("a valid scene")
}

pub fn plane(b: &mut ModelBuilder, normal: Vec3, mu: f64) {
    let q = Quat::rotation_between(&Vec3::z(), &normal).expect("not straight down");
    let material = b.add_material("ground", Material { mu, ..Material::default() });
    b.add_shape(ShapeDef { pose: Pose::new(Vec3::zeros(), q), material, ..ShapeDef::default() });
}

/// A body with one shape and the inertia of that shape; the same friction as the ground.
pub fn solid(b: &mut ModelBuilder, pose: Pose, mass: f64, geometry: Geometry, mu: f64) -> BodyId {
    let inertia = match &geometry {
        Geometry::Sphere { radius } => Vec3::from_element(0.4 * mass * radius * radius),
        Geometry::Box { half_extents: e } => {
            let s = e.component_mul(e);
            Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0)
        }
        _ => Vec3::from_element(0.1 * mass),
    };
    let id = body(b, pose, mass, inertia);
    let material = b.add_material(format!("solid {}", id.index()), Material { mu, ..Material::default() });
    b.add_shape(ShapeDef { body: Some(id), geometry, density: 0.0, material, ..ShapeDef::default() });
    id
}

/// Linear momentum and angular momentum about the origin of all bodies.
pub fn momentum(model: &Model, state: &State) -> Spatial {
    (0..model.body_count()).fold(Spatial::zeros(), |sum, i| {
        let (x, v, m) = (&state.body_q[i], &state.body_qd[i], model.body_mass[i]);
        let r = x.q.to_rotation_matrix();
        let l = r.matrix() * model.body_inertia[i] * r.matrix().transpose() * v.ang;
        let c = x.point(&model.body_com[i]);
        sum + Spatial::new(v.lin * m, l + c.cross(&v.lin) * m)
    })
}
