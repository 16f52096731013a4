//! Meshes of a scene: named, read, generated; checked where they are used.

use coact_math::Vec3;
use coact_model::mesh::{self, CellSplit, Diagonal};
use coact_model::{TetMesh, TriMesh};

use crate::error::{Fault, SceneError};
use crate::file::{FileMesh, GridMesh, Mesh, SceneFile, TetBoxMesh, TriangleData, TubeMesh};
use crate::import::{self, Imported, MeshFault};
use crate::locate::Path;
use crate::nearest::suggestion;

use super::context::Context;
use super::deformables::vec3;

/// A surface for a cloth or a shape; `all_used` refuses loose vertices.
pub(super) fn surface(
    cx: &Context,
    file: &SceneFile,
    typed: &Mesh,
    path: &Path,
    all_used: bool,
) -> Result<TriMesh, SceneError> {
    let (typed, path) = follow(cx, file, typed, path)?;
    let surface = match typed {
        Mesh::Grid(g) => grid(cx, g, &path)?,
        Mesh::Tube(t) => tube(cx, t, &path)?,
        Mesh::Triangles(t) => written(t),
        Mesh::File(f) => match read(cx, f, &path)? {
            Imported::Surface(s) => s,
            Imported::Tets(_) => {
                return Err(wrong_kind(cx, &path, f, "tetrahedra", "triangles", ".obj, .ply or .stl"));
            }
        },
        Mesh::TetBox(_) | Mesh::Named(_) => return Err(no_surface(cx, &path)),
    };
    import::check_surface(&surface, all_used).map_err(|fault| refuse(cx, typed, &path, fault))?;
    Ok(surface)
}

/// Tetrahedra for a soft body.
pub(super) fn tets(cx: &Context, file: &SceneFile, typed: &Mesh, path: &Path) -> Result<TetMesh, SceneError> {
    let (typed, path) = follow(cx, file, typed, path)?;
    let (mut tets, orient) = match typed {
        Mesh::TetBox(b) => (tet_box(cx, b, &path)?, false),
        Mesh::File(f) => match read(cx, f, &path)? {
            Imported::Tets(t) => (t, f.orient),
            Imported::Surface(_) => {
                return Err(wrong_kind(cx, &path, f, "triangles", "tetrahedra", ".msh or .vtk"));
            }
        },
        _ => {
            let message = "a soft body needs tetrahedra, and this is a surface";
            return Err(cx.fault(
                Fault::Mesh,
                &path,
                message,
                "use `File(…)` with .msh or .vtk, or `TetBox(…)`",
            ));
        }
    };
    import::check_tets(&mut tets, orient).map_err(|fault| refuse(cx, typed, &path, fault))?;
    Ok(tets)
}

/// From `Named("…")` to the mesh that carries the name.
fn follow<'a>(
    cx: &Context,
    file: &'a SceneFile,
    typed: &'a Mesh,
    path: &Path,
) -> Result<(&'a Mesh, Path), SceneError> {
    let Mesh::Named(name) = typed else { return Ok((typed, path.clone())) };
    match file.meshes.iter().position(|m| m.name == *name) {
        Some(i) => Ok((&file.meshes[i].mesh, Path::root().key("meshes").index(i).key("mesh"))),
        None => {
            let names: Vec<&str> = file.meshes.iter().map(|m| &*m.name).collect();
            let message = format!("no mesh is named `{name}`");
            Err(cx.fault(Fault::UnknownName, path, message, &suggestion(name, &names, "meshes")))
        }
    }
}

fn read(cx: &Context, f: &FileMesh, path: &Path) -> Result<Imported, SceneError> {
    cx.at(path.clone()).positive("scale", f.scale, "1")?;
    let mut imported =
        import::read(&cx.folder.join(&f.path)).map_err(|fault| refuse_file(cx, f, path, fault))?;
    let vertices = match &mut imported {
        Imported::Surface(s) => &mut s.vertices,
        Imported::Tets(t) => &mut t.vertices,
    };
    vertices.iter_mut().for_each(|v| *v *= f.scale);
    Ok(imported)
}

