//! Section 4 of the architecture, clause by clause, on one small scene.

use coact_math::{Mat3, Pose, Vec3};

use super::*;
use crate::builder::{AttachmentDef, BodyDef, BodyMass, JointDef, ModelBuilder, ParticleDef, ShapeDef};
use crate::joint::JointKind;
use crate::shape::{Geometry, ShapeFlags};

/// Four particles (the last one pinned). Bodies: 0 and 1 jointed, 2 free, 3 kinematic.
/// One sphere per body (shapes 0 to 3), two static planes (4, 5). Joints: 0 between
/// bodies 0 and 1, 1 from the world to body 2. Attachments: particle i to body i.
fn scene() -> Model {
    let mut b = ModelBuilder::new();
    for i in 0..4 {
        b.add_particle(ParticleDef { q: Vec3::new(i as f64, 0.0, 0.0), mass: 2.0, ..Default::default() });
    }
    b.pin_particle(ParticleId(3));
    let geometry = Geometry::Sphere { radius: 0.1 };
    for i in 0..4 {
        let mass = BodyMass::Given { mass: 4.0, com: Vec3::zeros(), inertia: Mat3::identity() * 2.0 };
        let pose = Pose::translation(Vec3::new(i as f64, 1.0, 0.0));
        let body = b.add_body(BodyDef { pose, mass, kinematic: i == 3, ..Default::default() });
        b.add_shape(ShapeDef { body: Some(body), geometry: geometry.clone(), ..Default::default() });
    }
    b.add_shape(ShapeDef::default());
    b.add_shape(ShapeDef::default());
    b.add_joint(JointDef::new(JointKind::Free, Some(BodyId(0)), BodyId(1)));
    b.add_joint(JointDef::new(JointKind::Free, None, BodyId(2)));
    for i in 0..4 {
        b.add_attachment(AttachmentDef::hard(ParticleId(i), BodyId(i), Vec3::zeros()));
    }
    b.finalize().unwrap()
}

fn meets(v: &ModelView) -> Vec<bool> {
    v.shape_flags
        .iter()
        .map(|f| f.intersects(ShapeFlags::COLLIDE_SHAPES | ShapeFlags::COLLIDE_PARTICLES))
        .collect()
}

/// Names of the columns that two models do not share.
fn unshared(a: &Model, b: &Model) -> Vec<&'static str> {
    macro_rules! list {
        ($($c:ident)+) => {{
            // Fails to compile when a column is added to the model and not here.
            let Model { names: _, gravity: _, $($c: _,)+ } = a;
            let mut out = Vec::new();
            $(if !a.$c.shares_with(&b.$c) { out.push(stringify!($c)); })+
            out
        }};
    }
    list!(particle_q particle_qd particle_mass particle_inv_mass particle_radius particle_active
        particle_material particle_color particle_color_groups spring_indices spring_rest_length spring_ke
        spring_kd tri_indices tri_rest_inv tri_rest_area tri_mu tri_lambda tri_kd hinge_indices
        hinge_rest_angle hinge_rest_length hinge_ke hinge_kd tet_indices tet_rest_inv tet_mu tet_lambda
        tet_kd body_q body_qd body_mass body_inv_mass body_com body_inertia body_inv_inertia
        body_kinematic body_color body_color_groups joint_kind joint_parent joint_child joint_x_p
        joint_x_c joint_enabled joint_q_start joint_qd_start joint_axis_start joint_axis
        joint_rest_rotation joint_q joint_qd joint_target_q joint_target_qd shape_body shape_x
        shape_geometry shape_material shape_margin shape_gap shape_surface_velocity shape_flags shape_group
        shape_filter_pairs attachment_particle attachment_body attachment_point attachment_ke attachment_kd
        attachment_enabled materials)
}

#[test]
fn a_whole_view_shares_every_column() {
    let parent = scene();
    assert!(unshared(&ModelView::whole(&parent), &parent).is_empty());
}

