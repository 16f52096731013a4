//! Meshes from files: surfaces (OBJ, PLY, STL) and tetrahedra (gmsh 4.1, legacy VTK).
//!
//! A reader gives what the file says, in the file's own order of vertices; `check` then
//! refuses what cannot be simulated, by number and with the remedy. Faults are plain
//! [`MeshFault`]s; the scene adds the place where the mesh is asked for.

mod check;
mod gmsh;
mod line;
mod obj;
mod ply;
mod stl;
mod vtk;

use std::path::Path;

use coact_model::{TetMesh, TriMesh};

pub use check::{check_surface, check_tets};
pub use line::read_line;

/// A mesh that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Imported {
    /// Triangles.
    Surface(TriMesh),
    /// Tetrahedra.
    Tets(TetMesh),
}

/// What is wrong with a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFault {
    /// What, with the line or the number of the element.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl MeshFault {
    pub(crate) fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: remedy.into() }
    }

    /// A fault on a line of the file, from 1.
    pub(crate) fn on_line(line: usize, message: impl std::fmt::Display, remedy: impl Into<String>) -> Self {
        Self::new(format!("line {line}: {message}"), remedy)
    }
}

/// The endings of file names that can be read.
pub const ENDINGS: [&str; 5] = ["obj", "ply", "stl", "msh", "vtk"];

/// Reads a mesh file by the ending of its name. Nothing is checked but what reading needs.
///
/// # Errors
/// The file is missing, of another format, or broken.
pub fn read(path: &Path) -> Result<Imported, MeshFault> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    if !ENDINGS.contains(&ending.as_str()) {
        let remedy = "use .obj, .ply or .stl for surfaces, .msh (gmsh 4.1) or .vtk (legacy) for tetrahedra";
        let message = match ending.as_str() {
            "" => "the name has no ending that tells the format".to_owned(),
            _ => format!("`.{ending}` is no mesh format that can be read"),
        };
        return Err(MeshFault::new(message, remedy));
    }
    let bytes = std::fs::read(path).map_err(|e| missing(path, &e))?;
    match ending.as_str() {
        "obj" => obj::read(&text_of(&bytes)?).map(Imported::Surface),
        "ply" => ply::read(&bytes).map(Imported::Surface),
        "stl" => stl::read(&bytes).map(Imported::Surface),
        "msh" => gmsh::read(&bytes).map(Imported::Tets),
        _ => vtk::read(&text_of(&bytes)?).map(Imported::Tets),
    }
}

fn text_of(bytes: &[u8]) -> Result<String, MeshFault> {
    String::from_utf8(bytes.to_vec())
        .map_err(|_| MeshFault::new("the file is not text", "export it in the ASCII form of its format"))
}

/// Says which files there are when the wanted one is not.
fn missing(path: &Path, error: &std::io::Error) -> MeshFault {
    if path.is_dir() {
        return MeshFault::new("it is a folder", "name the mesh file in it");
    }
    if error.kind() != std::io::ErrorKind::NotFound {
        return MeshFault::new(format!("cannot read it: {error}"), "check its permissions");
    }
    let wanted = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    let folder = path.parent().unwrap_or(Path::new("."));
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    let remedy = match crate::nearest::nearest(wanted, names.iter().map(String::as_str)) {
        Some(near) => {
            format!("did you mean `{near}` in the same folder? paths are relative to the scene file")
        }
        None => "paths are relative to the scene file; check the folder and the name".to_owned(),
    };
    MeshFault::new("there is no such file", remedy)
}
