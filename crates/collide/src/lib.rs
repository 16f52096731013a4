//! Shapes, distances and contact detection.
