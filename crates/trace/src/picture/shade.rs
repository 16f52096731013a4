//! Light: a key light with soft shadow, a sky above and a ground below, a checker on planes.
//!
//! For each sample the ray through it meets the triangle that the raster names, and the
//! planes; the nearer one is shaded. Colors are linear until the picture is packed.

use coact_math::{Pose, Vec3};

use super::drawing::Triangle;
use super::shadow::Shadow;

/// Direction to the key light in the frame (right, up in the world, towards the eye): high,
/// so that shadows stay near to what casts them.
const KEY: [f64; 3] = [-0.38, 1.0, 0.22];
const KEY_COLOR: [f32; 3] = [0.78, 0.74, 0.68];
const SKY_COLOR: [f32; 3] = [0.40, 0.44, 0.52];
const GROUND_COLOR: [f32; 3] = [0.30, 0.28, 0.27];
const BACKGROUND_TOP: [f32; 3] = [0.74, 0.81, 0.90];
const BACKGROUND_LOW: [f32; 3] = [0.93, 0.94, 0.95];
const CHECKER: [[f32; 3]; 2] = [[0.60, 0.61, 0.63], [0.72, 0.73, 0.75]];
const SHINE: f32 = 0.10;

type Rgb = [f32; 3];

/// A ray from the eye.
#[derive(Clone, Copy)]
pub struct Ray {
    /// The eye \[m\].
    pub from: Vec3,
    /// Unit direction.
    pub along: Vec3,
    /// Height in the picture, 0 = top, 1 = bottom.
    pub height: f32,
    /// Width of a sample at distance 1.
    pub spread: f64,
}

/// What all samples share.
pub struct Light<'a> {
    /// Unit direction to the key light.
    pub key: Vec3,
    /// Unit direction of the sky.
    pub up: Vec3,
    /// What blocks the key light.
    pub shadow: &'a Shadow,
    /// Planes that are drawn.
    pub planes: &'a [Pose],
    /// Middle of the scene and its size \[m\].
    pub middle: Vec3,
    /// Radius of a ball around the scene \[m\].
    pub radius: f64,
}

/// Direction to the key light for a camera with these axes (right, up, forward).
pub fn key_direction([right, _, forward]: &[Vec3; 3], up: &Vec3) -> Vec3 {
    (right * KEY[0] + up * KEY[1] - forward * KEY[2]).normalize()
}

impl Light<'_> {
    /// The color of a sample.
    pub fn sample(&self, ray: &Ray, triangle: Option<&Triangle>) -> Rgb {
        let hit = triangle.and_then(|t| meet(ray, t).map(|(s, w)| (s, w, t)));
        let reach = hit.map_or(f64::INFINITY, |h| h.0);
        let mut color = match hit {
            Some((s, w, t)) => self.surface(ray, s, w, t),
            None => background(ray),
        };
        let mut planes: Vec<(f64, &Pose)> = Vec::new();
        for plane in self.planes {
            let (normal, height) = (plane.vector(&Vec3::z()), plane.inverse().point(&ray.from).z);
            let s = -height / ray.along.dot(&normal);
            if height > 0.0 && s > 0.0 && s < reach {
                planes.push((s, plane));
            }
        }
        planes.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (s, plane) in planes {
            color = self.plane(ray, s, plane, color);
        }
        color
    }

    fn surface(&self, ray: &Ray, s: f64, w: [f64; 3], t: &Triangle) -> Rgb {
        let x = ray.from + ray.along * s;
        let n = t.n[0] * w[0] + t.n[1] * w[1] + t.n[2] * w[2];
        let n = n.try_normalize(0.0).unwrap_or_else(|| -ray.along);
        let n = if n.dot(&ray.along) > 0.0 { -n } else { n };
        let lit = n.dot(&self.key).max(0.0);
        let open = if lit > 0.0 { self.shadow.open(&x, &n) } else { 0.0 };
        let half = (self.key - ray.along).normalize();
        let shine = SHINE * open * (n.dot(&half).max(0.0) as f32).powi(32);
        let light = self.ambient(&n, open * lit as f32);
        let wire = if t.finish.wire { 1.0 - 0.22 * wire(ray, s, w, &t.x) } else { 1.0 };
        std::array::from_fn(|k| t.finish.color[k] * light[k] * wire + shine)
    }

    fn ambient(&self, n: &Vec3, key: f32) -> Rgb {
        let sky = (0.5 + 0.5 * n.dot(&self.up)) as f32;
        std::array::from_fn(|k| KEY_COLOR[k] * key + mix(GROUND_COLOR[k], SKY_COLOR[k], sky))
    }

    /// A plane over what lies behind it: a checker that fades out around the scene.
    fn plane(&self, ray: &Ray, s: f64, plane: &Pose, behind: Rgb) -> Rgb {
        let x = ray.from + ray.along * s;
        let n = plane.vector(&Vec3::z());
        let away = (x - self.middle) - n * n.dot(&(x - self.middle));
        let cover = 1.0 - smooth(1.2 * self.radius, 4.0 * self.radius, away.norm());
        if cover <= 0.0 {
            return behind;
        }
        let cell = cell_size(self.radius);
        let local = plane.inverse().point(&x) / cell;
        let odd = (local.x.floor() + local.y.floor()).rem_euclid(2.0) as usize;
        let grazing = (-ray.along.dot(&n)).max(1e-3);
        let sharp = 1.0 - smooth(0.15, 0.5, s * ray.spread / (cell * grazing));
        let tone: Rgb =
            std::array::from_fn(|k| mix(0.5 * (CHECKER[0][k] + CHECKER[1][k]), CHECKER[odd][k], sharp));
        let lit = n.dot(&self.key).max(0.0) as f32 * self.shadow.open(&x, &n);
        let light = self.ambient(&n, lit);
        std::array::from_fn(|k| mix(behind[k], tone[k] * light[k], cover))
    }
}

