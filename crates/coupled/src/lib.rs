//! Entries, proxy and ADMM coupling, acceleration and convergence.
//!
//! Several solvers share one model. Each is an *entry* with what it owns
//! (`entry.rs`, checked by `partition.rs`); [`SolverCoupled`] runs entries that do not
//! touch each other, [`SolverCoupledProxy`] lets one entry's bodies and particles stand
//! in another as proxies (`proxy/`, `docs/theory/proxy-coupling.md`), [`SolverCoupledAdmm`]
//! holds entries together by rows (`admm/`, `docs/theory/admm-coupling.md`). A coupler is cut into partition × exchange × schedule × acceleration × convergence. Couplers are
//! solvers and can be entries of other couplers.
//!
//! This crate names no solver: it knows the contract of `coact-solver` only.

mod acceleration;
mod admm;
mod convergence;
mod coupled;
mod entries;
mod entry;
mod error;
mod filter;
mod follow;
mod graph;
mod nesting;
mod partition;
mod proxy;
mod summary;

pub use coact_collide::ContactMatching;

pub use acceleration::{
    Acceleration, AccelerationKind, Aitken, AitkenOptions, Fixed, Iqn, IqnOptions, NoAcceleration,
    WrenchAcceleration,
};
pub use admm::{AdmmConfig, ContactPair, SolverCoupledAdmm, auto_detect_contact_pairs};
pub use convergence::Convergence;
pub use coupled::{Coupled, Exchange, Independent, SolverCoupled};
pub use entries::Entries;
pub use entry::{Build, Entry, EntryDef};
pub use error::CouplingError;
pub use partition::Parent;
pub use proxy::{Proxy, ProxyConfig, ProxyMode, SolverCoupledProxy};
