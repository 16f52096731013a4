//! Vertex Block Descent for particles and rigid bodies.

pub mod energy;
