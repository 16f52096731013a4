// Wrench on a body and its Hessian, summed over what acts on it; inertia; the 6x6 system.
//
// Twin: crates/vbd/src/body/block.rs, with the formulas. Theory: docs/theory/vbd.md
// eq. (17), (18).

#include "common/ldlt6.wgsl"
#include "common/s3.wgsl"
#include "common/so3.wgsl"

struct BodyLoad {
    // Force [N] and torque about the centre of mass [N m].
    lin: vec3<f32>,
    ang: vec3<f32>,
    // Linear-linear block [N/m].
    ll: S3,
    // Angular-linear block [N], by columns.
    al: array<vec3<f32>, 3>,
    // Angular-angular block [N m].
    aa: S3,
}

struct BodyStep {
    lin: vec3<f32>,
    ang: vec3<f32>,
    regular: bool,
}

fn load_zero() -> BodyLoad {
    let o = vec3<f32>(0.0);
    return BodyLoad(o, o, s3_diagonal(0.0), array<vec3<f32>, 3>(o, o, o), s3_diagonal(0.0));
}

fn load_add(a: BodyLoad, b: BodyLoad) -> BodyLoad {
    let al = array<vec3<f32>, 3>(a.al[0] + b.al[0], a.al[1] + b.al[1], a.al[2] + b.al[2]);
    return BodyLoad(a.lin + b.lin, a.ang + b.ang, s3_add(a.ll, b.ll), al, s3_add(a.aa, b.aa));
}

// The reaction to the force f (Hessian h) on what touches the body at offset r.
fn react(f: vec3<f32>, h: S3, r: vec3<f32>) -> BodyLoad {
    // [r]x h by columns, then its rows times [r]x transposed
    let k0 = cross(r, vec3<f32>(h.xx, h.xy, h.xz));
    let k1 = cross(r, vec3<f32>(h.xy, h.yy, h.yz));
    let k2 = cross(r, vec3<f32>(h.xz, h.yz, h.zz));
    let a0 = cross(r, vec3<f32>(k0.x, k1.x, k2.x));
    let a1 = cross(r, vec3<f32>(k0.y, k1.y, k2.y));
    let a2 = cross(r, vec3<f32>(k0.z, k1.z, k2.z));
    let aa = S3(a0.x, a0.y, a0.z, a1.y, a1.z, a2.z);
    return BodyLoad(-f, -cross(r, f), h, array<vec3<f32>, 3>(k0, k1, k2), aa);
}

// R I Rt for the inertia (diagonal, off-diagonal xy xz yz) in body axes.
fn world_inertia(q: vec4<f32>, d: vec3<f32>, o: vec3<f32>) -> S3 {
    let ex = quat_rotate(q, vec3<f32>(1.0, 0.0, 0.0));
    let ey = quat_rotate(q, vec3<f32>(0.0, 1.0, 0.0));
    let ez = quat_rotate(q, vec3<f32>(0.0, 0.0, 1.0));
    let x = ex * d.x + ey * o.x + ez * o.y;
    let y = ex * o.x + ey * d.y + ez * o.z;
    let z = ex * o.y + ey * o.z + ez * d.z;
    let row0 = x * ex.x + y * ey.x + z * ez.x;
    let row1 = x * ex.y + y * ey.y + z * ez.y;
    let row2 = x * ex.z + y * ey.z + z * ez.z;
    return S3(row0.x, row0.y, row0.z, row1.y, row1.z, row2.z);
}

fn s3_apply(a: S3, v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(
        a.xx * v.x + a.xy * v.y + a.xz * v.z,
        a.xy * v.x + a.yy * v.y + a.yz * v.z,
        a.xz * v.x + a.yz * v.y + a.zz * v.z,
    );
}

// eq. (17): m_w is m/h2, j_w is J/h2.
fn add_inertia(load: BodyLoad, m_w: f32, j_w: S3, dx: vec3<f32>, theta: vec3<f32>, torque: vec3<f32>) -> BodyLoad {
    let lin = load.lin - dx * m_w;
    let ang = load.ang + (torque - s3_apply(j_w, theta));
    return BodyLoad(lin, ang, s3_add_diagonal(load.ll, m_w), load.al, s3_add(load.aa, j_w));
}

// eq. (18): the step of the body.
fn solve_load(load: BodyLoad) -> BodyStep {
    let l = load.ll;
    let k = load.al;
    let a = load.aa;
    let m = array<f32, 36>(
        l.xx, l.xy, l.xz, k[0].x, k[0].y, k[0].z,
        l.xy, l.yy, l.yz, k[1].x, k[1].y, k[1].z,
        l.xz, l.yz, l.zz, k[2].x, k[2].y, k[2].z,
        k[0].x, k[1].x, k[2].x, a.xx, a.xy, a.xz,
        k[0].y, k[1].y, k[2].y, a.xy, a.yy, a.yz,
        k[0].z, k[1].z, k[2].z, a.xz, a.yz, a.zz,
    );
    let b = array<f32, 6>(load.lin.x, load.lin.y, load.lin.z, load.ang.x, load.ang.y, load.ang.z);
    let s = ldlt6_solve(m, b);
    return BodyStep(vec3<f32>(s.x[0], s.x[1], s.x[2]), vec3<f32>(s.x[3], s.x[4], s.x[5]), s.regular);
}
