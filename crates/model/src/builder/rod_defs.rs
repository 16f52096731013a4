//! What a caller hands to [`super::ModelBuilder::add_rod`].

use coact_math::{Pose, Vec3};

use super::rod_section::RodSection;
use crate::ids::{BodyId, JointId, MaterialId};
use crate::shape::ShapeFlags;

/// The centre line of a rod.
#[derive(Clone, Debug, PartialEq)]
pub enum RodPath {
    /// A polyline: one segment between each two neighbours.
    Points(Vec<Vec3>),
    /// A polyline whose last point is its first one.
    Closed(Vec<Vec3>),
    /// From one point to another.
    Straight {
        /// Begin \[m\].
        from: Vec3,
        /// End \[m\].
        to: Vec3,
        /// Number of segments.
        segments: usize,
    },
    /// A helix about local z of `frame`, from (radius, 0, 0) on, right-handed.
    Helix {
        /// Where its axis is.
        frame: Pose,
        /// Radius of the centre line \[m\].
        radius: f64,
        /// Rise per turn \[m\].
        pitch: f64,
        /// Number of turns.
        turns: f64,
        /// Number of segments.
        segments: usize,
    },
    /// A closed circle in the plane of local x and y of `frame`. Its polygon has the length of the
    /// circle.
    Ring {
        /// Where its centre is.
        frame: Pose,
        /// Radius of the circle \[m\].
        radius: f64,
        /// Number of segments.
        segments: usize,
    },
    /// A smooth curve through points (Catmull–Rom), cut into segments of about one length.
    Spline {
        /// Points that it goes through \[m\].
        points: Vec<Vec3>,
        /// Length of a segment \[m\].
        segment: f64,
    },
}

/// The shape that a rod has without load.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RodRest {
    /// The initial one.
    #[default]
    Initial,
    /// Straight and without twist.
    Straight,
    /// Bent about its first and second axis and twisted, everywhere the same \[rad/m\].
    Curved(Vec3),
    /// Rotation vectors between neighbours (bend, bend, twist) \[rad\], one per element: between the
    /// segments in order, and last that which closes a closed rod.
    PerElement(Vec<Vec3>),
}

/// What holds an end of a rod. To hold it on a segment of another rod is a junction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RodEnd {
    /// Nothing.
    #[default]
    Free,
    /// It neither moves nor turns against a body, or against the world.
    Clamped(Option<BodyId>),
    /// It does not move against a body, or against the world.
    Pinned(Option<BodyId>),
}

/// The shear modulus of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shear {
    /// G \[Pa\].
    Modulus(f64),
    /// Poisson's ratio nu, of which G = E/(2 (1 + nu)).
    Poisson(f64),
}

/// An elastic rod: a chain of rigid segments with a rod joint between each two.
#[derive(Clone, Debug, PartialEq)]
pub struct RodDef {
    /// Its name; its bodies are `name_1`, `name_2`, …, its joints `name_joint_1`, … and, at what
    /// holds it, `name_begin` and `name_end`; empty = unnamed.
    pub name: String,
    /// Its centre line.
    pub path: RodPath,
    /// Its section.
    pub section: RodSection,
    /// Young's modulus E \[Pa\]; not read where the section has its stiffness.
    pub young: f64,
    /// Shear modulus.
    pub shear: Shear,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Damping of all strains: its stress is that of the strain which would arise in this time at the
    /// present rate \[s\].
    pub damping_time: f64,
    /// Direction of the first axis of the section at the begin, as far as it is across the rod;
    /// `None`: any.
    pub first_axis: Option<Vec3>,
    /// Twist of the initial frames along the rod \[rad/m\].
    pub twist: f64,
    /// Scale of the section at each point of the path; empty = 1 everywhere.
    pub taper: Vec<f64>,
    /// Shape without load.
    pub rest: RodRest,
    /// What holds its begin.
    pub begin: RodEnd,
    /// What holds its end.
    pub end: RodEnd,
    /// Contact material.
    pub material: MaterialId,
    /// What its capsules take part in.
    pub flags: ShapeFlags,
    /// Collision group of its capsules.
    pub group: i32,
}

impl Default for RodDef {
    fn default() -> Self {
        Self {
            name: String::new(),
            path: RodPath::Straight { from: Vec3::zeros(), to: Vec3::x(), segments: 32 },
            section: RodSection::Circle { radius: 0.005 },
            young: 1.0e7,
            shear: Shear::Poisson(0.5),
            density: 1200.0,
            damping_time: 0.0,
            first_axis: None,
            twist: 0.0,
            taper: Vec::new(),
            rest: RodRest::Initial,
            begin: RodEnd::Free,
            end: RodEnd::Free,
            material: MaterialId(0),
            flags: ShapeFlags::all(),
            group: 1,
        }
    }
}

/// What [`super::ModelBuilder::add_rod`] added; empty where the definition was refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RodIds {
    /// Segments from begin to end.
    pub bodies: Vec<BodyId>,
    /// Elements between neighbours, in order; last that which closes a closed rod.
    pub joints: Vec<JointId>,
    /// What holds the begin and the end.
    pub ends: [Option<JointId>; 2],
}
