//! Tests of `SolverRod`: recurrence, momentum, determinism, memory, refusals.

mod conservation;
mod coupling;
mod determinism;
mod loads;
mod recurrence;
mod refusals;
mod shapes;
mod support;
mod violence;
