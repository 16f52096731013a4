//! Everything that is drawn, as one list of triangles with smooth normals.

use coact_math::{Quat, Vec3};
use coact_model::State;

use super::palette;
use crate::export::compact;
use crate::stage::{Sheet, Stage};

/// Faces that meet flatter than this share a smooth normal; 40 degrees.
const CREASE_COS: f64 = 0.766;
/// Radius of a spring against the radius of its particles.
const SPRING_RADIUS: f64 = 0.4;

/// How a surface looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish {
    /// Linear RGB.
    pub color: [f32; 3],
    /// Whether the triangles themselves are drawn, as thin lines.
    pub wire: bool,
}

/// A triangle in the world.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Corners \[m\].
    pub x: [Vec3; 3],
    /// Unit normals at the corners.
    pub n: [Vec3; 3],
    /// Its look.
    pub finish: Finish,
}

/// All triangles of a state; those that are not finite are left out.
pub fn triangles(stage: &Stage, state: &State) -> Vec<Triangle> {
    let mut drawing = Vec::new();
    for solid in &stage.solids {
        let color = solid.body.map_or(palette::STATIC, palette::of);
        let finish = Finish { color, wire: false };
        add(&mut drawing, &solid.world(state), &solid.triangles, finish);
    }
    for (k, sheet) in stage.sheets.iter().enumerate() {
        let color = palette::of(stage.bodies.len() + k);
        if sheet.triangles.is_empty() {
            add_loose(&mut drawing, sheet, state, color);
        } else {
            let (vertices, triangles) = compact(sheet, state);
            add(&mut drawing, &vertices, &triangles, Finish { color, wire: true });
        }
    }
    drawing
}

fn add(drawing: &mut Vec<Triangle>, vertices: &[Vec3], triangles: &[[u32; 3]], finish: Finish) {
    let corner = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
    let faces: Vec<Vec3> = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = corner(t);
            (b - a).cross(&(c - a))
        })
        .collect();
    let mut around = vec![Vec::new(); vertices.len()];
    for (f, t) in triangles.iter().enumerate() {
        t.iter().for_each(|&v| around[v as usize].push(f));
    }
    for (f, t) in triangles.iter().enumerate() {
        let n = t.map(|v| smooth_normal(&faces, f, &around[v as usize]));
        let x = corner(t);
        if x.iter().chain(&n).all(|p| p.iter().all(|c| c.is_finite())) {
            drawing.push(Triangle { x, n, finish });
        }
    }
}

/// Mean of the area vectors of faces around a vertex that are nearly in plane with `face`.
fn smooth_normal(faces: &[Vec3], face: usize, around: &[usize]) -> Vec3 {
    let own = faces[face];
    let near = |f: &&usize| faces[**f].dot(&own) >= CREASE_COS * faces[**f].norm() * own.norm();
    let sum: Vec3 = around.iter().filter(near).map(|&f| faces[f]).sum();
    sum.try_normalize(0.0).unwrap_or_else(Vec3::z)
}

/// Balls for particles, tubes for springs.
fn add_loose(drawing: &mut Vec<Triangle>, sheet: &Sheet, state: &State, color: [f32; 3]) {
    let finish = Finish { color, wire: false };
    let (ball, ball_faces) = lathe(&[(0.0, -1.0), (0.7, -0.7), (1.0, 0.0), (0.7, 0.7), (0.0, 1.0)]);
    let (tube, tube_faces) = lathe(&[(1.0, 0.0), (1.0, 1.0)]);
    for p in sheet.particles.clone() {
        let centre = state.particle_q[p as usize];
        let vertices: Vec<Vec3> = ball.iter().map(|v| centre + v * sheet.radius).collect();
        add(drawing, &vertices, &ball_faces, finish);
    }
    for [a, b] in sheet.springs.iter().map(|s| s.map(|p| state.particle_q[p as usize])) {
        let turn = Quat::rotation_between(&Vec3::z(), &(b - a)).unwrap_or_default();
        let r = SPRING_RADIUS * sheet.radius;
        let size = Vec3::new(r, r, (b - a).norm());
        let vertices: Vec<Vec3> = tube.iter().map(|v| a + turn * v.component_mul(&size)).collect();
        add(drawing, &vertices, &tube_faces, finish);
    }
}

/// A surface of revolution about z through points (radius, height).
fn lathe(profile: &[(f64, f64)]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    const AROUND: u32 = 10;
    let turn = |k: u32| f64::from(k) * std::f64::consts::TAU / f64::from(AROUND);
    let vertices = profile
        .iter()
        .flat_map(|&(r, z)| (0..AROUND).map(move |k| Vec3::new(r * turn(k).cos(), r * turn(k).sin(), z)))
        .collect();
    let ring = |i: u32| {
        (0..AROUND).flat_map(move |k| {
            let (a, b) = (i * AROUND + k, i * AROUND + (k + 1) % AROUND);
            [[a, b, a + AROUND], [b, b + AROUND, a + AROUND]]
        })
    };
    (vertices, (0..profile.len() as u32 - 1).flat_map(ring).collect())
}
