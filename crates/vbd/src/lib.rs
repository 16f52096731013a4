//! Vertex Block Descent for particles and rigid bodies.
