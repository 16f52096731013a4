//! What the solver refuses when it is built, each with its remedy.

use coact_model::{BodyId, EntityId, JointId, JointKind, ParticleId, ShapeId};
use coact_solver::SolverError;

fn refused(entity: EntityId, what: String, remedy: &str) -> SolverError {
    SolverError::Entity { entity, what, remedy: remedy.to_owned() }
}

pub(crate) fn joint_kind(j: JointId, kind: JointKind) -> SolverError {
    let what = format!("a {} joint moves a body of the rod solver", kind.word());
    let remedy = "use rod joints, give its bodies to another solver and couple the two, or disable it";
    refused(EntityId::Joint(j), what, remedy)
}

pub(crate) fn particle(p: ParticleId) -> SolverError {
    let what = "the rod solver moves no particles".to_owned();
    refused(EntityId::Particle(p), what, "give it to a VBD solver and couple the two")
}

pub(crate) fn shape(s: ShapeId, body: BodyId) -> SolverError {
    let what = format!("its {s} would meet other shapes, and the rod solver detects no contacts yet");
    let remedy = "clear COLLIDE_SHAPES of the shape, or give the rod to a VBD solver";
    refused(EntityId::Body(body), what, remedy)
}

pub(crate) fn no_inertia(b: BodyId) -> SolverError {
    let what = "it has no rotational inertia".to_owned();
    refused(EntityId::Body(b), what, "write three positive principal moments")
}
