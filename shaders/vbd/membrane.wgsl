// Stable neo-Hookean membrane triangle.
//
// Twin: crates/vbd/src/energy/membrane.rs, with the derivation. Theory:
// docs/theory/elasticity.md eq. (8)-(13).

#include "vbd/metric_damping.wgsl"

const AREA_SQ_FLOOR: f32 = 1e-20;
const NORMAL_SHARE: f32 = 0.9;

struct Membrane {
    // Inverse of the matrix of rest edges [1/m]: xx, xy, yx, yy.
    Dm_inv: array<f32, 4>,
    // Rest area [m2].
    A: f32,
    // Shear stiffness [N/m].
    mu: f32,
    // Area stiffness [N/m].
    lambda: f32,
    // Damping of the metric rate [N s/m].
    kd: f32,
}

struct TriangleRecord {
    v: array<u32, 3>,
    e: Membrane,
}

struct MembraneArea {
    a: f32,
    n: vec3<f32>,
}

fn membrane_F(x: array<vec3<f32>, 3>, Dm_inv: array<f32, 4>) -> array<vec3<f32>, 2> {
    let p = x[1] - x[0];
    let q = x[2] - x[0];
    return array<vec3<f32>, 2>(p * Dm_inv[0] + q * Dm_inv[2], p * Dm_inv[1] + q * Dm_inv[3]);
}

fn membrane_weights(Dm_inv: array<f32, 4>, i: u32) -> array<f32, 2> {
    if (i == 0u) {
        return array<f32, 2>(-(Dm_inv[0] + Dm_inv[2]), -(Dm_inv[1] + Dm_inv[3]));
    }
    if (i == 1u) {
        return array<f32, 2>(Dm_inv[0], Dm_inv[1]);
    }
    return array<f32, 2>(Dm_inv[2], Dm_inv[3]);
}

fn membrane_area(F: array<vec3<f32>, 2>) -> MembraneArea {
    let c = cross(F[0], F[1]);
    let a = sqrt(max(dot(c, c), AREA_SQ_FLOOR));
    return MembraneArea(a, c * (1.0 / a));
}

// `clamped`: the block along the normal is cut at zero; else bounded by the shear stiffness.
fn eval_membrane_elastic(e: Membrane, F: array<vec3<f32>, 2>, m: array<f32, 2>, clamped: bool) -> Block {
    let lambda = e.lambda + e.mu;
    let area = membrane_area(F);
    let s = lambda * (area.a - 1.0) - e.mu;
    let w = F[1] * m[0] - F[0] * m[1];
    let g = cross(w, area.n);
    let Fm = F[0] * m[0] + F[1] * m[1];
    let f = (Fm * e.mu + g * s) * -e.A;
    let shear = e.mu * (m[0] * m[0] + m[1] * m[1]);
    let exact = s / area.a * dot(w, w);
    let k = max(exact, select(shear * -NORMAL_SHARE, 0.0, clamped));
    var H = s3_outer(e.A * lambda, g);
    H = s3_add_outer(H, e.A * k, area.n);
    H = s3_add_diagonal(H, e.A * shear);
    return Block(f, H);
}

fn eval_membrane_damping(
    e: Membrane,
    F: array<vec3<f32>, 2>,
    dF: array<vec3<f32>, 2>,
    m: array<f32, 2>,
    inv_dt: f32,
) -> Block {
    return eval_metric_damping2(F, dF, m, e.A * e.kd * inv_dt);
}
