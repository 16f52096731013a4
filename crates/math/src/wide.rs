//! Lanes that fill a 64-byte register, by its own instructions.
//!
//! A loop over an array becomes one instruction only if the compiler finds its way back from sixteen
//! numbers to one vector, which it does not do reliably in a large kernel. So arrays of 64 bytes go
//! through AVX-512 operations; all of them are exact or correctly rounded, as the loops are, so bits
//! do not depend on it. Such lanes are only made where the machine was asked for AVX-512.

use std::arch::x86_64::*;
use std::mem::transmute_copy;

use crate::scalar::Scalar;

/// Whether `[T; N]` is one 64-byte register.
#[inline(always)]
pub const fn is_wide<T, const N: usize>() -> bool {
    size_of::<[T; N]>() == 64 && (size_of::<T>() == 4 || size_of::<T>() == 8)
}

/// Whether a lane is an `f32`.
#[inline(always)]
const fn is_single<T>() -> bool {
    size_of::<T>() == 4
}

macro_rules! binary {
    ($name:ident, $ps:ident, $pd:ident) => {
        /// Lane by lane.
        #[inline(always)]
        pub fn $name<T: Scalar, const N: usize>(a: &[T; N], b: &[T; N]) -> [T; N] {
            debug_assert!(is_wide::<T, N>());
            // SAFETY: sizes agree, see `is_wide`; the machine has AVX-512, see the head of the file
            unsafe {
                if is_single::<T>() {
                    let r: __m512 = $ps(transmute_copy(a), transmute_copy(b));
                    transmute_copy(&r)
                } else {
                    let r: __m512d = $pd(transmute_copy(a), transmute_copy(b));
                    transmute_copy(&r)
                }
            }
        }
    };
}
binary!(add, _mm512_add_ps, _mm512_add_pd);
binary!(sub, _mm512_sub_ps, _mm512_sub_pd);
binary!(mul, _mm512_mul_ps, _mm512_mul_pd);
binary!(div, _mm512_div_ps, _mm512_div_pd);

macro_rules! unary {
    ($name:ident, $ps:expr, $pd:expr) => {
        /// Lane by lane.
        #[inline(always)]
        pub fn $name<T: Scalar, const N: usize>(a: &[T; N]) -> [T; N] {
            debug_assert!(is_wide::<T, N>());
            // SAFETY: as above
            unsafe {
                if is_single::<T>() {
                    let r: __m512 = $ps(transmute_copy(a));
                    transmute_copy(&r)
                } else {
                    let r: __m512d = $pd(transmute_copy(a));
                    transmute_copy(&r)
                }
            }
        }
    };
}
unary!(sqrt, _mm512_sqrt_ps, _mm512_sqrt_pd);
unary!(abs, _mm512_abs_ps, _mm512_abs_pd);

/// The sign of each lane turned.
#[inline(always)]
pub fn neg<T: Scalar, const N: usize>(a: &[T; N]) -> [T; N] {
    // SAFETY: as above
    unsafe {
        let sign = if is_single::<T>() { _mm512_set1_epi32(i32::MIN) } else { _mm512_set1_epi64(i64::MIN) };
        let r = _mm512_xor_si512(transmute_copy(a), sign);
        transmute_copy(&r)
    }
}

/// `x` in every lane.
#[inline(always)]
pub fn splat<T: Scalar, const N: usize>(x: T) -> [T; N] {
    // SAFETY: as above
    unsafe {
        if is_single::<T>() {
            let r = _mm512_set1_ps(transmute_copy(&x));
            transmute_copy(&r)
        } else {
            let r = _mm512_set1_pd(transmute_copy(&x));
            transmute_copy(&r)
        }
    }
}

macro_rules! compare {
    ($name:ident, $predicate:ident) => {
        /// All ones where it holds, zero elsewhere.
        #[inline(always)]
        pub fn $name<T: Scalar, const N: usize>(a: &[T; N], b: &[T; N]) -> [T::Bits; N] {
            // SAFETY: as above; bits are as wide as numbers
            unsafe {
                if is_single::<T>() {
                    let k = _mm512_cmp_ps_mask::<$predicate>(transmute_copy(a), transmute_copy(b));
                    let r = _mm512_movm_epi32(k);
                    transmute_copy(&r)
                } else {
                    let k = _mm512_cmp_pd_mask::<$predicate>(transmute_copy(a), transmute_copy(b));
                    let r = _mm512_movm_epi64(k);
                    transmute_copy(&r)
                }
            }
        }
    };
}
compare!(lt, _CMP_LT_OQ);
compare!(le, _CMP_LE_OQ);
compare!(eq, _CMP_EQ_OQ);

/// `a` where the mask is all ones, `b` where it is zero.
#[inline(always)]
pub fn select<T: Scalar, const N: usize>(mask: &[T::Bits; N], a: &[T; N], b: &[T; N]) -> [T; N] {
    // SAFETY: as above
    unsafe {
        if is_single::<T>() {
            let k = _mm512_movepi32_mask(transmute_copy(mask));
            let r = _mm512_mask_blend_ps(k, transmute_copy(b), transmute_copy(a));
            transmute_copy(&r)
        } else {
            let k = _mm512_movepi64_mask(transmute_copy(mask));
            let r = _mm512_mask_blend_pd(k, transmute_copy(b), transmute_copy(a));
            transmute_copy(&r)
        }
    }
}

macro_rules! bits {
    ($name:ident, $op:ident) => {
        /// Bit by bit, of a mask of 64 bytes.
        #[inline(always)]
        pub fn $name<B: Copy, const N: usize>(a: &[B; N], b: &[B; N]) -> [B; N] {
            // SAFETY: as above
            unsafe {
                let r = $op(transmute_copy(a), transmute_copy(b));
                transmute_copy(&r)
            }
        }
    };
}
bits!(and, _mm512_and_si512);
bits!(or, _mm512_or_si512);

/// Every bit turned.
#[inline(always)]
pub fn not<B: Copy, const N: usize>(a: &[B; N]) -> [B; N] {
    // SAFETY: as above
    unsafe {
        let r = _mm512_xor_si512(transmute_copy(a), _mm512_set1_epi32(-1));
        transmute_copy(&r)
    }
}
