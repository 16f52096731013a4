//! The kernel table: every kernel of `shaders/`, with what it binds.
//!
//! One file per topic, one entry per kernel. The table is the page on which a
//! reader sees what touches what; it is compared with the shader, name by
//! name and type by type, when a pipeline is built and by a test without a
//! device. `docs/compute.md` tells how to add a kernel.

mod collide;
mod common;
mod vbd;

use crate::error::Result;
use crate::pipeline::compare;
use crate::shader::ShaderLibrary;

/// Every kernel, by topic.
pub static KERNELS: &[&[Kernel]] = &[common::KERNELS, collide::KERNELS, vbd::KERNELS];

/// All kernels of the table.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().flat_map(|topic| topic.iter())
}

/// How a kernel uses a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads a storage buffer.
    Read,
    /// Reads and writes a storage buffer.
    ReadWrite,
    /// Reads a small record that is the same for every thread.
    Uniform,
}

/// One binding of group 0. Its index is its position in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Name of the variable in WGSL and of the buffer given to it.
    pub name: &'static str,
    /// How the kernel uses it.
    pub access: Access,
    /// WGSL type, such as `array<vec4<f32>>`.
    pub ty: &'static str,
}

/// One kernel: the file `shaders/<stem>.wgsl` with one entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Path below `shaders/` without its ending; the name of the kernel.
    pub stem: &'static str,
    /// Name of the entry point.
    pub entry: &'static str,
    /// Group 0, in order of index.
    pub bindings: &'static [Binding],
    /// WGSL type of the parameter record, `@group(1) @binding(0) params`.
    pub params: Option<&'static str>,
}

impl Kernel {
    /// File below `shaders/`.
    pub fn file(&self) -> String {
        format!("{}.wgsl", self.stem)
    }

    /// Compares this entry of the table with its shader. Needs no device.
    pub fn check(&self, library: &ShaderLibrary) -> Result<()> {
        compare(&library.check(&self.file())?, self).map(drop)
    }
}

/// A storage buffer that is read.
pub const fn read(name: &'static str, ty: &'static str) -> Binding {
    Binding { name, access: Access::Read, ty }
}

/// A storage buffer that is read and written.
pub const fn write(name: &'static str, ty: &'static str) -> Binding {
    Binding { name, access: Access::ReadWrite, ty }
}

/// A record that is the same for all threads and dispatches of a step.
pub const fn uniform(name: &'static str, ty: &'static str) -> Binding {
    Binding { name, access: Access::Uniform, ty }
}
