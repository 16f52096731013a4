//! Kinds of joints and how many numbers each one takes.

/// The kind of a joint. Coordinates (`joint_q`) and degrees of freedom
/// (`joint_qd`) are laid out per joint in the order given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// No freedom.
    Fixed,
    /// One rotation about the joint axis: angle \[rad\].
    Revolute,
    /// One translation along the joint axis: displacement \[m\].
    Prismatic,
    /// Free rotation: quaternion (x, y, z, w); angular velocity in the joint's
    /// parent frame.
    Ball,
    /// Free motion: position and quaternion (x, y, z, w) of the child anchor frame
    /// in the parent anchor frame; (linear, angular) velocity of the child's centre
    /// of mass in the parent anchor frame.
    Free,
    /// Free motion within a range of distances of the two anchors: the limits of its one axis, whose
    /// direction is not read. Coordinates as [`JointKind::Free`].
    Distance,
    /// Any set of free axes: linear ones first, then angular ones.
    D6 {
        /// Number of free linear axes.
        linear: u8,
        /// Number of free angular axes.
        angular: u8,
    },
    /// A rod element between two segments: shear x, shear y, stretch z, bend x,
    /// bend y, twist z. Its segments move freely; it has stiffness instead of freedom.
    Rod,
}

impl JointKind {
    /// Count of coordinates in `joint_q`.
    pub fn coord_count(self) -> usize {
        match self {
            Self::Fixed | Self::Rod => 0,
            Self::Revolute | Self::Prismatic => 1,
            Self::Ball => 4,
            Self::Free | Self::Distance => 7,
            Self::D6 { linear, angular } => (linear + angular) as usize,
        }
    }

    /// Which of its coordinates are angles about one axis \[rad\].
    pub fn angle_coordinates(self) -> std::ops::Range<usize> {
        match self {
            Self::Revolute => 0..1,
            Self::D6 { linear, angular } => linear as usize..(linear + angular) as usize,
            _ => 0..0,
        }
    }

    /// Count of degrees of freedom in `joint_qd`.
    pub fn dof_count(self) -> usize {
        match self {
            Self::Fixed | Self::Rod => 0,
            Self::Revolute | Self::Prismatic => 1,
            Self::Ball => 3,
            Self::Free | Self::Distance => 6,
            Self::D6 { linear, angular } => (linear + angular) as usize,
        }
    }

    /// Count of axes that carry a drive and limits, most of them a direction.
    pub fn axis_count(self) -> usize {
        match self {
            Self::Revolute | Self::Prismatic | Self::Distance => 1,
            Self::D6 { linear, angular } => (linear + angular) as usize,
            Self::Rod => 6,
            _ => 0,
        }
    }

    /// The word a user knows it by.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Ball => "ball",
            Self::Free => "free",
            Self::Distance => "distance",
            Self::D6 { .. } => "D6",
            Self::Rod => "rod",
        }
    }
}

/// One axis of a joint: direction, drive gains, limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAxis {
    /// Unit direction in the joint frames.
    pub axis: coact_math::Vec3,
    /// Drive stiffness \[N/m or N·m/rad\]; rod: structural stiffness.
    pub target_ke: f64,
    /// Drive damping \[N·s/m or N·m·s/rad\]; rod: structural damping.
    pub target_kd: f64,
    /// Lower limit \[m or rad\].
    pub limit_lower: f64,
    /// Upper limit \[m or rad\].
    pub limit_upper: f64,
    /// Limit stiffness.
    pub limit_ke: f64,
    /// Limit damping.
    pub limit_kd: f64,
    /// Largest drive force or torque \[N or N·m\].
    pub effort_limit: f64,
    /// Added inertia of the axis \[kg or kg·m²\].
    pub armature: f64,
    /// Dry friction force or torque \[N or N·m\].
    pub friction: f64,
}

impl Default for JointAxis {
    fn default() -> Self {
        Self {
            axis: coact_math::Vec3::z(),
            target_ke: 0.0,
            target_kd: 0.0,
            limit_lower: f64::NEG_INFINITY,
            limit_upper: f64::INFINITY,
            limit_ke: f64::INFINITY,
            limit_kd: 0.0,
            effort_limit: f64::INFINITY,
            armature: 0.0,
            friction: 0.0,
        }
    }
}
