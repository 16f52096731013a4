//! The memory behind a buffer, replaceable while bindings point to it.
//!
//! A binding keeps the [`Storage`], not the allocation. When the allocation
//! is replaced (growth, another column version) the epoch rises, and the
//! binding makes its bind group anew before the next use. Epochs start at 0 and
//! come from one counter per device, so the largest epoch of several storages
//! changes if and only if one of them was replaced.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::context::{GpuContext, locked};
use crate::error::{ComputeError, Result};

/// Every allocation can be bound, copied from and written to.
const STORAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Whether `T` is made of whole words, as copies on a device need.
pub(crate) const fn is_words<T>() -> bool {
    size_of::<T>() > 0 && size_of::<T>().is_multiple_of(4)
}

/// What a storage may serve as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    /// Arrays of a kernel.
    Array,
    /// Arrays that may also hold workgroup counts.
    Indirect,
    /// Small constant records.
    Uniform,
}

impl Usage {
    fn flags(self) -> wgpu::BufferUsages {
        match self {
            Usage::Array => STORAGE,
            Usage::Indirect => STORAGE | wgpu::BufferUsages::INDIRECT,
            Usage::Uniform => wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        }
    }
}

/// A labelled allocation that can be replaced.
pub(crate) struct Storage {
    pub(crate) label: String,
    pub(crate) usage: Usage,
    buffer: Mutex<wgpu::Buffer>,
    epoch: AtomicU64,
}

impl Storage {
    /// Zeroed memory of `bytes`, at least one word.
    pub(crate) fn allocate(ctx: &GpuContext, label: &str, usage: Usage, bytes: u64) -> Result<Arc<Storage>> {
        let buffer = allocate(ctx, label, usage, bytes)?;
        Ok(Arc::new(Storage {
            label: label.to_owned(),
            usage,
            buffer: Mutex::new(buffer),
            epoch: AtomicU64::new(0),
        }))
    }

    pub(crate) fn buffer(&self) -> wgpu::Buffer {
        locked(&self.buffer).clone()
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    pub(crate) fn bytes(&self) -> u64 {
        locked(&self.buffer).size()
    }

    /// Puts another allocation in place.
    pub(crate) fn replace(&self, ctx: &GpuContext, buffer: wgpu::Buffer) {
        *locked(&self.buffer) = buffer;
        self.epoch.store(ctx.next_epoch(), Ordering::Release);
    }
}

/// Zeroed memory of `bytes`, at least one word.
pub(crate) fn allocate(ctx: &GpuContext, label: &str, usage: Usage, bytes: u64) -> Result<wgpu::Buffer> {
    let limit = match usage {
        Usage::Uniform => ctx.limits().buffer_bytes,
        Usage::Array | Usage::Indirect => ctx.limits().buffer_bytes.min(ctx.limits().binding_bytes),
    };
    if bytes > limit {
        return Err(ComputeError::TooLarge { label: label.to_owned(), bytes, limit });
    }
    let request = wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.max(4),
        usage: usage.flags(),
        mapped_at_creation: false,
    };
    ctx.guarded(label, || ctx.device().create_buffer(&request))
}

/// Writes bytes into an allocation and counts them.
pub(crate) fn upload(ctx: &GpuContext, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
    if !bytes.is_empty() {
        ctx.queue().write_buffer(buffer, offset, bytes);
        ctx.counters().add_upload(bytes.len() as u64);
    }
}
