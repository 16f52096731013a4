// Bending of an edge between two triangles: discrete shells.
//
// Twin: crates/vbd/src/energy/hinge.rs, with the derivation. Theory:
// docs/theory/elasticity.md eq. (18)-(23).

#include "common/trig.wgsl"
#include "vbd/block.wgsl"

const DEGENERATE_SQ: f32 = 1e-12;
const TAU: f32 = 6.28318530718;

struct Hinge {
    // Rest length of the edge [m].
    L0: f32,
    // Rest angle [rad].
    theta0: f32,
    // Bending stiffness [N].
    ke: f32,
    // Damping of the angle [N s].
    kd: f32,
}

struct HingeRecord {
    v: array<u32, 4>,
    e: Hinge,
}

struct HingeAngle {
    theta: f32,
    regular: bool,
    d0: vec3<f32>,
    d1: vec3<f32>,
    length: f32,
    start0: f32,
    start1: f32,
}

fn hinge_inv(v: f32, regular: bool) -> f32 {
    return select(0.0, 1.0 / select(1.0, v, regular), regular);
}

// The angle at x: eq. (19).
fn eval_hinge_angle(x: array<vec3<f32>, 4>) -> HingeAngle {
    let a0 = x[2] - x[0];
    let b0 = x[3] - x[0];
    let a1 = x[2] - x[1];
    let b1 = x[3] - x[1];
    let e = x[3] - x[2];
    let n1 = cross(a0, b0);
    let n2 = cross(b1, a1);
    let n1_sq = dot(n1, n1);
    let n2_sq = dot(n2, n2);
    let e_sq = dot(e, e);

    // sizes against those of the sides, squared
    let s0 = dot(a0, a0) * dot(b0, b0);
    let s1 = dot(a1, a1) * dot(b1, b1);
    let sides = dot(a0, a0) + dot(b0, b0);
    let regular = n1_sq > DEGENERATE_SQ * s0 && n2_sq > DEGENERATE_SQ * s1 && e_sq > DEGENERATE_SQ * sides;

    let length_ = sqrt(e_sq);
    let u = e * hinge_inv(length_, regular);
    let theta = select(0.0, coact_atan2(dot(cross(n1, n2), u), dot(n1, n2)), regular);
    return HingeAngle(
        theta,
        regular,
        n1 * hinge_inv(n1_sq, regular),
        n2 * hinge_inv(n2_sq, regular),
        length_,
        dot(a0, u),
        dot(a1, u),
    );
}

// Gradient of vertex i: eq. (20).
fn hinge_gradient(a: HingeAngle, i: u32) -> vec3<f32> {
    var p = -a.start0;
    var q = -a.start1;
    if (i == 0u) {
        p = -a.length;
        q = 0.0;
    } else if (i == 1u) {
        p = 0.0;
        q = -a.length;
    } else if (i == 2u) {
        p = a.start0 + a.length;
        q = a.start1 + a.length;
    }
    return a.d0 * p + a.d1 * q;
}

// Bending force and Gauss-Newton block of the vertex with gradient g: eq. (21).
fn eval_hinge_elastic(h: Hinge, theta: f32, g: vec3<f32>) -> Block {
    let k = h.ke * h.L0;
    return Block(g * -(k * (theta - h.theta0)), s3_outer(k, g));
}

// Damping force and block: eq. (23); `start` is the angle at the start of the step.
fn eval_hinge_damping(h: Hinge, theta: f32, start: f32, regular: bool, g: vec3<f32>, inv_dt: f32) -> Block {
    let k = select(0.0, h.kd * h.L0 * inv_dt, regular);
    let delta0 = theta - start;
    let delta1 = select(delta0, delta0 - TAU, delta0 > COACT_PI);
    let delta = select(delta1, delta1 + TAU, delta1 < -COACT_PI);
    return Block(g * -(k * delta), s3_outer(k, g));
}
