//! A sequence of Wavefront OBJ files, one per frame, in world coordinates.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use coact_math::Vec3;
use coact_model::State;

use super::Export;
use crate::error::{Result, TraceError};
use crate::stage::{Sheet, Stage};

/// Writes `frame_00000.obj` and on; every solid and every surface is an object of its name.
///
/// # Errors
/// When the file system refuses.
pub fn export_obj(export: &Export) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(&export.folder).map_err(TraceError::io(&export.folder))?;
    let mut written = Vec::new();
    for frame in export.frames() {
        let path = export.folder.join(format!("frame_{frame:05}.obj"));
        let text = frame_text(export.stage, &export.trajectory.state(frame));
        fs::write(&path, text).map_err(TraceError::io(&path))?;
        written.push(path);
    }
    Ok(written)
}

fn frame_text(stage: &Stage, state: &State) -> String {
    let mut obj = Objects::default();
    for solid in &stage.solids {
        obj.add(&solid.name, &solid.world(state), &solid.triangles);
    }
    for sheet in stage.sheets.iter().filter(|s| !s.triangles.is_empty()) {
        let (vertices, triangles) = compact(sheet, state);
        obj.add(&sheet.name, &vertices, &triangles);
    }
    obj.text
}

/// The particles of a sheet and its triangles with indices into them.
pub(crate) fn compact(sheet: &Sheet, state: &State) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (start, end) = (sheet.particles.start, sheet.particles.end);
    let vertices = state.particle_q[start as usize..end as usize].to_vec();
    (vertices, sheet.triangles.iter().map(|t| t.map(|p| p - start)).collect())
}

#[derive(Default)]
struct Objects {
    text: String,
    vertices: u32,
}

impl Objects {
    fn add(&mut self, name: &str, vertices: &[Vec3], triangles: &[[u32; 3]]) {
        let name = name.replace(char::is_whitespace, "_");
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "o {name}");
        for v in vertices {
            let _ = writeln!(self.text, "v {} {} {}", v.x, v.y, v.z);
        }
        for t in triangles {
            let [a, b, c] = t.map(|i| i + self.vertices + 1);
            let _ = writeln!(self.text, "f {a} {b} {c}");
        }
        self.vertices += vertices.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{stage, trajectory};
    use super::*;

    #[test]
    fn every_frame_is_a_file_with_valid_indices() {
        let dir = tempfile::tempdir().unwrap();
        let (stage, trajectory) = (stage(), trajectory(5));
        let folder = dir.path().join("obj");
        let export = Export { stage: &stage, trajectory: &trajectory, folder, stride: 2 };
        let written = export_obj(&export).unwrap();
        assert_eq!(written.len(), 3);
        let text = fs::read_to_string(&written[2]).unwrap();
        let vertices = text.lines().filter(|l| l.starts_with("v ")).count();
        assert_eq!(vertices, 4 + 4 + 4 + 4);
        let largest = text
            .lines()
            .filter_map(|l| l.strip_prefix("f "))
            .flat_map(str::split_whitespace)
            .map(|i| i.parse::<usize>().unwrap())
            .max();
        assert_eq!(largest, Some(vertices));
        assert!(text.contains("o cloth\n"));
    }
}
