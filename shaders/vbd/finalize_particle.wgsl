// End positions and velocities: x = y + d, v = v_free + d/h. Counts what is not finite.
//
// Twin: `Columns::finalize` in crates/vbd/src/particle/columns.rs. Theory:
// docs/theory/vbd.md eq. (5).

#include "common/grid.wgsl"
#include "vbd/outcome.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(2) var<storage, read> particle_iterate: array<ParticleIterate>;
@group(0) @binding(3) var<storage, read_write> particle_q: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> particle_qd: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> outcome: Outcome;

// 1 unless all components are finite. By bits: compilers may assume that floats are.
fn count_nonfinite(v: vec3<f32>) -> f32 {
    let e = bitcast<vec3<u32>>(v) & vec3<u32>(0x7f800000u);
    return select(0.0, 1.0, any(e == vec3<u32>(0x7f800000u)));
}

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
    let iterate = particle_iterate[slot];
    var x = target_.y + iterate.d;
    var v = particle_qd[slot].xyz + iterate.d / step.h;
    if ((step.flags & FLAG_POSITION_DIFFERENCE) != 0u && target_.k > 0.0) {
        // the stored iterate, already rounded: a sum here would cancel before it rounds
        x = iterate.x;
        v = (x - particle_q[slot].xyz) / step.h;
    }
    particle_q[slot] = vec4<f32>(x, 0.0);
    particle_qd[slot] = vec4<f32>(v, 0.0);
    if (slot < step.blocks && count_nonfinite(x) + count_nonfinite(v) > 0.0) {
        atomicAdd(&outcome.nonfinite, 1u);
    }
}
