// One descent step of the blocks of a color.
//
// Twin: `solve` in crates/vbd/src/lanes/kernel.rs and `apply` in
// sweep.rs. Theory: docs/theory/vbd.md eq. (4). Where blocks of a color share no element,
// each is written in place; else to `particle_next`, which apply_particle takes over.

#include "common/grid.wgsl"
#include "vbd/eval_block.wgsl"

@group(0) @binding(13) var<storage, read> particle_q: array<vec4<f32>>;
@group(0) @binding(14) var<storage, read_write> particle_next: array<ParticleIterate>;
@group(1) @binding(0) var<uniform> params: RangeParams;

// |det H| at which the absolute rule skips a block.
const SINGULAR_DETERMINANT: f32 = 1e-8;

// Position of the iterate; `difference`: from the begin position x0, rounded there.
fn eval_iterate(target_: ParticleTarget, x0: vec3<f32>, d: vec3<f32>, difference: bool) -> vec3<f32> {
    return select(target_.y + d, x0 + (target_.dy + d), difference);
}

// eq. (4): the step, zero where the system is singular; `offset`: what inertia pulls back.
fn solve_block(block: Block, offset: vec3<f32>, k: f32, absolute: bool) -> S3Solution {
    let H = s3_add_diagonal(block.H, k);
    let step_ = s3_solve(H, block.f - offset * k);
    let keep = select(step_.regular, abs(s3_det(H)) > SINGULAR_DETERMINANT, absolute);
    return S3Solution(select(vec3<f32>(0.0), step_.x, keep), keep);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn solve_particle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let thread = thread_index(gid, groups);
    if (thread >= params.count) {
        return;
    }
    let slot = params.first + thread;
    let target_ = particle_target[slot];
    if (target_.k <= 0.0) {
        return;
    }
    let iterate = particle_iterate[slot];
    let difference = (step.flags & FLAG_POSITION_DIFFERENCE) != 0u;
    let offset = select(iterate.d, iterate.x - target_.y, difference);
    let block = eval_block(slot, target_, iterate.d);
    let s = solve_block(block, offset, target_.k, (step.flags & FLAG_SINGULAR_ABSOLUTE) != 0u);
    let d = iterate.d + s.x;
    let x = eval_iterate(target_, particle_q[slot].xyz, d, difference);
    let moved = ParticleIterate(x, select(1.0, 0.0, s.regular), d);
    if ((step.flags & FLAG_SHARED_COLORS) != 0u) {
        particle_next[slot] = moved;
    } else {
        particle_iterate[slot] = moved;
    }
}
