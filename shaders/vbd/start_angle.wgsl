// Angle of each damped hinge at the begin of the step, and whether it had one.
//
// Twin: `start_angles` in crates/vbd/src/lanes/kernel.rs. Theory:
// docs/theory/elasticity.md eq. (23).

#include "common/grid.wgsl"
#include "vbd/hinge.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<storage, read> particle_q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> hinges: array<HingeRecord>;
@group(0) @binding(2) var<storage, read_write> hinge_start: array<vec2<f32>>;
@group(1) @binding(0) var<uniform> params: RangeParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn start_angle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = thread_index(gid, groups);
    if (i >= params.count) {
        return;
    }
    let h = hinges[i];
    if (h.e.kd <= 0.0) {
        hinge_start[i] = vec2<f32>(0.0);
        return;
    }
    let a = eval_hinge_angle(array<vec3<f32>, 4>(
        particle_q[h.v[0]].xyz,
        particle_q[h.v[1]].xyz,
        particle_q[h.v[2]].xyz,
        particle_q[h.v[3]].xyz,
    ));
    hinge_start[i] = vec2<f32>(a.theta, select(0.0, 1.0, a.regular));
}
