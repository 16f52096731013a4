//! Vertex Block Descent for particles and rigid bodies.
//!
//! One step minimises, over the end positions x of particles and bodies,
//!
//! ```text
//! G(x) = Σ mᵢ/(2h²) |xᵢ − yᵢ|² + Σ Jᵦ-norm of rotation /(2h²) + E(x) + D(x) − torques
//! ```
//! (y: where inertia alone leads; E: energy of elements and contacts; D: dissipation of the
//! step) by descending in one block at a time, with the block's own Newton step. Theory with
//! numbered equations: `docs/theory/vbd.md`; elements: `docs/theory/elasticity.md`.
//!
//! Map: [`SolverVbd`] (`solver.rs`) is the step, as a list of stages. `particle/` holds
//! particles behind a backend, `body/` rigid bodies, `joint/` and `touch/` what connects them,
//! `rigid/` how connected bodies are solved (`docs/theory/rigid-rows.md`), `contact/` particle-shape rows,
//! `attachment/` particles held by bodies, `self_contact/` particle surfaces that meet each other
//! (`docs/theory/self-contact.md`), `energy/` elements, `lanes/` the sweep over elements,
//! `coarse/` blocks of many particles,
//! `prepared/` the layout that backends share, `proxy.rs` what stands in for others,
//! `interface.rs` the hooks for couplers, `reset.rs` puts chosen entities elsewhere,
//! `external.rs` bodies that another solver integrates.
//!
//! Left out so far, on a device: joints, contacts between bodies, attachments and self-contact. All but
//! contacts between bodies are refused when the solver is built.

mod attachment;
mod body;
mod coarse;
mod config;
mod contact;
pub mod energy;
mod external;
mod gpu;
mod interface;
mod joint;
mod lanes;
mod particle;
mod precision;
pub mod prepared;
mod proxy;
mod refuse;
mod reset;
mod residual;
mod rigid;
mod row;
mod self_contact;
mod solver;
mod stages;
mod touch;

pub use attachment::AttachmentState;
pub use config::{
    Acceleration, CoarseCorrection, ContactDamping, ContactLaw, FrictionLaw, MembraneHessian, Precision,
    RotationUpdate, SingularRule, SpringHessian, VbdConfig, VelocityRule,
};
pub use contact::{ContactRow, SlipLaw, eval_barrier, eval_contact, eval_penetration};
pub use lanes::Simd;
pub use rigid::BodyBlocks;
pub use row::CompliantRow;
pub use self_contact::{IntersectingStart, SelfContactConfig, Truncation};
pub use solver::SolverVbd;
