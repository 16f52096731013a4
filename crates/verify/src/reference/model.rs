//! A variant as a model: every rest quantity is taken as recorded, none is derived anew.

use std::sync::Arc;

use coact_math::{Mat2, Mat3, Pose, Spatial, Vec3};
use coact_model::{
    BodyId, Geometry, Group, GroupKind, Material, MaterialId, Model, Names, ParticleId, ShapeFlags,
    particle_coloring,
};

use super::case::Variant;
use super::json::Object;
use super::{ReferenceError, joints};

/// The poses that bodies begin at; the model holds those at rest.
pub fn begin_poses(variant: &Variant) -> Result<Vec<Pose>, ReferenceError> {
    let o = variant.object();
    let Some(b) = o.get("bodies") else { return Ok(Vec::new()) };
    Ok(b.rows::<7>("q")?.into_iter().map(Pose::from_array).collect())
}

/// Builds the model of a supported variant.
pub fn build(variant: &Variant) -> Result<Model, ReferenceError> {
    let o = variant.object();
    let g = o.numbers("gravity")?;
    let mut m = Model { gravity: vec3(&g), ..Model::default() };
    m.materials = vec![soft_contact(&o)].into();
    particles(&o, &mut m)?;
    springs(&o, &mut m)?;
    triangles(&o, &mut m)?;
    hinges(&o, &mut m)?;
    tets(&o, &mut m)?;
    color_groups(&o, &mut m)?;
    bodies(&o, &mut m)?;
    shapes(&o, &mut m)?;
    attachments(&o, &mut m)?;
    joints::joints(&o, &mut m)?;
    m.names = Arc::new(names(&m));
    Ok(m)
}

fn vec3(v: &[f64]) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}

fn ids<const N: usize>(rows: &[[f64; N]]) -> Vec<[ParticleId; N]> {
    rows.iter().map(|r| r.map(|x| ParticleId(x as u32))).collect()
}

fn soft_contact(o: &Object) -> Material {
    let s = o.get("soft_contact");
    let n = |key| s.and_then(|s| s.number(key));
    Material {
        ke: n("ke").unwrap_or(1e3),
        kd: n("kd").unwrap_or(10.0),
        mu: n("mu").unwrap_or(0.5),
        ..Material::default()
    }
}

fn particles(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let Some(p) = o.get("particles") else { return Ok(()) };
    let (mass, active) = (p.numbers("mass")?, p.numbers("active")?);
    let count = mass.len();
    let moves = |i: usize| active[i] != 0.0 && mass[i] > 0.0;
    m.particle_q = p.rows::<3>("q")?.iter().map(|r| vec3(r)).collect();
    m.particle_qd = p.rows::<3>("qd")?.iter().map(|r| vec3(r)).collect();
    m.particle_inv_mass = (0..count).map(|i| if moves(i) { 1.0 / mass[i] } else { 0.0 }).collect();
    m.particle_active = active.iter().map(|&a| a != 0.0).collect();
    m.particle_radius = p.numbers("radius")?.into();
    m.particle_material = vec![MaterialId(0); count].into();
    m.particle_mass = mass.into();
    Ok(())
}

/// Groups as recorded; where none are, particles that share an element get different colors.
fn color_groups(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let groups = id_groups(o, "particle_color_groups")?;
    if groups.is_empty() {
        m.particle_color = particle_coloring(m, true).into();
        return Ok(());
    }
    let mut color = vec![0; m.particle_count()];
    for (c, group) in groups.iter().enumerate() {
        group.iter().for_each(|&i| color[i as usize] = c as u32);
    }
    m.particle_color = color.into();
    m.particle_color_groups = groups.into_iter().map(|g| g.into_iter().map(ParticleId).collect()).collect();
    Ok(())
}

fn id_groups(o: &Object, key: &str) -> Result<Vec<Vec<u32>>, ReferenceError> {
    let ids = |g: Vec<f64>| g.into_iter().map(|i| i as u32).collect();
    Ok(o.arrays(key)?.into_iter().map(ids).collect())
}

fn springs(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let Some(s) = o.get("springs") else { return Ok(()) };
    m.spring_indices = ids(&s.rows::<2>("indices")?).into();
    m.spring_rest_length = s.numbers("rest_length")?.into();
    m.spring_ke = s.numbers("ke")?.into();
    m.spring_kd = s.numbers("kd")?.into();
    Ok(())
}

