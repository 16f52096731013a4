//! Rigid bodies with their copies and shapes.

use coact_math::Pose;
use coact_model::{Geometry, HeightField};
use std::sync::Arc;

use crate::error::{Fault, SceneError};
use crate::file::{self, Heights, SceneFile, Shape};
use crate::locate::Path;
use crate::nearest::suggestion;

use super::context::Context;
use super::copies;
use super::deformables::{material, pose, vec3};
use super::{Origin, glob, meshes};

/// One body, copies counted out.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyCopy {
    /// Its name: that of the section, or `name_1`, `name_2`, … for copies.
    pub name: String,
    /// Its place in the file.
    pub origin: Origin,
    /// The rod of which it is a segment.
    pub rod: Option<String>,
    /// Pose of its frame in the world.
    pub pose: Pose,
}

impl BodyCopy {
    /// Its section of the file; none for a segment of a rod.
    pub fn typed<'a>(&self, file: &'a SceneFile) -> Option<&'a file::Body> {
        self.rod.is_none().then(|| &file.bodies[self.origin.index])
    }

    /// Whether a pattern means it, by its own name or by that of its rod.
    pub(crate) fn matches(&self, pattern: &str) -> bool {
        glob::matches(pattern, &self.name) || self.rod.as_ref().is_some_and(|r| glob::matches(pattern, r))
    }
}

/// Names that may stand for bodies, for suggestions: of bodies and rods, then of segments.
pub(super) fn names(bodies: &[BodyCopy]) -> Vec<&str> {
    let mut all: Vec<&str> = bodies.iter().map(|b| b.rod.as_deref().unwrap_or(&b.name)).collect();
    all.dedup();
    all.extend(bodies.iter().filter(|b| b.rod.is_some()).map(|b| &*b.name));
    all
}

/// A shape with its carrier.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapePlace {
    /// Its name.
    pub name: String,
    /// The body that carries it, by index; `None` = static.
    pub body: Option<usize>,
    /// Pose in the frame of its body, or of the world.
    pub pose: Pose,
    /// Geometry.
    pub geometry: Geometry,
    /// As typed; none of a segment of a rod.
    pub shape: Option<Shape>,
}

/// Counts the copies out.
pub(super) fn copies(cx: &Context, file: &SceneFile) -> Result<Vec<BodyCopy>, SceneError> {
    let mut all: Vec<BodyCopy> = Vec::new();
    for (i, b) in file.bodies.iter().enumerate() {
        let origin = Origin { section: "bodies", index: i };
        let path = origin.path();
        let at = cx.at(path.clone());
        b.mass.map_or(Ok(()), |m| at.positive("mass", m, "kg"))?;
        let pose = pose(cx, &path, &b.position, b.rotation.as_ref())?;
        let Some(repeat) = &b.repeat else {
            all.push(BodyCopy { name: b.name.clone(), origin, rod: None, pose });
            continue;
        };
        let typed = || file.bodies.iter().map(|b| &*b.name);
        for (k, offset) in copies::offsets(cx, &path, repeat)?.into_iter().enumerate() {
            let name = copies::name(cx, "bodies", (&b.name, k + 1), typed())?;
            all.push(BodyCopy { name, origin, rod: None, pose: Pose::new(pose.p + offset, pose.q) });
        }
    }
    Ok(all)
}

/// Shapes of all bodies, then static ones.
pub(super) fn shapes(
    cx: &Context,
    file: &SceneFile,
    bodies: &[BodyCopy],
) -> Result<Vec<ShapePlace>, SceneError> {
    let mut all = Vec::new();
    for (i, b) in file.bodies.iter().enumerate() {
        let path = Path::root().key("bodies").index(i).key("shapes");
        let has_mass = b.shapes.iter().any(|s| s.density > 0.0);
        cx.at(path.clone()).require(
            !b.shapes.is_empty() && (has_mass || b.kinematic),
            "",
            "without mass",
            "give it a shape with a density above 0",
        )?;
        let origin = Origin { section: "bodies", index: i };
        let carriers: Vec<usize> = (0..bodies.len()).filter(|&k| bodies[k].origin == origin).collect();
        for (k, shape) in b.shapes.iter().enumerate() {
            let place = shape_place(cx, file, shape, &path.index(k), Some(&b.name))?;
            all.extend(carriers.iter().map(|&c| {
                let name = if b.repeat.is_some() { bodies[c].name.clone() } else { place.name.clone() };
                ShapePlace { body: Some(c), name, ..place.clone() }
            }));
        }
    }
    for (k, shape) in file.static_shapes.iter().enumerate() {
        all.push(shape_place(cx, file, shape, &Path::root().key("static_shapes").index(k), None)?);
    }
    Ok(all)
}

