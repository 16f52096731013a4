//! Records against their WGSL twins, field by field.

#![allow(non_snake_case)]

use std::mem::offset_of;

use coact_compute::testing::assert_layout;

use crate::gpu::elements::*;
use crate::gpu::records::*;

macro_rules! same {
    ($file:literal, $name:literal, $T:ty, [$($field:ident),*]) => {
        assert_layout::<$T>($file, $name, &[$((stringify!($field), offset_of!($T, $field))),*]);
    };
}

const _: () = assert!(size_of::<BodyRecord>() == 144 && size_of::<BodyState>() == 32);

#[test]
fn records_of_a_step_have_the_layout_of_their_shaders() {
    same!(
        "vbd/records.wgsl",
        "StepRecord",
        StepRecord,
        [
            gravity,
            h,
            inv_h,
            inv_h_sq,
            epsilon,
            flags,
            slots,
            blocks,
            shapes,
            materials,
            bodies,
            free_bodies,
            damped_depth,
            unused
        ]
    );
    same!("vbd/records.wgsl", "RangeParams", RangeParams, [first, count]);
    same!("vbd/records.wgsl", "ParticleInfo", ParticleInfo, [mass, radius, mobility, material]);
    same!("vbd/records.wgsl", "ParticleTarget", ParticleTarget, [y, k, dy]);
    same!("vbd/records.wgsl", "ParticleIterate", ParticleIterate, [x, skipped, d]);
    same!("vbd/records.wgsl", "ContactRecord", ContactRecord, [point, body, n, reach, ke, kd, mu, shape]);
    same!(
        "vbd/outcome.wgsl",
        "Outcome",
        Outcome,
        [nonfinite, skipped, rows, pressing, depth, deepest, worst, unused]
    );
    same!("vbd/place_proxy.wgsl", "ProxyTarget", ProxyTarget, [y, slot, v_free, relative]);
    same!("vbd/gather_particle.wgsl", "ParticleEnd", ParticleEnd, [q, qd, d]);
}

#[test]
fn records_of_bodies_and_shapes_have_the_layout_of_their_shaders() {
    same!(
        "vbd/records.wgsl",
        "BodyRecord",
        BodyRecord,
        [
            q_begin, q_target, turn_step, c_begin, mobility, c_target, mass, c_step, reach, torque,
            reach_turn, inertia_d, list_start, inertia_o
        ]
    );
    same!("vbd/records.wgsl", "BodyState", BodyState, [turn, dx, skipped]);
    same!("vbd/records.wgsl", "BodySurface", BodySurface, [q, phi, c, dc]);
    same!(
        "vbd/records.wgsl",
        "ShapeRecord",
        ShapeRecord,
        [q, p, kind, dims, margin, gap, bounding, far, body]
    );
}

#[test]
fn element_records_have_the_layout_of_their_shaders() {
    same!("vbd/spring.wgsl", "SpringRecord", DeviceSpring, [v, e]);
    same!("vbd/spring.wgsl", "Spring", SpringPart, [l0, ke, kd]);
    same!("vbd/membrane.wgsl", "TriangleRecord", DeviceTriangle, [v, e]);
    same!("vbd/membrane.wgsl", "Membrane", MembranePart, [Dm_inv, A, mu, lambda, kd]);
    same!("vbd/hinge.wgsl", "HingeRecord", DeviceHinge, [v, e]);
    same!("vbd/hinge.wgsl", "Hinge", HingePart, [L0, theta0, ke, kd]);
    same!("vbd/tetrahedron.wgsl", "TetRecord", DeviceTet, [v, e]);
    same!("vbd/tetrahedron.wgsl", "Tetrahedron", TetrahedronPart, [Dm_inv, V, mu, lambda, kd]);
}
