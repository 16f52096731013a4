//! Gathers of sixteen `f32` lanes, on AVX-512.
//!
//! A place is half a register: two of them fill one, eight registers hold sixteen places, and three
//! shuffles per coordinate sort them. Written lane by lane a gather costs more than the element it
//! feeds. Lanes of this width are only made where the machine has AVX-512.

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

/// One test for all: the loads below need none.
#[inline(always)]
fn check<const N: usize>(slots: &[u32; N], len: usize) {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    let inside = slots.iter().fold(true, |all, &s| all & (s < len));
    assert!(inside, "a slot beyond the particles");
}

/// See `Transpose::halves`; N is 16.
#[inline(always)]
pub fn halves<const N: usize>(at: &[Place<f32>], slots: &[u32; N]) -> Halves<f32, N> {
    debug_assert!(N == 16);
    check(slots, at.len());
    // SAFETY: AVX-512 as above; slots are inside; a place is eight aligned numbers
    let register = |k: usize, i: usize| unsafe {
        let place = |l: usize| _mm256_load_ps(at.as_ptr().add(slots[l] as usize).cast());
        let (a, b) = (place(8 * k + i), place(8 * k + 4 + i));
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(a), b)
    };
    let sorted = [0, 1].map(|k| transpose([0, 1, 2, 3].map(|i| register(k, i))));
    // SAFETY: N is 16, one register
    let array = |r: __m512| unsafe { transmute_copy(&r) };
    [0, 1, 2].map(|c| [array(sorted[0][c]), array(sorted[1][c])])
}

/// See `Transpose::fold`; N is 16.
#[inline(always)]
pub fn fold<const N: usize>(d: [[f32; N]; 2]) -> [f32; N] {
    debug_assert!(N == 16);
    // SAFETY: AVX-512 and N as above
    unsafe {
        let [a, b]: [__m512; 2] = [transmute_copy(&d[0]), transmute_copy(&d[1])];
        let (hi, lo) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b));
        transmute_copy(&_mm512_add_ps(hi, lo))
    }
}

/// See `Transpose::rows`; N is 16.
#[inline(always)]
pub fn rows<const N: usize>(of: &[[f32; 4]], slots: &[u32; N]) -> [[f32; N]; 3] {
    debug_assert!(N == 16);
    check(slots, of.len());
    // SAFETY: AVX-512 as above; slots are inside
    let register = |i: usize| unsafe {
        let row = |l: usize| _mm_loadu_ps(of.as_ptr().add(slots[l] as usize).cast());
        let r = _mm512_castps128_ps512(row(i));
        let r = _mm512_insertf32x4::<1>(r, row(4 + i));
        let r = _mm512_insertf32x4::<2>(r, row(8 + i));
        _mm512_insertf32x4::<3>(r, row(12 + i))
    };
    // SAFETY: N is 16, one register
    transpose([0, 1, 2, 3].map(register)).map(|r| unsafe { transmute_copy(&r) })
}
