// The contact records of each free body, as a list in order of slots: one workgroup per
// body, a running sum over chunks of slots, no atomics. Free bodies come first.
//
// Twin: `ContactRows::list_by_body` in crates/vbd/src/contact/rows.rs.

#include "common/grid.wgsl"
#include "vbd/records.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> bodies: array<BodyRecord>;
@group(0) @binding(2) var<storage, read> contact_records: array<ContactRecord>;
@group(0) @binding(3) var<storage, read> contact_count: array<u32>;
@group(0) @binding(4) var<storage, read_write> body_contacts: array<u32>;
@group(0) @binding(5) var<storage, read_write> body_contact_count: array<u32>;

var<workgroup> ends: array<u32, WORKGROUP_SIZE>;

// Records of `body` at a slot.
fn count_records(slot: u32, body: u32) -> u32 {
    var found = 0u;
    if (slot < step.slots) {
        for (var k = 0u; k < contact_count[slot]; k++) {
            found += select(0u, 1u, contact_records[k * step.slots + slot].body == body);
        }
    }
    return found;
}

// Writes the records of `body` at a slot from entry `at` on.
fn write_records(slot: u32, body: u32, at: u32) {
    var to = at;
    for (var k = 0u; k < contact_count[slot]; k++) {
        let i = k * step.slots + slot;
        if (contact_records[i].body == body) {
            body_contacts[to] = i;
            to += 1u;
        }
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn list_body_contacts(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let body = group.x + group.y * groups.x;
    if (body >= step.free_bodies) {
        return;
    }
    let start = bodies[body].list_start;
    var total = 0u;
    for (var chunk = 0u; chunk < step.slots; chunk += WORKGROUP_SIZE) {
        let slot = chunk + t;
        let mine = count_records(slot, body);
        ends[t] = mine;
        workgroupBarrier();
        // running sum over the threads
        for (var offset = 1u; offset < WORKGROUP_SIZE; offset *= 2u) {
            var before = 0u;
            if (t >= offset) {
                before = ends[t - offset];
            }
            workgroupBarrier();
            ends[t] += before;
            workgroupBarrier();
        }
        if (mine > 0u) {
            write_records(slot, body, start + total + ends[t] - mine);
        }
        total += ends[WORKGROUP_SIZE - 1u];
        workgroupBarrier();
    }
    if (t == 0u) {
        body_contact_count[body] = total;
    }
}
