// Rotations: quaternions (x, y, z, w) and rotation vectors.
//
// Twin: crates/math/src/so3.rs and nalgebra's unit quaternions, in f64 on the host.
// Theory: docs/theory/rotations.md eq. (1), (2).

#include "common/trig.wgsl"

fn quat_mul(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let v = b.xyz * a.w + a.xyz * b.w + cross(a.xyz, b.xyz);
    return vec4<f32>(v, a.w * b.w - dot(a.xyz, b.xyz));
}

fn quat_inverse(q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(-q.xyz, q.w);
}

fn quat_rotate(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = cross(q.xyz, v) * 2.0;
    return v + t * q.w + cross(q.xyz, t);
}

// The rotation by |theta| about theta: eq. (1).
fn exp_so3(theta: vec3<f32>) -> vec4<f32> {
    let half = 0.5 * length(theta);
    // sin(half)/(2 half); below 1e-2 the next term of the series is below rounding
    let series = 0.5 * (1.0 - half * half / 6.0);
    let s = select(0.5 * coact_sin(half) / max(half, 1e-2), series, half < 1e-2);
    return vec4<f32>(theta * s, coact_cos(half));
}

// The shortest rotation vector of q: eq. (2).
fn log_so3(q: vec4<f32>) -> vec3<f32> {
    let p = select(q, -q, q.w < 0.0);
    let n = length(p.xyz);
    // 2 atan2(n, w)/n, whose limit is 2/w; w is 1 there
    let s = select(2.0 * coact_atan2(n, p.w) / max(n, 1e-18), 2.0, n < 1e-18);
    return p.xyz * s;
}
