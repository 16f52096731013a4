//! Meshes of a scene: named, read, generated; checked where they are used.

use std::f64::consts::TAU;

use coact_math::Vec3;
use coact_model::{TetMesh, TriMesh};

use crate::error::{Fault, SceneError};
use crate::file::{FileMesh, GridMesh, Mesh, SceneFile, TetBoxMesh, TriangleData, TubeMesh};
use crate::import::{self, Imported, MeshFault};
use crate::locate::Path;
use crate::nearest::suggestion;

use super::context::Context;

/// A surface for a cloth or a shape; `all_used` refuses loose vertices.
pub(super) fn surface(
    cx: &Context,
    file: &SceneFile,
    mesh: &Mesh,
    path: &Path,
    all_used: bool,
) -> Result<TriMesh, SceneError> {
    let (mesh, path) = follow(cx, file, mesh, path)?;
    let surface = match mesh {
        Mesh::Grid(g) => grid(cx, g, &path)?,
        Mesh::Tube(t) => tube(cx, t, &path)?,
        Mesh::Triangles(t) => written(t),
        Mesh::File(f) => match read(cx, f, &path)? {
            Imported::Surface(s) => s,
            Imported::Tets(_) => return Err(wrong_kind(cx, &path, f, "tetrahedra", "triangles", ".obj, .ply or .stl")),
        },
        Mesh::TetBox(_) | Mesh::Named(_) => return Err(no_surface(cx, &path)),
    };
    import::check_surface(&surface, all_used).map_err(|fault| refuse(cx, mesh, &path, fault))?;
    Ok(surface)
}

/// Tetrahedra for a soft body.
pub(super) fn tets(cx: &Context, file: &SceneFile, mesh: &Mesh, path: &Path) -> Result<TetMesh, SceneError> {
    let (mesh, path) = follow(cx, file, mesh, path)?;
    let (mut tets, orient) = match mesh {
        Mesh::TetBox(b) => (tet_box(cx, b, &path)?, false),
        Mesh::File(f) => match read(cx, f, &path)? {
            Imported::Tets(t) => (t, f.orient),
            Imported::Surface(_) => return Err(wrong_kind(cx, &path, f, "triangles", "tetrahedra", ".msh or .vtk")),
        },
        _ => {
            let message = "a soft body needs tetrahedra, and this is a surface";
            return Err(cx.fault(Fault::Mesh, &path, message, "use `File(…)` with .msh or .vtk, or `TetBox(…)`"));
        }
    };
    import::check_tets(&mut tets, orient).map_err(|fault| refuse(cx, mesh, &path, fault))?;
    Ok(tets)
}

/// From `Named("…")` to the mesh that carries the name.
fn follow<'a>(
    cx: &Context,
    file: &'a SceneFile,
    mesh: &'a Mesh,
    path: &Path,
) -> Result<(&'a Mesh, Path), SceneError> {
    let Mesh::Named(name) = mesh else { return Ok((mesh, path.clone())) };
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
    let mut imported = import::read(&cx.folder.join(&f.path)).map_err(|fault| refuse_file(cx, f, path, fault))?;
    let vertices = match &mut imported {
        Imported::Surface(s) => &mut s.vertices,
        Imported::Tets(t) => &mut t.vertices,
    };
    vertices.iter_mut().for_each(|v| *v *= f.scale);
    Ok(imported)
}

fn refuse(cx: &Context, mesh: &Mesh, path: &Path, fault: MeshFault) -> SceneError {
    match mesh {
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

/// Rows of vertices along x, then y; the diagonals of neighbouring squares cross.
fn grid(cx: &Context, g: &GridMesh, path: &Path) -> Result<TriMesh, SceneError> {
    cells(cx, path, &g.cells)?;
    sizes(cx, path, &g.size)?;
    let [nx, ny] = g.cells;
    let mut mesh = TriMesh::default();
    for j in 0..=ny {
        for i in 0..=nx {
            let x = (f64::from(i) / f64::from(nx) - 0.5) * g.size[0];
            let y = (f64::from(j) / f64::from(ny) - 0.5) * g.size[1];
            mesh.vertices.push(Vec3::new(x, y, 0.0));
        }
    }
    squares(&mut mesh, nx, ny, |i, j| j * (nx + 1) + i);
    Ok(mesh)
}

/// Rings of vertices about z, from the lower one up.
fn tube(cx: &Context, t: &TubeMesh, path: &Path) -> Result<TriMesh, SceneError> {
    cells(cx, path, &t.cells)?;
    let at = cx.at(path.clone());
    at.require(t.cells[0] >= 3, "cells", t.cells[0], "write 3 or more squares around")?;
    at.positive("radius", t.radius, "m")?;
    at.positive("length", t.length, "m")?;
    let [around, along] = t.cells;
    let mut mesh = TriMesh::default();
    for j in 0..=along {
        for i in 0..around {
            let a = TAU * f64::from(i) / f64::from(around);
            let z = (f64::from(j) / f64::from(along) - 0.5) * t.length;
            mesh.vertices.push(Vec3::new(t.radius * libm::cos(a), t.radius * libm::sin(a), z));
        }
    }
    squares(&mut mesh, around, along, |i, j| j * around + i % around);
    Ok(mesh)
}

fn squares(mesh: &mut TriMesh, nx: u32, ny: u32, at: impl Fn(u32, u32) -> u32) {
    for j in 0..ny {
        for i in 0..nx {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            let two = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            mesh.triangles.extend(two);
        }
    }
}

/// Each cube in five tetrahedra; neighbouring cubes are mirrored, so that faces agree.
fn tet_box(cx: &Context, b: &TetBoxMesh, path: &Path) -> Result<TetMesh, SceneError> {
    cells(cx, path, &b.cells)?;
    sizes(cx, path, &b.size)?;
    let [nx, ny, nz] = b.cells;
    let mut mesh = TetMesh::default();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let part = |n: u32, of: u32, size: f64| (f64::from(n) / f64::from(of) - 0.5) * size;
                mesh.vertices.push(Vec3::new(part(i, nx, b.size[0]), part(j, ny, b.size[1]), part(k, nz, b.size[2])));
            }
        }
    }
    let at = |i: u32, j: u32, k: u32| (k * (ny + 1) + j) * (nx + 1) + i;
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                // Corner n of the cube: bit 0 along x, bit 1 along y, bit 2 along z.
                let corner = |n: u32| at(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
                let five = if (i + j + k) % 2 == 0 { FIVE_TETS } else { FIVE_TETS_MIRRORED };
                mesh.tets.extend(five.map(|t| t.map(corner)));
            }
        }
    }
    Ok(mesh)
}

/// Corners of a cube cut off at 1, 2, 4, 7, and what is left in the middle.
const FIVE_TETS: [[u32; 4]; 5] = [[1, 0, 5, 3], [2, 3, 6, 0], [4, 5, 0, 6], [7, 6, 3, 5], [0, 3, 6, 5]];
/// The same with x mirrored: corners cut off at 0, 3, 5, 6.
const FIVE_TETS_MIRRORED: [[u32; 4]; 5] = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];

fn cells(cx: &Context, path: &Path, cells: &[u32]) -> Result<(), SceneError> {
    cells.iter().try_for_each(|&n| {
        cx.at(path.clone()).require((1..=4096).contains(&n), "cells", n, "write numbers from 1 to 4096")
    })
}

fn sizes(cx: &Context, path: &Path, size: &[f64]) -> Result<(), SceneError> {
    size.iter().try_for_each(|&s| cx.at(path.clone()).positive("size", s, "m"))
}
