//! Legacy VTK, text: the points and tetrahedra of an unstructured grid.
//!
//! Read here because the crates for VTK do not take the form with `OFFSETS` and
//! `CONNECTIVITY` (version 5), which is what tools write today; both forms are read.

use std::str::FromStr;

use coact_math::Vec3;
use coact_model::TetMesh;

use super::MeshFault;

const TET: usize = 10;

pub(super) fn read(text: &str) -> Result<TetMesh, MeshFault> {
    let mut r = Reader::open(text)?;
    let mut mesh = TetMesh::default();
    let (mut cells, mut types) = (Vec::new(), Vec::new());
    while let Some(word) = r.words.next() {
        match word {
            "POINTS" => {
                let count = r.number("the count of points")?;
                r.words.next(); // the type: every number is read in double
                mesh.vertices = r.points(count)?;
            }
            "CELLS" => cells = r.cells()?,
            "CELL_TYPES" => {
                let count: usize = r.number("the count of cell types")?;
                types = (0..count).map(|_| r.number("a cell type")).collect::<Result<_, _>>()?;
            }
            "POINT_DATA" | "CELL_DATA" => break,
            _ => {}
        }
    }
    mesh.tets = tets(&cells, &types)?;
    Ok(mesh)
}

struct Reader<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Reader<'a> {
    fn open(text: &'a str) -> Result<Self, MeshFault> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or("");
        if !first.starts_with("# vtk DataFile") {
            let remedy = "XML files (.vtu) are not read: save as legacy VTK, ASCII";
            return Err(MeshFault::new("it does not begin with `# vtk DataFile`", remedy));
        }
        let form = lines.nth(1).unwrap_or("").trim();
        if form != "ASCII" {
            return Err(MeshFault::new(format!("its form is `{form}`"), "save it as legacy VTK, ASCII"));
        }
        let grid = lines.next().unwrap_or("").trim();
        if grid != "DATASET UNSTRUCTURED_GRID" {
            let remedy = "save it as an unstructured grid of tetrahedra";
            return Err(MeshFault::new(format!("it is a `{grid}`"), remedy));
        }
        // The rest is a stream of words; line ends carry no meaning.
        let head: usize = text.split_inclusive('\n').take(4).map(str::len).sum();
        Ok(Self { words: text[head..].split_whitespace().peekable() })
    }

    fn number<T: FromStr>(&mut self, what: &str) -> Result<T, MeshFault> {
        let word = self.words.next().unwrap_or("the end of the file");
        word.parse()
            .map_err(|_| MeshFault::new(format!("expected {what}, found `{word}`"), "export the mesh anew"))
    }

    fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<usize>, MeshFault> {
        (0..count).map(|_| self.number(what)).collect()
    }

    fn points(&mut self, count: usize) -> Result<Vec<Vec3>, MeshFault> {
        let mut point = || -> Result<Vec3, MeshFault> {
            let mut x = || self.number("a coordinate");
            Ok(Vec3::new(x()?, x()?, x()?))
        };
        (0..count).map(|_| point()).collect()
    }

    /// Both forms: `n size` then `k v…` per cell, or offsets and connectivity.
    fn cells(&mut self) -> Result<Vec<Vec<usize>>, MeshFault> {
        let (first, second): (usize, usize) = (self.number("a count of cells")?, self.number("a size")?);
        if self.words.peek() != Some(&"OFFSETS") {
            return (0..first)
                .map(|_| {
                    let k = self.number("the size of a cell")?;
                    self.numbers(k, "a vertex of a cell")
                })
                .collect();
        }
        self.words.by_ref().nth(1); // OFFSETS and its type
        let offsets = self.numbers(first, "an offset")?;
        if self.words.next() != Some("CONNECTIVITY") {
            return Err(MeshFault::new("`CONNECTIVITY` does not follow the offsets", "export the mesh anew"));
        }
        self.words.next(); // its type
        let vertices = self.numbers(second, "a vertex of a cell")?;
        let range = |w: &[usize]| vertices.get(w[0]..w[1]).map(<[usize]>::to_vec);
        offsets
            .windows(2)
            .map(range)
            .collect::<Option<_>>()
            .ok_or_else(|| MeshFault::new("an offset lies outside the connectivity", "export the mesh anew"))
    }
}

fn tets(cells: &[Vec<usize>], types: &[usize]) -> Result<Vec<[u32; 4]>, MeshFault> {
    if cells.len() != types.len() {
        let message = format!("it has {} cells, but {} cell types", cells.len(), types.len());
        return Err(MeshFault::new(message, "export the mesh anew: its end may be missing"));
    }
    let of_tets = cells.iter().zip(types).filter(|(_, t)| **t == TET).map(|(c, _)| c);
    let four = |c: &Vec<usize>| {
        <[usize; 4]>::try_from(c.as_slice()).ok().map(|t| {
            // What does not fit is no vertex either: the check that follows refuses the largest.
            t.map(|v| u32::try_from(v).unwrap_or(u32::MAX))
        })
    };
    let tets: Option<Vec<_>> = of_tets.map(four).collect();
    match tets {
        Some(t) if !t.is_empty() => Ok(t),
        _ => Err(MeshFault::new("it has no 4-node tetrahedra", "save the volume mesh, in first order")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: &str = "DATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0\n0 1 0 0 0 1\n";

    #[test]
    fn both_forms_of_cells_are_read() {
        let old =
            format!("# vtk DataFile Version 3.0\nx\nASCII\n{POINTS}CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n");
        let new = format!(
            "# vtk DataFile Version 5.1\nx\nASCII\n{POINTS}CELLS 2 4\nOFFSETS vtktypeint64\n0 4\n\
             CONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n"
        );
        for text in [old, new] {
            let mesh = read(&text).unwrap();
            assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
            assert_eq!(mesh.vertices[3], Vec3::new(0.0, 0.0, 1.0));
        }
    }

    #[test]
    fn binary_surfaces_and_cut_files_are_refused() {
        assert!(read("# vtk DataFile Version 3.0\nx\nBINARY\n").unwrap_err().message.contains("BINARY"));
        assert!(read("<?xml").unwrap_err().remedy.contains("legacy"));
        let short =
            format!("# vtk DataFile Version 3.0\nx\nASCII\n{POINTS}CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 0\n");
        assert!(read(&short).unwrap_err().message.contains("1 cells, but 0 cell types"));
        let far = short.replace("TYPES 0\n", "TYPES 1\n10\n").replace("2 3\n", "2 4294967299\n");
        assert_eq!(read(&far).unwrap().tets, [[0, 1, 2, u32::MAX]]);
        let cut = format!("# vtk DataFile Version 3.0\nx\nASCII\n{POINTS}CELLS 1 5\n4 0 1");
        assert!(read(&cut).unwrap_err().message.contains("end of the file"));
    }
}
