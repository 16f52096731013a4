//! Kernels of `shaders/common/`: arithmetic on arrays, for any solver.

use super::{Kernel, read, write};

pub(super) static KERNELS: &[Kernel] = &[
    Kernel {
        stem: "common/axpy",
        entry: "axpy",
        bindings: &[read("x", "array<f32>"), write("y", "array<f32>")],
        params: Some("AxpyParams"),
    },
];
