// Records that kernels of a step share.
//
// Twins: crates/vbd/src/gpu/records.rs, with units and meaning of every field. Layouts
// are compared by a test. Theory: docs/theory/vbd-gpu.md section 1.

// What is the same for every kernel of a step.
struct StepRecord {
    gravity: vec3<f32>,
    // Step [s].
    h: f32,
    inv_h: f32,
    inv_h_sq: f32,
    // Slip below which friction is smoothed [m].
    epsilon: f32,
    // FLAG_*.
    flags: u32,
    slots: u32,
    blocks: u32,
    shapes: u32,
    materials: u32,
    bodies: u32,
    free_bodies: u32,
    // Over how many penetrations the approach of a contact is damped.
    damped_depth: f32,
    unused: u32,
}

const FLAG_FORCES: u32 = 1u;
const FLAG_SPRING_EXACT: u32 = 2u;
const FLAG_SINGULAR_ABSOLUTE: u32 = 4u;
const FLAG_SPECULATIVE: u32 = 8u;
const FLAG_POSITION_DIFFERENCE: u32 = 16u;
const FLAG_FIRST_ORDER: u32 = 32u;
const FLAG_SHARED_COLORS: u32 = 64u;
const FLAG_MEMBRANE_CLAMPED: u32 = 128u;

// Range of a dispatch.
struct RangeParams {
    first: u32,
    count: u32,
}

const MOBILITY_STATIC: u32 = 0u;
const MOBILITY_PRESCRIBED: u32 = 1u;
const MOBILITY_DYNAMIC: u32 = 2u;
const MOBILITY_PROXY: u32 = 3u;

const WORLD: u32 = 0xffffffffu;

struct ParticleInfo {
    mass: f32,
    radius: f32,
    mobility: u32,
    material: u32,
}

// Inertial target y, m/h2 (0 = immovable), displacement from begin to target.
struct ParticleTarget {
    y: vec3<f32>,
    k: f32,
    dy: vec3<f32>,
}

// Iterate y + d and the unknown d.
struct ParticleIterate {
    x: vec3<f32>,
    // 1 where the last sweep found the block singular.
    skipped: f32,
    d: vec3<f32>,
}

// A particle near a shape, frozen for the step.
struct ContactRecord {
    // Closest point relative to the centre of mass, body axes; world: where it is.
    point: vec3<f32>,
    body: u32,
    n: vec3<f32>,
    reach: f32,
    ke: f32,
    kd: f32,
    mu: f32,
    // Index of the shape record.
    shape: u32,
}

// Where a body comes from and goes to if nobody touches it.
struct BodyRecord {
    q_begin: vec4<f32>,
    q_target: vec4<f32>,
    // Rotation from begin to target.
    turn_step: vec4<f32>,
    c_begin: vec3<f32>,
    mobility: u32,
    c_target: vec3<f32>,
    mass: f32,
    c_step: vec3<f32>,
    // Bound on the motion of a surface point at distance s: reach + reach_turn s.
    reach: f32,
    torque: vec3<f32>,
    reach_turn: f32,
    // Inertia about the centre of mass, body axes: diagonal, then xy, xz, yz.
    inertia_d: vec3<f32>,
    // First entry of its list of contacts.
    list_start: u32,
    inertia_o: vec3<f32>,
}

// The unknown of a body: rotation and displacement from its target.
struct BodyState {
    turn: vec4<f32>,
    dx: vec3<f32>,
    skipped: u32,
}

// Where a body now is, as its surface needs it.
struct BodySurface {
    q: vec4<f32>,
    // Rotation vector since the begin of the step.
    phi: vec3<f32>,
    c: vec3<f32>,
    // Displacement of the centre of mass since the begin of the step.
    dc: vec3<f32>,
}

struct ShapeRecord {
    // Shape frame in the body, relative to the centre of mass (or in the world).
    q: vec4<f32>,
    p: vec3<f32>,
    kind: u32,
    dims: vec3<f32>,
    margin: f32,
    gap: f32,
    bounding: f32,
    // Distance of its farthest point from the body's origin; negative = unbounded.
    far: f32,
    // Index of its body record, or WORLD.
    body: u32,
}