fn triangles(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let Some(t) = o.get("triangles") else { return Ok(()) };
    m.tri_indices = ids(&t.rows::<3>("indices")?).into();
    m.tri_rest_inv = t.rows::<4>("rest_inv")?.iter().map(|r| Mat2::new(r[0], r[1], r[2], r[3])).collect();
    m.tri_rest_area = t.numbers("rest_area")?.into();
    let material = t.rows::<3>("material_mu_lambda_kd")?;
    m.tri_mu = material.iter().map(|r| r[0]).collect();
    m.tri_lambda = material.iter().map(|r| r[1]).collect();
    m.tri_kd = material.iter().map(|r| r[2]).collect();
    Ok(())
}

/// Edges of one triangle only (an opposite vertex of −1) are listed for self-contact: they
/// do not bend.
fn hinges(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let Some(h) = o.get("bending_edges") else { return Ok(()) };
    let all = h.rows::<4>("indices_o0_o1_v0_v1")?;
    let interior: Vec<usize> = (0..all.len()).filter(|&i| all[i].iter().all(|&x| x >= 0.0)).collect();
    let pick = |v: &[f64]| interior.iter().map(|&i| v[i]).collect::<Vec<_>>();
    let material = h.rows::<2>("material_ke_kd")?;
    m.hinge_indices = ids(&interior.iter().map(|&i| all[i]).collect::<Vec<_>>()).into();
    m.hinge_rest_angle = pick(&h.numbers("rest_angle")?).into();
    m.hinge_rest_length = pick(&h.numbers("rest_length")?).into();
    m.hinge_ke = interior.iter().map(|&i| material[i][0]).collect();
    m.hinge_kd = interior.iter().map(|&i| material[i][1]).collect();
    Ok(())
}

fn tets(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let Some(t) = o.get("tets") else { return Ok(()) };
    m.tet_indices = ids(&t.rows::<4>("indices")?).into();
    m.tet_rest_inv = t.rows::<9>("rest_inv")?.iter().map(|r| Mat3::from_row_slice(r)).collect();
    let material = t.rows::<3>("material_mu_lambda_kd")?;
    m.tet_mu = material.iter().map(|r| r[0]).collect();
    m.tet_lambda = material.iter().map(|r| r[1]).collect();
    m.tet_kd = material.iter().map(|r| r[2]).collect();
    Ok(())
}

fn bodies(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let Some(b) = o.get("bodies") else { return Ok(()) };
    let (mass, kinematic) = (b.numbers("mass")?, b.numbers("kinematic")?);
    let moves = |i: usize| kinematic[i] == 0.0 && mass[i] > 0.0;
    let inertia: Vec<Mat3> = b.rows::<9>("inertia")?.iter().map(|r| Mat3::from_row_slice(r)).collect();
    let inverse = |i: usize| inertia[i].try_inverse().filter(|_| moves(i)).unwrap_or_else(Mat3::zeros);
    m.body_q = b.rows::<7>("rest_q")?.into_iter().map(Pose::from_array).collect();
    m.body_qd = b.rows::<6>("qd")?.iter().map(|r| Spatial::new(vec3(&r[..3]), vec3(&r[3..]))).collect();
    m.body_com = b.rows::<3>("com")?.iter().map(|r| vec3(r)).collect();
    m.body_inv_mass = (0..mass.len()).map(|i| if moves(i) { 1.0 / mass[i] } else { 0.0 }).collect();
    m.body_inv_inertia = (0..mass.len()).map(inverse).collect();
    m.body_kinematic = (0..mass.len()).map(|i| !moves(i)).collect();
    m.body_inertia = inertia.into();
    m.body_color = vec![0; mass.len()].into();
    m.body_mass = mass.into();
    let groups = id_groups(o, "body_color_groups")?;
    m.body_color_groups = groups.into_iter().map(|g| g.into_iter().map(BodyId).collect()).collect();
    Ok(())
}

