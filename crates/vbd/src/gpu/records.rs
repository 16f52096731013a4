//! Records as the device has them. Twins: `shaders/vbd/records.wgsl`; `gpu/tests/layout.rs`
//! compares the layouts. `docs/theory/vbd-gpu.md` section 1. Elements are in `elements.rs`.

use bytemuck::{Pod, Zeroable};
use coact_math::{Quat, V3, Vec3};

/// What is the same for every kernel of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct StepRecord {
    /// Gravity \[m/s²\].
    pub gravity: [f32; 3],
    /// Step \[s\].
    pub h: f32,
    /// 1/h \[1/s\].
    pub inv_h: f32,
    /// 1/h² \[1/s²\].
    pub inv_h_sq: f32,
    /// Slip below which friction is smoothed \[m\].
    pub epsilon: f32,
    /// Bits of [`flags`].
    pub flags: u32,
    /// Particles.
    pub slots: u32,
    /// Particles with a block.
    pub blocks: u32,
    /// Visible shapes.
    pub shapes: u32,
    /// Contact materials.
    pub materials: u32,
    /// Body records.
    pub bodies: u32,
    /// Bodies with a block; they come first.
    pub free_bodies: u32,
    /// Over how many penetrations the approach of a contact is damped.
    pub damped_depth: f32,
    /// Uniform records are multiples of 16 bytes.
    pub unused: u32,
}

/// Bits of [`StepRecord::flags`].
pub mod flags {
    /// External forces on particles are in their buffer.
    pub const FORCES: u32 = 1;
    /// Springs in compression get the exact Hessian.
    pub const SPRING_EXACT: u32 = 2;
    /// Blocks are skipped by their determinant.
    pub const SINGULAR_ABSOLUTE: u32 = 4;
    /// Detection reaches as far as a particle is about to move.
    pub const SPECULATIVE: u32 = 8;
    /// End velocities are differences of positions.
    pub const POSITION_DIFFERENCE: u32 = 16;
    /// Bodies turn by the first-order rule.
    pub const FIRST_ORDER: u32 = 32;
    /// Blocks of one color share elements: all are solved, then all are written.
    pub const SHARED_COLORS: u32 = 64;
    /// Membranes are cut at zero along their normal.
    pub const MEMBRANE_CLAMPED: u32 = 128;
}

/// Range of a dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct RangeParams {
    /// First element.
    pub first: u32,
    /// Number of elements.
    pub count: u32,
}

/// What a particle is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParticleInfo {
    /// Mass \[kg\].
    pub mass: f32,
    /// Contact radius \[m\].
    pub radius: f32,
    /// 0 static, 1 prescribed, 2 dynamic, 3 proxy.
    pub mobility: u32,
    /// Index of its contact material.
    pub material: u32,
}

/// Inertial target of a particle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParticleTarget {
    /// Target \[m\].
    pub y: [f32; 3],
    /// m/h² \[N/m\]; 0 = immovable in this step.
    pub k: f32,
    /// Displacement from begin to target \[m\].
    pub dy: [f32; 3],
    /// Rounds the size up to that of WGSL.
    pub unused: f32,
}

/// Iterate of a particle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParticleIterate {
    /// y + d \[m\].
    pub x: [f32; 3],
    /// 1 where the last sweep found the block singular.
    pub skipped: f32,
    /// The unknown: displacement from the target \[m\].
    pub d: [f32; 3],
    /// Rounds the size up to that of WGSL.
    pub unused: f32,
}

/// Where a proxy particle comes to if nobody touches it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ProxyTarget {
    /// Free end, or the displacement to it \[m\].
    pub y: [f32; 3],
    /// Slot of the particle.
    pub slot: u32,
    /// Velocity at the free end \[m/s\].
    pub v_free: [f32; 3],
    /// 1: `y` is a displacement from the begin of the step; 0: a place.
    pub relative: u32,
}

/// What is read back of a particle that couples.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ParticleEnd {
    /// Position \[m\].
    pub q: [f32; 3],
    /// Alignment of WGSL vectors.
    pub unused0: f32,
    /// Velocity \[m/s\].
    pub qd: [f32; 3],
    /// Alignment of WGSL vectors.
    pub unused1: f32,
    /// Displacement from the target \[m\].
    pub d: [f32; 3],
    /// Alignment of WGSL vectors.
    pub unused2: f32,
}

/// A particle near a shape, frozen for the step. Written and read on the device only.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ContactRecord {
    /// Closest point relative to the centre of mass, body axes; world: where it is \[m\].
    pub point: [f32; 3],
    /// Index of the body record; `u32::MAX` = static world.
    pub body: u32,
    /// Outward normal in the world.
    pub n: [f32; 3],
    /// Particle radius plus shape margin \[m\].
    pub reach: f32,
    /// Stiffness \[N/m\].
    pub ke: f32,
    /// Damping \[N·s/m\].
    pub kd: f32,
    /// Friction coefficient.
    pub mu: f32,
    /// Index of the shape record.
    pub shape: u32,
}

