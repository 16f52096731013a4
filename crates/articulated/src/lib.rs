//! Reduced-coordinate articulated rigid bodies: `SolverArticulated`.
//!
//! Trees of fixed, revolute, prismatic, ball and free joints, in `f64` on the CPU, by
//! semi-implicit Euler whose free motion is a variational integrator: momentum is kept
//! to rounding and energy within a bound, at any step. Theory: `docs/theory/articulated.md`.
//! A step is in `step.rs`: kick (`kick.rs`), contacts (`contact/`), drift (`drift.rs` for
//! trees, `free_body.rs` for single bodies).
//!
//! Bodies of others stand in as proxies (`proxy.rs`) and meet the links.
//!
//! Left out in this cut: D6, distance and rod joints, loop closures, soft limits, links
//! against links (unless the caller detects), particles as proxies, joints between proxies.

mod config;
mod contact;
mod contract;
mod coordinates;
mod coupling;
mod drift;
mod drift_solve;
mod free_body;
mod kick;
mod kinematics;
mod layout;
mod lu;
mod mass;
mod motion;
mod proxy;
mod refuse;
mod smooth;
mod solver;
mod step;

pub use config::{ArticulatedConfig, StepOrder};
pub use solver::SolverArticulated;