fn refuse(cx: &Context, typed: &Mesh, path: &Path, fault: MeshFault) -> SceneError {
    match typed {
        Mesh::File(f) => refuse_file(cx, f, path, fault),
        _ => cx.fault(Fault::Mesh, path, fault.message, &fault.remedy),
    }
}

fn refuse_file(cx: &Context, f: &FileMesh, path: &Path, fault: MeshFault) -> SceneError {
    cx.fault(Fault::Mesh, &path.key("path"), format!("{}: {}", f.path, fault.message), &fault.remedy)
}

fn wrong_kind(cx: &Context, path: &Path, f: &FileMesh, has: &str, needs: &str, endings: &str) -> SceneError {
    let message = format!("{} holds {has}, and {needs} are needed here", f.path);
    cx.fault(Fault::Mesh, &path.key("path"), message, &format!("use a file of {endings}"))
}

fn no_surface(cx: &Context, path: &Path) -> SceneError {
    let help = "use `File(…)` with .obj, .ply or .stl, `Grid(…)`, `Tube(…)` or `Triangles(…)`";
    cx.fault(Fault::Mesh, path, "a surface is needed here, and this is none", help)
}

fn written(t: &TriangleData) -> TriMesh {
    let vertices = t.vertices.iter().map(|&[x, y, z]| Vec3::new(x, y, z)).collect();
    TriMesh { vertices, triangles: t.triangles.clone() }
}

fn grid(cx: &Context, g: &GridMesh, path: &Path) -> Result<TriMesh, SceneError> {
    cells(cx, path, &g.cells)?;
    sizes(cx, path, &g.size)?;
    let diagonal = if g.uniform { Diagonal::Uniform } else { Diagonal::Alternating };
    let mut mesh = mesh::cloth_grid(g.cells.map(|n| n as usize), g.size, diagonal);
    let centre = Vec3::new(0.5 * g.size[0], 0.5 * g.size[1], 0.0);
    mesh.vertices.iter_mut().for_each(|v| *v -= centre);
    Ok(mesh)
}

fn tube(cx: &Context, t: &TubeMesh, path: &Path) -> Result<TriMesh, SceneError> {
    cells(cx, path, &t.cells)?;
    let at = cx.at(path.clone());
    at.require(t.cells[0] >= 3, "cells", t.cells[0], "write 3 or more squares around")?;
    at.positive("radius", t.radius, "m")?;
    at.positive("length", t.length, "m")?;
    Ok(mesh::tube(t.radius, t.length, t.cells[0] as usize, t.cells[1] as usize))
}

fn tet_box(cx: &Context, b: &TetBoxMesh, path: &Path) -> Result<TetMesh, SceneError> {
    cells(cx, path, &b.cells)?;
    sizes(cx, path, &b.size)?;
    let size = vec3(&b.size);
    let mut mesh = mesh::tet_box(b.cells.map(|n| n as usize), size, CellSplit::Five);
    mesh.vertices.iter_mut().for_each(|v| *v -= size * 0.5);
    Ok(mesh)
}

/// Most cells of a generated mesh: more is a slip of the pen, and does not fit in memory.
const MOST_CELLS: u64 = 4_000_000;

fn cells(cx: &Context, path: &Path, cells: &[u32]) -> Result<(), SceneError> {
    let count = cells.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
    let text = cells.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let remedy = format!("write numbers of 1 or more, at most {MOST_CELLS} cells in all");
    cx.at(path.clone()).require((1..=MOST_CELLS).contains(&count), "cells", format!("({text})"), &remedy)
}

fn sizes(cx: &Context, path: &Path, size: &[f64]) -> Result<(), SceneError> {
    size.iter().try_for_each(|&s| cx.at(path.clone()).positive("size", s, "m"))
}