/// Where a body comes from and goes to if nobody touches it: what a step uploads of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct BodyRecord {
    /// Rotation at the begin (x, y, z, w).
    pub q_begin: [f32; 4],
    /// Rotation at the target.
    pub q_target: [f32; 4],
    /// Rotation from begin to target, in the world.
    pub turn_step: [f32; 4],
    /// Centre of mass at the begin \[m\].
    pub c_begin: [f32; 3],
    /// As [`ParticleInfo::mobility`].
    pub mobility: u32,
    /// Centre of mass at the target \[m\].
    pub c_target: [f32; 3],
    /// Mass \[kg\].
    pub mass: f32,
    /// Displacement of the centre of mass from begin to target \[m\].
    pub c_step: [f32; 3],
    /// A surface point at distance s from the origin moves at most reach + `reach_turn` s \[m\].
    pub reach: f32,
    /// Torque that acts as a potential \[N·m\].
    pub torque: [f32; 3],
    /// Turn from begin to target \[rad\].
    pub reach_turn: f32,
    /// Diagonal of the inertia about the centre of mass, body axes \[kg·m²\].
    pub inertia_d: [f32; 3],
    /// First entry of the body's list of contacts.
    pub list_start: u32,
    /// Off-diagonal xy, xz, yz \[kg·m²\].
    pub inertia_o: [f32; 3],
    /// Rounds the size up to that of WGSL.
    pub unused: f32,
}

/// The unknown of a body: what a step reads back of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct BodyState {
    /// Rotation from the target (x, y, z, w).
    pub turn: [f32; 4],
    /// Displacement of the centre of mass from the target \[m\].
    pub dx: [f32; 3],
    /// 1 where the last sweep found the block singular.
    pub skipped: u32,
}

/// Where a body now is. Written and read on the device only.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct BodySurface {
    /// Rotation.
    pub q: [f32; 4],
    /// Rotation vector since the begin of the step \[rad\].
    pub phi: [f32; 3],
    /// Alignment of WGSL vectors.
    pub unused0: f32,
    /// Centre of mass \[m\].
    pub c: [f32; 3],
    /// Alignment of WGSL vectors.
    pub unused1: f32,
    /// Its displacement since the begin of the step \[m\].
    pub dc: [f32; 3],
    /// Alignment of WGSL vectors.
    pub unused2: f32,
}

/// A visible shape.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct ShapeRecord {
    /// Rotation in the body (or the world).
    pub q: [f32; 4],
    /// Position relative to the centre of mass, body axes (or in the world) \[m\].
    pub p: [f32; 3],
    /// Kind, as `SHAPE_*` of `shaders/collide/sdf.wgsl`.
    pub kind: u32,
    /// (radius, half height, 0), or half extents \[m\].
    pub dims: [f32; 3],
    /// Thickness \[m\].
    pub margin: f32,
    /// Distance beyond the margin at which contacts are detected \[m\].
    pub gap: f32,
    /// Radius of the sphere about its origin that holds it \[m\].
    pub bounding: f32,
    /// Distance of its farthest point from the body's origin \[m\]; negative = unbounded.
    pub far: f32,
    /// Index of its body record; `u32::MAX` = static world.
    pub body: u32,
}

/// What a step tells of itself. Twin: `shaders/vbd/outcome.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Outcome {
    /// Particles that are not finite.
    pub nonfinite: u32,
    /// Particle blocks that the last sweep skipped.
    pub skipped: u32,
    /// Rows.
    pub rows: u32,
    /// Rows that press.
    pub pressing: u32,
    /// Deepest penetration \[m\], as bits.
    pub depth: u32,
    /// Its pair: slot · shapes + shape; `u32::MAX` = none.
    pub deepest: u32,
    /// Slot of the largest residual; `u32::MAX` = none.
    pub worst: u32,
    /// Rounds the size up to 32 bytes.
    pub unused: u32,
}

impl Default for Outcome {
    fn default() -> Self {
        Self { deepest: u32::MAX, worst: u32::MAX, ..Zeroable::zeroed() }
    }
}

/// A host vector, rounded.
pub fn vec3(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// A host vector, rounded, with a zero behind.
pub fn vec4(v: &Vec3) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

/// A rotation, rounded (x, y, z, w).
pub fn quat(q: &Quat) -> [f32; 4] {
    [q.i as f32, q.j as f32, q.k as f32, q.w as f32]
}

/// A vector of the device, exact.
pub fn host(v: &[f32]) -> Vec3 {
    V3::new(v[0], v[1], v[2]).to_host(0)
}
