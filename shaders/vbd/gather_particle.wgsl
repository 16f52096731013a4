// Some particles, packed: position, velocity and what their blocks received. The only
// way by which particle state leaves the device between full downloads.
//
// Theory: docs/theory/vbd-gpu.md section 4.

#include "common/grid.wgsl"
#include "vbd/records.wgsl"

struct ParticleEnd {
    q: vec3<f32>,
    qd: vec3<f32>,
    // Displacement from the target [m].
    d: vec3<f32>,
}

@group(0) @binding(0) var<storage, read> wanted: array<u32>;
@group(0) @binding(1) var<storage, read> particle_q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> particle_qd: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> particle_iterate: array<ParticleIterate>;
@group(0) @binding(4) var<storage, read_write> ends: array<ParticleEnd>;
@group(1) @binding(0) var<uniform> params: RangeParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn gather_particle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = thread_index(gid, groups);
    if (i >= params.count) {
        return;
    }
    let slot = wanted[i];
    ends[i] = ParticleEnd(particle_q[slot].xyz, particle_qd[slot].xyz, particle_iterate[slot].d);
}
