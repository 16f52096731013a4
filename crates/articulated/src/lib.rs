//! Reduced-coordinate articulated rigid bodies.
