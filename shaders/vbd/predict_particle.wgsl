// Inertial targets; the iterate starts there. Proxies keep their velocity: their targets
// follow in place_proxy.
//
// Twin: `Columns::predict` in crates/vbd/src/particle/columns.rs. Theory:
// docs/theory/vbd.md eq. (1), (2). The free velocity takes the place of the velocity.

#include "common/grid.wgsl"
#include "vbd/outcome.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> particle_info: array<ParticleInfo>;
@group(0) @binding(3) var<storage, read> particle_f: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> particle_qd: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> particle_target: array<ParticleTarget>;
@group(0) @binding(6) var<storage, read_write> particle_iterate: array<ParticleIterate>;
@group(0) @binding(7) var<storage, read_write> outcome: Outcome;

fn clear_outcome() {
    atomicStore(&outcome.nonfinite, 0u);
    atomicStore(&outcome.skipped, 0u);
    atomicStore(&outcome.rows, 0u);
    atomicStore(&outcome.pressing, 0u);
    atomicStore(&outcome.depth, 0u);
    atomicStore(&outcome.deepest, NOWHERE);
    atomicStore(&outcome.worst, NOWHERE);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn predict_particle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = thread_index(gid, groups);
    if (slot >= step.slots) {
        return;
    }
    if (slot == 0u) {
        clear_outcome();
    }
    let info = particle_info[slot];
    var v_free = particle_qd[slot].xyz;
    if (info.mobility == MOBILITY_DYNAMIC) {
        var f = vec3<f32>(0.0);
        if ((step.flags & FLAG_FORCES) != 0u) {
            f = particle_f[slot].xyz;
        }
        v_free += (step.gravity + f / info.mass) * step.h;
    }
    let moves = info.mobility >= MOBILITY_DYNAMIC;
    let k = select(0.0, info.mass * step.inv_h_sq, moves);
    let dy = select(vec3<f32>(0.0), v_free * step.h, moves);
    let y = particle_q[slot].xyz + dy;
    particle_qd[slot] = vec4<f32>(v_free, 0.0);
    particle_target[slot] = ParticleTarget(y, k, dy);
    particle_iterate[slot] = ParticleIterate(y, 0.0, vec3<f32>(0.0));
}
