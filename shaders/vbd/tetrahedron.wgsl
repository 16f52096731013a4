// Stable neo-Hookean tetrahedron.
//
// Twin: crates/vbd/src/energy/tetrahedron.rs, with the derivation. Theory:
// docs/theory/elasticity.md eq. (3)-(7).

#include "vbd/metric_damping.wgsl"

struct Tetrahedron {
    // Inverse of the matrix of rest edges [1/m], by columns.
    Dm_inv: array<f32, 9>,
    // Rest volume [m3].
    V: f32,
    // Lame mu [Pa].
    mu: f32,
    // Lame lambda [Pa].
    lambda: f32,
    // Damping of the metric rate [Pa s].
    kd: f32,
}

struct TetRecord {
    v: array<u32, 4>,
    e: Tetrahedron,
}

fn tetrahedron_F(x: array<vec3<f32>, 4>, Dm_inv: array<f32, 9>) -> array<vec3<f32>, 3> {
    let p = x[1] - x[0];
    let q = x[2] - x[0];
    let r = x[3] - x[0];
    return array<vec3<f32>, 3>(
        p * Dm_inv[0] + q * Dm_inv[1] + r * Dm_inv[2],
        p * Dm_inv[3] + q * Dm_inv[4] + r * Dm_inv[5],
        p * Dm_inv[6] + q * Dm_inv[7] + r * Dm_inv[8],
    );
}

fn tetrahedron_weights(Dm_inv: array<f32, 9>, i: u32) -> array<f32, 3> {
    let a = vec3<f32>(Dm_inv[0], Dm_inv[1], Dm_inv[2]);
    let b = vec3<f32>(Dm_inv[3], Dm_inv[4], Dm_inv[5]);
    let c = vec3<f32>(Dm_inv[6], Dm_inv[7], Dm_inv[8]);
    if (i == 0u) {
        return array<f32, 3>(-(a.x + a.y + a.z), -(b.x + b.y + b.z), -(c.x + c.y + c.z));
    }
    if (i == 1u) {
        return array<f32, 3>(a.x, b.x, c.x);
    }
    if (i == 2u) {
        return array<f32, 3>(a.y, b.y, c.y);
    }
    return array<f32, 3>(a.z, b.z, c.z);
}

fn eval_tetrahedron_elastic(e: Tetrahedron, F: array<vec3<f32>, 3>, m: array<f32, 3>) -> Block {
    let lambda = e.lambda + e.mu;
    let cof0 = cross(F[1], F[2]);
    let cof1 = cross(F[2], F[0]);
    let cof2 = cross(F[0], F[1]);
    let J = dot(F[0], cof0);
    let s = lambda * (J - 1.0) - e.mu;
    let Fm = F[0] * m[0] + F[1] * m[1] + F[2] * m[2];
    let c = cof0 * m[0] + cof1 * m[1] + cof2 * m[2];
    let f = (Fm * e.mu + c * s) * -e.V;
    let m2 = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    let H = s3_outer(e.V * lambda, c);
    return Block(f, s3_add_diagonal(H, e.V * e.mu * m2));
}

fn eval_tetrahedron_damping(
    e: Tetrahedron,
    F: array<vec3<f32>, 3>,
    dF: array<vec3<f32>, 3>,
    m: array<f32, 3>,
    inv_dt: f32,
) -> Block {
    return eval_metric_damping3(F, dF, m, e.V * e.kd * inv_dt);
}
