//! Contracts of the couplers, against the dummy solver and a small implicit string.

mod admm;
mod admm_axes;
mod admm_contacts;
mod admm_refusals;
mod base;
mod chains;
mod exchange;
mod figures;
mod gravity;
mod nested;
mod net;
mod passivity;
mod predicted;
mod refusals;
mod rotation;
mod second_order;
mod staggered;
mod support;

#[global_allocator]
static ALLOCATOR: coact_testkit::CountingAllocator = coact_testkit::CountingAllocator;
