// Detection: each particle against every visible shape, once per step.
//
// A dense table, shapes x slots, takes every record that there can be; a particle's
// records stand in order of shapes at k slots + slot, k below its count. Theory:
// docs/theory/vbd.md eq. (12), docs/theory/vbd-gpu.md section 2.

#include "common/grid.wgsl"
#include "collide/particle_shape.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> particle_info: array<ParticleInfo>;
@group(0) @binding(3) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(4) var<storage, read> shapes: array<ShapeRecord>;
@group(0) @binding(5) var<storage, read> bodies: array<BodyRecord>;
@group(0) @binding(6) var<storage, read> pair_material: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> contact_records: array<ContactRecord>;
@group(0) @binding(8) var<storage, read_write> contact_count: array<u32>;

// The shape at the begin of the step, and how its body moves.
struct Candidate {
    placed: PlacedShape,
    mobility: u32,
}

fn place_shape(s: ShapeRecord, reach: f32) -> Candidate {
    let near = reach + s.gap + s.margin;
    if (s.body == WORLD) {
        return Candidate(PlacedShape(s.q, s.p, s.dims, s.kind, s.bounding, near), MOBILITY_STATIC);
    }
    let b = bodies[s.body];
    let motion = select(0.0, b.reach + b.reach_turn * s.far, s.far >= 0.0);
    let p = b.c_begin + quat_rotate(b.q_begin, s.p);
    let q = quat_mul(b.q_begin, s.q);
    return Candidate(PlacedShape(q, p, s.dims, s.kind, s.bounding, near + motion), b.mobility);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn detect_particle_shape(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = thread_index(gid, groups);
    if (slot >= step.slots) {
        return;
    }
    let info = particle_info[slot];
    let x = particle_q[slot].xyz;
    let motion = select(0.0, length(particle_target[slot].dy), (step.flags & FLAG_SPECULATIVE) != 0u);
    var count = 0u;
    for (var s = 0u; s < step.shapes; s++) {
        let shape = shapes[s];
        let candidate = place_shape(shape, info.radius + motion);
        if (info.mobility == MOBILITY_STATIC || !is_pair(info.mobility, candidate.mobility)) {
            continue;
        }
        let at = meet(candidate.placed, x);
        if (at.near) {
            let pair = pair_material[s * step.materials + info.material];
            let point = shape.p + quat_rotate(shape.q, at.point);
            let reach = info.radius + shape.margin;
            contact_records[count * step.slots + slot] =
                ContactRecord(point, shape.body, at.normal, reach, pair.x, pair.y, pair.z, s);
            count += 1u;
        }
    }
    contact_count[slot] = count;
}
