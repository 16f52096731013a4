//! `SolverVbd` on a device against the host path in `f32`. Without a device, tests skip
//! visibly; with `COACT_REQUIRE_GPU=1` they fail.

mod agreement;
mod contract;
mod limits;
mod scenes;
