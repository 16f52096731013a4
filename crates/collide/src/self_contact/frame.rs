//! Positions in `f32` relative to the middle of the surface: docs/theory/self-contact.md eq. (9).

use crate::bvh::Aabb;
use coact_math::Vec3;
use rayon::prelude::*;

/// Points that are farther out than this \[m\] count as not finite: fourth powers
/// of lengths still fit `f32` there.
const FAR: f64 = 1e9;

/// Number of points whose median is the middle: few that flew away do not move it.
const SAMPLES: usize = 63;

/// Rounded positions.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    points: Vec<[f32; 3]>,
}

impl Frame {
    /// Takes over the positions `x` \[m\].
    pub fn load(&mut self, x: &[Vec3]) {
        let c = middle(x);
        self.points.resize(x.len(), [0.0; 3]);
        let round = |(p, x): (&mut [f32; 3], &Vec3)| {
            let d = x - c;
            let finite = d.iter().all(|x| x.abs() < FAR);
            *p = if finite { [d.x as f32, d.y as f32, d.z as f32] } else { [f32::NAN; 3] };
        };
        self.points.par_iter_mut().with_min_len(4096).zip(x).for_each(round);
    }

    /// Position of point `i`; not a number where the point is not finite.
    #[inline(always)]
    pub fn point(&self, i: u32) -> [f32; 3] {
        self.points[i as usize]
    }

    /// Whether the point is finite, and not too far.
    #[inline(always)]
    pub fn is_finite(&self, i: u32) -> bool {
        self.points[i as usize][0].is_finite()
    }

    /// Box around points that are finite, else any box.
    #[inline(always)]
    pub fn bounds_if_finite<const N: usize>(&self, points: [u32; N]) -> Aabb {
        Aabb::of_finite(points.map(|i| self.point(i)))
    }

    /// Box around points; empty if one is not finite.
    #[inline(always)]
    pub fn bounds<const N: usize>(&self, points: [u32; N]) -> Aabb {
        Aabb::of(&points.map(|i| self.point(i)))
    }
}

/// Median of a fixed sample, by coordinate.
fn middle(x: &[Vec3]) -> Vec3 {
    let step = x.len().div_ceil(SAMPLES).max(1);
    let mut sample = [0.0; SAMPLES];
    let mut coordinate = |k: usize| {
        let mut n = 0;
        for p in x.iter().step_by(step).filter(|p| p[k].abs() < FAR) {
            sample[n] = p[k];
            n += 1;
        }
        sample[..n].sort_unstable_by(f64::total_cmp);
        if n > 0 { sample[n / 2] } else { 0.0 }
    };
    Vec3::new(coordinate(0), coordinate(1), coordinate(2))
}
