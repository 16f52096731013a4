//! Reading the places of neighbours into lanes.
//!
//! Each place is loaded as whole vectors of four and four of them are transposed in registers:
//! written out one number at a time, a gather costs more than the element it feeds.

use coact_math::{Lanes, Real, Scalar, V3};

use crate::particle::Place;

/// A precision with a transpose in registers.
pub trait Transpose: Scalar {
    /// Rows of (x, y, z, –) to rows of x, of y and of z.
    fn transpose(rows: [[Self; 4]; 4]) -> [[Self; 4]; 3];
}

/// What the compiler makes of it; for machines without the instructions below.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn transpose_plain<T: Copy>(r: [[T; 4]; 4]) -> [[T; 4]; 3] {
    std::array::from_fn(|c| [r[0][c], r[1][c], r[2][c], r[3][c]])
}

impl Transpose for f32 {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn transpose(rows: [[f32; 4]; 4]) -> [[f32; 4]; 3] {
        use std::arch::x86_64::{__m128, _mm_movehl_ps, _mm_movelh_ps, _mm_unpackhi_ps, _mm_unpacklo_ps};
        let [a, b, c, d]: [__m128; 4] = bytemuck::cast(rows);
        // SAFETY: every x86-64 has SSE2
        let columns = unsafe {
            let (xy0, xy1) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
            let (z0, z1) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
            [_mm_movelh_ps(xy0, xy1), _mm_movehl_ps(xy1, xy0), _mm_movelh_ps(z0, z1)]
        };
        bytemuck::cast(columns)
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn transpose(rows: [[f32; 4]; 4]) -> [[f32; 4]; 3] {
        transpose_plain(rows)
    }
}

impl Transpose for f64 {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn transpose(rows: [[f64; 4]; 4]) -> [[f64; 4]; 3] {
        use std::arch::x86_64::{__m128d, _mm_unpackhi_pd, _mm_unpacklo_pd};
        let [a, az, b, bz, c, cz, d, dz]: [__m128d; 8] = bytemuck::cast(rows);
        // SAFETY: every x86-64 has SSE2
        let columns = unsafe {
            let x = [_mm_unpacklo_pd(a, b), _mm_unpacklo_pd(c, d)];
            let y = [_mm_unpackhi_pd(a, b), _mm_unpackhi_pd(c, d)];
            [x, y, [_mm_unpacklo_pd(az, bz), _mm_unpacklo_pd(cz, dz)]]
        };
        bytemuck::cast(columns)
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn transpose(rows: [[f64; 4]; 4]) -> [[f64; 4]; 3] {
        transpose_plain(rows)
    }
}

/// Positions from the origin, by lane.
#[inline(always)]
pub fn gather<R: Transpose, const N: usize>(at: &[Place<R>], slots: &[u32; N]) -> V3<Lanes<R, N>>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    gather_rows(slots, |s| at[s as usize].x)
}

/// Displacements since the begin of the step, by lane.
#[inline(always)]
pub fn gather_u<R: Transpose, const N: usize>(at: &[Place<R>], slots: &[u32; N]) -> V3<Lanes<R, N>>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    gather_rows(slots, |s| at[s as usize].u)
}

#[inline(always)]
fn gather_rows<R: Transpose, const N: usize>(slots: &[u32; N], row: impl Fn(u32) -> [R; 4]) -> V3<Lanes<R, N>>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    let (mut x, mut y, mut z) = ([R::default(); N], [R::default(); N], [R::default(); N]);
    for k in 0..N / 4 {
        let l = 4 * k;
        let rows = [row(slots[l]), row(slots[l + 1]), row(slots[l + 2]), row(slots[l + 3])];
        let t = R::transpose(rows);
        x[l..l + 4].copy_from_slice(&t[0]);
        y[l..l + 4].copy_from_slice(&t[1]);
        z[l..l + 4].copy_from_slice(&t[2]);
    }
    V3::new(Lanes(x), Lanes(y), Lanes(z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_hold_the_places_of_their_slots() {
        let v = |k: usize| V3::new(k as f32, 10.0 + k as f32, 20.0 + k as f32);
        let at: Vec<Place<f32>> = (0..9).map(|k| Place::new(v(k), -v(k))).collect();
        let slots = [3, 0, 8, 8, 1, 2, 7, 5];
        let (x, u): (V3<Lanes<f32, 8>>, V3<Lanes<f32, 8>>) = (gather(&at, &slots), gather_u(&at, &slots));
        for (l, &slot) in slots.iter().enumerate() {
            assert_eq!((x.lane(l), u.lane(l)), (v(slot as usize), -v(slot as usize)));
        }
        let wide: Vec<Place<f64>> =
            at.iter().map(|p| Place::new(V3::from_host(&p.x().to_host(0)), V3::zero())).collect();
        let x = gather::<f64, 4>(&wide, &[8, 1, 0, 4]);
        assert_eq!((x.lane(0).z, x.lane(1).y, x.lane(3).x), (28.0, 11.0, 4.0));
    }
}
