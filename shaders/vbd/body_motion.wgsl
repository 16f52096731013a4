// Where a body is, from its displacement and rotation from the target.
//
// Twin: `Bodies::solve` in crates/vbd/src/body/block.rs, which keeps the pose; here the
// rotation from the target is kept, so that small turns keep their digits. Theory:
// docs/theory/vbd.md eq. (18), docs/theory/vbd-gpu.md section 3.

#include "common/so3.wgsl"
#include "vbd/records.wgsl"

// The rotation by the rotation vector theta after q, normalised.
fn turned(q: vec4<f32>, theta: vec3<f32>) -> vec4<f32> {
    return normalize(quat_mul(exp_so3(theta), q));
}

// The rotation by 2 atan(|w|/2) about w after q: the first-order rule.
fn half_turned(q: vec4<f32>, w: vec3<f32>) -> vec4<f32> {
    return normalize(quat_mul(vec4<f32>(w * 0.5, 1.0), q));
}

fn eval_surface(b: BodyRecord, turn: vec4<f32>, dx: vec3<f32>) -> BodySurface {
    let q = normalize(quat_mul(turn, b.q_target));
    let phi = log_so3(quat_mul(turn, b.turn_step));
    return BodySurface(q, phi, b.c_target + dx, b.c_step + dx);
}
