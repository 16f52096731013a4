//! What the key light reaches: a depth map seen from the light.

use coact_math::Vec3;

use super::drawing::Triangle;
use super::raster::Raster;

/// Pixels along a side of the map.
const SIZE: usize = 2048;
/// Half width of the soft rim \[map pixels\].
const SOFT: i64 = 2;
/// Depth by which a surface is lifted towards the light, in map pixels, so that it does
/// not shade itself.
const LIFT: f64 = 2.5;

/// A depth map along the light.
pub struct Shadow {
    map: Raster,
    axes: [Vec3; 3],
    corner: [f64; 2],
    pixel: f64,
}

impl Shadow {
    /// The map of `triangles` for light from direction `key`, around a ball.
    pub fn new(triangles: &[Triangle], key: &Vec3, middle: &Vec3, radius: f64) -> Self {
        let side = if key.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let a = key.cross(&side).normalize();
        let b = key.cross(&a);
        let corner = [a.dot(middle) - radius, b.dot(middle) - radius];
        let pixel = 2.0 * radius / SIZE as f64;
        let mut shadow = Self { map: Raster::new(SIZE, SIZE), axes: [a, b, *key], corner, pixel };
        for (id, t) in triangles.iter().enumerate() {
            let corners = t.x.map(|x| shadow.project(&x));
            shadow.map.draw(id as u32, corners);
        }
        shadow
    }

    /// Map pixels, and height towards the light.
    fn project(&self, x: &Vec3) -> [f64; 3] {
        let [a, b, key] = &self.axes;
        [(a.dot(x) - self.corner[0]) / self.pixel, (b.dot(x) - self.corner[1]) / self.pixel, key.dot(x)]
    }

    /// Which part of the light reaches a point with normal `n`: 0 to 1.
    pub fn open(&self, x: &Vec3, n: &Vec3) -> f32 {
        let [u, v, height] = self.project(&(x + n * (LIFT * self.pixel)));
        let height = (height + LIFT * self.pixel) as f32;
        let (mut open, mut count) = (0_u32, 0_u32);
        for dv in -SOFT..=SOFT {
            for du in -SOFT..=SOFT {
                open += u32::from(self.at(u as i64 + du, v as i64 + dv) <= height);
                count += 1;
            }
        }
        open as f32 / count as f32
    }

    fn at(&self, u: i64, v: i64) -> f32 {
        match (usize::try_from(u), usize::try_from(v)) {
            (Ok(u), Ok(v)) if u < SIZE && v < SIZE => self.map.depth[v * SIZE + u],
            _ => f32::NEG_INFINITY,
        }
    }
}
