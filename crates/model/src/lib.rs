//! The shared model, its builder, its state and its copy-on-write views.

pub mod ids;
mod joint;
mod material;
mod model;
mod names;
mod shape;
mod state;
mod view;

pub use ids::{
    AttachmentId, BodyId, EntityId, HingeId, JointId, MaterialId, ParticleId, ShapeId, SpringId, TetId,
    TriangleId,
};
pub use joint::{JointAxis, JointKind};
pub use material::Material;
pub use model::{Model, ModelFlags};
pub use names::{Group, GroupKind, Names};
pub use shape::{Geometry, ShapeFlags, TriMesh};
pub use state::{Control, Forces, State, StateFields};
pub use view::{ModelView, Ownership};
