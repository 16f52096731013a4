//! Tests of `SolverArticulated` through its public interface.

mod contact;
mod coupling;
mod dynamics;
mod free;
mod law;
mod proxies;
mod scene;
mod trees;

#[global_allocator]
static ALLOCATOR: coact_testkit::CountingAllocator = coact_testkit::CountingAllocator;
