//! The shared, constant description of a scene: one column per attribute.
//!
//! Columns are entity first (`particle_q`, `body_mass`, …), SI units, world frame
//! unless said. A model does not change during a step; cloning it costs reference
//! counts. Ids are global: index `i` of a column belongs to entity `i` of its kind.

use std::sync::Arc;

use coact_column::Column;
use coact_math::{Mat2, Mat3, Pose, Spatial, Vec3};

use crate::ids::{BodyId, JointId, MaterialId, ParticleId, ShapeId};
use crate::joint::{JointAxis, JointKind};
use crate::material::Material;
use crate::names::Names;
use crate::shape::{Geometry, ShapeFlags};
use crate::state::{Control, State};

/// The scene as columns. Build one with [`crate::ModelBuilder`].
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Names and groups of entities, for people; solvers do not read them.
    pub names: Arc<Names>,
    /// Gravity acceleration \[m/s²\].
    pub gravity: Vec3,

    /// Initial positions \[m\]. Shape: \[particle_count\].
    pub particle_q: Column<Vec3>,
    /// Initial velocities \[m/s\]. Shape: \[particle_count\].
    pub particle_qd: Column<Vec3>,
    /// Masses \[kg\]; 0 only for particles that never move by force. Shape: \[particle_count\].
    pub particle_mass: Column<f64>,
    /// Inverse masses \[1/kg\]; 0 = moved only by prescription. Shape: \[particle_count\].
    pub particle_inv_mass: Column<f64>,
    /// Contact radii \[m\]. Shape: \[particle_count\].
    pub particle_radius: Column<f64>,
    /// Whether a particle takes part at all (dynamics and contact). Shape: \[particle_count\].
    pub particle_active: Column<bool>,
    /// Contact material. Shape: \[particle_count\].
    pub particle_material: Column<MaterialId>,
    /// Color of each particle in block descent; same color = no shared element. Shape: \[particle_count\].
    pub particle_color: Column<u32>,
    /// Explicit order of color groups and their members, when given (else by color, then id).
    pub particle_color_groups: Column<Vec<ParticleId>>,

    /// End points of springs. Shape: \[spring_count\].
    pub spring_indices: Column<[ParticleId; 2]>,
    /// Rest lengths \[m\]. Shape: \[spring_count\].
    pub spring_rest_length: Column<f64>,
    /// Stiffness \[N/m\]. Shape: \[spring_count\].
    pub spring_ke: Column<f64>,
    /// Axial damping \[N·s/m\]. Shape: \[spring_count\].
    pub spring_kd: Column<f64>,

    /// Vertices of membrane triangles. Shape: \[triangle_count\].
    pub tri_indices: Column<[ParticleId; 3]>,
    /// Inverse rest shape Dm⁻¹ \[1/m\]. Shape: \[triangle_count\].
    pub tri_rest_inv: Column<Mat2>,
    /// Rest areas \[m²\]. Shape: \[triangle_count\].
    pub tri_rest_area: Column<f64>,
    /// Shear stiffness mu \[N/m\] (Lamé, per unit width). Shape: \[triangle_count\].
    pub tri_mu: Column<f64>,
    /// Area stiffness lambda \[N/m\]. Shape: \[triangle_count\].
    pub tri_lambda: Column<f64>,
    /// Damping of the metric rate \[N·s/m\]. Shape: \[triangle_count\].
    pub tri_kd: Column<f64>,

    /// Bending elements: (opposite 0, opposite 1, edge start, edge end). Shape: \[hinge_count\].
    pub hinge_indices: Column<[ParticleId; 4]>,
    /// Rest dihedral angles \[rad\]. Shape: \[hinge_count\].
    pub hinge_rest_angle: Column<f64>,
    /// Rest edge lengths \[m\]. Shape: \[hinge_count\].
    pub hinge_rest_length: Column<f64>,
    /// Bending stiffness \[N\]. Shape: \[hinge_count\].
    pub hinge_ke: Column<f64>,
    /// Bending damping \[N·s\]. Shape: \[hinge_count\].
    pub hinge_kd: Column<f64>,

    /// Vertices of tetrahedra, positively oriented. Shape: \[tet_count\].
    pub tet_indices: Column<[ParticleId; 4]>,
    /// Inverse rest shape Dm⁻¹ \[1/m\], columns of Dm: x1−x0, x2−x0, x3−x0. Shape: \[tet_count\].
    pub tet_rest_inv: Column<Mat3>,
    /// Lamé mu \[Pa\]. Shape: \[tet_count\].
    pub tet_mu: Column<f64>,
    /// Lamé lambda \[Pa\]. Shape: \[tet_count\].
    pub tet_lambda: Column<f64>,
    /// Damping of the metric rate \[Pa·s\]. Shape: \[tet_count\].
    pub tet_kd: Column<f64>,

    /// Initial poses of body frames. Shape: \[body_count\].
    pub body_q: Column<Pose>,
    /// Initial velocities: (centre of mass, angular), world frame. Shape: \[body_count\].
    pub body_qd: Column<Spatial>,
    /// Masses \[kg\]. Shape: \[body_count\].
    pub body_mass: Column<f64>,
    /// Inverse masses \[1/kg\]; 0 = immovable by force. Shape: \[body_count\].
    pub body_inv_mass: Column<f64>,
    /// Centres of mass in the body frame \[m\]. Shape: \[body_count\].
    pub body_com: Column<Vec3>,
    /// Inertia about the centre of mass, body axes \[kg·m²\]. Shape: \[body_count\].
    pub body_inertia: Column<Mat3>,
    /// Inverse inertia, body axes; 0 = immovable by torque. Shape: \[body_count\].
    pub body_inv_inertia: Column<Mat3>,
    /// Whether a body is moved by prescription only. Shape: \[body_count\].
    pub body_kinematic: Column<bool>,
    /// Color of each body in block descent, from joints. Shape: \[body_count\].
    pub body_color: Column<u32>,
    /// Explicit order of body color groups, when given.
    pub body_color_groups: Column<Vec<BodyId>>,

    /// Kinds of joints. Shape: \[joint_count\].
    pub joint_kind: Column<JointKind>,
    /// Parent bodies; `None` = world. Shape: \[joint_count\].
    pub joint_parent: Column<Option<BodyId>>,
    /// Child bodies. Shape: \[joint_count\].
    pub joint_child: Column<BodyId>,
    /// Joint frames in the parent body (or world) frame. Shape: \[joint_count\].
    pub joint_x_p: Column<Pose>,
    /// Joint frames in the child body frame. Shape: \[joint_count\].
    pub joint_x_c: Column<Pose>,
    /// Whether a joint acts. Read every step. Shape: \[joint_count\].
    pub joint_enabled: Column<bool>,
    /// Start of each joint's coordinates in `joint_q`. Shape: \[joint_count + 1\].
    pub joint_q_start: Column<u32>,
    /// Start of each joint's freedoms in `joint_qd`. Shape: \[joint_count + 1\].
    pub joint_qd_start: Column<u32>,
    /// Start of each joint's axes in `joint_axis`. Shape: \[joint_count + 1\].
    pub joint_axis_start: Column<u32>,
    /// Axes with their drives and limits. Shape: \[axis_count\].
    pub joint_axis: Column<JointAxis>,
    /// Rotation of the child joint frame in the parent joint frame at rest (rods: rest
    /// bend and twist). Shape: \[joint_count\].
    pub joint_rest_rotation: Column<coact_math::Quat>,
    /// Initial joint coordinates. Shape: \[coord_count\].
    pub joint_q: Column<f64>,
    /// Initial joint velocities. Shape: \[dof_count\].
    pub joint_qd: Column<f64>,
    /// Drive targets of positions. Shape: \[axis_count\].
    pub joint_target_q: Column<f64>,
    /// Drive targets of velocities. Shape: \[axis_count\].
    pub joint_target_qd: Column<f64>,

    /// Bodies that carry the shapes; `None` = static world. Shape: \[shape_count\].
    pub shape_body: Column<Option<BodyId>>,
    /// Poses of shapes in their body (or world) frame. Shape: \[shape_count\].
    pub shape_x: Column<Pose>,
    /// Geometry. Shape: \[shape_count\].
    pub shape_geometry: Column<Geometry>,
    /// Contact material. Shape: \[shape_count\].
    pub shape_material: Column<MaterialId>,
    /// Thickness outside the geometry \[m\]. Shape: \[shape_count\].
    pub shape_margin: Column<f64>,
    /// Distance beyond the margin at which contacts are detected \[m\]. Shape: \[shape_count\].
    pub shape_gap: Column<f64>,
    /// Velocity of the surface against its body, in the body (or world) frame \[m/s\]; what lies in
    /// the plane of a contact carries along: conveyors. Shape: \[shape_count\].
    pub shape_surface_velocity: Column<Vec3>,
    /// What the shapes take part in. Shape: \[shape_count\].
    pub shape_flags: Column<ShapeFlags>,
    /// Collision groups: 0 meets nothing; positive ones meet their own group and the
    /// negative ones; negative ones meet every other group but their own. Shape: \[shape_count\].
    pub shape_group: Column<i32>,
    /// Pairs of shapes (lower id first) that never meet; shapes of bodies that an enabled joint connects do
    /// not either, and are not listed.
    pub shape_filter_pairs: Column<(ShapeId, ShapeId)>,

    /// Attached particles. Shape: \[attachment_count\].
    pub attachment_particle: Column<ParticleId>,
    /// Bodies they are attached to. Shape: \[attachment_count\].
    pub attachment_body: Column<BodyId>,
    /// Anchor points in the body frame \[m\]. Shape: \[attachment_count\].
    pub attachment_point: Column<Vec3>,
    /// Stiffness \[N/m\]; infinite = hard. Shape: \[attachment_count\].
    pub attachment_ke: Column<f64>,
    /// Damping \[N·s/m\]. Shape: \[attachment_count\].
    pub attachment_kd: Column<f64>,
    /// Whether an attachment acts. Read every step. Shape: \[attachment_count\].
    pub attachment_enabled: Column<bool>,

    /// Contact materials. Shape: \[material_count\].
    pub materials: Column<Material>,
}

