//! Particles: the stages of a step, against a backend.
//!
//! [`ParticleBackend`] is the list of stages; `CpuParticles` runs them on the host in any
//! precision. The unknown of a block is the displacement d from the inertial target y, so
//! that a velocity is never the difference of two positions: v = v_free + d/h, x = y + d.
//! Theory: `docs/theory/vbd.md` section 2.

mod accelerate;
mod account;
mod backend;
mod columns;
mod compliance;
mod contact;
mod cpu;
mod directions;
mod ending;
mod equations;
mod inspect;
mod limits;
mod momentum;
mod parts;
mod place;
mod prescribed;
mod reduced;
mod reduction;
mod retreat;
mod rows;
mod self_contact;
mod span;
mod stored;
mod sweep;
mod system;

pub use backend::{
    ContactSummary, DetectionPlace, DeviceOutcome, ParticleBackend, ParticleForces, ParticleResidual,
};
pub use columns::mobility as particle_mobility;
pub use cpu::{CpuOptions, CpuParticles};
pub use place::Place;
pub use reduction::Movable;
pub use stored::element_energy;
