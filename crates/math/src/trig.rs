//! Sine, cosine, arc tangent and arc cosine in `f32`, the same bits in every lane.
//!
//! Twin: `shaders/common/trig.wgsl`, same names, same order of lines.
//! Theory: docs/theory/rotations.md eq. (14)–(17).
//!
//! The library functions of graphics drivers are off by hundreds of units in the
//! last place, and differ between drivers; these are plain polynomials, fitted on
//! Chebyshev nodes and rounded to `f32`. They use no fused multiply-add and no
//! compensated sum. A compiler that may re-associate (`a·q + b·q` into
//! `(a + b)·q`) would undo the reduction of the argument, so each of its steps
//! ends in a `clamp` that never acts inside the range but cannot be moved across.
//!
//! | function | range | largest error |
//! |---|---|---|
//! | `coact_sin`, `coact_cos` | abs(x) ≤ 3e4 | 1.0e-7 absolute; 1.6 ulp for abs(x) ≤ pi |
//! | `coact_atan2` | 1e-37 < max(abs(x), abs(y)) < 1e38 | 3 ulp |
//! | `coact_acos` | abs(x) ≤ 1 | 3.5 ulp |
//!
//! Outside its range an argument gives a finite, meaningless result. The sign of
//! a zero is not looked at: `atan2(±0, -1) = pi`, `atan2(0, 0) = 0`.

use crate::real::Real;

/// 2/pi.
const TWO_OVER_PI: f64 = 0.636619746685;
/// pi/2 = `PI_2_A` + `PI_2_B` + `PI_2_C`; the first two have so few bits (8, 9)
/// that their products with a quadrant number below 2^15 are exact.
const PI_2_A: f64 = 1.5703125;
const PI_2_B: f64 = 0.00048351287841796875;
const PI_2_C: f64 = 3.1391647326e-7;
/// Bounds of the remainder after the first and after the second step; a quadrant
/// number of 2^15 reaches 16.7 and 0.8.
const BOUND_A: f64 = 20.0;
const BOUND_B: f64 = 1.0;

const SIN_0: f64 = -0.166666641831;
const SIN_1: f64 = 0.00833274610341;
const SIN_2: f64 = -0.000195873872144;
const COS_0: f64 = 0.0416666641831;
const COS_1: f64 = -0.00138883001637;
const COS_2: f64 = 2.45474366238e-5;
const ATAN_0: f64 = -0.333333313465;
const ATAN_1: f64 = 0.199995368719;
const ATAN_2: f64 = -0.142638385296;
const ATAN_3: f64 = 0.107424676418;
const ATAN_4: f64 = -0.0644774287939;

/// tan(pi/8): above it the arc tangent is taken from pi/4.
const TAN_PI_8: f64 = 0.414213567972;
const PI_4: f64 = 0.785398185253;
const PI_2: f64 = 1.57079637051;
const PI: f64 = 3.14159274101;

#[inline(always)]
fn c<R: Real>(x: f64) -> R {
    R::from_f64(x)
}

#[inline(always)]
fn clamp<R: Real>(x: R, bound: f64) -> R {
    x.min(c(bound)).max(c(-bound))
}

/// Remainder in \[-pi/4, pi/4\] and quadrant in {0, 1, 2, 3}: eq. (14).
#[inline(always)]
pub fn coact_reduce<R: Real>(x: R) -> (R, R) {
    let q = (x * c(TWO_OVER_PI) + c(0.5)).floor();
    let ra = clamp(x - q * c(PI_2_A), BOUND_A);
    let rb = clamp(ra - q * c(PI_2_B), BOUND_B);
    let r = rb - q * c(PI_2_C);
    let m = q - c::<R>(4.0) * (q * c(0.25)).floor();
    (r, m)
}

/// Sine on \[-pi/4, pi/4\]: eq. (15).
#[inline(always)]
pub fn coact_sin_core<R: Real>(r: R) -> R {
    let z = r * r;
    let p = (c::<R>(SIN_2) * z + c(SIN_1)) * z + c(SIN_0);
    (p * z) * r + r
}

/// Cosine on \[-pi/4, pi/4\]: eq. (15).
#[inline(always)]
pub fn coact_cos_core<R: Real>(r: R) -> R {
    let z = r * r;
    let p = (c::<R>(COS_2) * z + c(COS_1)) * z + c(COS_0);
    (p * z) * z + (c::<R>(1.0) - c::<R>(0.5) * z)
}

/// Sine of x \[rad\].
#[inline(always)]
pub fn coact_sin<R: Real>(x: R) -> R {
    let (r, m) = coact_reduce(x);
    let s = coact_sin_core(r);
    let k = coact_cos_core(r);
    let v = R::select(m.cmp_eq(c(1.0)) | m.cmp_eq(c(3.0)), k, s);
    R::select(m.cmp_ge(c(2.0)), -v, v)
}

/// Cosine of x \[rad\].
#[inline(always)]
pub fn coact_cos<R: Real>(x: R) -> R {
    let (r, m) = coact_reduce(x);
    let s = coact_sin_core(r);
    let k = coact_cos_core(r);
    let v = R::select(m.cmp_eq(c(1.0)) | m.cmp_eq(c(3.0)), s, k);
    R::select(m.cmp_eq(c(1.0)) | m.cmp_eq(c(2.0)), -v, v)
}