fn shapes(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let list = o.list("shapes");
    let number = |s: &Object, key: &str, default: f64| s.number(key).unwrap_or(default);
    let mut materials = m.materials.to_vec();
    let (mut x, mut geometry, mut body) = (Vec::new(), Vec::new(), Vec::new());
    for s in &list {
        let pose = s.rows::<7>("xform")?;
        x.push(Pose::from_array(
            *pose.first().ok_or_else(|| ReferenceError::Format("shape without 'xform'".into()))?,
        ));
        geometry.push(shape_geometry(s)?);
        let b = s.raw()["body"].as_i64().unwrap_or(-1);
        body.push(u32::try_from(b).ok().map(BodyId));
        materials.push(Material {
            ke: number(s, "ke", 2.5e3),
            kd: number(s, "kd", 100.0),
            mu: number(s, "mu", 1.0),
            rigid_ke: number(s, "ke", 2.5e3),
            ..Material::default()
        });
    }
    m.shape_material = (0..list.len()).map(|i| MaterialId::new(i + 1)).collect();
    m.shape_margin = list.iter().map(|s| number(s, "margin", 0.0)).collect();
    m.shape_gap = vec![reference_soft_gap(o); list.len()].into();
    m.shape_surface_velocity = vec![Vec3::zeros(); list.len()].into();
    m.shape_flags =
        list.iter().map(|s| ShapeFlags::from_bits_truncate(number(s, "flags", 7.0) as u32)).collect();
    m.shape_group = list.iter().map(|s| number(s, "collision_group", 1.0) as i32).collect();
    m.shape_x = x.into();
    m.shape_geometry = geometry.into();
    m.shape_body = body.into();
    m.materials = materials.into();
    Ok(())
}

/// The reference detects particles against shapes within one gap for all shapes.
fn reference_soft_gap(o: &Object) -> f64 {
    let pipeline = o.get("collide").and_then(|c| c.get("pipeline"));
    pipeline.and_then(|p| p.number("soft_contact_gap")).unwrap_or(0.01)
}

fn shape_geometry(s: &Object) -> Result<Geometry, ReferenceError> {
    let scale = s.numbers("scale")?;
    let kind = s.raw()["type"].as_str().unwrap_or_default();
    match kind {
        "plane" => Ok(Geometry::Plane),
        "sphere" => Ok(Geometry::Sphere { radius: scale[0] }),
        "box" => Ok(Geometry::Box { half_extents: vec3(&scale) }),
        "capsule" => Ok(Geometry::Capsule { radius: scale[0], half_height: scale[1] }),
        "cylinder" => Ok(Geometry::Cylinder { radius: scale[0], half_height: scale[1] }),
        "cone" => Ok(Geometry::Cone { radius: scale[0], half_height: scale[1] }),
        "ellipsoid" => Ok(Geometry::Ellipsoid { radii: vec3(&scale) }),
        other => Err(ReferenceError::Format(format!("shape type '{other}' is not known"))),
    }
}

fn attachments(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let list = o.list("particle_body_attachments");
    let id = |o: &Object, key: &str| o.raw()[key].as_u64().unwrap_or(0) as u32;
    let point = |o: &Object| Ok::<_, ReferenceError>(vec3(&o.numbers("body_point")?));
    let points: Vec<Vec3> = list.iter().map(point).collect::<Result<_, _>>()?;
    m.attachment_particle = list.iter().map(|o| ParticleId(id(o, "particle"))).collect();
    m.attachment_body = list.iter().map(|o| BodyId(id(o, "body"))).collect();
    m.attachment_point = points.into();
    // "inf" is written as a word
    m.attachment_ke = list.iter().map(|o| o.number("stiffness").unwrap_or(f64::INFINITY)).collect();
    m.attachment_kd = list.iter().map(|o| o.number("damping").unwrap_or(0.0)).collect();
    m.attachment_enabled = vec![true; list.len()].into();
    Ok(())
}

fn names(m: &Model) -> Names {
    let all = Group {
        name: "particles".into(),
        kind: GroupKind::Particles,
        particles: 0..m.particle_count() as u32,
        springs: 0..m.spring_indices.len() as u32,
        triangles: 0..m.tri_indices.len() as u32,
        hinges: 0..m.hinge_indices.len() as u32,
        tets: 0..m.tet_indices.len() as u32,
        surface: m.tri_indices.iter().map(|t| t.map(|p| p.0)).collect(),
    };
    Names {
        bodies: (0..m.body_count()).map(|i| format!("body {i}")).collect(),
        joints: (0..m.joint_count()).map(|i| format!("joint {i}")).collect(),
        shapes: (0..m.shape_count()).map(|i| format!("shape {i}")).collect(),
        materials: (0..m.materials.len()).map(|i| format!("material {i}")).collect(),
        groups: if m.particle_count() > 0 { vec![all] } else { Vec::new() },
    }
}
