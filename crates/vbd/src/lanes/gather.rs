//! Reading the places of neighbours into lanes.
//!
//! Each place is loaded as whole vectors of four and four of them are transposed in registers:
//! written out one number at a time, a gather costs more than the element it feeds.

use coact_math::{Lanes, Real, Scalar, V3};

#[cfg(target_arch = "x86_64")]
use super::wide;
use crate::particle::Place;

/// Places of N lanes by coordinate, two registers each: of every four lanes first their first parts,
/// then their second. What is not split has all first parts in the first register.
pub type Halves<T, const N: usize> = [[[T; N]; 2]; 3];

/// A precision with a transpose in registers.
pub trait Transpose: Scalar {
    /// Rows of (x, y, z, –) to rows of x, of y and of z.
    fn transpose(rows: [[Self; 4]; 4]) -> [[Self; 4]; 3];

    /// The places in `slots`.
    ///
    /// # Safety
    /// All slots are below the length of `at`.
    #[inline(always)]
    unsafe fn halves<const N: usize>(at: &[Place<Self>], slots: &[u32; N]) -> Halves<Self, N> {
        halves_plain(at, slots)
    }

    /// First parts plus second parts, by lane.
    #[inline(always)]
    fn fold<const N: usize>(d: [[Self; N]; 2]) -> [Self; N] {
        fold_plain(d)
    }

    /// Rows of (x, y, z, –) by slot to lanes of x, of y and of z.
    ///
    /// # Safety
    /// All slots are below the length of `of`.
    #[inline(always)]
    unsafe fn rows<const N: usize>(of: &[[Self; 4]], slots: &[u32; N]) -> [[Self; N]; 3] {
        rows_plain(of, slots)
    }
}

#[inline(always)]
fn halves_plain<T: Transpose, const N: usize>(at: &[Place<T>], slots: &[u32; N]) -> Halves<T, N> {
    let mut out = [[[T::default(); N]; 2]; 3];
    for k in 0..N / 4 {
        let s = [slots[4 * k], slots[4 * k + 1], slots[4 * k + 2], slots[4 * k + 3]];
        let p = [&at[s[0] as usize], &at[s[1] as usize], &at[s[2] as usize], &at[s[3] as usize]];
        let hi = T::transpose([p[0].hi, p[1].hi, p[2].hi, p[3].hi]);
        if !Place::<T>::SPLIT {
            for c in 0..3 {
                out[c][0][4 * k..4 * k + 4].copy_from_slice(&hi[c]);
            }
            continue;
        }
        let lo = T::transpose([p[0].lo, p[1].lo, p[2].lo, p[3].lo]);
        for c in 0..3 {
            out[c][8 * k / N][8 * k % N..8 * k % N + 4].copy_from_slice(&hi[c]);
            out[c][(8 * k + 4) / N][(8 * k + 4) % N..(8 * k + 4) % N + 4].copy_from_slice(&lo[c]);
        }
    }
    out
}

#[inline(always)]
fn fold_plain<T: Transpose, const N: usize>(d: [[T; N]; 2]) -> [T; N] {
    let mut out = d[0];
    if Place::<T>::SPLIT {
        for (l, sum) in out.iter_mut().enumerate() {
            let (hi, lo) = (8 * (l / 4) + l % 4, 8 * (l / 4) + 4 + l % 4);
            *sum = d[hi / N][hi % N] + d[lo / N][lo % N];
        }
    }
    out
}

