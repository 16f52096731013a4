//! Scene files: RON as typed, resolved, and built into model and solvers; mesh importers.
