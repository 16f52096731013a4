//! Pictures of a state, drawn in software: no GPU, no window, the same everywhere.
//!
//! [`render`] draws what a [`Stage`] describes; [`strip`] puts several times side by side.
//! Four samples per pixel; shadow map, hemisphere light, checkered ground on planes.

mod camera;
mod drawing;
mod image;
pub mod palette;
mod raster;
mod shade;
mod shadow;

pub use camera::Camera;
pub use image::Image;

use coact_math::{Pose, Vec3};
use coact_model::State;

use crate::stage::Stage;
use drawing::Triangle;
use raster::{NOTHING, Raster};
use shade::{Light, Ray};

/// Samples per pixel along each axis.
const SAMPLES: usize = 2;
/// Distance below which nothing is drawn, against the distance of the target.
const NEAR: f64 = 1e-3;

/// Draws `state` from `camera`; `size` is (width, height) in pixels.
pub fn render(stage: &Stage, state: &State, camera: &Camera, size: (usize, usize)) -> Image {
    let triangles = drawing::triangles(stage, state);
    let view = View::new(camera, (size.0 * SAMPLES, size.1 * SAMPLES));
    let raster = view.raster(&triangles);
    let (middle, radius) = ball(&triangles, camera);
    let up = Vec3::from(stage.up);
    let key = shade::key_direction(&view.axes, &up);
    let shadow = shadow::Shadow::new(&triangles, &key, &middle, radius);
    let planes: Vec<Pose> = stage.planes.iter().map(|p| Pose::from_array(*p)).collect();
    let light = Light { key, up, shadow: &shadow, planes: &planes, middle, radius };
    let mut image = Image::new(size.0, size.1, [0; 3]);
    for (p, pixel) in image.pixels.iter_mut().enumerate() {
        *pixel = view.pixel((p % size.0, p / size.0), &raster, &triangles, &light);
    }
    image
}

/// Several states with their times \[s\], side by side from one camera that sees them all;
/// `size` is that of one picture.
pub fn strip(stage: &Stage, states: &[(f64, State)], columns: usize, size: (usize, usize)) -> Image {
    let aspect = size.0 as f64 / size.1 as f64;
    let camera = Camera::framing(stage, states.iter().map(|(_, state)| state), aspect);
    let mut images = Vec::with_capacity(states.len());
    for (time, state) in states {
        let mut image = render(stage, state, &camera, size);
        image.label(&format!("t = {time:.2} s"), [60, 64, 72]);
        images.push(image);
    }
    Image::tiled(&images, columns)
}

/// Middle and radius of a ball around everything drawn.
fn ball(triangles: &[Triangle], camera: &Camera) -> (Vec3, f64) {
    let points: Vec<Vec3> = triangles.iter().flat_map(|t| t.x).collect();
    match camera::bounds(&points) {
        Some((lo, hi)) => ((lo + hi) * 0.5, (0.5 * (hi - lo).norm()).max(1e-6)),
        None => (camera.target, (camera.eye - camera.target).norm().max(1e-6)),
    }
}

/// A camera with the size of its picture, in samples.
struct View {
    eye: Vec3,
    axes: [Vec3; 3],
    width: usize,
    height: usize,
    /// Size of a sample at distance 1.
    spread: f64,
    near: f64,
}

impl View {
    fn new(camera: &Camera, (width, height): (usize, usize)) -> Self {
        let spread = 2.0 * (0.5 * camera.fov).tan() / height as f64;
        let near = NEAR * (camera.target - camera.eye).norm();
        Self { eye: camera.eye, axes: camera.axes(), width, height, spread, near }
    }

    fn raster(&self, triangles: &[Triangle]) -> Raster {
        let mut raster = Raster::new(self.width, self.height);
        for (id, triangle) in triangles.iter().enumerate() {
            let polygon = self.cut(triangle.x.map(|x| self.local(&x)));
            for k in 2..polygon.len() {
                let corners = [polygon[0], polygon[k - 1], polygon[k]].map(|p| self.project(&p));
                raster.draw(id as u32, corners);
            }
        }
        raster
    }

    /// Right, up, forward coordinates.
    fn local(&self, x: &Vec3) -> Vec3 {
        let d = x - self.eye;
        Vec3::new(self.axes[0].dot(&d), self.axes[1].dot(&d), self.axes[2].dot(&d))
    }

