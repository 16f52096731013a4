//! Centre lines of rods: as typed, or read from a file, in the world.

use coact_math::{Pose, Vec3};
use coact_model::RodPath;

use crate::error::{Fault, SceneError};
use crate::file::{Line, V3};
use crate::import;
use crate::locate::Path;

use super::context::Context;
use super::deformables::vec3;

/// Gap between the ends of a line over its length up to which it is closed.
const CLOSED: f64 = 1e-6;

/// The line in the world; `path`: its place in the scene.
pub(super) fn path(cx: &Context, line: &Line, frame: &Pose, path: &Path) -> Result<RodPath, SceneError> {
    let frame = *frame;
    let placed = |points: &[V3]| points.iter().map(|p| frame.point(&vec3(p))).collect::<Vec<_>>();
    Ok(match line {
        Line::Straight { from, to, segments } => {
            let [from, to] = [from, to].map(|p| frame.point(&vec3(p)));
            RodPath::Straight { from, to, segments: *segments as usize }
        }
        Line::Points { points, segment } => open_or_closed(cut(&placed(points), *segment)),
        Line::Helix { radius, pitch, turns, segments } => RodPath::Helix {
            frame,
            radius: *radius,
            pitch: *pitch,
            turns: *turns,
            segments: *segments as usize,
        },
        Line::Ring { radius, segments } => {
            RodPath::Ring { frame, radius: *radius, segments: *segments as usize }
        }
        Line::Spline { points, segment } => RodPath::Spline { points: placed(points), segment: *segment },
        Line::File(f) => {
            let read = import::read_line(&cx.folder.join(&f.path)).map_err(|fault| {
                let message = format!("{}: {}", f.path, fault.message);
                cx.fault(Fault::Mesh, &path.key("path"), message, &fault.remedy)
            })?;
            let points: Vec<Vec3> = read.iter().map(|p| frame.point(&(p * f.scale))).collect();
            open_or_closed(cut(&points, f.segment))
        }
    })
}

/// Each straight piece cut into segments of about one length.
fn cut(points: &[Vec3], segment: Option<f64>) -> Vec<Vec3> {
    let mut all: Vec<Vec3> = points.first().copied().into_iter().collect();
    for w in points.windows(2) {
        let count = segment.map_or(1.0, |s| ((w[1] - w[0]).norm() / s).round().max(1.0)) as usize;
        all.extend((1..count).map(|k| w[0].lerp(&w[1], k as f64 / count as f64)));
        all.push(w[1]);
    }
    all
}

fn open_or_closed(points: Vec<Vec3>) -> RodPath {
    let length: f64 = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let gap = points.first().zip(points.last()).map_or(length, |(a, b)| (b - a).norm());
    // two pieces that lie on each other are a fold, which the model refuses
    if points.len() > 3 && gap <= CLOSED * length { RodPath::Closed(points) } else { RodPath::Points(points) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_and_a_line_that_comes_back_is_closed() {
        let square: Vec<Vec3> =
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]].map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
        let points = cut(&square, Some(0.25));
        assert_eq!(points.len(), 1 + 4 + 4 + 6);
        assert!(matches!(open_or_closed(points), RodPath::Closed(_)));
        assert!(matches!(open_or_closed(square[..3].to_vec()), RodPath::Points(_)));
    }
}