/// Where a ray meets the plane of a triangle: distance, and barycentric weights, cut to the
/// triangle (a sample at its rim may lie just outside).
fn meet(ray: &Ray, t: &Triangle) -> Option<(f64, [f64; 3])> {
    let [a, b, c] = t.x;
    let n = (b - a).cross(&(c - a));
    let s = (a - ray.from).dot(&n) / ray.along.dot(&n);
    if !s.is_finite() || s <= 0.0 {
        return None;
    }
    let (x, area) = (ray.from + ray.along * s, n.norm_squared());
    let part = |p: &Vec3, q: &Vec3| ((q - p).cross(&(x - p)).dot(&n) / area).clamp(0.0, 1.0);
    let w = [part(&b, &c), part(&c, &a), part(&a, &b)];
    let sum: f64 = w.iter().sum();
    Some((s, w.map(|w| w / sum)))
}

/// 1 on an edge of the triangle, 0 away from it; fades when triangles become small.
fn wire(ray: &Ray, s: f64, w: [f64; 3], [a, b, c]: &[Vec3; 3]) -> f32 {
    let area = (b - a).cross(&(c - a)).norm();
    let heights = [area / (c - b).norm(), area / (a - c).norm(), area / (b - a).norm()];
    let pixel = s * ray.spread;
    let nearest = (0..3).map(|k| w[k] * heights[k]).fold(f64::INFINITY, f64::min);
    let smallest = heights.into_iter().fold(f64::INFINITY, f64::min);
    (1.0 - smooth(0.5, 2.0, nearest / pixel)) * smooth(5.0, 16.0, smallest / pixel)
}

fn background(ray: &Ray) -> Rgb {
    std::array::from_fn(|k| mix(BACKGROUND_TOP[k], BACKGROUND_LOW[k], ray.height))
}

/// A round size of checker cells: 1, 2 or 5 times a power of ten \[m\].
fn cell_size(radius: f64) -> f64 {
    let wanted = radius / 4.0;
    let decade = 10_f64.powf(wanted.log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().find(|s| s * decade <= wanted).unwrap_or(1.0);
    step * decade
}

fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// 0 below `lo`, 1 above `hi`, smooth between.
fn smooth(lo: f64, hi: f64, x: f64) -> f32 {
    let t = ((x - lo) / (hi - lo)).clamp(0.0, 1.0);
    (t * t * (3.0 - 2.0 * t)) as f32
}
