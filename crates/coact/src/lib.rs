//! Coact: scenes in which several kinds of physics meet.
//!
//! This crate re-exports what a library user needs; each part lives in its own crate. A
//! cloth falls on a box that belongs to another solver:
//!
//! ```
//! use coact::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = ModelBuilder::new();
//! let body = builder.add_body(BodyDef {
//!     name: "box".into(),
//!     pose: Pose::translation(Vec3::new(0.25, 0.25, 0.12)),
//!     ..Default::default()
//! });
//! builder.add_shape(ShapeDef {
//!     name: "box".into(),
//!     body: Some(body),
//!     geometry: Geometry::Box { half_extents: Vec3::repeat(0.1) },
//!     density: 200.0,
//!     ..Default::default()
//! });
//! builder.add_shape(ShapeDef { name: "ground".into(), ..Default::default() });
//! let sheet = cloth_grid([10, 10], [0.5, 0.5], Diagonal::Alternating);
//! let def = ClothDef { pose: Pose::translation(Vec3::new(0.0, 0.0, 0.3)), ..Default::default() };
//! let cloth = builder.add_cloth("sheet", &sheet, &def);
//! let particles: Vec<_> = builder.group_particles(cloth).collect();
//! let model = builder.finalize()?;
//!
//! let entries = vec![
//!     EntryDef::new("rigid", |v| SolverArticulated::new(v, ArticulatedConfig::default())).bodies([body]),
//!     EntryDef::new("soft", |v| SolverVbd::new(v, VbdConfig::default())).particles(particles),
//! ];
//! let proxies = vec![Proxy::new("rigid", "soft").bodies([body])];
//! let mut solver = SolverCoupledProxy::new(&model, entries, ProxyConfig { proxies, ..Default::default() })?;
//!
//! let (mut state, control) = (model.state(), model.control());
//! let forces = Forces::zeros(model.particle_count(), model.body_count());
//! let input = StepInput { control: &control, forces: &forces, contacts: None };
//! let mut report = StepReport::default();
//! solver.load(&state);
//! for _ in 0..10 {
//!     report.clear();
//!     solver.step(&input, 1.0 / 120.0, &mut report)?;
//! }
//! solver.store(StateFields::all(), &mut state);
//! assert!(state.particle_q[60].z < 0.3);
//! # Ok(())
//! # }
//! ```

pub use coact_articulated as articulated;
pub use coact_collide as collide;
pub use coact_column as column;
pub use coact_compute as compute;
pub use coact_coupled as coupled;
pub use coact_math as math;
pub use coact_model as model;
pub use coact_rod as rod;
pub use coact_scene as scene;
pub use coact_solver as solver;
pub use coact_trace as trace;
pub use coact_vbd as vbd;

/// The names that most programs need.
pub mod prelude {
    pub use coact_articulated::{ArticulatedConfig, SolverArticulated};
    pub use coact_coupled::{
        Convergence, EntryDef, Proxy, ProxyConfig, ProxyMode, SolverCoupled, SolverCoupledProxy,
    };
    pub use coact_math::{Pose, Quat, Spatial, Vec3};
    pub use coact_model::mesh::{Diagonal, TetMesh, cloth_grid, tet_box};
    pub use coact_model::{
        BodyDef, BodyId, ClothDef, Control, Forces, Geometry, JointDef, JointKind, Material, Model,
        ModelBuilder, ModelView, Motion, MotionPlan, ParticleDef, ParticleId, RodDef, RodEnd, RodPath,
        RodRest, RodSection, ShapeDef, ShapeFlags, Shear, SoftDef, State, StateFields, TimedMotion,
    };
    pub use coact_rod::{RodConfig, SolverRod};
    pub use coact_solver::{CouplingInterface, Endpoint, Loads, Solver, StepInput, StepReport, advance};
    pub use coact_vbd::{SolverVbd, VbdConfig};
}
