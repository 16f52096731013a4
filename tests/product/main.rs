//! Integration tests of the whole product: one binary, one module per promise.

mod coupling;
mod determinism;
mod gpu;
mod proxies;
mod reference;
mod rods;
mod scenes;
mod snapshots;
mod validate;

#[global_allocator]
static ALLOCATOR: coact_testkit::CountingAllocator = coact_testkit::CountingAllocator;
