//! A scene file as typed: what a user may write, with defaults and units.
//!
//! These types are the format. `docs/scene-format.md` is generated from them, so each
//! doc comment here speaks to the author of a scene. Meaning (names, ranges, ownership)
//! is checked later, in `resolve`.

mod body;
mod coupling;
mod deformable;
mod driving;
mod expect;
mod joint;
mod mesh;
mod output;
mod rod;
mod run;
mod self_contact;
mod solver;
mod values;
mod vbd;
mod vbd_bodies;

pub use body::{Body, Geometry, Heights, Material, Repeat, Shape};
pub use coupling::{
    Acceleration, AdmmCoupling, ContactPairs, Convergence, Coupling, Harvest, Interface, ProxyCoupling,
    ProxyMode, RowTolerance,
};
pub use deformable::{Cloth, Membrane, Particles, Pin, SoftBody, Solid, Spring};
pub use driving::{Attachment, Force, Motion, Move};
pub use expect::Expectation;
pub use joint::{Axis, D6, Distance, Drive, Joint, JointKind, Limits, RodPiece, TimeFunction};
pub use mesh::{FileMesh, GridMesh, Mesh, NamedMesh, TetBoxMesh, TriangleData, TubeMesh};
pub use output::{Camera, Column, LoadCells, Output, Picture};
pub use rod::{Held, Line, LineFile, Rest, Rod, Section, Shear};
pub use run::Run;
pub use self_contact::{Intersecting, SelfContact, Truncation};
pub use solver::{Articulated, Entry, RodLaw, RodSolver, StepOrder};
pub use values::{Rotation, V3};
pub use vbd::{
    Coarse, ContactLaw, Detection, Friction, MembraneHessian, Precision, RotationUpdate, Schedule,
    SingularRule, SpringHessian, SweepAcceleration, Vbd,
};
pub use vbd_bodies::{BodyBlocks, ContactMatching, JointDamping, JointStiffness, VbdScene};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole scene file: what there is, who solves it, how it is coupled, how long it runs,
/// what is written, and what must come out.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SceneFile {
    /// What the scene shows, for people.
    pub description: String,
    /// Gravity acceleration \[m/s²\]; z is up.
    pub gravity: V3,
    /// Meshes that more than one entity uses, by name.
    pub meshes: Vec<NamedMesh>,
    /// Contact materials, by name.
    pub materials: Vec<Material>,
    /// Cloths: particles joined by membrane triangles and bending elements.
    pub cloths: Vec<Cloth>,
    /// Soft bodies: particles joined by tetrahedra.
    pub soft_bodies: Vec<SoftBody>,
    /// Loose particles, which springs may join.
    pub particles: Vec<Particles>,
    /// Rigid bodies with their shapes.
    pub bodies: Vec<Body>,
    /// Elastic rods: cables, hoses, springs.
    pub rods: Vec<Rod>,
    /// Shapes of the world that never move: ground, walls.
    pub static_shapes: Vec<Shape>,
    /// Joints between bodies, or between a body and the world.
    pub joints: Vec<Joint>,
    /// Prescribed motions of pinned particles and kinematic bodies.
    pub motions: Vec<Motion>,
    /// Constant forces from outside.
    pub forces: Vec<Force>,
    /// Particles held by bodies.
    pub attachments: Vec<Attachment>,
    /// The solvers and what each one owns. One solver needs no `owns`: it has everything.
    pub solvers: Vec<Entry>,
    /// What `Vbd` solvers take where they say nothing themselves.
    pub vbd: VbdScene,
    /// How the solvers act on each other.
    pub coupling: Coupling,
    /// Step size and duration.
    pub run: Run,
    /// What a run writes.
    pub output: Output,
    /// What must hold at the end of a run: the scene is its own test.
    pub expect: Vec<Expectation>,
}

impl Default for SceneFile {
    fn default() -> Self {
        Self {
            description: String::new(),
            gravity: [0.0, 0.0, -9.81],
            meshes: Vec::new(),
            materials: Vec::new(),
            cloths: Vec::new(),
            soft_bodies: Vec::new(),
            particles: Vec::new(),
            bodies: Vec::new(),
            rods: Vec::new(),
            static_shapes: Vec::new(),
            joints: Vec::new(),
            motions: Vec::new(),
            forces: Vec::new(),
            attachments: Vec::new(),
            solvers: Vec::new(),
            vbd: VbdScene::default(),
            coupling: Coupling::default(),
            run: Run::default(),
            output: Output::default(),
            expect: Vec::new(),
        }
    }
}