#[inline(always)]
fn rows_plain<T: Transpose, const N: usize>(of: &[[T; 4]], slots: &[u32; N]) -> [[T; N]; 3] {
    let mut out = [[T::default(); N]; 3];
    for k in 0..N / 4 {
        let s = [slots[4 * k], slots[4 * k + 1], slots[4 * k + 2], slots[4 * k + 3]];
        let t = T::transpose([of[s[0] as usize], of[s[1] as usize], of[s[2] as usize], of[s[3] as usize]]);
        for c in 0..3 {
            out[c][4 * k..4 * k + 4].copy_from_slice(&t[c]);
        }
    }
    out
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

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn halves<const N: usize>(at: &[Place<f32>], slots: &[u32; N]) -> Halves<f32, N> {
        if N != 16 {
            return halves_plain(at, slots);
        }
        // SAFETY: promised by the caller
        unsafe { wide::halves(at, slots) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn fold<const N: usize>(d: [[f32; N]; 2]) -> [f32; N] {
        if N == 16 { wide::fold(d) } else { fold_plain(d) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn rows<const N: usize>(of: &[[f32; 4]], slots: &[u32; N]) -> [[f32; N]; 3] {
        if N != 16 {
            return rows_plain(of, slots);
        }
        // SAFETY: promised by the caller
        unsafe { wide::rows(of, slots) }
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

/// Places by lane.
#[derive(Clone, Copy)]
pub struct Wide<R, const N: usize>(Halves<R, N>);

impl<R: Transpose, const N: usize> Wide<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// The edges from `o` to here \[m\]: eq. (36b).
    #[inline(always)]
    pub fn minus(&self, o: &Self) -> V3<Lanes<R, N>> {
        V3::new(self.along(o, 0), self.along(o, 1), self.along(o, 2))
    }

    #[inline(always)]
    fn along(&self, o: &Self, c: usize) -> Lanes<R, N> {
        let d0 = Lanes(self.0[c][0]) - Lanes(o.0[c][0]);
        let d1 = if Place::<R>::SPLIT { Lanes(self.0[c][1]) - Lanes(o.0[c][1]) } else { d0 };
        Lanes(R::fold([d0.0, d1.0]))
    }
}

/// Places, by lane.
#[inline(always)]
pub fn gather<R: Transpose, const N: usize>(at: &[Place<R>], slots: &[u32; N]) -> Wide<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    check(slots, at.len());
    // SAFETY: checked
    unsafe { gather_inside(at, slots) }
}

/// As [`gather`], without a test of every slot.
///
/// # Safety
/// All slots are below the length of `at`.
#[inline(always)]
pub unsafe fn gather_inside<R: Transpose, const N: usize>(at: &[Place<R>], slots: &[u32; N]) -> Wide<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    // SAFETY: promised by the caller
    Wide(unsafe { R::halves(at, slots) })
}

#[inline(always)]
fn check<const N: usize>(slots: &[u32; N], len: usize) {
    let mut largest = 0;
    for &s in slots {
        largest = largest.max(s);
    }
    assert!((largest as usize) < len, "a slot beyond the particles");
}

/// Displacements since the begin of the step, by lane.
#[inline(always)]
pub fn gather_u<R: Transpose, const N: usize>(u: &[[R; 4]], slots: &[u32; N]) -> V3<Lanes<R, N>>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    check(slots, u.len());
    // SAFETY: checked
    unsafe { gather_u_inside(u, slots) }
}

/// As [`gather_u`], without a test of every slot.
///
/// # Safety
/// All slots are below the length of `u`.
#[inline(always)]
pub unsafe fn gather_u_inside<R: Transpose, const N: usize>(u: &[[R; 4]], slots: &[u32; N]) -> V3<Lanes<R, N>>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    // SAFETY: promised by the caller
    let [x, y, z] = unsafe { R::rows(u, slots) };
    V3::new(Lanes(x), Lanes(y), Lanes(z))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(k: usize) -> V3<f64> {
        V3::new(k as f64 / 7.0, 10.0 + k as f64, 20.0 - k as f64)
    }

    #[test]
    fn lanes_hold_the_edges_and_displacements_of_their_slots() {
        let at: Vec<Place<f32>> = (0..9).map(|k| Place::split(v(k), 1.0 / 64.0)).collect();
        let u: Vec<[f32; 4]> = (0..9).map(|k| [k as f32, -1.0, 0.5, 0.0]).collect();
        let slots = [3, 0, 8, 8, 1, 2, 7, 5];
        let edges = gather::<f32, 8>(&at, &slots).minus(&gather(&at, &[4; 8]));
        let moves: V3<Lanes<f32, 8>> = gather_u(&u, &slots);
        for (l, &slot) in slots.iter().enumerate() {
            assert_eq!(edges.lane(l), at[slot as usize].minus(&at[4]));
            assert_eq!(moves.lane(l), V3::new(slot as f32, -1.0, 0.5));
        }
        let wide: Vec<Place<f64>> = (0..9).map(|k| Place::whole(v(k))).collect();
        let x = gather::<f64, 4>(&wide, &[8, 1, 0, 4]).minus(&gather(&wide, &[0; 4]));
        assert_eq!((x.lane(0).z, x.lane(1).y, x.lane(3).x), (-8.0, 1.0, 4.0 / 7.0));
    }
}
