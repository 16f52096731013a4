// Takes over the iterates of a color whose blocks share elements: all are solved from the
// old ones, then all are written.
//
// Twin: `CpuParticles::apply` in crates/vbd/src/particle/sweep.rs.

#include "common/grid.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(1) var<storage, read> particle_next: array<ParticleIterate>;
@group(0) @binding(2) var<storage, read_write> particle_iterate: array<ParticleIterate>;
@group(1) @binding(0) var<uniform> params: RangeParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn apply_particle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let thread = thread_index(gid, groups);
    if (thread >= params.count) {
        return;
    }
    let slot = params.first + thread;
    if (particle_target[slot].k > 0.0) {
        particle_iterate[slot] = particle_next[slot];
    }
}
