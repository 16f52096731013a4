//! Tests of `SolverRod`: recurrence, momentum, determinism, memory, refusals.

mod conservation;
mod contact;
mod coupling;
mod determinism;
mod joints;
mod loads;
mod recurrence;
mod refusals;
mod shapes;
mod support;
mod violence;
