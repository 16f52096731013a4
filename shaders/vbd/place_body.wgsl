// Every body starts at its target.
//
// Twin: the end of `Bodies::predict` in crates/vbd/src/body/motion.rs.

#include "common/grid.wgsl"
#include "vbd/body_motion.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> bodies: array<BodyRecord>;
@group(0) @binding(2) var<storage, read_write> body_state: array<BodyState>;
@group(0) @binding(3) var<storage, read_write> body_surface: array<BodySurface>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn place_body(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = thread_index(gid, groups);
    if (i >= step.bodies) {
        return;
    }
    let state = BodyState(vec4<f32>(0.0, 0.0, 0.0, 1.0), vec3<f32>(0.0), 0u);
    body_state[i] = state;
    body_surface[i] = eval_surface(bodies[i], state.turn, state.dx);
}
