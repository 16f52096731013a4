//! Cloths, soft bodies and loose particles: meshes, poses, pins.

use coact_math::{Pose, Quat, Vec3};

use crate::error::{Fault, SceneError};
use crate::file::{Cloth, Particles, Rotation, SceneFile, SoftBody, V3};
use crate::locate::Path;
use crate::nearest::suggestion;

use super::context::Context;
use super::selection::Selection;
use super::{Group, GroupMesh, meshes};

/// All of them, in the order in which their particles are built.
pub(super) fn resolve(cx: &Context, file: &SceneFile) -> Result<Vec<Group>, SceneError> {
    let section = |name: &str, i: usize| Path::root().key(name).index(i);
    let cloths = file.cloths.iter().enumerate().map(|(i, c)| cloth(cx, file, c, section("cloths", i), i));
    let softs =
        file.soft_bodies.iter().enumerate().map(|(i, s)| soft(cx, file, s, section("soft_bodies", i), i));
    let loose =
        file.particles.iter().enumerate().map(|(i, p)| particles(cx, file, p, section("particles", i), i));
    cloths.chain(softs).chain(loose).collect()
}

fn cloth(cx: &Context, file: &SceneFile, c: &Cloth, path: Path, i: usize) -> Result<Group, SceneError> {
    material(cx, file, c.material.as_deref(), &path)?;
    let mesh = meshes::surface(cx, file, &c.mesh, &path.key("mesh"), true)?;
    let pose = pose(cx, &path, &c.position, c.rotation.as_ref())?;
    let pins = Selection { cx, path: path.key("pins"), local: &mesh.vertices, pose }.find(&c.pins)?;
    let (name, particle_count) = (c.name.clone(), mesh.vertices.len());
    Ok(Group { name, section_index: i, mesh: GroupMesh::Cloth(mesh), pose, particle_count, pins })
}

fn soft(cx: &Context, file: &SceneFile, s: &SoftBody, path: Path, i: usize) -> Result<Group, SceneError> {
    material(cx, file, s.material.as_deref(), &path)?;
    let mesh = meshes::tets(cx, file, &s.mesh, &path.key("mesh"))?;
    let pose = pose(cx, &path, &s.position, s.rotation.as_ref())?;
    let pins = Selection { cx, path: path.key("pins"), local: &mesh.vertices, pose }.find(&s.pins)?;
    let (name, particle_count) = (s.name.clone(), mesh.vertices.len());
    Ok(Group { name, section_index: i, mesh: GroupMesh::Soft(mesh), pose, particle_count, pins })
}

fn particles(
    cx: &Context,
    file: &SceneFile,
    p: &Particles,
    path: Path,
    i: usize,
) -> Result<Group, SceneError> {
    material(cx, file, p.material.as_deref(), &path)?;
    let count = p.positions.len();
    cx.at(path.clone()).require(
        count > 0,
        "positions",
        "empty",
        "write at least one position `(x, y, z)`",
    )?;
    let points: Vec<Vec3> = p.positions.iter().map(vec3).collect();
    let pose = Pose::identity();
    let pins = Selection { cx, path: path.key("pins"), local: &points, pose }.find(&p.pins)?;
    let name = p.name.clone();
    Ok(Group { name, section_index: i, mesh: GroupMesh::Loose, pose, particle_count: count, pins })
}

pub(super) fn vec3(v: &V3) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}

/// A position and an optional rotation, read at `path`.
pub(super) fn pose(cx: &Context, path: &Path, p: &V3, r: Option<&Rotation>) -> Result<Pose, SceneError> {
    let at = cx.at(path.clone());
    let turn = |axis: &V3, angle: f64| {
        at.direction("rotation.axis", axis)?;
        Ok(Quat::from_scaled_axis(vec3(axis).normalize() * angle))
    };
    let q = match r {
        None => Quat::identity(),
        Some(Rotation::Radians { axis, angle }) => turn(axis, *angle)?,
        Some(Rotation::Degrees { axis, angle }) => turn(axis, angle.to_radians())?,
        Some(&Rotation::Quaternion(x, y, z, w)) => {
            let norm = x * x + y * y + z * z + w * w;
            at.require(
                norm > 1e-30,
                "rotation",
                "a quaternion of zeros",
                "write (0, 0, 0, 1) for no rotation",
            )?;
            Pose::from_array([0.0, 0.0, 0.0, x, y, z, w]).q
        }
    };
    Ok(Pose::new(vec3(p), q))
}

/// Refuses a contact material that is not there.
pub(super) fn material(
    cx: &Context,
    file: &SceneFile,
    name: Option<&str>,
    path: &Path,
) -> Result<(), SceneError> {
    let Some(name) = name else { return Ok(()) };
    if name == "default" || file.materials.iter().any(|m| m.name == name) {
        return Ok(());
    }
    let names: Vec<&str> =
        file.materials.iter().map(|m| &*m.name).filter(|n| *n != "default").chain(["default"]).collect();
    let message = format!("no material is named `{name}`");
    Err(cx.fault(Fault::UnknownName, &path.key("material"), message, &suggestion(name, &names, "materials")))
}