    /// Cuts off what is behind the near plane: 0, 3 or 4 corners remain.
    fn cut(&self, corners: [Vec3; 3]) -> Vec<Vec3> {
        let mut kept = Vec::with_capacity(4);
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if a.z >= self.near {
                kept.push(a);
            }
            if (a.z >= self.near) != (b.z >= self.near) {
                kept.push(a + (b - a) * ((self.near - a.z) / (b.z - a.z)));
            }
        }
        kept
    }

    fn project(&self, p: &Vec3) -> raster::Corner {
        let scale = 1.0 / (p.z * self.spread);
        [0.5 * self.width as f64 + p.x * scale, 0.5 * self.height as f64 - p.y * scale, 1.0 / p.z]
    }

    fn ray(&self, x: usize, y: usize) -> Ray {
        let u = (x as f64 + 0.5 - 0.5 * self.width as f64) * self.spread;
        let v = (0.5 * self.height as f64 - y as f64 - 0.5) * self.spread;
        let along = (self.axes[0] * u + self.axes[1] * v + self.axes[2]).normalize();
        Ray { from: self.eye, along, height: y as f32 / self.height as f32, spread: self.spread }
    }

    /// Mean of the samples of a pixel, as sRGB.
    fn pixel(
        &self,
        (x, y): (usize, usize),
        raster: &Raster,
        triangles: &[Triangle],
        light: &Light,
    ) -> [u8; 3] {
        let mut sum = [0.0_f32; 3];
        for k in 0..SAMPLES * SAMPLES {
            let (sx, sy) = (x * SAMPLES + k % SAMPLES, y * SAMPLES + k / SAMPLES);
            let id = raster.nearest[sy * raster.width + sx];
            let triangle = (id != NOTHING).then(|| &triangles[id as usize]);
            let color = light.sample(&self.ray(sx, sy), triangle);
            (0..3).for_each(|c| sum[c] += color[c]);
        }
        sum.map(|c| palette::srgb(c / (SAMPLES * SAMPLES) as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::{stage, state, trajectory};

    fn far(a: [u8; 3], b: [u8; 3]) -> bool {
        a.iter().zip(&b).any(|(x, y)| x.abs_diff(*y) > 24)
    }

    #[test]
    fn framed_body_fills_the_middle_and_not_the_corners() {
        let mut stage = stage();
        stage.planes.clear();
        stage.sheets.clear();
        stage.solids.truncate(1);
        let mut state = state(0.0);
        state.particle_q.clear();
        let camera = Camera::framing(&stage, [&state], 1.5);
        let image = render(&stage, &state, &camera, (120, 80));
        let empty = render(&Stage { solids: Vec::new(), ..stage.clone() }, &state, &camera, (120, 80));
        let differs = |x: usize, y: usize| far(image.pixels[y * 120 + x], empty.pixels[y * 120 + x]);
        assert!(differs(60, 50));
        assert!([(0, 0), (119, 0), (0, 79), (119, 79)].iter().all(|&(x, y)| !differs(x, y)));
        let rows: Vec<usize> = (0..80).filter(|&y| (0..120).any(|x| differs(x, y))).collect();
        assert!(rows.len() > 56 && rows.len() < 79, "fills the height but for the margin: {rows:?}");
    }

    #[test]
    fn plane_carries_a_shadow() {
        let (stage, state) = (stage(), state(0.0));
        let camera = Camera::framing(&stage, [&state], 1.0);
        let with = render(&stage, &state, &camera, (96, 96));
        let bare = Stage { solids: Vec::new(), sheets: Vec::new(), ..stage.clone() };
        assert_ne!(with, render(&bare, &state, &camera, (96, 96)));
        let drawn = drawing::triangles(&stage, &state);
        let key = shade::key_direction(&camera.axes(), &Vec3::z());
        let shadow = shadow::Shadow::new(&drawn, &key, &Vec3::zeros(), 5.0);
        let top = state.body_q[0].point(&Vec3::new(0.2, 0.2, 0.2));
        assert_eq!(shadow.open(&(top - key * 1.0), &Vec3::z()), 0.0);
        assert_eq!(shadow.open(&(top + key * 2.0), &Vec3::z()), 1.0);
    }

    #[test]
    fn nothing_and_nonsense_are_drawn_without_fault() {
        let mut bad = state(0.0);
        bad.particle_q.iter_mut().for_each(|p| p.x = f64::NAN);
        bad.body_q[0].p.z = f64::INFINITY;
        for (stage, state) in [(Stage::default(), State::default()), (stage(), bad)] {
            let camera = Camera::framing(&stage, [&state], 1.0);
            assert_eq!(render(&stage, &state, &camera, (16, 16)).pixels.len(), 256);
        }
    }

    #[test]
    fn strip_becomes_a_png_that_reads_back() {
        let run = trajectory(5);
        let states: Vec<_> = run.spread(3).into_iter().map(|f| (run.time(f), run.state(f))).collect();
        let image = strip(&stage(), &states, 3, (64, 48));
        assert_eq!((image.width, image.height), (3 * 64 + 12, 48));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        image.write_png(&path).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        assert_eq!(bytes, image.pixels.as_flattened());
    }
}
