//! Which triangle is seen where: a z-buffer that keeps triangle numbers.
//!
//! Triangles come projected: pixel coordinates and a depth key that is linear across the
//! picture and larger when nearer (`1/z` for a perspective, `−z` for a parallel view).

/// A projected corner: x to the right, y down \[pixels\], depth key.
pub type Corner = [f64; 3];

/// No triangle.
pub const NOTHING: u32 = u32::MAX;

/// A picture of triangle numbers and depth keys.
pub struct Raster {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The nearest triangle of each pixel, or [`NOTHING`].
    pub nearest: Vec<u32>,
    /// Its depth key.
    pub depth: Vec<f32>,
}

impl Raster {
    /// An empty picture.
    pub fn new(width: usize, height: usize) -> Self {
        let pixels = width * height;
        Self { width, height, nearest: vec![NOTHING; pixels], depth: vec![f32::NEG_INFINITY; pixels] }
    }

    /// Draws triangle `id`. Edges belong to both neighbours: the nearer one wins.
    pub fn draw(&mut self, id: u32, [a, b, c]: [Corner; 3]) {
        let area = edge(&a, &b, &c);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let range = |k: usize, end: usize| {
            let lo = a[k].min(b[k]).min(c[k]).floor().clamp(0.0, end as f64);
            let hi = a[k].max(b[k]).max(c[k]).ceil().clamp(0.0, end as f64);
            lo as usize..hi as usize
        };
        for y in range(1, self.height) {
            for x in range(0, self.width) {
                let p = [x as f64 + 0.5, y as f64 + 0.5, 0.0];
                let w = [edge(&b, &c, &p) / area, edge(&c, &a, &p) / area, edge(&a, &b, &p) / area];
                if w.iter().all(|&w| w >= 0.0) {
                    let depth = (w[0] * a[2] + w[1] * b[2] + w[2] * c[2]) as f32;
                    self.put(y * self.width + x, id, depth);
                }
            }
        }
    }

    fn put(&mut self, pixel: usize, id: u32, depth: f32) {
        if depth > self.depth[pixel] {
            (self.depth[pixel], self.nearest[pixel]) = (depth, id);
        }
    }
}

/// Twice the signed area of a triangle.
fn edge(a: &Corner, b: &Corner, p: &Corner) -> f64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_triangle_wins_whatever_the_order_and_winding() {
        let near = [[0.0, 0.0, 2.0], [8.0, 0.0, 2.0], [0.0, 8.0, 2.0]];
        let far = [[0.0, 8.0, 1.0], [8.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
        for order in [[0, 1], [1, 0]] {
            let mut r = Raster::new(8, 8);
            for k in order {
                r.draw(k, if k == 0 { near } else { far });
            }
            assert_eq!(r.nearest[0], 0);
            assert_eq!(r.nearest[63], NOTHING);
        }
    }

    #[test]
    fn triangles_that_are_no_triangles_draw_nothing() {
        let mut r = Raster::new(4, 4);
        r.draw(0, [[0.0, 0.0, 1.0], [4.0, 4.0, 1.0], [2.0, 2.0, 1.0]]);
        r.draw(1, [[f64::NAN, 0.0, 1.0], [4.0, 4.0, 1.0], [0.0, 4.0, 1.0]]);
        r.draw(2, [[-1e30, 9.0, 1.0], [1e30, 9.0, 1.0], [0.0, 90.0, 1.0]]);
        assert!(r.nearest.iter().all(|&t| t == NOTHING));
    }
}
