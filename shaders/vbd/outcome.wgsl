// What a step tells of itself: counts, and where the worst is.
//
// Integer atomics only, whose results do not depend on the order of arrival. Magnitudes
// are compared by their bits: those of floats that are not negative order as the floats do.
// Twin: `Outcome` in crates/vbd/src/gpu/records.rs. Theory: docs/theory/vbd-gpu.md section 4.

struct Outcome {
    // Particles that are not finite.
    nonfinite: atomic<u32>,
    // Blocks that the last sweep skipped.
    skipped: atomic<u32>,
    rows: atomic<u32>,
    // Rows that press.
    pressing: atomic<u32>,
    // Deepest penetration [m], as bits.
    depth: atomic<u32>,
    // Its pair: slot * shapes + shape.
    deepest: atomic<u32>,
    // Slot of the largest residual.
    worst: atomic<u32>,
    unused: u32,
}

// Where nothing was found.
const NOWHERE: u32 = 0xffffffffu;