#[test]
fn an_edit_copies_its_own_column_shares_all_others_and_leaves_the_parent() {
    type Edit = fn(&mut ModelView) -> ModelFlags;
    let cases: [(Edit, ModelFlags, &[&str]); 6] = [
        (|v| v.hide_shape(ShapeId(4)), ModelFlags::SHAPES, &["shape_flags"]),
        (|v| v.disable_joint(JointId(0)), ModelFlags::JOINTS, &["joint_enabled"]),
        (|v| v.immobilise_particle(ParticleId(0)), ModelFlags::PARTICLE_MASS, &["particle_inv_mass"]),
        (
            |v| v.set_particle_mass(ParticleId(0), 9.0),
            ModelFlags::PARTICLE_MASS,
            &["particle_mass", "particle_inv_mass"],
        ),
        (|v| v.immobilise_body(BodyId(0)), ModelFlags::BODY_MASS, &["body_inv_mass", "body_inv_inertia"]),
        (
            |v| v.scale_body_mass(BodyId(0), 0.5),
            ModelFlags::BODY_MASS,
            &["body_mass", "body_inv_mass", "body_inertia", "body_inv_inertia"],
        ),
    ];
    let parent = scene();
    let pristine = parent.clone();
    for (edit, flags, columns) in cases {
        let mut view = ModelView::whole(&parent);
        assert_eq!(edit(&mut view), flags);
        assert_eq!(unshared(&view, &parent), columns);
    }
    assert!(unshared(&parent, &pristine).is_empty());
    assert_eq!((parent.particle_mass[0], parent.body_mass[0], parent.joint_enabled[0]), (2.0, 4.0, true));
}

#[test]
fn foreign_dynamic_bodies_are_immovable_and_their_shapes_meet_nothing() {
    let parent = scene();
    let view = ModelView::new(&parent, Ownership { bodies: vec![BodyId(1)], ..Default::default() });
    assert_eq!(view.body_inv_mass[..], [0.0, 0.25, 0.0, 0.0]);
    assert_eq!(view.body_inv_inertia[0], Mat3::zeros());
    assert_eq!(view.body_inv_inertia[1], Mat3::identity() * 0.5);
    assert_eq!(view.body_mass[..], [4.0; 4]);
    assert_eq!(meets(&view), [false, true, false, true, true, true]);
    assert!(view.shape_flags[0].contains(ShapeFlags::VISIBLE), "hiding is no matter of pictures");
}

#[test]
fn a_kinematic_body_of_others_stays_visible_like_a_static_shape_unless_shapes_are_listed() {
    let parent = scene();
    let view = ModelView::new(&parent, Ownership::default());
    assert_eq!(meets(&view), [false, false, false, true, true, true]);
    assert!(view.sees_body(BodyId(3)) && !view.sees_body(BodyId(2)));
    let listed = |shapes| ModelView::new(&parent, Ownership { shapes: Some(shapes), ..Default::default() });
    assert_eq!(meets(&listed(vec![ShapeId(5)])), [false, false, false, false, false, true]);
    assert_eq!(meets(&listed(vec![ShapeId(3)])), [false, false, false, true, false, false]);
    // A list cannot bring back the shape of a foreign dynamic body.
    assert_eq!(meets(&listed(vec![ShapeId(0)])), [false; 6]);
}

#[test]
fn shapes_of_owned_and_proxy_bodies_need_no_listing() {
    let (bodies, proxy_bodies) = (vec![BodyId(0)], vec![BodyId(2)]);
    let o = Ownership { bodies, proxy_bodies, shapes: Some(vec![]), ..Default::default() };
    assert_eq!(meets(&ModelView::new(&scene(), o)), [true, false, true, false, false, false]);
}

#[test]
fn foreign_particles_are_immovable_and_inactive() {
    let view = ModelView::new(&scene(), Ownership { particles: vec![ParticleId(2)], ..Default::default() });
    assert_eq!(view.particle_inv_mass[..], [0.0, 0.0, 0.5, 0.0]);
    assert_eq!(view.particle_active[..], [false, false, true, false]);
}

#[test]
fn joints_that_are_not_owned_are_disabled_but_for_proxy_joints() {
    let parent = scene();
    let none = ModelView::new(&parent, Ownership::default());
    assert_eq!(none.joint_enabled[..], [false, false]);
    let o = Ownership { joints: vec![JointId(1)], proxy_joints: vec![JointId(0)], ..Default::default() };
    let both = ModelView::new(&parent, o);
    assert_eq!(both.joint_enabled[..], [true, true]);
    assert!(both.solves_joint(JointId(0)));
}

