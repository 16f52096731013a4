//! Small, explicit read-back: part of a recording, read after its submit.
//!
//! A coupler that tests a residual keeps one `Readback` of the interface and
//! pays for those bytes only; the memory is reused from step to step.

use std::marker::PhantomData;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use bytemuck::Pod;

use crate::context::{GpuContext, locked};
use crate::error::{ComputeError, Result};

/// Host-visible memory that a recording copies results into.
pub struct Readback<T: Pod> {
    ctx: Arc<GpuContext>,
    label: String,
    buffer: wgpu::Buffer,
    /// Bytes that recordings have put in since the last wait.
    filled: u64,
    /// What the device answered to the last request for the memory.
    answer: Arc<Answer>,
    element: PhantomData<T>,
}

type Mapped = std::result::Result<(), wgpu::BufferAsyncError>;

/// Where the device puts its answer. Whichever thread waits for the device runs the
/// callbacks of all, so that the answer may come after our own wait has ended.
#[derive(Default)]
struct Answer {
    given: Mutex<Option<Mapped>>,
    came: Condvar,
}

impl Answer {
    fn give(&self, mapped: Mapped) {
        *locked(&self.given) = Some(mapped);
        self.came.notify_one();
    }

    fn take(&self) -> Mapped {
        let mut given = locked(&self.given);
        loop {
            match given.take() {
                Some(mapped) => return mapped,
                None => given = self.came.wait(given).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl<T: Pod> Readback<T> {
    /// Room for `capacity` elements; grows when more are put in.
    pub fn new(ctx: &Arc<GpuContext>, label: &str, capacity: usize) -> Result<Self> {
        let bytes = (capacity * size_of::<T>()) as u64;
        let buffer = mappable(ctx, label, bytes)?;
        let (ctx, label) = (Arc::clone(ctx), label.to_owned());
        Ok(Self { ctx, label, buffer, filled: 0, answer: Arc::default(), element: PhantomData })
    }

    /// Room for `bytes` more, after what is already in; offset of that room.
    /// Only an empty read-back grows: what a recording put in stays put.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<u64> {
        let end = self.filled + bytes;
        if end > self.buffer.size() {
            if self.filled > 0 {
                let message = format!("read-back is full: {end} bytes into {}", self.buffer.size());
                return Err(ComputeError::Record { label: self.label.clone(), message });
            }
            self.buffer = mappable(&self.ctx, &self.label, bytes)?;
            self.ctx.counters().add_growth();
        }
        let first = self.filled;
        self.filled = end;
        Ok(first)
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Waits for the device, puts what was read into `out` (old contents go)
    /// and empties the read-back for the next recording.
    pub fn wait(&mut self, out: &mut Vec<T>) -> Result<()> {
        out.clear();
        let bytes = std::mem::take(&mut self.filled);
        if bytes == 0 {
            return Ok(());
        }
        let answer = Arc::clone(&self.answer);
        self.buffer.map_async(wgpu::MapMode::Read, 0..bytes, move |mapped| answer.give(mapped));
        self.ctx.wait()?;
        self.answer.take().map_err(|e| self.failed(e.to_string()))?;
        self.copy_out(bytes, out)?;
        self.buffer.unmap();
        self.ctx.counters().add_download(bytes);
        Ok(())
    }

    fn copy_out(&self, bytes: u64, out: &mut Vec<T>) -> Result<()> {
        let view = self.buffer.get_mapped_range(0..bytes);
        let view = view.map_err(|e| self.failed(e.to_string()))?;
        out.resize(bytes as usize / size_of::<T>(), T::zeroed());
        // Bytes to bytes: the mapped memory need not be aligned for `T`.
        bytemuck::cast_slice_mut::<T, u8>(out).copy_from_slice(&view);
        Ok(())
    }

    fn failed(&self, message: String) -> ComputeError {
        self.ctx.failed(&self.label, message)
    }
}

fn mappable(ctx: &GpuContext, label: &str, bytes: u64) -> Result<wgpu::Buffer> {
    let limit = ctx.limits().buffer_bytes;
    if bytes > limit {
        return Err(ComputeError::TooLarge { label: label.to_owned(), bytes, limit });
    }
    let request = wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.max(4),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    ctx.guarded(label, || ctx.device().create_buffer(&request))
}
