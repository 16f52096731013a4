// What a step's report wants to know of each particle: rows, rows that press, deepest
// penetration, whether its block was skipped, whether it is not finite.
//
// Twin: crates/vbd/src/particle/inspect.rs (`summarise_rows`) and `note_nonfinite`.

#include "common/grid.wgsl"
#include "vbd/contact_row.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(2) var<storage, read> particle_iterate: array<ParticleIterate>;
@group(0) @binding(3) var<storage, read> body_surface: array<BodySurface>;
@group(0) @binding(4) var<storage, read> contact_records: array<ContactRecord>;
@group(0) @binding(5) var<storage, read> contact_count: array<u32>;
@group(0) @binding(6) var<storage, read_write> rows: array<f32>;
@group(0) @binding(7) var<storage, read_write> active_rows: array<f32>;
@group(0) @binding(8) var<storage, read_write> depth: array<f32>;
@group(0) @binding(9) var<storage, read_write> skipped: array<f32>;
@group(0) @binding(10) var<storage, read_write> nonfinite: array<f32>;

// 1 unless all components are finite. By bits: compilers may assume that floats are.
fn count_nonfinite(v: vec3<f32>) -> f32 {
    let e = bitcast<vec3<u32>>(v) & vec3<u32>(0x7f800000u);
    return select(0.0, 1.0, any(e == vec3<u32>(0x7f800000u)));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn measure_particle(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = thread_index(gid, groups);
    if (slot >= step.slots) {
        return;
    }
    let target_ = particle_target[slot];
    let iterate = particle_iterate[slot];
    var deepest = 0.0;
    var pressing = 0.0;
    for (var k = 0u; k < contact_count[slot]; k++) {
        let c = contact_records[k * step.slots + slot];
        var at = MovedPoint(c.point, vec3<f32>(0.0));
        if (c.body != WORLD) {
            at = surface_point(body_surface[c.body], c.point);
        }
        let pen = eval_penetration(eval_row(c, at, target_.y, target_.dy), iterate.d);
        pressing += select(0.0, 1.0, pen > 0.0);
        deepest = max(deepest, pen);
    }
    rows[slot] = f32(contact_count[slot]);
    active_rows[slot] = pressing;
    depth[slot] = deepest;
    skipped[slot] = iterate.skipped;
    nonfinite[slot] = select(0.0, count_nonfinite(iterate.x), slot < step.blocks);
}
