//! Points of the centre line of a rod: the first line of an OBJ, or the rows of a CSV.

use std::path::Path;

use coact_math::Vec3;

use super::{MeshFault, missing, text_of};

/// Reads the points by the ending of the name.
///
/// # Errors
/// The file is missing, of another format, or broken.
pub fn read_line(path: &Path) -> Result<Vec<Vec3>, MeshFault> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    let read = match ending.as_str() {
        "obj" => obj,
        "csv" => csv,
        _ => {
            let message = format!("`.{ending}` is no format of lines that can be read");
            return Err(MeshFault::new(message, "use an .obj with a line, or a .csv of points"));
        }
    };
    let bytes = std::fs::read(path).map_err(|e| missing(path, &e))?;
    let points = read(text_of(&bytes)?.trim_start_matches('\u{feff}'))?;
    if points.len() < 2 {
        let message = format!("it has {} points, and a line needs two", points.len());
        return Err(MeshFault::new(message, "write a point per row, in order along the line"));
    }
    Ok(points)
}

/// The vertices of the first `l`, or all of them if there is none.
fn obj(text: &str) -> Result<Vec<Vec3>, MeshFault> {
    let (mut vertices, mut line) = (Vec::new(), None);
    for (i, row) in text.lines().enumerate() {
        let mut words = row.split('#').next().unwrap_or("").split_whitespace();
        match words.next() {
            Some("v") => {
                let wrong = || MeshFault::on_line(i + 1, "a vertex needs three numbers", "write `v x y z`");
                vertices.push(numbers(words.take(3)).ok_or_else(wrong)?);
            }
            Some("l") if line.is_none() => line = Some((i + 1, words.collect::<Vec<_>>())),
            _ => {}
        }
    }
    let Some((at, names)) = line else { return Ok(vertices) };
    let count = vertices.len() as i64;
    let point = |name: &&str| {
        let n: Option<i64> = name.split('/').next().and_then(|n| n.parse().ok());
        let place = n.map(|n| if n < 0 { count + n } else { n - 1 }).filter(|n| (0..count).contains(n));
        place.map(|n| vertices[n as usize]).ok_or_else(|| {
            let message = format!("the line names vertex `{name}`, but the file has {count} vertices");
            MeshFault::on_line(at, message, format!("write numbers from 1 to {count}"))
        })
    };
    names.iter().map(point).collect()
}

/// Three numbers per row, between commas, semicolons or blanks. One row of headings is passed over.
fn csv(text: &str) -> Result<Vec<Vec3>, MeshFault> {
    let mut points = Vec::new();
    let rows = text.lines().enumerate().map(|(i, row)| (i, row.split('#').next().unwrap_or("").trim()));
    for (k, (i, row)) in rows.filter(|(_, row)| !row.is_empty()).enumerate() {
        let words: Vec<&str> = row.split([',', ';', ' ', '\t']).filter(|w| !w.is_empty()).collect();
        match numbers(words.iter().copied()) {
            Some(point) => points.push(point),
            None if k == 0 && words.iter().all(|w| w.parse::<f64>().is_err()) => {}
            None => {
                let message = format!("`{row}` is no point");
                return Err(MeshFault::on_line(i + 1, message, "write three numbers: `x, y, z`"));
            }
        }
    }
    Ok(points)
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Option<Vec3> {
    let numbers: Option<Vec<f64>> = words.map(|w| w.parse().ok().filter(|x: &f64| x.is_finite())).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Some(Vec3::new(x, y, z)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_an_obj_orders_its_vertices() {
        let text = "v 0 0 0\nv 2 0 0\nv 1 0 0\nl 1 3 -2 # along x\nl 2 1\n";
        let x: Vec<f64> = obj(text).unwrap().iter().map(|p| p.x).collect();
        assert_eq!(x, [0.0, 1.0, 2.0]);
        assert_eq!(obj("v 0 0 0\nv 1 1 1\n").unwrap().len(), 2);
        let fault = obj("v 0 0 0\nl 1 2\n").unwrap_err();
        assert!(fault.message.contains("line 2") && fault.message.contains("`2`"), "{fault:?}");
    }

    #[test]
    fn rows_of_a_csv_are_points_and_headings_are_none() {
        let points = csv("x, y, z\n0, 0, 0\n\n1; 2; 3\n4 5 6 # last\n").unwrap();
        assert_eq!(points[1..], [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        for wrong in ["0, 0, 0\nx, y, z\n", "0, 0\n", "0, 0, nan\n"] {
            assert!(csv(wrong).unwrap_err().remedy.contains("x, y, z"), "{wrong}");
        }
    }
}
