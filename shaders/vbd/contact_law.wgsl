// Force and Hessian of one particle-shape row.
//
// Twin: crates/vbd/src/contact/law.rs, with the law. Theory: docs/theory/vbd.md
// eq. (8)-(11).

#include "vbd/block.wgsl"

struct ContactRow {
    // Outward unit normal.
    n: vec3<f32>,
    // Particle radius plus shape margin [m].
    reach: f32,
    // Offset of the particle's target from the closest point [m].
    e: vec3<f32>,
    // Stiffness [N/m].
    ke: f32,
    // Slip of the target against the surface over the step [m].
    w: vec3<f32>,
    // Damping [N s/m].
    kd: f32,
    // Friction coefficient.
    mu: f32,
}

struct SlipLaw {
    // 1/h [1/s].
    inv_h: f32,
    // Slip below which friction is smoothed [m].
    epsilon: f32,
    // Over how many penetrations the approach is damped.
    damped_depth: f32,
}

// eq. (8): penetration [m].
fn eval_penetration(row: ContactRow, d: vec3<f32>) -> f32 {
    return row.reach - dot(row.n, row.e + d);
}

// eq. (10): friction force per normal force and slip [1/m].
fn eval_slip_factor(slip: f32, epsilon: f32) -> f32 {
    let sliding = slip > epsilon;
    let inv_e = 1.0 / epsilon;
    return select((2.0 - slip * inv_e) * inv_e, 1.0 / select(1.0, slip, sliding), sliding);
}

// Force on the particle and its Hessian; zero when not pressing.
fn eval_contact(row: ContactRow, law: SlipLaw, d: vec3<f32>) -> Block {
    let pen = eval_penetration(row, d);
    let n = row.n;
    if (!(pen > 0.0)) {
        return block_zero();
    }
    // normal: spring, and damping of the approach
    let u = row.w + d;
    let u_n = dot(n, u);
    let k_d = select(0.0, row.kd * law.inv_h, u_n < 0.0);
    let force_n = row.ke * pen;
    // friction, smoothed below epsilon
    let u_t = u - n * u_n;
    let f_s = row.mu * force_n * eval_slip_factor(length(u_t), law.epsilon);
    let damped = min(-u_n, law.damped_depth * pen);
    let f = n * (force_n + k_d * damped) - u_t * f_s;
    let h = s3_outer(row.ke + k_d - f_s, n);
    return Block(f, s3_add_diagonal(h, f_s));
}
