//! A series of VTK unstructured grids (`.vtu`) with a `.pvd` that ParaView opens.
//!
//! Each frame has up to two files: `particles_*.vtu` (triangles, tetrahedra, springs and
//! loose particles; velocity per point, group per cell) and `bodies_*.vtu` (surfaces of
//! shapes; body index per cell, velocity per point). Arrays are inline base64.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use coact_math::Vec3;
use coact_model::State;

use super::Export;
use crate::error::{Result, TraceError};
use crate::stage::Stage;

const VERTEX: u8 = 1;
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const TETRAHEDRON: u8 = 10;

/// Writes the series and `run.pvd`; returns the path of the latter.
///
/// # Errors
/// When the file system refuses.
pub fn export_vtk(export: &Export) -> Result<PathBuf> {
    fs::create_dir_all(&export.folder).map_err(TraceError::io(&export.folder))?;
    let mut entries = String::new();
    for frame in export.frames() {
        let state = export.trajectory.state(frame);
        let grids =
            [("particles", particles(export.stage, &state)), ("bodies", bodies(export.stage, &state))];
        for (part, (name, grid)) in grids.iter().enumerate().filter(|(_, (_, g))| !g.types.is_empty()) {
            let file = format!("{name}_{frame:05}.vtu");
            write(&export.folder.join(&file), &grid.text())?;
            let time = export.trajectory.time(frame);
            let _ = writeln!(
                entries,
                "<DataSet timestep=\"{time}\" group=\"\" part=\"{part}\" file=\"{file}\"/>"
            );
        }
    }
    let pvd = export.folder.join("run.pvd");
    let text = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <Collection>\n{entries}</Collection>\n</VTKFile>\n"
    );
    write(&pvd, &text)?;
    Ok(pvd)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(TraceError::io(path))
}

/// An unstructured grid with one integer per cell and one vector per point.
#[derive(Default)]
struct Grid {
    points: Vec<f64>,
    velocity: Vec<f64>,
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    types: Vec<u8>,
    owner: Vec<i64>,
    owner_name: &'static str,
}

fn particles(stage: &Stage, state: &State) -> Grid {
    let mut grid = Grid { owner_name: "group", ..Grid::default() };
    for (q, qd) in state.particle_q.iter().zip(&state.particle_qd) {
        grid.point(q, qd);
    }
    for (k, sheet) in stage.sheets.iter().enumerate() {
        // The surface of a soft body is implied by its tetrahedra.
        let triangles = if sheet.tets.is_empty() { &sheet.triangles[..] } else { &[] };
        triangles.iter().for_each(|t| grid.cell(TRIANGLE, t, 0, k));
        sheet.tets.iter().for_each(|t| grid.cell(TETRAHEDRON, t, 0, k));
        sheet.springs.iter().for_each(|s| grid.cell(LINE, s, 0, k));
        if sheet.triangles.is_empty() {
            sheet.particles.clone().for_each(|p| grid.cell(VERTEX, &[p], 0, k));
        }
    }
    grid
}

fn bodies(stage: &Stage, state: &State) -> Grid {
    let mut grid = Grid { owner_name: "body", ..Grid::default() };
    for solid in &stage.solids {
        let first = grid.points.len() / 3;
        for v in solid.world(state) {
            let velocity = solid.body.map_or_else(Vec3::zeros, |b| state.body_qd[b].lin);
            grid.point(&v, &velocity);
        }
        let body = solid.body.map_or(usize::MAX, |b| b);
        solid.triangles.iter().for_each(|t| grid.cell(TRIANGLE, t, first, body));
    }
    grid
}

impl Grid {
    fn point(&mut self, q: &Vec3, qd: &Vec3) {
        self.points.extend(q.iter());
        self.velocity.extend(qd.iter());
    }

    /// `owner` = `usize::MAX` is written as −1: static.
    fn cell(&mut self, kind: u8, vertices: &[u32], first: usize, owner: usize) {
        self.connectivity.extend(vertices.iter().map(|&v| v as i64 + first as i64));
        self.offsets.push(self.connectivity.len() as i64);
        self.types.push(kind);
        self.owner.push(if owner == usize::MAX { -1 } else { owner as i64 });
    }

    fn text(&self) -> String {
        let floats = |v: &[f64]| encode(v.iter().flat_map(|x| x.to_le_bytes()), v.len() * 8);
        let integers = |v: &[i64]| encode(v.iter().flat_map(|x| x.to_le_bytes()), v.len() * 8);
        let (points, cells) = (self.points.len() / 3, self.types.len());
        let array = |kind: &str, name: &str, components: usize, data: &str| {
            format!(
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
                 format=\"binary\">{data}</DataArray>\n"
            )
        };
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n\
             <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n\
             <PointData Vectors=\"velocity\">\n{}</PointData>\n<CellData Scalars=\"{}\">\n{}</CellData>\n\
             <Points>\n{}</Points>\n<Cells>\n{}{}{}</Cells>\n\
             </Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
            array("Float64", "velocity", 3, &floats(&self.velocity)),
            self.owner_name,
            array("Int64", self.owner_name, 1, &integers(&self.owner)),
            array("Float64", "Points", 3, &floats(&self.points)),
            array("Int64", "connectivity", 1, &integers(&self.connectivity)),
            array("Int64", "offsets", 1, &integers(&self.offsets)),
            array("UInt8", "types", 1, &encode(self.types.iter().copied(), self.types.len())),
        )
    }
}

/// Base64 of the length (8 bytes, little endian) followed by the data.
fn encode(data: impl Iterator<Item = u8>, len: usize) -> String {
    let bytes: Vec<u8> = (len as u64).to_le_bytes().into_iter().chain(data).collect();
    base64(&bytes)
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().enumerate().fold(0_u32, |w, (i, &b)| w | u32::from(b) << (16 - 8 * i));
        for k in 0..4 {
            let digit = ALPHABET[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use vtkio::model::{DataSet, Piece, VertexNumbers};

    use super::super::tests::{stage, trajectory};
    use super::*;

    #[test]
    fn base64_of_known_bytes() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn series_is_read_back_by_another_reader() {
        let dir = tempfile::tempdir().unwrap();
        let (stage, trajectory) = (stage(), trajectory(3));
        let folder = dir.path().to_owned();
        let pvd = export_vtk(&Export { stage: &stage, trajectory: &trajectory, folder, stride: 1 }).unwrap();
        let text = fs::read_to_string(pvd).unwrap();
        assert_eq!(text.matches("<DataSet ").count(), 6);
        assert!(
            text.contains("timestep=\"0.2\" group=\"\" part=\"0\" file=\"particles_00002.vtu\""),
            "{text}"
        );
        let vtk = vtkio::Vtk::import(dir.path().join("particles_00002.vtu")).unwrap();
        let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else { panic!("another kind of grid") };
        let Piece::Inline(piece) = &pieces[0] else { panic!("data elsewhere") };
        let points = piece.points.clone().cast_into::<f64>().unwrap();
        assert_eq!(points.len(), 10 * 3);
        assert_eq!(points[3 + 2], trajectory.state(2).particle_q[1].z);
        assert_eq!(piece.cells.types.len(), 2 + 1 + 1 + 2);
        let VertexNumbers::XML { connectivity, .. } = &piece.cells.cell_verts else { panic!("legacy cells") };
        assert_eq!(connectivity[..3], [0, 1, 2]);
        let bodies = vtkio::Vtk::import(dir.path().join("bodies_00000.vtu")).unwrap();
        assert!(matches!(bodies.data, DataSet::UnstructuredGrid { .. }));
    }
}
