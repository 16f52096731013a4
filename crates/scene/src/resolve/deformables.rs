//! Cloths, soft bodies and loose particles: meshes, poses, pins.

use coact_math::{Pose, Quat, Vec3};

use crate::error::{Fault, SceneError};
use crate::file::{Cloth, Particles, Pin, Rotation, SceneFile, SoftBody, V3};
use crate::locate::Path;
use crate::nearest::suggestion;

use super::context::Context;
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
    let pins = Pins { cx, path: &path, local: &mesh.vertices, pose }.find(&c.pins)?;
    let (name, particle_count) = (c.name.clone(), mesh.vertices.len());
    Ok(Group { name, section_index: i, mesh: GroupMesh::Cloth(mesh), pose, particle_count, pins })
}

fn soft(cx: &Context, file: &SceneFile, s: &SoftBody, path: Path, i: usize) -> Result<Group, SceneError> {
    material(cx, file, s.material.as_deref(), &path)?;
    let mesh = meshes::tets(cx, file, &s.mesh, &path.key("mesh"))?;
    let pose = pose(cx, &path, &s.position, s.rotation.as_ref())?;
    let pins = Pins { cx, path: &path, local: &mesh.vertices, pose }.find(&s.pins)?;
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
    let pins = Pins { cx, path: &path, local: &points, pose: Pose::identity() }.find(&p.pins)?;
    let (name, pose) = (p.name.clone(), Pose::identity());
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

/// Finds pinned vertices.
struct Pins<'a> {
    cx: &'a Context,
    path: &'a Path,
    /// Vertices in the frame of the mesh.
    local: &'a [Vec3],
    pose: Pose,
}

impl Pins<'_> {
    /// Their numbers, in order, each once.
    fn find(&self, pins: &[Pin]) -> Result<Vec<u32>, SceneError> {
        let mut found = Vec::new();
        for (i, pin) in pins.iter().enumerate() {
            found.extend(self.find_one(pin, &self.path.key("pins").index(i))?);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn find_one(&self, pin: &Pin, path: &Path) -> Result<Vec<u32>, SceneError> {
        match pin {
            Pin::Vertices(v) if v.is_empty() => Err(self.nothing(path)),
            Pin::Nearest(v) if v.is_empty() => Err(self.nothing(path)),
            Pin::Corners => Ok(self.corners()),
            Pin::Box { min, max } => self.inside(min, max, path),
            Pin::Vertices(list) => self.numbered(list, path),
            Pin::Nearest(points) => {
                let nearest = |p: &V3| nearest_of(self.local, &self.pose.inverse().point(&vec3(p)));
                Ok(points.iter().map(nearest).collect())
            }
        }
    }

    /// The vertices nearest to the corners of the bounding rectangle, seen along the
    /// thinnest direction of the mesh.
    fn corners(&self) -> Vec<u32> {
        let (lo, hi) = bounds(self.local);
        let thin = (hi - lo).imin();
        let (a, b) = ((thin + 1) % 3, (thin + 2) % 3);
        let flat: Vec<Vec3> = self.local.iter().map(|v| Vec3::new(v[a], v[b], 0.0)).collect();
        let corner = |x: &Vec3, y: &Vec3| nearest_of(&flat, &Vec3::new(x[a], y[b], 0.0));
        vec![corner(&lo, &lo), corner(&hi, &lo), corner(&lo, &hi), corner(&hi, &hi)]
    }

    fn inside(&self, min: &V3, max: &V3, path: &Path) -> Result<Vec<u32>, SceneError> {
        let world: Vec<Vec3> = self.local.iter().map(|v| self.pose.point(v)).collect();
        let within = |v: &Vec3| (0..3).all(|k| min[k] <= v[k] && v[k] <= max[k]);
        let found: Vec<u32> = (0..world.len()).filter(|&i| within(&world[i])).map(|i| i as u32).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let (lo, hi) = bounds(&world);
        let help = format!(
            "the particles lie from ({}, {}, {}) to ({}, {}, {}) [m], in the world",
            lo.x, lo.y, lo.z, hi.x, hi.y, hi.z
        );
        Err(self.cx.fault(Fault::Value, path, "no particle is inside this box", &help))
    }

    fn nothing(&self, path: &Path) -> SceneError {
        let help = "list at least one, or leave this pin out";
        self.cx.fault(Fault::Value, path, "this pins nothing: its list is empty", help)
    }

    fn numbered(&self, list: &[u32], path: &Path) -> Result<Vec<u32>, SceneError> {
        let count = self.local.len();
        match list.iter().position(|&v| v as usize >= count) {
            None => Ok(list.to_vec()),
            Some(i) => {
                let message = format!("there is no vertex {}: the mesh has {count}", list[i]);
                let help = format!("write numbers from 0 to {}", count - 1);
                Err(self.cx.fault(Fault::Value, &path.index(0).index(i), message, &help))
            }
        }
    }
}

fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    let (mut lo, mut hi) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for p in points {
        lo = lo.inf(p);
        hi = hi.sup(p);
    }
    (lo, hi)
}

/// The first of the nearest points.
fn nearest_of(points: &[Vec3], to: &Vec3) -> u32 {
    let distance = |i: &usize| (points[*i] - to).norm_squared();
    (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0) as u32
}
