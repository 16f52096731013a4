// Damping of the rate of the metric, for membranes (2) and tetrahedra (3).
//
// Twin: crates/vbd/src/energy/metric_damping.rs, with the derivation. Theory:
// docs/theory/elasticity.md eq. (14)-(17). WGSL has no constant generics: the loop of
// the twin is written once per dimension.

#include "vbd/block.wgsl"

fn metric_change(Fa: vec3<f32>, Fb: vec3<f32>, dFa: vec3<f32>, dFb: vec3<f32>) -> f32 {
    return dot(Fa, dFb) + dot(dFa, Fb - dFb);
}

fn eval_metric_damping2(F: array<vec3<f32>, 2>, dF: array<vec3<f32>, 2>, m: array<f32, 2>, k: f32) -> Block {
    let k2 = 2.0 * k;
    var f = vec3<f32>(0.0);
    var Fm = vec3<f32>(0.0);
    var m2 = 0.0;
    var H = s3_diagonal(0.0);
    var F_ = F;
    var dF_ = dF;
    var m_ = m;
    for (var a = 0u; a < 2u; a++) {
        // row a of dC m
        var dC_m = 0.0;
        for (var b = 0u; b < 2u; b++) {
            dC_m += metric_change(F_[a], F_[b], dF_[a], dF_[b]) * m_[b];
        }
        f += F_[a] * dC_m;
        Fm += F_[a] * m_[a];
        m2 += m_[a] * m_[a];
        H = s3_add_outer(H, 1.0, F_[a]);
    }
    H = s3_scale(H, k2 * m2);
    return Block(f * -k2, s3_add_outer(H, k2, Fm));
}

fn eval_metric_damping3(F: array<vec3<f32>, 3>, dF: array<vec3<f32>, 3>, m: array<f32, 3>, k: f32) -> Block {
    let k2 = 2.0 * k;
    var f = vec3<f32>(0.0);
    var Fm = vec3<f32>(0.0);
    var m2 = 0.0;
    var H = s3_diagonal(0.0);
    var F_ = F;
    var dF_ = dF;
    var m_ = m;
    for (var a = 0u; a < 3u; a++) {
        var dC_m = 0.0;
        for (var b = 0u; b < 3u; b++) {
            dC_m += metric_change(F_[a], F_[b], dF_[a], dF_[b]) * m_[b];
        }
        f += F_[a] * dC_m;
        Fm += F_[a] * m_[a];
        m2 += m_[a] * m_[a];
        H = s3_add_outer(H, 1.0, F_[a]);
    }
    H = s3_scale(H, k2 * m2);
    return Block(f * -k2, s3_add_outer(H, k2, Fm));
}
