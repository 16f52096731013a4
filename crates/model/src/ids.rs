//! Typed, global entity ids: an index that cannot be mistaken for another kind's.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// From an array index.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 entities of one kind"))
            }

            /// The array index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, " {}"), self.0)
            }
        }
    };
}

id!(/// A particle.
    ParticleId, "particle");
id!(/// A rigid body.
    BodyId, "body");
id!(/// A joint.
    JointId, "joint");
id!(/// A collision shape.
    ShapeId, "shape");
id!(/// A spring between two particles.
    SpringId, "spring");
id!(/// A membrane triangle.
    TriangleId, "triangle");
id!(/// A bending element (two triangles that share an edge).
    HingeId, "hinge");
id!(/// A tetrahedron.
    TetId, "tetrahedron");
id!(/// An attachment of a particle to a body.
    AttachmentId, "attachment");
id!(/// A contact material.
    MaterialId, "material");

/// Any entity that a report may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityId {
    /// A particle.
    Particle(ParticleId),
    /// A rigid body.
    Body(BodyId),
    /// A joint.
    Joint(JointId),
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Particle(id) => id.fmt(f),
            Self::Body(id) => id.fmt(f),
            Self::Joint(id) => id.fmt(f),
        }
    }
}
