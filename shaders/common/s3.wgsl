// Symmetric 3x3 blocks: the Hessian of one vertex.
//
// Twin: crates/math/src/s3.rs, which has the method of the solve, its criterion of
// singularity and the reasons. Functions carry the prefix s3_ since WGSL has no
// methods.

struct S3 {
    xx: f32,
    xy: f32,
    xz: f32,
    yy: f32,
    yz: f32,
    zz: f32,
}

struct S3Solution {
    x: vec3<f32>,
    regular: bool,
}

const S3_EPSILON: f32 = 1.1920929e-7;

fn s3_diagonal(s: f32) -> S3 {
    return S3(s, 0.0, 0.0, s, 0.0, s);
}

fn s3_outer(s: f32, v: vec3<f32>) -> S3 {
    let w = v * s;
    return S3(w.x * v.x, w.x * v.y, w.x * v.z, w.y * v.y, w.y * v.z, w.z * v.z);
}

fn s3_add(a: S3, b: S3) -> S3 {
    return S3(a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz);
}

fn s3_scale(a: S3, s: f32) -> S3 {
    return S3(a.xx * s, a.xy * s, a.xz * s, a.yy * s, a.yz * s, a.zz * s);
}

fn s3_add_outer(a: S3, s: f32, v: vec3<f32>) -> S3 {
    return s3_add(a, s3_outer(s, v));
}

fn s3_add_diagonal(a: S3, s: f32) -> S3 {
    return S3(a.xx + s, a.xy, a.xz, a.yy + s, a.yz, a.zz + s);
}

fn s3_trace(a: S3) -> f32 {
    return a.xx + a.yy + a.zz;
}

fn s3_det(h: S3) -> f32 {
    let a = h.yy * h.zz - h.yz * h.yz;
    let b = h.xz * h.yz - h.xy * h.zz;
    let c = h.xy * h.yz - h.xz * h.yy;
    return h.xx * a + h.xy * b + h.xz * c;
}

// Inverse of a pivot where it is above its own rounding error, else 1 and false.
fn s3_guard(d: f32, scale: f32) -> vec2<f32> {
    let ok = abs(d) > 4.0 * S3_EPSILON * scale;
    return vec2<f32>(1.0 / select(1.0, d, ok), select(0.0, 1.0, ok));
}

fn s3_solve(h: S3, f: vec3<f32>) -> S3Solution {
    // first column
    let d1 = h.xx;
    let g1 = s3_guard(d1, abs(d1));
    let l21 = h.xy * g1.x;
    let l31 = h.xz * g1.x;
    // second column
    let c22 = l21 * h.xy;
    let c33 = l31 * h.xz;
    let d2 = h.yy - c22;
    let g2 = s3_guard(d2, abs(h.yy) + abs(c22));
    let u32_ = h.yz - l21 * h.xz;
    let l32 = u32_ * g2.x;
    // third column
    let c33b = l32 * u32_;
    let d3 = (h.zz - c33) - c33b;
    let g3 = s3_guard(d3, abs(h.zz) + abs(c33) + abs(c33b));
    // L y = f, D z = y, Lt x = z
    let y1 = f.x;
    let y2 = f.y - l21 * y1;
    let y3 = f.z - l31 * y1 - l32 * y2;
    let x3 = y3 * g3.x;
    let x2 = y2 * g2.x - l32 * x3;
    let x1 = y1 * g1.x - l21 * x2 - l31 * x3;
    let regular = g1.y * g2.y * g3.y > 0.0;
    return S3Solution(select(vec3<f32>(0.0), vec3<f32>(x1, x2, x3), regular), regular);
}
