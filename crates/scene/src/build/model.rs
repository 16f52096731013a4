//! The model of a scene: materials, groups, bodies, shapes, rods, joints, in this order.

use std::collections::HashMap;

use coact_math::{Pose, Spatial};
use coact_model::{
    BodyDef, BodyId, JointAxis, JointDef, JointKind, Material, MaterialId, Model, ModelBuilder, ShapeDef,
    ShapeFlags, Warning,
};

use crate::drive::DriveTable;
use crate::error::SceneError;
use crate::file::{self, SceneFile};
use crate::resolve::{JointPlace, Scene, ShapePlace};

use super::driving::add_attachments;
use super::groups::{add_groups, set_particle_masses};
use super::rods::add_rods;

/// Builds the model.
pub(super) fn build(scene: &Scene) -> Result<(Model, Vec<Warning>), SceneError> {
    let mut b = ModelBuilder::new();
    let [x, y, z] = scene.file.gravity;
    b.gravity = coact_math::Vec3::new(x, y, z);
    let materials = Materials::add(&mut b, &scene.file);
    add_groups(&mut b, scene, &materials);
    for (copy, typed) in scene.bodies.iter().filter_map(|c| Some((c, c.typed(&scene.file)?))) {
        b.add_body(BodyDef {
            name: copy.name.clone(),
            pose: copy.pose,
            velocity: Spatial::new(typed.velocity.into(), typed.angular_velocity.into()),
            kinematic: typed.kinematic,
            ..BodyDef::default()
        });
    }
    add_shapes(&mut b, scene, &materials);
    add_rods(&mut b, scene, &materials);
    for (place, joint) in scene.joints.iter().filter_map(|p| Some((p, p.joint.as_ref()?))) {
        b.add_joint(joint_def(scene, place, joint));
    }
    add_attachments(&mut b, scene);
    let (mut model, warnings) = b.finalize_with_warnings().map_err(|e| scene.model_fault(&e))?;
    set_particle_masses(scene, &mut model);
    set_body_masses(scene, &mut model);
    Ok((model, warnings))
}

/// Materials by name; index 0 is `default`.
pub(super) struct Materials(Vec<(String, MaterialId)>);

impl Materials {
    fn add(b: &mut ModelBuilder, file: &SceneFile) -> Self {
        let mut all = vec![("default".to_owned(), MaterialId(0))];
        for m in &file.materials {
            let material = Material {
                ke: m.stiffness,
                rigid_ke: m.rigid_stiffness,
                kd: m.damping,
                mu: m.friction,
                restitution: m.restitution,
                rolling: m.rolling_friction,
                torsion: m.torsional_friction,
            };
            if m.name == "default" {
                b.set_material(MaterialId(0), material);
            } else {
                all.push((m.name.clone(), b.add_material(m.name.clone(), material)));
            }
        }
        Self(all)
    }

    /// The material of that name; resolving made sure that it exists.
    pub fn get(&self, name: Option<&str>) -> MaterialId {
        let find = |n: &str| self.0.iter().find(|m| m.0 == n).map(|m| m.1);
        name.and_then(find).unwrap_or(MaterialId(0))
    }
}

fn add_shapes(b: &mut ModelBuilder, scene: &Scene, materials: &Materials) {
    let mut names = HashMap::new();
    for (place, s) in scene.shapes.iter().filter_map(|p| Some((p, p.shape.as_ref()?))) {
        let name = unique_name(&mut names, place);
        let mut flags = ShapeFlags::empty();
        flags.set(ShapeFlags::VISIBLE, s.visible);
        flags.set(ShapeFlags::COLLIDE_SHAPES, s.meets_shapes);
        flags.set(ShapeFlags::COLLIDE_PARTICLES, s.meets_particles);
        b.add_shape(ShapeDef {
            name,
            body: place.body.map(BodyId::new),
            pose: place.pose,
            geometry: place.geometry.clone(),
            density: s.density,
            material: materials.get(s.material.as_deref()),
            margin: s.margin,
            surface_velocity: coact_math::Vec3::from(s.surface_velocity),
            flags,
            ..ShapeDef::default()
        });
    }
}

/// The name given, else that of the carrier or the kind; counted on when it is taken.
/// `taken` holds each name with the number of the last one that was counted on from it.
fn unique_name(taken: &mut HashMap<String, usize>, place: &ShapePlace) -> String {
    let base = if place.name.is_empty() { place.geometry.kind() } else { &place.name };
    let mut name = base.to_owned();
    let mut count = taken.get(base).copied().unwrap_or(1);
    while taken.contains_key(&name) {
        count += 1;
        name = format!("{base}/{count}");
    }
    taken.insert(base.to_owned(), count);
    taken.entry(name.clone()).or_insert(1);
    name
}

