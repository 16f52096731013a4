//! Parameter records of dispatches, and records that hold for a whole step.
//!
//! A step launches many kernels that differ in a few numbers: the range of a
//! colour, an iteration count. These stand in one table on the device, filled
//! once; each dispatch points at its record by a dynamic offset, which plain
//! WebGPU has, and nothing is uploaded between dispatches.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;

use crate::bind::BufferRef;
use crate::context::GpuContext;
use crate::error::Result;
use crate::storage::{Storage, Usage, allocate, is_words, upload};

/// Index of a record in a [`Params`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(u32);

/// A table of parameter records `P`, group 1 of the kernels that use them.
pub struct Params<P: Pod> {
    ctx: Arc<GpuContext>,
    label: String,
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// Records at their distance on the device.
    bytes: Vec<u8>,
    changed: bool,
    record: PhantomData<P>,
}

/// A record of a table, as a dispatch names it.
#[derive(Clone, Copy)]
pub struct ParamsAt<'a> {
    pub(crate) group: &'a wgpu::BindGroup,
    pub(crate) offset: u32,
    /// Size of the record, in bytes.
    pub(crate) bytes: u64,
    /// Whether the device has the record.
    pub(crate) uploaded: bool,
    pub(crate) label: &'a str,
}

impl<P: Pod> Params<P> {
    /// An empty table with room for `capacity` records.
    pub fn with_capacity(ctx: &Arc<GpuContext>, label: &str, capacity: usize) -> Result<Self> {
        const { assert!(is_words::<P>(), "records are whole words") };
        let bytes = capacity.max(1) as u64 * Self::distance(ctx) as u64;
        let buffer = allocate(ctx, label, Usage::Uniform, bytes)?;
        let group = Self::bind_group(ctx, label, &buffer)?;
        Ok(Self {
            ctx: Arc::clone(ctx),
            label: label.to_owned(),
            buffer,
            group,
            bytes: Vec::new(),
            changed: false,
            record: PhantomData,
        })
    }

    /// Distance of two records on the device, in bytes.
    fn distance(ctx: &GpuContext) -> usize {
        size_of::<P>().next_multiple_of(ctx.limits().uniform_alignment as usize)
    }

    fn bind_group(ctx: &GpuContext, label: &str, buffer: &wgpu::Buffer) -> Result<wgpu::BindGroup> {
        let seen =
            wgpu::BufferBinding { buffer, offset: 0, size: std::num::NonZeroU64::new(size_of::<P>() as u64) };
        let entry = wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(seen) };
        let request =
            wgpu::BindGroupDescriptor { label: Some(label), layout: ctx.params_layout(), entries: &[entry] };
        ctx.guarded(label, || ctx.device().create_bind_group(&request))
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.bytes.len() / Self::distance(&self.ctx)
    }

    /// Whether the table has no record.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Removes all records; their slots become invalid.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Adds a record. The device has it after [`Params::upload`].
    pub fn push(&mut self, record: &P) -> Slot {
        let slot = Slot(self.len() as u32);
        let end = self.bytes.len() + Self::distance(&self.ctx);
        self.bytes.extend_from_slice(bytemuck::bytes_of(record));
        self.bytes.resize(end, 0);
        self.changed = true;
        slot
    }

    /// Changes a record; one that equals the old costs nothing. Slots of an
    /// earlier table are ignored.
    pub fn set(&mut self, slot: Slot, record: &P) {
        let first = slot.0 as usize * Self::distance(&self.ctx);
        let wanted = bytemuck::bytes_of(record);
        if let Some(held) = self.bytes.get_mut(first..first + wanted.len())
            && held != wanted
        {
            held.copy_from_slice(wanted);
            self.changed = true;
        }
    }

    /// Brings the table to the device, in one transfer, if it changed.
    pub fn upload(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        if self.bytes.len() as u64 > self.buffer.size() {
            let roomy = (self.bytes.len() + self.bytes.len() / 2) as u64;
            self.buffer = allocate(&self.ctx, &self.label, Usage::Uniform, roomy)?;
            self.group = Self::bind_group(&self.ctx, &self.label, &self.buffer)?;
            self.ctx.counters().add_growth();
        }
        upload(&self.ctx, &self.buffer, 0, &self.bytes);
        self.changed = false;
        Ok(())
    }

    /// A record, for [`crate::Recording::dispatch_with`].
    pub fn at(&self, slot: Slot) -> ParamsAt<'_> {
        let inside = (slot.0 as usize) < self.len();
        ParamsAt {
            group: &self.group,
            offset: slot.0.saturating_mul(Self::distance(&self.ctx) as u32),
            bytes: size_of::<P>() as u64,
            uploaded: inside && !self.changed,
            label: &self.label,
        }
    }
}

/// One record that is the same for every kernel of a step.
pub struct Uniform<T: Pod> {
    ctx: Arc<GpuContext>,
    storage: Arc<Storage>,
    value: T,
}

impl<T: Pod> Uniform<T> {
    /// A record with a first value.
    pub fn new(ctx: &Arc<GpuContext>, label: &str, value: T) -> Result<Self> {
        const { assert!(is_words::<T>(), "records are whole words") };
        let storage = Storage::allocate(ctx, label, Usage::Uniform, size_of::<T>() as u64)?;
        upload(ctx, &storage.buffer(), 0, bytemuck::bytes_of(&value));
        Ok(Self { ctx: Arc::clone(ctx), storage, value })
    }

    /// Changes the record; one that equals the old costs nothing.
    pub fn set(&mut self, value: T) {
        if bytemuck::bytes_of(&value) != bytemuck::bytes_of(&self.value) {
            self.value = value;
            upload(&self.ctx, &self.storage.buffer(), 0, bytemuck::bytes_of(&value));
        }
    }

    /// What the device has.
    pub fn get(&self) -> &T {
        &self.value
    }

    pub(crate) fn buffer(&self) -> wgpu::Buffer {
        self.storage.buffer()
    }

    /// This record as the binding `name` of a kernel.
    pub fn bind<'a>(&'a self, name: &'a str) -> BufferRef<'a> {
        BufferRef::new(name, &self.storage, size_of::<T>() as u64, false)
    }
}
