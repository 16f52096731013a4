// End positions and velocities: x = y + d, v = v_free + d/h.
//
// Twin: `Columns::finalize` in crates/vbd/src/particle/columns.rs. Theory:
// docs/theory/vbd.md eq. (5).

#include "common/grid.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(2) var<storage, read> particle_iterate: array<ParticleIterate>;
@group(0) @binding(3) var<storage, read_write> particle_q: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> particle_qd: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn finalize_particle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = thread_index(gid, groups);
    if (slot >= step.slots) {
        return;
    }
    let target_ = particle_target[slot];
    let d = particle_iterate[slot].d;
    let x = target_.y + d;
    var v = particle_qd[slot].xyz + d / step.h;
    if ((step.flags & FLAG_POSITION_DIFFERENCE) != 0u && target_.k > 0.0) {
        v = (x - particle_q[slot].xyz) / step.h;
    }
    particle_q[slot] = vec4<f32>(x, 0.0);
    particle_qd[slot] = vec4<f32>(v, 0.0);
}
