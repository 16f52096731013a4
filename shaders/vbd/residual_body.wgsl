// Squared force residual of every free body: one workgroup each.
//
// Twin: `Bodies::residual` in crates/vbd/src/body/block.rs. Theory: docs/theory/vbd.md
// eq. (17).

#include "vbd/eval_body.wgsl"

@group(0) @binding(9) var<storage, read_write> body_residual: array<f32>;
// first: where those of this dispatch go; count: free bodies.
@group(1) @binding(0) var<uniform> params: RangeParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn residual_body(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let body = group.x + group.y * groups.x;
    if (body >= params.count) {
        return;
    }
    let surface = body_surface[body];
    let contacts = gather_load(body, t, surface);
    if (t == 0u) {
        let r = eval_body(body, contacts, surface).lin;
        body_residual[params.first + body] = dot(r, r);
    }
}
