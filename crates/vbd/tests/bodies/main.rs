//! Rigid bodies: what stands, slides, rolls, bounces and hangs, at default settings, against the
//! textbook. Theory: `docs/theory/rigid-rows.md`.

mod calls;
mod contacts;
mod determinism;
mod impacts;
mod joints;
mod loads;
mod reset;
mod rods;
mod statics;
mod support;
mod turning;
mod wedged;
