//! Settings of the coupling by rows, as the library takes them.

use coact_coupled::{
    AccelerationKind, AdmmConfig, AitkenOptions, ContactMatching, ContactPair, Convergence, EntryDef,
    IqnOptions, auto_detect_contact_pairs,
};

use crate::file::{self, AdmmCoupling, ContactPairs};

/// From what was typed; `entries` are all of the scene.
pub(super) fn config(typed: &AdmmCoupling, entries: &[EntryDef]) -> AdmmConfig {
    let most = typed.iterations as usize;
    let convergence = match typed.tolerance {
        Some(t) => {
            Some(Convergence::Tolerance { primal: t.distance, dual: t.force_change, max_iterations: most })
        }
        None => typed.fixed.then_some(Convergence::FixedCount(most)),
    };
    let base = AdmmConfig::default();
    AdmmConfig {
        convergence,
        most_passes: most,
        rho: typed.rho,
        gamma: typed.gamma,
        baumgarte: typed.baumgarte,
        closing_speed: typed.closing_speed,
        joint_stiffness: typed.joint_stiffness.linear.unwrap_or(base.joint_stiffness),
        joint_damping: typed.joint_damping.linear.unwrap_or(base.joint_damping),
        joint_angular_stiffness: typed.joint_stiffness.angular.unwrap_or(base.joint_angular_stiffness),
        joint_angular_damping: typed.joint_damping.angular.unwrap_or(base.joint_angular_damping),
        acceleration: acceleration(typed.acceleration),
        contact_pairs: match &typed.contacts {
            ContactPairs::None => Vec::new(),
            ContactPairs::All => auto_detect_contact_pairs(entries),
            ContactPairs::Pairs(pairs) => pairs.iter().map(|(a, b)| ContactPair::new(a, b)).collect(),
        },
        contact_matching: match typed.contact_matching {
            file::ContactMatching::Latest => ContactMatching::Latest,
            file::ContactMatching::Sticky => ContactMatching::Sticky,
            file::ContactMatching::Disabled => ContactMatching::Disabled,
        },
        contact_matching_distance: typed.contact_matching_distance,
        contact_force_scale: typed.contact_force_scale,
        restitution_threshold: typed.restitution_threshold,
    }
}

/// The acceleration of either coupler.
pub(super) fn acceleration(typed: file::Acceleration) -> AccelerationKind {
    match typed {
        file::Acceleration::Off => AccelerationKind::None,
        file::Acceleration::Fixed(w) => AccelerationKind::Fixed(w),
        file::Acceleration::Aitken => AccelerationKind::Aitken(AitkenOptions::default()),
        file::Acceleration::QuasiNewton => AccelerationKind::Iqn(IqnOptions::default()),
    }
}
