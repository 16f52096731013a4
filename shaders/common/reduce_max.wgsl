// Largest element of blocks of an array: one workgroup, one block, one value.
//
// Elements are not negative (magnitudes, squares): idle threads hold 0.

#include "common/grid.wgsl"

// Elements of a block; the factor is `PER_THREAD` in crates/compute/src/reduce.rs.
const REDUCE_BLOCK: u32 = 4u * WORKGROUP_SIZE;

struct ReduceParams {
    // Elements of `source`.
    count: u32,
}

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> partial: array<f32>;
@group(1) @binding(0) var<uniform> params: ReduceParams;

var<workgroup> maxima: array<f32, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce_max(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.x + group.y * groups.x;
    var largest = 0.0;
    let first = block * REDUCE_BLOCK;
    let end = min(params.count, first + REDUCE_BLOCK);
    for (var i = first + t; i < end; i += WORKGROUP_SIZE) {
        largest = max(largest, source[i]);
    }
    maxima[t] = largest;
    for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            maxima[t] = max(maxima[t], maxima[t + half]);
        }
    }
    if (t == 0u && first < params.count) {
        partial[block] = maxima[0];
    }
}
