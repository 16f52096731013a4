// What a step's report wants to know of each particle: rows, rows that press, deepest
// penetration with its pair, whether its block was skipped.
//
// Twin: crates/vbd/src/particle/inspect.rs (`summarise_rows`).

#include "common/grid.wgsl"
#include "vbd/contact_row.wgsl"
#include "vbd/outcome.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(2) var<storage, read> particle_iterate: array<ParticleIterate>;
@group(0) @binding(3) var<storage, read> body_surface: array<BodySurface>;
@group(0) @binding(4) var<storage, read> contact_records: array<ContactRecord>;
@group(0) @binding(5) var<storage, read> contact_count: array<u32>;
// Depth as bits, and slot * shapes + shape.
@group(0) @binding(6) var<storage, read_write> deepest: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> outcome: Outcome;

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
    let rows = contact_count[slot];
    var depth = 0.0;
    var shape = 0u;
    var pressing = 0u;
    for (var k = 0u; k < rows; k++) {
        let c = contact_records[k * step.slots + slot];
        var at = MovedPoint(c.point, vec3<f32>(0.0));
        if (c.body != WORLD) {
            at = surface_point(body_surface[c.body], c.point);
        }
        let pen = eval_penetration(eval_row(c, at, target_.y, target_.dy), iterate.d);
        pressing += select(0u, 1u, pen > 0.0);
        if (pen > depth) {
            depth = pen;
            shape = c.shape;
        }
    }
    deepest[slot] = vec2<u32>(bitcast<u32>(depth), slot * step.shapes + shape);
    if (rows > 0u) {
        atomicAdd(&outcome.rows, rows);
        atomicAdd(&outcome.pressing, pressing);
        atomicMax(&outcome.depth, bitcast<u32>(depth));
    }
    if (iterate.skipped > 0.0) {
        atomicAdd(&outcome.skipped, 1u);
    }
}
