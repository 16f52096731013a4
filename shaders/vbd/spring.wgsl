// Spring between two particles.
//
// Twin: crates/vbd/src/energy/spring.rs, with the derivation. Theory:
// docs/theory/elasticity.md eq. (24)-(27).

#include "vbd/block.wgsl"

const COLLAPSED: f32 = 1e-8;
const TINY: f32 = 1.17549435e-38;

struct Spring {
    // Rest length [m].
    l0: f32,
    // Stiffness [N/m].
    ke: f32,
    // Axial damping [N s/m].
    kd: f32,
}

struct SpringRecord {
    v: array<u32, 2>,
    e: Spring,
}

struct SpringAxis {
    l: f32,
    u: vec3<f32>,
}

fn spring_axis(s: Spring, d: vec3<f32>) -> SpringAxis {
    let floor_ = max(s.l0 * COLLAPSED, TINY);
    let l = max(length(d), floor_);
    return SpringAxis(l, d * (1.0 / l));
}

// `exact`: the second derivative, indefinite in compression; else clamped.
fn eval_spring_elastic(s: Spring, d: vec3<f32>, exact: bool) -> Block {
    let axis = spring_axis(s, d);
    let full = 1.0 - s.l0 / axis.l;
    let transverse = select(max(full, 0.0), full, exact);
    let H = s3_outer(s.ke * (1.0 - transverse), axis.u);
    return Block(axis.u * -(s.ke * (axis.l - s.l0)), s3_add_diagonal(H, s.ke * transverse));
}

fn eval_spring_damping(s: Spring, d: vec3<f32>, dd: vec3<f32>, inv_dt: f32) -> Block {
    let axis = spring_axis(s, d);
    let l_prev = spring_axis(s, d - dd).l;
    let dl = dot(dd, d + (d - dd)) / (axis.l + l_prev);
    let k = s.kd * inv_dt;
    return Block(axis.u * -(k * dl), s3_outer(k, axis.u));
}
