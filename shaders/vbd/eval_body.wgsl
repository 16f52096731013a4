// Wrench and Hessian of one body: its contacts, gathered by one workgroup in strides and
// then in a tree, both fixed, and inertia. Also the bindings that this needs, shared by the
// kernels that solve a body and that measure its residual.
//
// Twin: `CpuParticles::load_of_body` in crates/vbd/src/particle/contact.rs. Theory:
// docs/theory/vbd.md eq. (17), docs/theory/vbd-gpu.md section 3.

#include "common/grid.wgsl"
#include "vbd/body_load.wgsl"
#include "vbd/body_motion.wgsl"
#include "vbd/contact_row.wgsl"

@group(0) @binding(0) var<uniform> step: StepRecord;
@group(0) @binding(1) var<storage, read> particle_target: array<ParticleTarget>;
@group(0) @binding(2) var<storage, read> particle_iterate: array<ParticleIterate>;
@group(0) @binding(3) var<storage, read> bodies: array<BodyRecord>;
@group(0) @binding(4) var<storage, read> contact_records: array<ContactRecord>;
@group(0) @binding(5) var<storage, read> body_contacts: array<u32>;
@group(0) @binding(6) var<storage, read> body_contact_count: array<u32>;
@group(0) @binding(7) var<storage, read_write> body_state: array<BodyState>;
@group(0) @binding(8) var<storage, read_write> body_surface: array<BodySurface>;

var<workgroup> loads: array<BodyLoad, WORKGROUP_SIZE>;

// What one record puts on its body.
fn load_of_record(i: u32, surface: BodySurface) -> BodyLoad {
    let c = contact_records[i];
    let slot = i % step.slots;
    let target_ = particle_target[slot];
    let row = eval_row(c, surface_point(surface, c.point), target_.y, target_.dy);
    let block = eval_contact(row, SlipLaw(step.inv_h, step.epsilon, step.damped_depth), particle_iterate[slot].d);
    return react(block.f, block.H, quat_rotate(surface.q, c.point));
}

// What all records put on a body; the first thread gets the sum.
fn gather_load(body: u32, t: u32, surface: BodySurface) -> BodyLoad {
    let start = bodies[body].list_start;
    var sum = load_zero();
    for (var k = t; k < body_contact_count[body]; k += WORKGROUP_SIZE) {
        sum = load_add(sum, load_of_record(body_contacts[start + k], surface));
    }
    loads[t] = sum;
    for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            loads[t] = load_add(loads[t], loads[t + half]);
        }
    }
    return loads[t];
}

// eq. (17) with what the contacts put on the body.
fn eval_body(body: u32, contacts: BodyLoad, surface: BodySurface) -> BodyLoad {
    let b = bodies[body];
    let s = body_state[body];
    let w = step.inv_h_sq;
    let j_w = s3_scale(world_inertia(surface.q, b.inertia_d, b.inertia_o), w);
    return add_inertia(contacts, b.mass * w, j_w, s.dx, log_so3(s.turn), b.torque);
}
