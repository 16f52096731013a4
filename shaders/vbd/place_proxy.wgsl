// Targets of proxy particles, as their coupler has them, and of pinned particles that move.
//
// Twin: `CpuParticles::set_target` in crates/vbd/src/particle/cpu.rs. Theory:
// docs/theory/vbd.md eq. (21).

#include "common/grid.wgsl"
#include "vbd/records.wgsl"

struct ProxyTarget {
    // Free end, or the displacement to it [m].
    y: vec3<f32>,
    slot: u32,
    // Velocity at the free end [m/s].
    v_free: vec3<f32>,
    // 1: y is a displacement from the begin of the step; 0: a place.
    relative: u32,
}

@group(0) @binding(0) var<storage, read> particle_q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> proxy_targets: array<ProxyTarget>;
@group(0) @binding(2) var<storage, read_write> particle_qd: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> particle_target: array<ParticleTarget>;
@group(0) @binding(4) var<storage, read_write> particle_iterate: array<ParticleIterate>;
@group(1) @binding(0) var<uniform> params: RangeParams;

@compute @workgroup_size(WORKGROUP_SIZE)
fn place_proxy(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let thread = thread_index(gid, groups);
    if (thread >= params.count) {
        return;
    }
    let proxy = proxy_targets[params.first + thread];
    let x0 = particle_q[proxy.slot].xyz;
    let y = select(proxy.y, x0 + proxy.y, proxy.relative == 1u);
    let dy = select(proxy.y - x0, proxy.y, proxy.relative == 1u);
    particle_qd[proxy.slot] = vec4<f32>(proxy.v_free, 0.0);
    particle_target[proxy.slot] = ParticleTarget(y, particle_target[proxy.slot].k, dy);
    particle_iterate[proxy.slot] = ParticleIterate(y, 0.0, vec3<f32>(0.0));
}