impl Model {
    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.particle_q.len()
    }

    /// Number of rigid bodies.
    pub fn body_count(&self) -> usize {
        self.body_q.len()
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.joint_kind.len()
    }

    /// Number of shapes.
    pub fn shape_count(&self) -> usize {
        self.shape_body.len()
    }

    /// The material of a shape.
    pub fn material_of_shape(&self, shape: ShapeId) -> &Material {
        &self.materials[self.shape_material[shape.index()].index()]
    }

    /// The material of a particle.
    pub fn material_of_particle(&self, particle: ParticleId) -> &Material {
        &self.materials[self.particle_material[particle.index()].index()]
    }

    /// The axes of a joint.
    pub fn axes_of(&self, joint: JointId) -> &[JointAxis] {
        let (a, b) = (self.joint_axis_start[joint.index()], self.joint_axis_start[joint.index() + 1]);
        &self.joint_axis[a as usize..b as usize]
    }

    /// World position of a body's centre of mass at pose `q`.
    pub fn com_at(&self, body: BodyId, q: &Pose) -> Vec3 {
        q.point(&self.body_com[body.index()])
    }

    /// The initial state.
    pub fn state(&self) -> State {
        State {
            particle_q: self.particle_q.to_vec(),
            particle_qd: self.particle_qd.to_vec(),
            body_q: self.body_q.to_vec(),
            body_qd: self.body_qd.to_vec(),
            joint_q: self.joint_q.to_vec(),
            joint_qd: self.joint_qd.to_vec(),
        }
    }

    /// The initial control: authored drive targets, no forces, no prescribed motion.
    pub fn control(&self) -> Control {
        Control {
            joint_target_q: self.joint_target_q.to_vec(),
            joint_target_qd: self.joint_target_qd.to_vec(),
            joint_f: vec![0.0; self.joint_qd.len()],
            particle_motion: Vec::new(),
            body_motion: Vec::new(),
        }
    }
}

bitflags::bitflags! {
    /// Which part of a model changed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ModelFlags: u32 {
        /// Gravity.
        const GRAVITY = 1;
        /// Masses and activity of particles.
        const PARTICLE_MASS = 1 << 1;
        /// Masses, inertia, centres of mass and kinematic flags of bodies.
        const BODY_MASS = 1 << 2;
        /// Enabled flags, anchors, axes, drives and limits of joints.
        const JOINTS = 1 << 3;
        /// Poses, flags, margins, surface velocities and materials of shapes; the materials themselves.
        const SHAPES = 1 << 4;
        /// Enabled flags, points and stiffness of attachments.
        const ATTACHMENTS = 1 << 5;
        /// Stiffness, damping or rest shape of elements (the connectivity stays).
        const ELEMENTS = 1 << 6;
        /// Ownership: masks of a view.
        const OWNERSHIP = 1 << 7;
    }
}