#[test]
fn a_joint_that_its_author_disabled_stays_disabled_for_its_owner() {
    let mut parent = scene();
    parent.joint_enabled.make_mut()[1] = false;
    assert_eq!(ModelView::whole(&parent).joint_enabled[..], [true, false]);
    let o = Ownership { joints: vec![JointId(1)], ..Default::default() };
    assert_eq!(ModelView::new(&parent, o).joint_enabled[..], [false, false]);
}

#[test]
fn proxies_keep_their_dynamics_with_the_mass_that_the_coupler_gives() {
    let o = Ownership {
        proxy_bodies: vec![BodyId(2)],
        proxy_particles: vec![ParticleId(1)],
        ..Default::default()
    };
    let mut view = ModelView::new(&scene(), o);
    assert_eq!(
        (view.body_inv_mass[2], view.particle_inv_mass[1], view.particle_active[1]),
        (0.25, 0.5, true)
    );
    view.set_body_mass(BodyId(2), 10.0, Mat3::identity() * 5.0);
    view.set_particle_mass(ParticleId(1), 8.0);
    assert_eq!((view.body_inv_mass[2], view.body_inv_inertia[2][(1, 1)]), (0.1, 0.2));
    assert_eq!((view.particle_mass[1], view.particle_inv_mass[1]), (8.0, 0.125));
    assert!(view.is_proxy_body(BodyId(2)) && !view.owns_body(BodyId(2)));
}

#[test]
fn attachments_act_where_one_end_is_owned_and_the_other_seen() {
    let parent = scene();
    let o = Ownership {
        particles: vec![ParticleId(0), ParticleId(1), ParticleId(3)],
        proxy_particles: vec![ParticleId(2)],
        proxy_bodies: vec![BodyId(1), BodyId(2)],
        ..Default::default()
    };
    // 0: body foreign; 1: body a proxy; 2: proxy on proxy; 3: body kinematic.
    assert_eq!(ModelView::new(&parent, o).attachment_enabled[..], [false, true, false, true]);
    assert_eq!(ModelView::whole(&parent).attachment_enabled[..], [true; 4]);
}

#[test]
fn no_mass_edit_moves_what_is_kinematic_pinned_or_foreign() {
    let mut parent = scene();
    parent.body_kinematic.make_mut()[1] = true;
    let o = Ownership {
        bodies: vec![BodyId(1), BodyId(3)],
        particles: vec![ParticleId(3)],
        ..Default::default()
    };
    let mut view = ModelView::new(&parent, o);
    for b in [0, 1, 3].map(BodyId) {
        view.scale_body_mass(b, 2.0);
        assert_eq!(view.body_inv_mass[b.index()], 0.0);
        view.set_body_mass(b, 3.0, Mat3::identity());
        assert_eq!((view.body_inv_mass[b.index()], view.body_inv_inertia[b.index()]), (0.0, Mat3::zeros()));
    }
    for p in [0, 3].map(ParticleId) {
        view.scale_particle_mass(p, 2.0);
        view.set_particle_mass(p, 3.0);
        assert_eq!(view.particle_inv_mass[p.index()], 0.0);
    }
}

#[test]
fn a_set_mass_ends_immobility_and_a_scaled_one_does_not() {
    let mut view = ModelView::whole(&scene());
    view.immobilise_body(BodyId(0));
    view.scale_body_mass(BodyId(0), 2.0);
    assert_eq!((view.body_mass[0], view.body_inv_mass[0]), (8.0, 0.0));
    view.set_body_mass(BodyId(0), 5.0, Mat3::identity());
    assert_eq!((view.body_mass[0], view.body_inv_mass[0]), (5.0, 0.2));
}

#[test]
fn a_mass_set_every_step_is_one_edit_that_neither_piles_up_nor_reallocates() {
    let mut view = ModelView::whole(&scene());
    view.set_body_mass(BodyId(0), 1.0, Mat3::identity());
    let memory = view.body_mass.as_slice().as_ptr();
    for i in 1..50 {
        view.immobilise_body(BodyId(0));
        view.set_body_mass(BodyId(0), f64::from(i), Mat3::identity());
        view.scale_body_mass(BodyId(0), 2.0);
    }
    assert_eq!(view.edits.bodies.len(), 1);
    assert_eq!((view.body_mass[0], view.body_mass.as_slice().as_ptr()), (98.0, memory));
}

