//! Kernels of `shaders/common/`: arithmetic on arrays, for any solver.

use super::{Binding, Kernel, read, write};

const REDUCE: &[Binding] = &[read("source", "array<f32>"), write("partial", "array<f32>")];

pub(super) static KERNELS: &[Kernel] = &[
    Kernel {
        stem: "common/axpy",
        entry: "axpy",
        bindings: &[read("x", "array<f32>"), write("y", "array<f32>")],
        params: Some("AxpyParams"),
    },
    Kernel { stem: "common/reduce_max", entry: "reduce_max", bindings: REDUCE, params: Some("ReduceParams") },
    Kernel { stem: "common/reduce_sum", entry: "reduce_sum", bindings: REDUCE, params: Some("ReduceParams") },
];