fn shape_place(
    cx: &Context,
    file: &SceneFile,
    shape: &Shape,
    path: &Path,
    body: Option<&str>,
) -> Result<ShapePlace, SceneError> {
    let at = cx.at(path.clone());
    at.not_negative("density", shape.density, "kg/m³")?;
    at.not_negative("margin", shape.margin, "m")?;
    material(cx, file, shape.material.as_deref(), path)?;
    let pose = pose(cx, path, &shape.position, shape.rotation.as_ref())?;
    let geometry = geometry(cx, file, &shape.geometry, &path.key("geometry"))?;
    if body.is_some() && geometry == Geometry::Plane {
        let help = "move it to `static_shapes`, or use a `Box` here";
        return Err(cx.fault(Fault::Value, &path.key("geometry"), "a body cannot carry a plane", help));
    }
    let name = shape.name.clone().or_else(|| body.map(str::to_owned)).unwrap_or_default();
    Ok(ShapePlace { name, body: None, pose, geometry, shape: Some(shape.clone()) })
}

fn geometry(
    cx: &Context,
    file: &SceneFile,
    typed: &file::Geometry,
    path: &Path,
) -> Result<Geometry, SceneError> {
    use file::Geometry as G;
    let at = cx.at(path.clone());
    Ok(match typed {
        G::Plane => Geometry::Plane,
        G::Sphere { radius } => {
            at.positive("radius", *radius, "m")?;
            Geometry::Sphere { radius: *radius }
        }
        G::Box { size } => {
            size.iter().try_for_each(|&s| at.positive("size", s, "m"))?;
            Geometry::Box { half_extents: vec3(size) * 0.5 }
        }
        G::Capsule { radius, length } => {
            at.positive("radius", *radius, "m")?;
            at.positive("length", *length, "m")?;
            Geometry::Capsule { radius: *radius, half_height: 0.5 * length }
        }
        G::Cylinder { radius, height } => {
            at.positive("radius", *radius, "m")?;
            at.positive("height", *height, "m")?;
            Geometry::Cylinder { radius: *radius, half_height: 0.5 * height }
        }
        G::Cone { radius, height } => {
            at.positive("radius", *radius, "m")?;
            at.positive("height", *height, "m")?;
            Geometry::Cone { radius: *radius, half_height: 0.5 * height }
        }
        G::Ellipsoid { radii } => {
            radii.iter().try_for_each(|&r| at.positive("radii", r, "m"))?;
            Geometry::Ellipsoid { radii: vec3(radii) }
        }
        G::Hull(mesh) => {
            Geometry::ConvexHull(Arc::new(meshes::surface(cx, file, mesh, &path.index(0), false)?))
        }
        G::Mesh(mesh) => Geometry::Mesh(Arc::new(meshes::surface(cx, file, mesh, &path.index(0), false)?)),
        G::Heights(heights) => Geometry::Heightfield(Arc::new(height_field(cx, heights, path)?)),
    })
}

fn height_field(cx: &Context, h: &Heights, path: &Path) -> Result<HeightField, SceneError> {
    let at = cx.at(path.clone());
    h.spacing.iter().try_for_each(|&s| at.positive("spacing", s, "m"))?;
    let columns = h.rows.first().map_or(0, Vec::len);
    let remedy = "write two rows or more, of two heights or more";
    at.require(h.rows.len() >= 2 && columns >= 2, "rows", "no surface", remedy)?;
    if let Some(i) = h.rows.iter().position(|r| r.len() != columns) {
        let text = format!("a row of {} where the first one has {columns}", h.rows[i].len());
        at.require(false, &format!("rows.{i}"), text, "write as many heights in every row")?;
    }
    let field = HeightField::new([columns, h.rows.len()], h.spacing, h.rows.concat());
    field.map_err(|e| cx.fault(Fault::Value, path, e.to_string(), remedy))
}

/// The body of that name.
pub(super) fn find_body(
    cx: &Context,
    path: &Path,
    name: &str,
    bodies: &[BodyCopy],
) -> Result<usize, SceneError> {
    bodies.iter().position(|b| b.name == name).ok_or_else(|| {
        let help = match name {
            "world" => "leave `parent` out for the world".to_owned(),
            _ => suggestion(name, &names(bodies), "bodies"),
        };
        cx.fault(Fault::UnknownName, path, format!("no body is named `{name}`"), &help)
    })
}
