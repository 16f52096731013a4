//! The shared model, its builder, its state and its copy-on-write views.

mod builder;
mod coloring;
mod error;
mod heightfield;
pub mod ids;
pub mod inertia;
mod joint;
pub mod kinematics;
mod material;
pub mod mesh;
mod model;
mod motion;
mod names;
mod shape;
mod state;
mod view;

pub use builder::{
    AttachmentDef, BodyDef, BodyMass, ClothDef, HingeRest, JointDef, LooseSpring, ModelBuilder, ParticleDef,
    RodDef, RodEnd, RodIds, RodPath, RodRest, RodSection, RodShape, RodStiffness, ShapeDef, Shear, SoftDef,
    SpringDef, TetMaterial, TriangleMaterial, TriangleRest,
};
pub use coloring::{
    Adjacency, GreedyScratch, balance, greedy_coloring, greedy_coloring_into, particle_coloring,
    static_coloring,
};
pub use error::{ModelError, Warning, WarningKind};
pub use heightfield::{HeightField, HeightFieldFault};
pub use ids::{
    AttachmentId, BodyId, EntityId, HingeId, JointId, MaterialId, ParticleId, ShapeId, SpringId, TetId,
    TriangleId,
};
pub use inertia::{MassProperties, SurfaceFault};
pub use joint::{JointAxis, JointKind};
pub use kinematics::{
    JointTree, follow_joints, forward_kinematics, joint_coordinates, joint_tree, measure_joints,
};
pub use material::Material;
pub use mesh::TetMesh;
pub use model::{Model, ModelFlags};
pub use motion::{Motion, MotionPlan, TimedMotion};
pub use names::{Group, GroupKind, Names};
pub use shape::{Geometry, ShapeFlags, TriMesh};
pub use state::{Control, Forces, State, StateFields};
pub use view::{ModelView, Ownership};
