//! Rotation vectors beyond half a turn: the one of a rotation that is next to another vector.
//!
//! Theory: `docs/theory/rod.md` eq. (2). A rod that is twisted by several turns, or a thin segment
//! that turns on in one step, keeps counting.

use std::f64::consts::TAU;

use coact_math::{Quat, Vec3, log_so3};

/// Below it a rotation has no axis to rounding.
const NO_AXIS: f64 = 1e-12;

/// The rotation vector of `q` \[rad\] next to `near`: that of [`log_so3`] plus whole turns.
pub(crate) fn log_near(q: &Quat, near: &Vec3) -> Vec3 {
    let log = log_so3(q);
    let size = log.norm();
    if size < NO_AXIS {
        let turns = (near.norm() / TAU).round();
        return if turns == 0.0 { log } else { near.normalize() * (turns * TAU) };
    }
    let axis = log / size;
    let turns = ((near.dot(&axis) - size) / TAU).round();
    if turns == 0.0 { log } else { axis * (size + turns * TAU) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_math::exp_so3;

    #[test]
    fn the_nearest_of_all_vectors_is_found() {
        let axis = Vec3::new(0.6, 0.0, -0.8);
        for angle in [-9.0, -3.3, -1e-9, 0.0, 0.5, 3.1, 3.2, 6.2, 6.4, 20.0] {
            let vector = axis * angle;
            let near = vector + Vec3::new(0.2, -0.3, 0.1);
            assert!((log_near(&exp_so3(&vector), &near) - vector).norm() < 1e-13, "{angle}");
        }
    }

    #[test]
    fn whole_turns_are_kept() {
        let near = Vec3::z() * (2.0 * TAU + 0.1);
        assert!((log_near(&Quat::identity(), &near) - Vec3::z() * (2.0 * TAU)).norm() < 1e-13);
    }
}
