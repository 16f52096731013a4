//! Checks of meshes and hulls as geometry of shapes: what has no distance, or the wrong
//! sign, is refused here rather than met by something that falls through it.

use coact_math::Vec3;

use super::ShapeDef;
use super::check::{Label, finite, in_range};
use crate::error::ModelError;
use crate::inertia::{MassProperties, SurfaceFault};
use crate::shape::{Geometry, ShapeFlags, TriMesh};

/// Thickness of a hull relative to its extent: less is a sheet with rounding on it, whose
/// faces have no inside.
const LEAST_THICKNESS: f64 = 1e-6;

pub(super) fn check_surface(label: Label, s: &ShapeDef) -> Result<(), ModelError> {
    let (Geometry::Mesh(mesh) | Geometry::ConvexHull(mesh)) = &s.geometry else { return Ok(()) };
    for v in &mesh.vertices {
        finite(label, "a mesh vertex", v.as_slice())?;
    }
    if let Some(&v) = mesh.triangles.iter().flatten().find(|&&v| v as usize >= mesh.vertices.len()) {
        in_range(label, format!("mesh vertex {v}"), v as usize, mesh.vertices.len())?;
    }
    if !s.flags.intersects(ShapeFlags::COLLIDE_PARTICLES | ShapeFlags::COLLIDE_SHAPES) {
        return Ok(());
    }
    match s.geometry {
        Geometry::ConvexHull(_) => check_hull(label, &mesh.vertices),
        _ => check_mesh(label, mesh),
    }
}

fn check_mesh(label: Label, mesh: &TriMesh) -> Result<(), ModelError> {
    let fault = |reason: String, remedy| Err(ModelError::BadSurface { entity: label(), reason, remedy });
    if !mesh.triangles.iter().any(|t| mesh.has_area(t)) {
        let reason = format!("none of its {} triangles has area", mesh.triangles.len());
        return fault(reason, "give it triangles, or clear its COLLIDE_* flags");
    }
    match MassProperties::of_mesh(mesh, 1.0) {
        Err(SurfaceFault::Inward { volume }) => {
            let reason = format!("its triangles are wound inward (its signed volume is {volume:.3e} m³)");
            fault(reason, "swap two vertices of every triangle; for a room, leave an opening")
        }
        // a line between two faces hides that they meet: what is inside there is not known
        Ok(_) => match sliver(mesh) {
            Some(i) => fault(
                format!("triangle {i} of a closed mesh is a line"),
                "remove it, and split the long edge of its neighbour at the middle vertex",
            ),
            None => Ok(()),
        },
        Err(_) => Ok(()),
    }
}

/// The first triangle of three different places without area.
fn sliver(mesh: &TriMesh) -> Option<usize> {
    let place = |v: u32| mesh.vertices[v as usize];
    let distinct = |t: &[u32; 3]| {
        let [a, b, c] = t.map(place);
        a != b && b != c && c != a
    };
    mesh.triangles.iter().position(|t| distinct(t) && !mesh.has_area(t))
}

fn check_hull(label: Label, points: &[Vec3]) -> Result<(), ModelError> {
    let (thickness, extent) = thickness(points);
    if thickness > LEAST_THICKNESS * extent {
        return Ok(());
    }
    let reason = format!("its {} points span no volume ({thickness:.1e} m thick)", points.len());
    let remedy = "give it four points that are not in one plane, or use a Box or a Mesh";
    Err(ModelError::BadSurface { entity: label(), reason, remedy })
}

/// How far points lie from the plane through three that are far apart, and how far apart
/// those are.
fn thickness(points: &[Vec3]) -> (f64, f64) {
    let Some(&a) = points.first() else { return (0.0, 0.0) };
    let farthest = |measure: &dyn Fn(&Vec3) -> f64| {
        points.iter().map(|p| (measure(p), *p)).fold((0.0, a), |m, n| if n.0 > m.0 { n } else { m })
    };
    let (extent, b) = farthest(&|p| (p - a).norm());
    let along = (b - a) / extent.max(f64::MIN_POSITIVE);
    let (width, c) = farthest(&|p| (p - a).cross(&along).norm());
    let normal = along.cross(&(c - a)) / width.max(f64::MIN_POSITIVE);
    let (thickness, _) = farthest(&|p| (p - a).dot(&normal).abs());
    (thickness, extent)
}
