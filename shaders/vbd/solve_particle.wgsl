// One descent step of the blocks of a color.
//
// Twin: `CpuParticles::solve_block` in crates/vbd/src/particle/blocks.rs and `apply` in
// sweep.rs. Theory: docs/theory/vbd.md eq. (4). Blocks of a color share no element (a
// solver whose colors do is refused), so each is written where it was read.

#include "common/grid.wgsl"
#include "vbd/eval_block.wgsl"

@group(1) @binding(0) var<uniform> params: RangeParams;

// |det H| at which the absolute rule skips a block.
const SINGULAR_DETERMINANT: f32 = 1e-8;

// eq. (4): the step, zero where the system is singular.
fn solve_block(block: Block, d: vec3<f32>, k: f32, absolute: bool) -> S3Solution {
    let H = s3_add_diagonal(block.H, k);
    let step_ = s3_solve(H, block.f - d * k);
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
    let d = particle_iterate[slot].d;
    let block = eval_block(slot, target_, d);
    let s = solve_block(block, d, target_.k, (step.flags & FLAG_SINGULAR_ABSOLUTE) != 0u);
    let moved = d + s.x;
    particle_iterate[slot] = ParticleIterate(target_.y + moved, select(1.0, 0.0, s.regular), moved);
}
