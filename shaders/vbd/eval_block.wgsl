// Force and Hessian of one block: rows, springs, membrane, hinges, tetrahedra, in this
// order, each in order of its list. Also the bindings that this needs, shared by the
// kernels that solve a block and that measure its residual.
//
// Twin: crates/vbd/src/lanes/kernel.rs. Theory: docs/theory/vbd.md eq. (3).

#include "vbd/contact_row.wgsl"
#include "vbd/hinge.wgsl"
#include "vbd/membrane.wgsl"
#include "vbd/spring.wgsl"
#include "vbd/tetrahedron.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(2) var<storage, read> body_surface: array<BodySurface>;
@group(0) @binding(3) var<storage, read> contact_records: array<ContactRecord>;
@group(0) @binding(4) var<storage, read> contact_count: array<u32>;
// Start of each block's corners, per kind of element.
@group(0) @binding(5) var<storage, read> corner_start: array<vec4<u32>>;
// element << 2 | corner
@group(0) @binding(6) var<storage, read> corners: array<u32>;
@group(0) @binding(7) var<storage, read> springs: array<SpringRecord>;
@group(0) @binding(8) var<storage, read> triangles: array<TriangleRecord>;
@group(0) @binding(9) var<storage, read> hinges: array<HingeRecord>;
@group(0) @binding(10) var<storage, read> tets: array<TetRecord>;
@group(0) @binding(11) var<storage, read> hinge_start: array<vec2<f32>>;
@group(0) @binding(12) var<storage, read_write> particle_iterate: array<ParticleIterate>;

fn x_at(slot: u32) -> vec3<f32> {
    return particle_iterate[slot].x;
}

// Displacement since the begin of the step.
fn u_at(slot: u32) -> vec3<f32> {
    return particle_target[slot].dy + particle_iterate[slot].d;
}

fn eval_rows(slot: u32, target_: ParticleTarget, d: vec3<f32>) -> Block {
    let law = SlipLaw(step.inv_h, step.epsilon, step.damped_depth);
    var sum = block_zero();
    for (var k = 0u; k < contact_count[slot]; k++) {
        let c = contact_records[k * step.slots + slot];
        var at = MovedPoint(c.point, vec3<f32>(0.0));
        if (c.body != WORLD) {
            at = surface_point(body_surface[c.body], c.point);
        }
        sum = block_add(sum, eval_contact(eval_row(c, at, target_.y, target_.dy), law, d));
    }
    return sum;
}

fn eval_spring(corner: u32) -> Block {
    let s = springs[corner >> 2u];
    var v = s.v;
    let a = v[corner & 3u];
    let b = v[1u - (corner & 3u)];
    let d = x_at(a) - x_at(b);
    let block = eval_spring_elastic(s.e, d, (step.flags & FLAG_SPRING_EXACT) != 0u);
    if (s.e.kd <= 0.0) {
        return block;
    }
    return block_add(block, eval_spring_damping(s.e, d, u_at(a) - u_at(b), step.inv_h));
}

fn eval_triangle(corner: u32) -> Block {
    let t = triangles[corner >> 2u];
    let F = membrane_F(array<vec3<f32>, 3>(x_at(t.v[0]), x_at(t.v[1]), x_at(t.v[2])), t.e.Dm_inv);
    let m = membrane_weights(t.e.Dm_inv, corner & 3u);
    let block = eval_membrane_elastic(t.e, F, m, (step.flags & FLAG_MEMBRANE_CLAMPED) != 0u);
    if (t.e.kd <= 0.0) {
        return block;
    }
    let dF = membrane_F(array<vec3<f32>, 3>(u_at(t.v[0]), u_at(t.v[1]), u_at(t.v[2])), t.e.Dm_inv);
    return block_add(block, eval_membrane_damping(t.e, F, dF, m, step.inv_h));
}

fn eval_hinge(corner: u32) -> Block {
    let h = hinges[corner >> 2u];
    let a = eval_hinge_angle(array<vec3<f32>, 4>(x_at(h.v[0]), x_at(h.v[1]), x_at(h.v[2]), x_at(h.v[3])));
    let g = hinge_gradient(a, corner & 3u);
    let block = eval_hinge_elastic(h.e, a.theta, g);
    if (h.e.kd <= 0.0) {
        return block;
    }
    let start = hinge_start[corner >> 2u];
    return block_add(block, eval_hinge_damping(h.e, a.theta, start.x, start.y > 0.0, g, step.inv_h));
}

fn eval_tet(corner: u32) -> Block {
    let t = tets[corner >> 2u];
    let x = array<vec3<f32>, 4>(x_at(t.v[0]), x_at(t.v[1]), x_at(t.v[2]), x_at(t.v[3]));
    let F = tetrahedron_F(x, t.e.Dm_inv);
    let m = tetrahedron_weights(t.e.Dm_inv, corner & 3u);
    let block = eval_tetrahedron_elastic(t.e, F, m);
    if (t.e.kd <= 0.0) {
        return block;
    }
    let u = array<vec3<f32>, 4>(u_at(t.v[0]), u_at(t.v[1]), u_at(t.v[2]), u_at(t.v[3]));
    return block_add(block, eval_tetrahedron_damping(t.e, F, tetrahedron_F(u, t.e.Dm_inv), m, step.inv_h));
}

// eq. (3) without inertia: what elements and rows give to a block.
fn eval_block(slot: u32, target_: ParticleTarget, d: vec3<f32>) -> Block {
    var sum = eval_rows(slot, target_, d);
    let first = corner_start[slot];
    let end = corner_start[slot + 1u];
    for (var i = first.x; i < end.x; i++) {
        sum = block_add(sum, eval_spring(corners[i]));
    }
    for (var i = first.y; i < end.y; i++) {
        sum = block_add(sum, eval_triangle(corners[i]));
    }
    for (var i = first.z; i < end.z; i++) {
        sum = block_add(sum, eval_hinge(corners[i]));
    }
    for (var i = first.w; i < end.w; i++) {
        sum = block_add(sum, eval_tet(corners[i]));
    }
    return sum;
}
