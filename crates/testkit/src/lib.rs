//! Test aids: finite differences, counting allocator, digests, the dummy solver.
