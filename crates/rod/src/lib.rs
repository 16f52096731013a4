//! Elastic rods of rigid segments, solved as wholes: `SolverRod`.
//!
//! A step is one minimisation over all segments of a rod, by Newton steps with a direct solve that
//! takes time in proportion to the number of segments. Theory: `docs/theory/rod.md`, whose last
//! section says where each equation is. A step is in `step.rs`; one rod in `rod.rs`, its elements in
//! `element.rs`, the iteration in `newton.rs`. Contact is in `contact/`, by
//! `docs/theory/rod-contact.md`; what it connects is solved together: `islands.rs`.
//!
//! Left out in this cut: joints that slide, drives and limits of joints, particles, plastic and breaking
//! rods.

mod adrift;
mod branch;
mod config;
mod contact;
mod contract;
mod coupling;
mod element;
mod geometric;
mod islands;
mod joint;
mod layout;
mod loads;
mod meet;
mod newton;
mod node;
mod places;
mod refuse;
mod rod;
mod shared;
mod solver;
mod step;
mod strain;

#[cfg(test)]
mod tests;

pub use config::{RodConfig, RodLaw};
pub use solver::SolverRod;
