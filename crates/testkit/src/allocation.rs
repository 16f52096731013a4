//! An allocator that counts, for the promise that a step does not allocate.
//!
//! A test binary installs it with `#[global_allocator]`. Counts are per thread, so that
//! tests that run beside each other do not disturb one another; work that a step hands to
//! other threads is not seen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system allocator, counting allocations and growth of the calling thread.
pub struct CountingAllocator;

fn count_one() {
    // A thread that is being torn down has no counter any more; nobody reads it then.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call is passed on to `System` unchanged; the counter is a plain cell of
// the calling thread and does not allocate.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        // SAFETY: as above; `ptr` came from `System`.
        unsafe { System.realloc(ptr, layout, size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above; `ptr` came from `System`.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// How often this thread allocated (or grew memory) inside `f`, and what `f` returned.
/// Always zero unless [`CountingAllocator`] is the binary's allocator: check that once.
pub fn count_allocations<T>(f: impl FnOnce() -> T) -> (usize, T) {
    let before = COUNT.with(Cell::get);
    let result = f();
    (COUNT.with(Cell::get) - before, result)
}
