//! Kernels of `shaders/vbd/`.

use super::Kernel;

pub(super) static KERNELS: &[Kernel] = &[];
