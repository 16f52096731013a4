//! Typed arrays on the device.
//!
//! Nothing moves unless it is asked for: `write*` uploads, `download*` waits
//! for the device and reads back. Writes beyond the capacity grow the buffer
//! and are counted; prepared bindings follow the growth by themselves. Grow
//! between recordings: a recording that notices a growth refuses to go on.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use crate::bind::BufferRef;
use crate::context::GpuContext;
use crate::error::{ComputeError, Result};
use crate::readback::Readback;
use crate::storage::{Storage, Usage, allocate, is_words, upload};

/// An array of `T` on the device: `len` elements in memory for `capacity`.
///
/// A kernel sees the whole capacity; the count it works on is a parameter.
/// `T` has the layout of the WGSL element, see `layout.rs`.
pub struct Buffer<T: Pod> {
    ctx: Arc<GpuContext>,
    storage: Arc<Storage>,
    len: usize,
    growths: u64,
    element: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Size of an element, in bytes.
    const STRIDE: u64 = {
        assert!(is_words::<T>(), "elements are whole words");
        size_of::<T>() as u64
    };

    /// An empty buffer with room for `capacity` elements.
    pub fn with_capacity(ctx: &Arc<GpuContext>, label: &str, capacity: usize) -> Result<Self> {
        Self::allocate(ctx, label, Usage::Array, capacity)
    }

    /// A buffer of `len` zeroed elements.
    pub fn zeroed(ctx: &Arc<GpuContext>, label: &str, len: usize) -> Result<Self> {
        let mut made = Self::with_capacity(ctx, label, len)?;
        made.len = len;
        Ok(made)
    }

    /// A buffer that holds a copy of `values`.
    pub fn from_slice(ctx: &Arc<GpuContext>, label: &str, values: &[T]) -> Result<Self> {
        let mut made = Self::with_capacity(ctx, label, values.len())?;
        made.write(values)?;
        Ok(made)
    }

    fn allocate(ctx: &Arc<GpuContext>, label: &str, usage: Usage, capacity: usize) -> Result<Self> {
        let storage = Storage::allocate(ctx, label, usage, capacity.max(1) as u64 * Self::STRIDE)?;
        Ok(Self { ctx: Arc::clone(ctx), storage, len: 0, growths: 0, element: PhantomData })
    }

    /// Number of elements in use.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no element is in use.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of elements that fit without growth.
    pub fn capacity(&self) -> usize {
        (self.storage.bytes() / Self::STRIDE) as usize
    }

    /// How often this buffer was replaced by a larger one.
    pub fn growths(&self) -> u64 {
        self.growths
    }

    /// Name in messages.
    pub fn label(&self) -> &str {
        &self.storage.label
    }

    /// Replaces the contents; afterwards `len` is `values.len()`.
    pub fn write(&mut self, values: &[T]) -> Result<()> {
        if values.len() > self.capacity() {
            self.grow(values.len(), false)?;
        }
        self.len = values.len();
        upload(&self.ctx, &self.storage.buffer(), 0, bytemuck::cast_slice(values));
        Ok(())
    }

    /// Writes `values` from element `first` on. Writing past the end
    /// lengthens the buffer; a gap between the two is refused.
    pub fn write_at(&mut self, first: usize, values: &[T]) -> Result<()> {
        let end = first.saturating_add(values.len());
        if first > self.len {
            return Err(self.outside(first, end));
        }
        self.resize(end.max(self.len))?;
        let offset = first as u64 * Self::STRIDE;
        upload(&self.ctx, &self.storage.buffer(), offset, bytemuck::cast_slice(values));
        Ok(())
    }

    /// Sets the number of elements in use, growing if needed. Elements that
    /// come into use hold what was left there; fresh memory is zero.
    pub fn resize(&mut self, len: usize) -> Result<()> {
        if len > self.capacity() {
            self.grow(len, true)?;
        }
        self.len = len;
        Ok(())
    }

    /// Makes room for `capacity` elements; contents stay.
    pub fn reserve(&mut self, capacity: usize) -> Result<()> {
        if capacity > self.capacity() {
            self.grow(capacity, true)?;
        }
        Ok(())
    }

    /// Reads everything back. Waits for the device.
    pub fn download(&self) -> Result<Vec<T>> {
        self.download_range(0..self.len)
    }

    /// Reads some elements back. Waits for the device.
    pub fn download_range(&self, range: Range<usize>) -> Result<Vec<T>> {
        let mut readback = Readback::new(&self.ctx, &self.storage.label, range.len())?;
        let mut recording = self.ctx.record(self.storage.label.clone());
        recording.read_back(self, range, &mut readback);
        recording.submit()?;
        let mut values = Vec::new();
        readback.wait(&mut values)?;
        Ok(values)
    }

    /// This buffer as the binding `name` of a kernel.
    pub fn bind<'a>(&'a self, name: &'a str) -> BufferRef<'a> {
        BufferRef::new(name, &self.storage, Self::STRIDE, true)
    }

    /// Replaces the memory by a larger one, at least half as large again so
    /// that a list that grows by ones is not moved each time.
    fn grow(&mut self, needed: usize, keep: bool) -> Result<()> {
        let held = self.capacity();
        let bytes = needed as u64 * Self::STRIDE;
        let roomy = needed.max(held + held / 2) as u64 * Self::STRIDE;
        let limit = self.ctx.limits().buffer_bytes.min(self.ctx.limits().binding_bytes);
        let size = if roomy <= limit { roomy } else { bytes };
        let larger = allocate(&self.ctx, &self.storage.label, self.storage.usage, size)?;
        if keep && self.len > 0 {
            let used = self.len as u64 * Self::STRIDE;
            let mut encoder = self.ctx.device().create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&self.storage.buffer(), 0, &larger, 0, used);
            self.ctx.queue().submit([encoder.finish()]);
        }
        self.storage.replace(&self.ctx, larger);
        self.growths += 1;
        self.ctx.counters().add_growth();
        Ok(())
    }

    /// Byte range of some elements, refused if they are not in use.
    pub(crate) fn byte_range(&self, range: &Range<usize>) -> Result<Range<u64>> {
        if range.start > range.end || range.end > self.len {
            return Err(self.outside(range.start, range.end));
        }
        Ok(range.start as u64 * Self::STRIDE..range.end as u64 * Self::STRIDE)
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    fn outside(&self, first: usize, end: usize) -> ComputeError {
        ComputeError::Range { label: self.storage.label.clone(), first, end, len: self.len }
    }
}

impl Buffer<[u32; 3]> {
    /// Workgroup counts that a kernel writes and a later dispatch reads.
    pub fn workgroup_counts(ctx: &Arc<GpuContext>, label: &str, len: usize) -> Result<Self> {
        let mut made = Self::allocate(ctx, label, Usage::Indirect, len)?;
        made.len = len;
        Ok(made)
    }
}

impl<T: Pod> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({}: {} of {})", self.storage.label, self.len, self.capacity())
    }
}
