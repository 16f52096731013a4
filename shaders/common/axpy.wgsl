// y <- a x + y, over a range of the arrays.

#include "common/grid.wgsl"

struct AxpyParams {
    // Factor of x.
    a: f32,
    // First element of the range.
    first: u32,
    // Number of elements.
    count: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: AxpyParams;

fn eval_axpy(a: f32, x_i: f32, y_i: f32) -> f32 {
    return a * x_i + y_i;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn axpy(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let thread = thread_index(gid, groups);
    if (thread >= params.count) {
        return;
    }
    let i = params.first + thread;
    y[i] = eval_axpy(params.a, x[i], y[i]);
}
