//! What the solver refuses when it is built, each with its remedy.

use coact_model::{BodyId, EntityId, JointId, JointKind};
use coact_solver::SolverError;

fn joint(j: JointId, what: String, remedy: &str) -> SolverError {
    SolverError::Entity { entity: EntityId::Joint(j), what, remedy: remedy.to_owned() }
}

fn body(b: BodyId, what: String, remedy: &str) -> SolverError {
    SolverError::Entity { entity: EntityId::Body(b), what, remedy: remedy.to_owned() }
}

pub(crate) fn joint_kind(j: JointId, kind: JointKind) -> SolverError {
    let what = format!("a {} joint is not a coordinate of the articulated solver", kind.word());
    let remedy = "build it from fixed, revolute, prismatic, ball and free joints with light links between, \
                  or give its bodies to another solver";
    joint(j, what, remedy)
}

pub(crate) fn loop_closure(first: JointId, second: JointId, child: BodyId) -> SolverError {
    let what = format!("{child} already hangs on {first}: the joints close a loop");
    joint(second, what, "cut the loop at this joint and couple its two ends, or disable it")
}

pub(crate) fn joint_cycle(b: BodyId) -> SolverError {
    let what = "its joints lead back to itself, so that no body is the root".to_owned();
    body(b, what, "reverse or remove one joint of the ring")
}

pub(crate) fn immovable_child(j: JointId, child: BodyId) -> SolverError {
    let what = format!("it moves {child}, which is kinematic, immovable or owned by another entry");
    joint(j, what, "make that body its parent, own the body here, or disable the joint")
}

pub(crate) fn proxy_joint(j: JointId, b: BodyId) -> SolverError {
    let what = format!("it holds {b}, which is a proxy of another entry here");
    joint(j, what, "let one entry own the joint and both its bodies, or make the other entry the destination")
}

pub(crate) fn shape_pair(b: BodyId, own: &str, other: &str) -> SolverError {
    let what = format!("its {own} shape cannot meet the {other} shape of the static or kinematic world");
    let remedy = "use sphere, box, capsule or mesh against planes, clear COLLIDE_SHAPES on one of them, \
                  filter the pair, or pass detected contacts";
    body(b, what, remedy)
}

pub(crate) fn inconsistent_pose(b: BodyId, distance: f64, turn: f64) -> SolverError {
    let what = format!(
        "the initial pose is {distance:.3e} m and {turn:.3e} rad away from where the joint coordinates put it"
    );
    body(b, what, "set the initial joint coordinates, or the body pose, so that both agree")
}
