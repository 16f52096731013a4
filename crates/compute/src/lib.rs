//! Device, buffers, kernel table and pipelines: the only crate that names
//! wgpu, and none of its types shows here.
//!
//! The way of a step:
//!
//! 1. [`GpuContext::open`] opens the device of a [`DeviceChoice`], or says
//!    that the Rust path is to be used.
//! 2. [`Buffer`], [`ColumnBuffer`], [`Uniform`] and [`Params`] hold the data.
//! 3. [`Pipelines::bind`] joins a kernel of the table ([`kernels`]) with its
//!    buffers, by name, checked; done once.
//! 4. [`GpuContext::record`] lists a whole step, [`Recording::submit`] hands
//!    it over; nothing is read back unless asked for.
//!
//! Shaders are the WGSL files of the top-level `shaders/`, part of the binary
//! ([`shader`]). [`parity`] runs one WGSL function on many inputs and compares
//! it with its Rust twin. `docs/compute.md` has the conventions.
//!
//! Left out on purpose: textures, subgroups, `f64`, float atomics and
//! immediates, which plain WebGPU does not have or which cost determinism.

mod adapter;
mod bind;
mod buffer;
mod choice;
mod column_cache;
mod context;
mod error;
pub mod kernels;
mod params;
pub mod parity;
mod pipeline;
mod readback;
mod record;
mod reduce;
pub mod shader;
mod storage;
pub mod testing;
mod traffic;

pub use adapter::{AdapterInfo, AdapterKind, list_adapters};
pub use bind::{Bound, BufferRef};
pub use buffer::Buffer;
pub use choice::DeviceChoice;
pub use column_cache::{ColumnBuffer, ColumnCache, ColumnLayout};
pub use context::{DeviceLimits, GpuContext};
pub use error::{ComputeError, Place, Result, ShaderError};
pub use params::{Params, ParamsAt, Slot, Uniform};
pub use pipeline::{Pipeline, Pipelines};
pub use readback::Readback;
pub use record::Recording;
pub use reduce::{Reduce, Reduction};
pub use traffic::Traffic;
