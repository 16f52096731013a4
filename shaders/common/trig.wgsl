// Sine, cosine, arc tangent and arc cosine in f32.
//
// Twin: crates/math/src/trig.rs, same names, same order of lines; the reasons, the
// ranges and the errors are there. Theory: docs/theory/rotations.md eq. (14)-(17).
// No fma; the clamps in coact_reduce never act inside the range, they keep a
// compiler from merging the three products.

const COACT_TWO_OVER_PI: f32 = 0.636619746685;
const COACT_PI_2_A: f32 = 1.5703125;
const COACT_PI_2_B: f32 = 0.00048351287841796875;
const COACT_PI_2_C: f32 = 3.1391647326e-7;
const COACT_BOUND_A: f32 = 20.0;
const COACT_BOUND_B: f32 = 1.0;

const COACT_SIN_0: f32 = -0.166666641831;
const COACT_SIN_1: f32 = 0.00833274610341;
const COACT_SIN_2: f32 = -0.000195873872144;
const COACT_COS_0: f32 = 0.0416666641831;
const COACT_COS_1: f32 = -0.00138883001637;
const COACT_COS_2: f32 = 2.45474366238e-5;
const COACT_ATAN_0: f32 = -0.333333313465;
const COACT_ATAN_1: f32 = 0.199995368719;
const COACT_ATAN_2: f32 = -0.142638385296;
const COACT_ATAN_3: f32 = 0.107424676418;
const COACT_ATAN_4: f32 = -0.0644774287939;

const COACT_TAN_PI_8: f32 = 0.414213567972;
const COACT_PI_4: f32 = 0.785398185253;
const COACT_PI_2: f32 = 1.57079637051;
const COACT_PI: f32 = 3.14159274101;

// x: remainder in [-pi/4, pi/4]; y: quadrant 0, 1, 2 or 3.
fn coact_reduce(x: f32) -> vec2<f32> {
    let q = floor(x * COACT_TWO_OVER_PI + 0.5);
    let ra = clamp(x - q * COACT_PI_2_A, -COACT_BOUND_A, COACT_BOUND_A);
    let rb = clamp(ra - q * COACT_PI_2_B, -COACT_BOUND_B, COACT_BOUND_B);
    let r = rb - q * COACT_PI_2_C;
    let m = q - 4.0 * floor(q * 0.25);
    return vec2<f32>(r, m);
}

fn coact_sin_core(r: f32) -> f32 {
    let z = r * r;
    let p = (COACT_SIN_2 * z + COACT_SIN_1) * z + COACT_SIN_0;
    return (p * z) * r + r;
}

fn coact_cos_core(r: f32) -> f32 {
    let z = r * r;
    let p = (COACT_COS_2 * z + COACT_COS_1) * z + COACT_COS_0;
    return (p * z) * z + (1.0 - 0.5 * z);
}

fn coact_sin(x: f32) -> f32 {
    let rm = coact_reduce(x);
    let s = coact_sin_core(rm.x);
    let k = coact_cos_core(rm.x);
    let v = select(s, k, rm.y == 1.0 || rm.y == 3.0);
    return select(v, -v, rm.y >= 2.0);
}

fn coact_cos(x: f32) -> f32 {
    let rm = coact_reduce(x);
    let s = coact_sin_core(rm.x);
    let k = coact_cos_core(rm.x);
    let v = select(k, s, rm.y == 1.0 || rm.y == 3.0);
    return select(v, -v, rm.y == 1.0 || rm.y == 2.0);
}

fn coact_atan2(y: f32, x: f32) -> f32 {
    let ax = abs(x);
    let ay = abs(y);
    let lo = min(ax, ay);
    let hi = max(ax, ay);
    let beyond = lo > hi * COACT_TAN_PI_8;
    let num = select(lo, lo - hi, beyond);
    let den = select(hi, lo + hi, beyond);
    let t = num / select(den, 1.0, den == 0.0);
    let z = t * t;
    let p = (((COACT_ATAN_4 * z + COACT_ATAN_3) * z + COACT_ATAN_2) * z + COACT_ATAN_1) * z + COACT_ATAN_0;
    let a = (p * z) * t + t;
    let b = select(a, a + COACT_PI_4, beyond);
    let d = select(b, COACT_PI_2 - b, ay > ax);
    let e = select(d, COACT_PI - d, x < 0.0);
    return select(e, -e, y < 0.0);
}

fn coact_acos(x: f32) -> f32 {
    let v = clamp(x, -1.0, 1.0);
    let w = (1.0 - v) * (1.0 + v);
    return coact_atan2(sqrt(w), v);
}
