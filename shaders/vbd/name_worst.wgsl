// Where the deepest penetration and the largest residual of particles are; of equals the
// first.
//
// Twin: crates/vbd/src/particle/inspect.rs (`summarise_rows`, `measure_residual`).

#include "common/grid.wgsl"
#include "vbd/outcome.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> residual_sq: array<f32>;
// Element 0: the largest of them.
@group(0) @binding(2) var<storage, read> residual_max: array<f32>;
// Depth as bits, and slot * shapes + shape.
@group(0) @binding(3) var<storage, read> deepest: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> outcome: Outcome;

@compute @workgroup_size(WORKGROUP_SIZE)
fn name_worst(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = thread_index(gid, groups);
    if (slot >= step.slots) {
        return;
    }
    let pair = deepest[slot];
    if (pair.x > 0u && pair.x == atomicLoad(&outcome.depth)) {
        atomicMin(&outcome.deepest, pair.y);
    }
    if (slot < step.blocks && residual_sq[slot] > 0.0 && residual_sq[slot] == residual_max[0]) {
        atomicMin(&outcome.worst, slot);
    }
}
