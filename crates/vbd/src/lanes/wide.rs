//! Gathers of sixteen `f32` lanes, on AVX-512.
//!
//! A place is half a register: two of them fill one, eight registers hold sixteen places, and three
//! shuffles per coordinate sort them. Written lane by lane a gather costs more than the element it
//! feeds. Lanes of this width are only made where the machine has AVX-512. No closures here: they
//! would be compiled without it.

use std::arch::x86_64::*;
use std::mem::transmute_copy;

use super::gather::Halves;
use crate::particle::Place;

/// Rows of (x, y, z, –) in each quarter of four registers, to x, y and z by quarter.
#[inline(always)]
fn transpose(r: [__m512; 4]) -> [__m512; 3] {
    // SAFETY: AVX-512 is there, see the head of the file
    unsafe {
        let (xy0, xy1) = (_mm512_unpacklo_ps(r[0], r[1]), _mm512_unpacklo_ps(r[2], r[3]));
        let (z0, z1) = (_mm512_unpackhi_ps(r[0], r[1]), _mm512_unpackhi_ps(r[2], r[3]));
        let x = _mm512_shuffle_ps::<0x44>(xy0, xy1);
        [x, _mm512_shuffle_ps::<0xee>(xy0, xy1), _mm512_shuffle_ps::<0x44>(z0, z1)]
    }
}

/// The places in two slots, one after the other.
///
/// # Safety
/// AVX-512; both are inside.
#[inline(always)]
unsafe fn two_places(at: *const Place<f32>, a: u32, b: u32) -> __m512 {
    // SAFETY: a place is eight aligned numbers
    unsafe {
        let a = _mm512_castps256_ps512(_mm256_load_ps(at.add(a as usize).cast()));
        _mm512_insertf32x8::<1>(a, _mm256_load_ps(at.add(b as usize).cast()))
    }
}

/// See `Transpose::halves`; N is 16.
///
/// # Safety
/// All slots are inside.
#[inline(always)]
pub unsafe fn halves<const N: usize>(at: &[Place<f32>], s: &[u32; N]) -> Halves<f32, N> {
    debug_assert!(N == 16);
    let at = at.as_ptr();
    // SAFETY: AVX-512 as above; slots are inside; sixteen numbers are a register
    unsafe {
        let (a, b) = (two_places(at, s[0], s[4]), two_places(at, s[1], s[5]));
        let low = transpose([a, b, two_places(at, s[2], s[6]), two_places(at, s[3], s[7])]);
        let (a, b) = (two_places(at, s[8], s[12]), two_places(at, s[9], s[13]));
        let high = transpose([a, b, two_places(at, s[10], s[14]), two_places(at, s[11], s[15])]);
        [
            [transmute_copy(&low[0]), transmute_copy(&high[0])],
            [transmute_copy(&low[1]), transmute_copy(&high[1])],
            [transmute_copy(&low[2]), transmute_copy(&high[2])],
        ]
    }
}

/// See `Transpose::fold`; N is 16.
#[inline(always)]
pub fn fold<const N: usize>(d: [[f32; N]; 2]) -> [f32; N] {
    debug_assert!(N == 16);
    // SAFETY: AVX-512 and N as above
    unsafe {
        let (a, b): (__m512, __m512) = (transmute_copy(&d[0]), transmute_copy(&d[1]));
        let (hi, lo) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b));
        transmute_copy(&_mm512_add_ps(hi, lo))
    }
}

/// Four rows one after the other.
///
/// # Safety
/// AVX-512; all slots are inside.
#[inline(always)]
unsafe fn four_rows(of: *const [f32; 4], [a, b, c, d]: [u32; 4]) -> __m512 {
    // SAFETY: a row is four numbers
    unsafe {
        let r = _mm512_castps128_ps512(_mm_loadu_ps(of.add(a as usize).cast()));
        let r = _mm512_insertf32x4::<1>(r, _mm_loadu_ps(of.add(b as usize).cast()));
        let r = _mm512_insertf32x4::<2>(r, _mm_loadu_ps(of.add(c as usize).cast()));
        _mm512_insertf32x4::<3>(r, _mm_loadu_ps(of.add(d as usize).cast()))
    }
}

/// See `Transpose::rows`; N is 16.
///
/// # Safety
/// All slots are inside.
#[inline(always)]
pub unsafe fn rows<const N: usize>(of: &[[f32; 4]], s: &[u32; N]) -> [[f32; N]; 3] {
    debug_assert!(N == 16);
    let of = of.as_ptr();
    // SAFETY: AVX-512 as above; slots are inside; sixteen numbers are a register
    unsafe {
        let (a, b) = (four_rows(of, [s[0], s[4], s[8], s[12]]), four_rows(of, [s[1], s[5], s[9], s[13]]));
        let (c, d) = (four_rows(of, [s[2], s[6], s[10], s[14]]), four_rows(of, [s[3], s[7], s[11], s[15]]));
        let [x, y, z] = transpose([a, b, c, d]);
        [transmute_copy(&x), transmute_copy(&y), transmute_copy(&z)]
    }
}
