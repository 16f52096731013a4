//! Kernels of `shaders/collide/`.

use super::Kernel;

pub(super) static KERNELS: &[Kernel] = &[];