/// Angle \[rad\] of the point (x, y), in (-pi, pi\]: eq. (16).
#[inline(always)]
pub fn coact_atan2<R: Real>(y: R, x: R) -> R {
    let ax = x.abs();
    let ay = y.abs();
    let lo = ax.min(ay);
    let hi = ax.max(ay);
    let beyond = lo.cmp_gt(hi * c(TAN_PI_8));
    let num = R::select(beyond, lo - hi, lo);
    let den = R::select(beyond, lo + hi, hi);
    let t = num / R::select(den.cmp_eq(c(0.0)), c(1.0), den);
    let z = t * t;
    let p = (((c::<R>(ATAN_4) * z + c(ATAN_3)) * z + c(ATAN_2)) * z + c(ATAN_1)) * z + c(ATAN_0);
    let a = (p * z) * t + t;
    let b = R::select(beyond, a + c(PI_4), a);
    let d = R::select(ay.cmp_gt(ax), c::<R>(PI_2) - b, b);
    let e = R::select(x.cmp_lt(c(0.0)), c::<R>(PI) - d, d);
    R::select(y.cmp_lt(c(0.0)), -e, e)
}

/// Arc cosine of x, clamped to \[-1, 1\], in \[0, pi\]: eq. (17).
#[inline(always)]
pub fn coact_acos<R: Real>(x: R) -> R {
    let v = clamp(x, 1.0);
    let w = (c::<R>(1.0) - v) * (c::<R>(1.0) + v);
    coact_atan2(w.sqrt(), v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Lcg;

    /// Error in units of the last place of the exact result.
    fn ulp(approx: f32, exact: f64) -> f64 {
        let spacing = (exact.abs() as f32).max(f32::MIN_POSITIVE);
        let spacing = f64::from(f32::from_bits(spacing.to_bits() + 1)) - f64::from(spacing);
        (f64::from(approx) - exact).abs() / spacing
    }

    /// Largest absolute error of sine and cosine at n points of \[-range, range\].
    fn sin_cos_error(range: f64, n: u32) -> f64 {
        let mut r = Lcg::new(1);
        (0..n).fold(0.0, |worst, _| {
            let x = r.range(-range, range) as f32;
            let s = (f64::from(coact_sin(x)) - f64::from(x).sin()).abs();
            let k = (f64::from(coact_cos(x)) - f64::from(x).cos()).abs();
            f64::max(worst, s.max(k))
        })
    }

    #[test]
    fn sine_and_cosine_hold_their_stated_error() {
        for range in [1.0, 10.0, 1000.0, 3e4] {
            let e = sin_cos_error(range, 400_000);
            println!("sin, cos, |x| <= {range}: {e:.2e}");
            assert!(e < 1.0e-7, "range {range}: {e}");
        }
        let mut r = Lcg::new(2);
        let mut worst: (f64, f64) = (0.0, 0.0);
        for _ in 0..400_000 {
            let x = r.range(-std::f64::consts::PI, std::f64::consts::PI) as f32;
            worst.0 = worst.0.max(ulp(coact_sin(x), f64::from(x).sin()));
            worst.1 = worst.1.max(ulp(coact_cos(x), f64::from(x).cos()));
        }
        println!("sin {:.2} ulp, cos {:.2} ulp on [-pi, pi]", worst.0, worst.1);
        assert!(worst.0 < 1.6 && worst.1 < 1.6);
    }

    #[test]
    fn small_angles_keep_their_relative_error() {
        for x in [1e-30f32, 1e-20, 1e-10, 1e-5, 1e-3] {
            assert!(ulp(coact_sin(x), f64::from(x).sin()) < 1.0);
            assert!(ulp(coact_atan2(x, 1.0), f64::from(x).atan()) < 1.0);
        }
    }

    #[test]
    fn arc_tangent_holds_its_stated_error() {
        let mut r = Lcg::new(3);
        let mut worst: f64 = 0.0;
        for _ in 0..400_000 {
            let size = 10f64.powf(r.range(-30.0, 30.0));
            let (y, x) = ((r.range(-1.0, 1.0) * size) as f32, (r.range(-1.0, 1.0) * size) as f32);
            worst = worst.max(ulp(coact_atan2(y, x), f64::from(y).atan2(f64::from(x))));
        }
        println!("atan2 {worst:.2} ulp");
        assert!(worst < 3.0);
        let axes = [(0.0, 1.0, 0.0), (1.0, 0.0, PI_2), (0.0, -1.0, PI), (-1.0, 0.0, -PI_2), (0.0, 0.0, 0.0)];
        for (y, x, angle) in axes {
            assert_eq!(coact_atan2(y as f32, x as f32), angle as f32);
        }
    }

    #[test]
    fn arc_cosine_holds_its_stated_error() {
        let mut r = Lcg::new(4);
        let mut worst: f64 = 0.0;
        for _ in 0..400_000 {
            // as many points near the ends as in the middle
            let x = (1.0 - 2.0 * 10f64.powf(r.range(-7.0, 0.0))) as f32;
            for x in [x, -x] {
                worst = worst.max(ulp(coact_acos(x), f64::from(x).acos()));
            }
        }
        println!("acos {worst:.2} ulp");
        assert!(worst < 3.5);
        assert_eq!([coact_acos(1.5f32), coact_acos(-1.5f32)], [0.0, PI as f32]);
    }

    /// Two extreme re-associations stay within a few parts in 1e7 on a turn: a
    /// driver that finds a way round the clamps still gives a usable sine.
    #[test]
    fn merged_reduction_is_survivable() {
        let mut r = Lcg::new(5);
        for _ in 0..100_000 {
            let x = r.range(-6.3, 6.3) as f32;
            let q = (x * TWO_OVER_PI as f32 + 0.5).floor();
            let merged = x - q * (PI_2_A + PI_2_B + PI_2_C) as f32;
            let (kept, _) = coact_reduce(x);
            assert!((merged - kept).abs() < 4e-7);
        }
    }
}