/// The joint frames are those in the world at the start, seen from each body.
fn joint_def(scene: &Scene, place: &JointPlace, joint: &file::Joint) -> JointDef {
    use file::JointKind as K;
    let kind = match &joint.kind {
        K::Fixed => JointKind::Fixed,
        K::Revolute(_) => JointKind::Revolute,
        K::Prismatic(_) => JointKind::Prismatic,
        K::Ball => JointKind::Ball,
        K::Free => JointKind::Free,
        K::Distance(_) => JointKind::Distance,
        // three of each at most, as resolving made sure
        K::D6(d) => JointKind::D6 { linear: d.linear.len() as u8, angular: d.angular.len() as u8 },
        K::Rod(_) => JointKind::Rod,
    };
    let seen_from = |body: usize, frame: Pose| scene.bodies[body].pose.inverse() * frame;
    let [outer, inner] = place.frames;
    let mut def = JointDef::new(kind, place.parent.map(BodyId::new), BodyId::new(place.child));
    def.name.clone_from(&joint.name);
    def.x_p = place.parent.map_or(outer, |p| seen_from(p, outer));
    def.x_c = seen_from(place.child, inner);
    def.enabled = joint.enabled;
    let axes = place.axes();
    match &joint.kind {
        K::Distance(d) => def.axes.iter_mut().for_each(|a| (a.limit_lower, a.limit_upper) = (d.min, d.max)),
        K::Rod(r) => def.axes = rod_axes(r).into(),
        _ => def.axes = axes.iter().map(|a| joint_axis(a)).collect(),
    }
    // poses hide whole turns
    def.q = axes.iter().any(|a| a.start != 0.0).then(|| axes.iter().map(|a| a.start).collect());
    def
}

/// The frames of joints stand as the world does.
fn joint_axis(a: &file::Axis) -> JointAxis {
    let direction: coact_math::Vec3 = a.axis.into();
    let drive = a.drive.as_ref();
    let free = JointAxis::default();
    JointAxis {
        axis: direction.normalize(),
        target_ke: drive.map_or(0.0, |d| d.stiffness),
        target_kd: drive.map_or(0.0, |d| d.damping),
        limit_lower: a.limits.map_or(free.limit_lower, |l| l.lower),
        limit_upper: a.limits.map_or(free.limit_upper, |l| l.upper),
        effort_limit: drive.and_then(|d| d.effort_limit).unwrap_or(free.effort_limit),
        armature: a.armature,
        friction: a.friction,
        ..free
    }
}

/// Shear, shear, stretch, bend, bend, twist.
fn rod_axes(r: &file::RodPiece) -> [JointAxis; 6] {
    let axis = |ke: f64, kd: f64| JointAxis { target_ke: ke, target_kd: kd, ..JointAxis::default() };
    let hard = |ke: Option<f64>| axis(ke.unwrap_or(f64::INFINITY), 0.0);
    let [bend, twist] = [r.bend, r.twist].map(|ke| axis(ke, r.damping_time * ke));
    [hard(r.shear), hard(r.shear), hard(r.stretch), bend, bend, twist]
}

/// A given mass scales the mass and inertia that the shapes gave.
fn set_body_masses(scene: &Scene, model: &mut Model) {
    for (i, copy) in scene.bodies.iter().enumerate() {
        let given = copy.typed(&scene.file).and_then(|t| t.mass);
        let Some(mass) = given.filter(|_| model.body_mass[i] > 0.0) else { continue };
        let factor = mass / model.body_mass[i];
        model.body_mass.make_mut()[i] = mass;
        model.body_inertia.make_mut()[i] *= factor;
        model.body_inv_mass.make_mut()[i] /= factor;
        model.body_inv_inertia.make_mut()[i] /= factor;
    }
}

/// The drives of the joints, by axis.
pub(super) fn drives(scene: &Scene, model: &Model) -> DriveTable {
    let mut table = DriveTable::default();
    for (j, place) in scene.joints.iter().enumerate() {
        let first = model.joint_axis_start[j] as usize;
        for (k, axis) in place.axes().into_iter().enumerate() {
            axis.drive.iter().for_each(|drive| table.push(first + k, drive.clone()));
        }
    }
    table
}
