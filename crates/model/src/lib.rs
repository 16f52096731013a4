//! The shared model, its builder, its state and its copy-on-write views.
