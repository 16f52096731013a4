//! The eye of a picture, and one that sees the whole scene.

use coact_math::{Pose, Vec3};
use coact_model::State;

use crate::stage::Stage;

/// Azimuth \[degrees\] from which a scene is seen when nobody says otherwise.
const AZIMUTH: f64 = -58.0;
/// Elevation of it \[degrees\].
const ELEVATION: f64 = 27.0;
/// Empty part of the picture around the scene.
const MARGIN: f64 = 0.08;
/// Static solids count for framing only this near to what moves, in sizes of it.
const STATIC_REACH: f64 = 0.35;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is \[m\].
    pub eye: Vec3,
    /// What it looks at \[m\].
    pub target: Vec3,
    /// What is up in the picture.
    pub up: Vec3,
    /// Full vertical angle of view \[rad\].
    pub fov: f64,
}

impl Default for Camera {
    fn default() -> Self {
        Self { eye: Vec3::new(3.0, -5.0, 3.0), target: Vec3::zeros(), up: Vec3::z(), fov: 0.6 }
    }
}

impl Camera {
    /// A camera that sees everything but planes in all of `states`, for pictures of this
    /// width over height.
    pub fn framing<'a>(stage: &Stage, states: impl IntoIterator<Item = &'a State>, aspect: f64) -> Self {
        let mut points = Vec::new();
        for state in states {
            moving_points(stage, state, &mut points);
        }
        add_static_points(stage, &mut points);
        add_ground_points(stage, &mut points);
        let up = Vec3::from(stage.up);
        let mut camera = Self { up, ..Self::default() };
        camera.look_from(AZIMUTH.to_radians(), ELEVATION.to_radians());
        camera.fit(&points, aspect);
        camera
    }

    /// Turns the view direction; angles in \[rad\], azimuth from the first horizontal axis.
    fn look_from(&mut self, azimuth: f64, elevation: f64) {
        let side = if self.up.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let a = (side - self.up * side.dot(&self.up)).normalize();
        let b = self.up.cross(&a);
        let level = a * azimuth.cos() + b * azimuth.sin();
        self.eye = self.target + level * elevation.cos() + self.up * elevation.sin();
    }

    /// Right, up and forward in the world, each of length 1.
    pub fn axes(&self) -> [Vec3; 3] {
        let forward = (self.target - self.eye).normalize();
        let right = forward.cross(&self.up).try_normalize(1e-12).unwrap_or_else(Vec3::x);
        [right, right.cross(&forward), forward]
    }

    /// Moves along the view until every point is inside, centred in the picture.
    fn fit(&mut self, points: &[Vec3], aspect: f64) {
        let [right, up, forward] = self.axes();
        let tan_y = (0.5 * self.fov).tan() * (1.0 - MARGIN);
        let tans = [(right, tan_y * aspect), (up, tan_y)];
        // For a half-space boundary `±s·e·x ≤ tan·f·x` the extreme points decide both the
        // centre and the distance along each picture axis.
        let (mut distance, mut centre) = (1e-3_f64, Vec3::zeros());
        for (e, tan) in tans {
            let extreme = |s: f64| {
                points.iter().map(|p| s * e.dot(p) - tan * forward.dot(p)).fold(f64::NEG_INFINITY, f64::max)
            };
            let (hi, lo) = (extreme(1.0), extreme(-1.0));
            if hi.is_finite() && lo.is_finite() {
                centre += e * (0.5 * (hi - lo));
                distance = distance.max(0.5 * (hi + lo) / tan);
            }
        }
        let depth = points.iter().map(|p| forward.dot(p)).fold(f64::INFINITY, f64::min);
        let depth = if depth.is_finite() { depth } else { 0.0 };
        // `distance` is measured to the plane through the origin, across the view.
        self.eye = centre - forward * distance;
        self.target = self.eye + forward * (depth + distance).max(1e-3);
    }
}

fn moving_points(stage: &Stage, state: &State, points: &mut Vec<Vec3>) {
    let finite = |p: &Vec3| p.iter().all(|x| x.is_finite());
    for solid in stage.solids.iter().filter(|s| s.body.is_some()) {
        points.extend(solid.world(state).into_iter().filter(finite));
    }
    points.extend(state.particle_q.iter().copied().filter(finite));
}

/// Static solids, cut to the neighbourhood of what moves.
fn add_static_points(stage: &Stage, points: &mut Vec<Vec3>) {
    let reach = bounds(points).map(|(lo, hi)| {
        let far = Vec3::repeat((hi - lo).norm() * STATIC_REACH);
        (lo - far, hi + far)
    });
    for solid in stage.solids.iter().filter(|s| s.body.is_none()) {
        for v in &solid.vertices {
            let v = Vec3::from(*v);
            points.push(reach.map_or(v, |(lo, hi)| v.sup(&lo).inf(&hi)));
        }
    }
}

/// Feet of what hangs over a plane, when it is not far above it: its shadow is there.
fn add_ground_points(stage: &Stage, points: &mut Vec<Vec3>) {
    let Some((lo, hi)) = bounds(points) else { return };
    let planes = stage.planes.iter().map(|p| Pose::from_array(*p));
    let normals = planes.map(|p| (p.p, p.vector(&Vec3::z())));
    let feet: Vec<Vec3> = normals
        .filter(|(_, n)| n.dot(&Vec3::from(stage.up)) > 0.5)
        .flat_map(|(o, n)| points.iter().map(move |x| (n.dot(&(x - o)), n, x)))
        .filter(|(height, _, _)| (0.0..(hi - lo).norm()).contains(height))
        .map(|(height, n, x)| x - n * height)
        .collect();
    points.extend(feet);
}

/// Corners of the box around points.
pub(super) fn bounds(points: &[Vec3]) -> Option<(Vec3, Vec3)> {
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(lo, hi), p| (lo.inf(p), hi.sup(p))))
}
