// Squared force residual |f - d m/h2|^2 of every movable block, for a reduction.
//
// Twin: `CpuParticles::measure_residual` in crates/vbd/src/particle/inspect.rs.

#include "common/grid.wgsl"
#include "vbd/eval_block.wgsl"

@group(0) @binding(13) var<storage, read_write> residual_sq: array<f32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn residual_particle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = thread_index(gid, groups);
    if (slot >= step.blocks) {
        return;
    }
    let target_ = particle_target[slot];
    let d = particle_iterate[slot].d;
    var sq = 0.0;
    if (target_.k > 0.0) {
        let r = eval_block(slot, target_, d).f - d * target_.k;
        sq = dot(r, r);
    }
    residual_sq[slot] = sq;
}
