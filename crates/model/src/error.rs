//! What a builder refuses, and what it only warns about.
//!
//! Each error names the entity (by name where it has one), the value it met and what
//! to write instead, so that the message alone is enough to mend the scene.

use thiserror::Error;

/// Why a scene cannot become a [`crate::Model`].
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ModelError {
    /// A number is infinite or not a number.
    #[error("{entity}: {field} is {value}; write a finite number")]
    NotFinite {
        /// The entity.
        entity: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
    },
    /// A number lies outside of what its field allows.
    #[error("{entity}: {field} is {value}; {remedy}")]
    BadValue {
        /// The entity.
        entity: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What to write instead.
        remedy: &'static str,
    },
    /// An id or index names nothing.
    #[error(
        "{entity} refers to {target}, but there are only {count}; ids come from this builder's add_* calls"
    )]
    OutOfRange {
        /// The entity that refers.
        entity: String,
        /// What it refers to.
        target: String,
        /// How many of that kind exist.
        count: usize,
    },
    /// An element has (almost) no extent in one direction.
    #[error(
        "{entity} is degenerate: {what} relative to its longest edge is {measure:.3e}, below {limit:.0e}; \
         {remedy}"
    )]
    Degenerate {
        /// The element.
        entity: String,
        /// What vanishes: length, area, volume.
        what: &'static str,
        /// The relative measure.
        measure: f64,
        /// The smallest one accepted.
        limit: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// A tetrahedron is inside out.
    #[error("{entity} has negative rest volume {volume:.3e} m³; swap two of its vertices")]
    Inverted {
        /// The tetrahedron.
        entity: String,
        /// Signed volume \[m³\].
        volume: f64,
    },
    /// An element uses one vertex twice.
    #[error("{entity} uses {vertex} twice; give it distinct vertices")]
    DuplicateVertex {
        /// The element.
        entity: String,
        /// The repeated vertex.
        vertex: String,
    },
    /// Two entities of a kind share a name.
    #[error("two {kind} are named \"{name}\"; rename one")]
    DuplicateName {
        /// The kind, in plural.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An edge of a cloth belongs to more than two triangles, or to two of opposite winding.
    #[error("{entity}: edge between {ends} is not manifold: {reason}; {remedy}")]
    NonManifoldEdge {
        /// The cloth.
        entity: String,
        /// The two vertices.
        ends: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A mesh that must be closed has an open or wrongly wound edge, or encloses no volume.
    #[error("{entity} is not a closed, outward wound surface: {reason}; {remedy}")]
    OpenMesh {
        /// The shape or mesh.
        entity: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A mesh or hull that nothing can collide with.
    #[error("{entity}: {reason}; {remedy}")]
    BadSurface {
        /// The shape.
        entity: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Mass was to come from shapes that have none.
    #[error(
        "{entity}: its mass is to come from its shapes, but {reason}; \
         give it a shape with volume and density, or mass and inertia, or make it kinematic"
    )]
    NoMass {
        /// The body.
        entity: String,
        /// Why there is no mass.
        reason: String,
    },
    /// An inertia tensor is no inertia of any body.
    #[error("{entity}: inertia {inertia} [kg·m²] {reason}; {remedy}")]
    BadInertia {
        /// The body.
        entity: String,
        /// The tensor, by rows.
        inertia: String,
        /// What is wrong.
        reason: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A joint connects a body to itself.
    #[error("{entity}: parent and child are the same {body}; give it two bodies, or the world as parent")]
    SelfJoint {
        /// The joint.
        entity: String,
        /// The body.
        body: String,
    },
    /// A list has the wrong number of entries for the kind of joint.
    #[error("{entity}: a {kind} joint takes {expected} {what}, given {given}")]
    WrongCount {
        /// The joint.
        entity: String,
        /// The kind of joint.
        kind: &'static str,
        /// What is counted.
        what: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// A joint axis is no unit vector.
    #[error("{entity}: axis {axis} has length {length}; write a unit vector")]
    NonUnitAxis {
        /// The joint.
        entity: String,
        /// Which of its axes.
        axis: usize,
        /// Its length.
        length: f64,
    },
    /// A lower limit lies above the upper one.
    #[error("{entity}: axis {axis} has limits {lower} > {upper}; write the lower one first")]
    LimitsCrossed {
        /// The joint.
        entity: String,
        /// Which of its axes.
        axis: usize,
        /// Lower limit \[m or rad\].
        lower: f64,
        /// Upper limit \[m or rad\].
        upper: f64,
    },
    /// Body poses and given joint coordinates say different things.
    #[error(
        "{entity}: the poses of its bodies contradict its coordinates {coordinates}: off by {distance:.3e} m \
         and {angle:.3e} rad; call pose_from_joints() to pose the bodies, or leave the coordinates out"
    )]
    PoseContradictsJoint {
        /// The joint.
        entity: String,
        /// The given coordinates.
        coordinates: String,
        /// Distance of the two joint frames \[m\].
        distance: f64,
        /// Angle between them \[rad\].
        angle: f64,
    },
    /// A field does not apply to this kind of entity.
    #[error("{entity}: {field} has no meaning here; {remedy}")]
    NotApplicable {
        /// The entity.
        entity: String,
        /// The field.
        field: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Two members of one color group share an element or a joint.
    #[error("color group {group}: {a} and {b} share {element}; put them in different groups")]
    ColorConflict {
        /// Index of the group.
        group: usize,
        /// One member.
        a: String,
        /// The other member.
        b: String,
        /// What they share.
        element: String,
    },
    /// Explicit color groups do not hold each entity exactly once.
    #[error("color groups: {entity} appears {times} times; list each one exactly once")]
    ColorCount {
        /// The entity.
        entity: String,
        /// How often it is listed.
        times: usize,
    },
    /// A group was begun inside another one, or never ended.
    #[error("group \"{name}\" {reason}; call end_group() once for each begin_group(..)")]
    GroupNesting {
        /// The group.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningKind {
    /// A mass that few scenes in \[kg\] have.
    Mass,
    /// A size that few scenes in \[m\] have.
    Size,
    /// A density that few materials in \[kg/m³\] have.
    Density,
    /// A stiffness that looks like another unit.
    Stiffness,
    /// Principal moments that no solid has.
    Inertia,
    /// Joint frames that do not meet at the initial poses.
    JointGap,
    /// A joint that begins outside of its limits.
    JointRange,
    /// A loop of joints that hold the same direction more than once.
    OverConstrained,
    /// A convex hull of triangles that are not convex.
    Hollow,
}

/// Something legal that is probably a slip, most often of units.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// The entity, by name where it has one.
    pub entity: String,
    /// What was met and what is usual.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.entity, self.message)
    }
}