#[test]
fn edits_and_ownership_survive_a_changed_parent() {
    let mut parent = scene();
    let o = Ownership { bodies: vec![BodyId(0), BodyId(1)], joints: vec![JointId(0)], ..Default::default() };
    let mut view = ModelView::new(&parent, o.clone());
    view.scale_body_mass(BodyId(0), 3.0);
    view.immobilise_body(BodyId(1));
    view.hide_shape(ShapeId(5));
    view.disable_joint(JointId(0));

    parent.gravity = Vec3::zeros();
    parent.body_mass.make_mut()[0] = 10.0;
    parent.body_inv_mass.make_mut()[0] = 0.1;
    parent.shape_flags.make_mut()[1] = ShapeFlags::VISIBLE;
    parent.joint_enabled.make_mut()[1] = true;
    view.notify_model_changed(&parent, ModelFlags::all());

    assert_eq!(view.gravity, Vec3::zeros());
    assert_eq!((view.body_mass[0], view.body_inv_mass[0]), (30.0, 1.0 / 30.0));
    assert_eq!(view.body_inv_mass[1..], [0.0, 0.0, 0.0]);
    assert_eq!(meets(&view), [true, false, false, true, true, false]);
    assert_eq!(view.joint_enabled[..], [false, false]);
    assert_eq!(parent.body_mass[0], 10.0);
}

#[test]
fn a_notified_view_equals_a_fresh_one_bit_for_bit() {
    let mut parent = scene();
    let edit = |v: &mut ModelView| {
        for f in [0.1, 0.3, 0.7] {
            v.scale_body_mass(BodyId(0), f);
        }
        v.set_particle_mass(ParticleId(0), 0.1)
    };
    let mut view = ModelView::whole(&parent);
    edit(&mut view);
    parent.body_mass.make_mut()[0] = 1.3;
    view.notify_model_changed(&parent, ModelFlags::BODY_MASS);
    let mut fresh = ModelView::whole(&parent);
    edit(&mut fresh);
    assert_eq!(view.body_mass[0].to_bits(), fresh.body_mass[0].to_bits());
    assert_eq!(view.body_inv_inertia[..], fresh.body_inv_inertia[..]);
    assert_eq!(view.particle_inv_mass[..], fresh.particle_inv_mass[..]);
}

#[test]
fn a_change_elsewhere_leaves_derived_columns_and_their_versions_alone() {
    let mut parent = scene();
    let mut view = ModelView::new(&parent, Ownership { bodies: vec![BodyId(0)], ..Default::default() });
    view.scale_body_mass(BodyId(0), 2.0);
    let versions = |v: &ModelView| {
        [
            v.body_inv_mass.version(),
            v.body_mass.version(),
            v.particle_active.version(),
            v.shape_flags.version(),
        ]
    };
    let before = versions(&view);
    parent.joint_enabled.make_mut()[0] = false;
    parent.materials.make_mut()[0].mu = 0.9;
    view.notify_model_changed(&parent, ModelFlags::JOINTS | ModelFlags::SHAPES);
    assert_eq!(versions(&view), before);
    assert_eq!((view.materials[0].mu, view.joint_enabled[0]), (0.9, false));
    assert!(view.materials.shares_with(&parent.materials));
}

#[test]
fn a_view_that_follows_another_one_keeps_its_memory() {
    let parent = scene();
    let mut view = ModelView::whole(&parent);
    let mut held = view.clone();
    let mut follow = |mass: f64| {
        view.set_body_mass(BodyId(0), mass, Mat3::identity());
        held.clone_from(&view);
        assert_eq!((held.body_mass[0], held.body_mass.version()), (mass, view.body_mass.version()));
        assert!(held.particle_mass.shares_with(&view.particle_mass));
        (view.body_mass.as_slice().as_ptr(), held.body_mass.as_slice().as_ptr())
    };
    follow(2.0);
    follow(3.0);
    let memory = follow(5.0);
    assert_eq!(follow(7.0), memory);
    // and stays a view of its own: the edits came along
    let mut heavier = parent.clone();
    heavier.body_mass.make_mut()[0] = 100.0;
    held.notify_model_changed(&heavier, ModelFlags::BODY_MASS);
    assert_eq!(held.body_mass[0], 7.0);
}
