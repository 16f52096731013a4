//! Particles of a group by corners, boxes, numbers or nearest points.

use coact_math::{Pose, Vec3};

use crate::error::{Fault, SceneError};
use crate::file::{Pin, V3};
use crate::locate::Path;

use super::context::Context;
use super::deformables::vec3;

/// Finds the particles of one group that a list of pins means.
pub(super) struct Selection<'a> {
    pub cx: &'a Context,
    /// The list.
    pub path: Path,
    /// Vertices in the frame of the mesh.
    pub local: &'a [Vec3],
    /// Pose of the mesh in the world.
    pub pose: Pose,
}

impl Selection<'_> {
    /// Their numbers, in order, each once.
    pub fn find(&self, pins: &[Pin]) -> Result<Vec<u32>, SceneError> {
        let mut found = Vec::new();
        for (i, pin) in pins.iter().enumerate() {
            found.extend(self.find_one(pin, &self.path.index(i))?);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn find_one(&self, pin: &Pin, path: &Path) -> Result<Vec<u32>, SceneError> {
        match pin {
            Pin::Vertices(v) if v.is_empty() => Err(self.nothing(path)),
            Pin::Nearest(v) if v.is_empty() => Err(self.nothing(path)),
            Pin::Corners => Ok(self.corners()),
            Pin::Box { min, max } => self.inside(min, max, path),
            Pin::Vertices(list) => self.numbered(list, path),
            Pin::Nearest(points) => {
                let nearest = |p: &V3| nearest_of(self.local, &self.pose.inverse().point(&vec3(p)));
                Ok(points.iter().map(nearest).collect())
            }
        }
    }

    /// The vertices nearest to the corners of the bounding rectangle, seen along the
    /// thinnest direction of the mesh.
    fn corners(&self) -> Vec<u32> {
        let (lo, hi) = bounds(self.local);
        let thin = (hi - lo).imin();
        let (a, b) = ((thin + 1) % 3, (thin + 2) % 3);
        let flat: Vec<Vec3> = self.local.iter().map(|v| Vec3::new(v[a], v[b], 0.0)).collect();
        let corner = |x: &Vec3, y: &Vec3| nearest_of(&flat, &Vec3::new(x[a], y[b], 0.0));
        vec![corner(&lo, &lo), corner(&hi, &lo), corner(&lo, &hi), corner(&hi, &hi)]
    }

    fn inside(&self, min: &V3, max: &V3, path: &Path) -> Result<Vec<u32>, SceneError> {
        let world: Vec<Vec3> = self.local.iter().map(|v| self.pose.point(v)).collect();
        let within = |v: &Vec3| (0..3).all(|k| min[k] <= v[k] && v[k] <= max[k]);
        let found: Vec<u32> = (0..world.len()).filter(|&i| within(&world[i])).map(|i| i as u32).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let (lo, hi) = bounds(&world);
        let help = format!(
            "the particles lie from ({}, {}, {}) to ({}, {}, {}) [m], in the world",
            lo.x, lo.y, lo.z, hi.x, hi.y, hi.z
        );
        Err(self.cx.fault(Fault::Value, path, "no particle is inside this box", &help))
    }

    fn nothing(&self, path: &Path) -> SceneError {
        let help = "list at least one, or leave this out";
        self.cx.fault(Fault::Value, path, "this selects nothing: its list is empty", help)
    }

    fn numbered(&self, list: &[u32], path: &Path) -> Result<Vec<u32>, SceneError> {
        let count = self.local.len();
        match list.iter().position(|&v| v as usize >= count) {
            None => Ok(list.to_vec()),
            Some(i) => {
                let message = format!("there is no vertex {}: the mesh has {count}", list[i]);
                let help = format!("write numbers from 0 to {}", count - 1);
                Err(self.cx.fault(Fault::Value, &path.index(0).index(i), message, &help))
            }
        }
    }
}

fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    let (mut lo, mut hi) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for p in points {
        lo = lo.inf(p);
        hi = hi.sup(p);
    }
    (lo, hi)
}

/// The first of the nearest points.
fn nearest_of(points: &[Vec3], to: &Vec3) -> u32 {
    let distance = |i: &usize| (points[*i] - to).norm_squared();
    (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0) as u32
}
