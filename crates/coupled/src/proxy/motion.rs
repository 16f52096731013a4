//! The free motion of a proxy: where its destination finds it if it does not touch it.
//! `docs/theory/proxy-coupling.md` eq. (4)–(9).
//!
//! The source ended with x, v under the force F. The destination, whose proxy has the mass
//! M, must end there too when it gives back the same F. By the protocol a proxy answers a
//! force with v⁺ = v_free + h M⁻¹F and x⁺ = x_free + h (v⁺ − v_free) per substep, so over
//! n substeps of h = dt/n with a constant force
//!   v⁺ = v_free + dt M⁻¹F,   x⁺ = x_free + c dt² M⁻¹F,   c = (n + 1)/(2n),
//! and v⁺ = v, x⁺ = x gives v_free = v − dt M⁻¹F, x_free = x − c dt² M⁻¹F.

use coact_math::{Pose, Spatial, Vec3, rotation_between};
use coact_solver::{EndpointState, MassBlock, ProxyMotion};

/// (displacement of the centre of mass, rotation vector) from one pose to another.
pub(crate) fn displacement(from: &Pose, to: &Pose, com: &Vec3) -> Spatial {
    Spatial::new(to.point(com) - from.point(com), rotation_between(&from.q, &to.q))
}

/// Eq. (4) and (5): the source's end without what `net` did to it, in the destination's
/// `substeps`. A zero force changes no bit.
pub(super) fn eval_free(
    end: &EndpointState,
    com: &Vec3,
    mass: &MassBlock,
    net: &Spatial,
    (dt, substeps): (f64, usize),
) -> EndpointState {
    let a = mass.acceleration(&end.pose.q, net);
    let n = substeps as f64;
    let c = (n + 1.0) / (2.0 * n);
    let pose = end.pose.displaced(com, &(a * (-c * dt * dt)));
    EndpointState { pose, velocity: end.velocity - a * dt }
}

/// Eq. (7): the staggered proxy starts where the source ended and coasts. `gravity` is
/// that of a particle, which is not taken back there; zero for bodies.
pub(super) fn eval_staggered(end: &EndpointState, com: &Vec3, gravity: &Vec3, dt: f64) -> ProxyMotion {
    let velocity = Spatial::new(end.velocity.lin + gravity * dt, end.velocity.ang);
    ProxyMotion { begin: *end, free: EndpointState { velocity, ..*end }.coasted(com, dt) }
}

/// Which substep of how many, and its length.
#[derive(Clone, Copy)]
pub(super) struct Substep {
    /// From 0.
    pub index: usize,
    pub count: usize,
    pub h: f64,
}

/// Eq. (8) and (9): the part of `whole` that belongs to a substep, for a proxy that is at
/// `now`. The free path has a velocity that changes linearly and ends in the free end
/// exactly; what earlier substeps did to the proxy coasts on.
pub(super) fn eval_part(whole: &ProxyMotion, com: &Vec3, s: Substep, now: &EndpointState) -> ProxyMotion {
    if s.count == 1 {
        return *whole;
    }
    let start = eval_path(whole, com, s.index, s);
    let end = eval_path(whole, com, s.index + 1, s);
    let dv = now.velocity - start.velocity;
    let dx = displacement(&start.pose, &now.pose, com) + dv * s.h;
    let free = EndpointState { pose: end.pose.displaced(com, &dx), velocity: end.velocity + dv };
    ProxyMotion { begin: *now, free }
}

/// Eq. (8): the free path after `j` of the substeps,
/// D_j = Σ_{i≤j} h V_i + (j/n)(D_n − Σ_{i≤n} h V_i), V_i = V_0 + (i/n)(V_n − V_0).
fn eval_path(whole: &ProxyMotion, com: &Vec3, j: usize, s: Substep) -> EndpointState {
    let (n, jf) = (s.count as f64, j as f64);
    let (v0, dv) = (whole.begin.velocity, whole.free.velocity - whole.begin.velocity);
    let sum = |j: f64| (v0 * j + dv * (j * (j + 1.0) / (2.0 * n))) * s.h;
    let whole_way = displacement(&whole.begin.pose, &whole.free.pose, com);
    let d = sum(jf) + (whole_way - sum(n)) * (jf / n);
    EndpointState { pose: whole.begin.pose.displaced(com, &d), velocity: v0 + dv * (jf / n) }
}

#[cfg(test)]
mod tests {
    use coact_math::{Mat3, Quat};

    use super::*;

    fn body() -> (EndpointState, Vec3, MassBlock) {
        let q = Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.9));
        let velocity = Spatial::new(Vec3::new(1.0, 2.0, -3.0), Vec3::new(0.5, 4.0, -1.0));
        let inertia = Mat3::from_diagonal(&Vec3::new(0.1, 0.2, 0.25));
        let pose = Pose::new(Vec3::new(1.0, 0.0, 2.0), q);
        (EndpointState { pose, velocity }, Vec3::new(0.1, 0.0, -0.2), MassBlock { mass: 2.0, inertia })
    }

    #[test]
    fn a_zero_force_changes_no_bit() {
        let (end, com, mass) = body();
        assert_eq!(eval_free(&end, &com, &mass, &Spatial::zeros(), (0.01, 3)), end);
    }

    #[test]
    fn the_destination_comes_back_to_the_sources_end() {
        let (end, com, mass) = body();
        let f = Spatial::new(Vec3::new(3.0, -20.0, 9.0), Vec3::new(0.2, 0.1, -0.3));
        let dt = 0.02;
        for n in [1, 2, 5] {
            let begin = EndpointState { pose: end.pose.displaced(&com, &(end.velocity * -dt)), ..end };
            let whole = ProxyMotion { begin, free: eval_free(&end, &com, &mass, &f, (dt, n)) };
            let (mut now, h) = (begin, dt / n as f64);
            for index in 0..n {
                let part = eval_part(&whole, &com, Substep { index, count: n, h }, &now);
                let a = mass.acceleration(&end.pose.q, &f);
                let pose = part.free.pose.displaced(&com, &(a * (h * h)));
                now = EndpointState { pose, velocity: part.free.velocity + a * h };
            }
            let miss = displacement(&now.pose, &end.pose, &com);
            let dv = now.velocity - end.velocity;
            assert!(miss.lin.norm() + dv.lin.norm() + dv.ang.norm() < 1e-13, "{n}: {miss:?} {dv:?}");
            // rotations do not commute: the path over substeps is exact to second order
            assert!(miss.ang.norm() < if n == 1 { 1e-13 } else { 1e-4 }, "{n}: {miss:?}");
        }
    }

    #[test]
    fn what_no_force_moves_is_not_taken_back() {
        let (end, com, mut mass) = body();
        mass.mass = f64::INFINITY;
        let f = Spatial::new(Vec3::x(), Vec3::y());
        assert_eq!(eval_free(&end, &com, &mass, &f, (0.1, 1)), end);
    }
}
