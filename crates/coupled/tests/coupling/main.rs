//! Contracts of the couplers, against the dummy solver and a small implicit string.

mod admm;
mod admm_axes;
mod admm_contacts;
mod admm_refusals;
mod base;
mod exchange;
mod figures;
mod nested;
mod predicted;
mod refusals;
mod rotation;
mod staggered;
mod support;

#[global_allocator]
static ALLOCATOR: coact_testkit::CountingAllocator = coact_testkit::CountingAllocator;
