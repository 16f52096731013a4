//! Points of the centre line of a rod, and frames that are carried along without twist.

use std::f64::consts::{PI, TAU};

use coact_math::{Mat3, Pose, Quat, Vec3, exp_so3};

use super::check_rods::check_def;
use super::rod_defs::{RodDef, RodPath};
use crate::error::ModelError;

/// Straight pieces per piece of a spline for the measure of its length.
const PIECES: usize = 64;

/// The polyline of a rod: `segments + 1` points; of a closed one the last is the first.
pub(super) struct Polyline {
    pub points: Vec<Vec3>,
    pub closed: bool,
}

/// Where the segments of a rod are at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct RodShape {
    /// Ends of the segments \[m\]; of a closed rod the last is the first. Shape: \[segments + 1\].
    pub points: Vec<Vec3>,
    /// Poses of the segments: at their middle, z along them. Shape: \[segments\].
    pub poses: Vec<Pose>,
    /// Whether its end is its begin.
    pub closed: bool,
}

impl RodShape {
    /// Length along all segments \[m\].
    pub fn length(&self) -> f64 {
        self.points.windows(2).map(|w| (w[1] - w[0]).norm()).sum()
    }
}

impl RodDef {
    /// Where its segments are at the start, without a builder.
    ///
    /// # Errors
    /// What [`super::ModelBuilder::add_rod`] refuses, but for bodies at its ends that do not exist.
    pub fn shape(&self) -> Result<RodShape, ModelError> {
        let line = Polyline::of(&self.path);
        check_def(self, &line)?;
        let frames = line.frames(self.first_axis.as_ref(), self.twist);
        let poses = frames.into_iter().enumerate().map(|(i, q)| Pose::new(line.center(i), q)).collect();
        Ok(RodShape { poses, closed: line.closed, points: line.points })
    }
}

impl Polyline {
    pub fn of(path: &RodPath) -> Self {
        let open = |points| Self { points, closed: false };
        match path {
            RodPath::Points(points) => open(points.clone()),
            RodPath::Closed(points) => Self { points: points.clone(), closed: true },
            RodPath::Straight { from, to, segments } => {
                let n = *segments;
                open((0..=n).map(|i| from.lerp(to, i as f64 / n.max(1) as f64)).collect())
            }
            RodPath::Helix { frame, radius, pitch, turns, segments } => {
                let at = |i: usize| {
                    let t = turns * i as f64 / (*segments).max(1) as f64;
                    let (sin, cos) = (TAU * t).sin_cos();
                    frame.point(&Vec3::new(radius * cos, radius * sin, pitch * t))
                };
                open((0..=*segments).map(at).collect())
            }
            RodPath::Ring { frame, radius, segments } => {
                let half = PI / (*segments).max(1) as f64;
                let corner = radius * half / half.sin();
                let at = |i: usize| {
                    let (sin, cos) = (2.0 * half * (i % segments) as f64).sin_cos();
                    frame.point(&(Vec3::new(cos, sin, 0.0) * corner))
                };
                let points = if *segments > 0 { (0..=*segments).map(at).collect() } else { Vec::new() };
                Self { points, closed: true }
            }
            RodPath::Spline { points, segment } => open(resampled(&spline(points), *segment)),
        }
    }

    /// Segments.
    pub fn count(&self) -> usize {
        self.points.len().saturating_sub(1)
    }

    /// From the begin of a segment to its end \[m\].
    pub fn edge(&self, i: usize) -> Vec3 {
        self.points[i + 1] - self.points[i]
    }

    pub fn center(&self, i: usize) -> Vec3 {
        (self.points[i] + self.points[i + 1]) * 0.5
    }

    pub fn length(&self) -> f64 {
        (0..self.count()).map(|i| self.edge(i).norm()).sum()
    }

    /// Rotations of the segments: z along them, x carried along without twist from `first` on, then
    /// turned by `twist` per length.
    pub fn frames(&self, first: Option<&Vec3>, twist: f64) -> Vec<Quat> {
        let mut frames: Vec<Quat> = Vec::with_capacity(self.count());
        for i in 0..self.count() {
            let t = self.edge(i).normalize();
            let q = match frames.last() {
                None => first_frame(&t, first),
                Some(last) => shortest_turn(&(last * Vec3::z()), &t) * last,
            };
            frames.push(q);
        }
        let mut along = 0.0;
        for (i, q) in frames.iter_mut().enumerate() {
            let half = 0.5 * self.edge(i).norm();
            along += half;
            *q *= exp_so3(&(Vec3::z() * (twist * along)));
            along += half;
        }
        frames
    }
}

/// A frame with z along `t` and x next to `first`.
fn first_frame(t: &Vec3, first: Option<&Vec3>) -> Quat {
    let least = (0..3).min_by(|&i, &j| t[i].abs().total_cmp(&t[j].abs())).unwrap_or(0);
    let any = Vec3::ith(least, 1.0);
    let across = |v: &Vec3| (v - t * v.dot(t)).try_normalize(1e-9 * v.norm());
    let x = first.and_then(across).or_else(|| across(&any)).unwrap_or(any);
    let axes = Mat3::from_columns(&[x, t.cross(&x), *t]);
    Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(axes))
}

/// The shortest turn that takes one unit vector to another.
fn shortest_turn(a: &Vec3, b: &Vec3) -> Quat {
    let (cross, dot) = (a.cross(b), a.dot(b));
    let (sin, axis) = (cross.norm(), cross.try_normalize(0.0));
    axis.map_or_else(Quat::identity, |axis| exp_so3(&(axis * sin.atan2(dot))))
}

/// A fine polyline of the Catmull–Rom curve through points.
fn spline(points: &[Vec3]) -> Vec<Vec3> {
    let n = points.len();
    if n < 3 {
        return points.to_vec();
    }
    let at = |i: isize| points[i.clamp(0, n as isize - 1) as usize];
    let mut fine = Vec::with_capacity((n - 1) * PIECES + 1);
    for i in 0..n as isize - 1 {
        let (p0, p1) = (at(i), at(i + 1));
        let (m0, m1) = ((p1 - at(i - 1)) * 0.5, (at(i + 2) - p0) * 0.5);
        for k in 0..PIECES {
            let t = k as f64 / PIECES as f64;
            let (t2, t3) = (t * t, t * t * t);
            fine.push(
                p0 * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + m0 * (t3 - 2.0 * t2 + t)
                    + p1 * (3.0 * t2 - 2.0 * t3)
                    + m1 * (t3 - t2),
            );
        }
    }
    fine.push(points[n - 1]);
    fine
}

/// Points along a polyline at equal distances of about `segment`; none if it is shorter than one.
fn resampled(fine: &[Vec3], segment: f64) -> Vec<Vec3> {
    let length: f64 = fine.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    if !(length >= segment && segment > 0.0) {
        return Vec::new();
    }
    let count = (length / segment).round().max(1.0) as usize;
    let (mut points, mut passed, mut next) = (vec![fine[0]], 0.0, 1);
    for w in fine.windows(2) {
        let piece = (w[1] - w[0]).norm();
        while next < count && passed + piece >= length * next as f64 / count as f64 {
            let along = (length * next as f64 / count as f64 - passed) / piece;
            points.push(w[0].lerp(&w[1], along));
            next += 1;
        }
        passed += piece;
    }
    points.extend(fine.last());
    points
}
