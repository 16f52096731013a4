//! One step as one command list: many dispatches in one compute pass, one
//! submit.
//!
//! Consecutive dispatches share a pass; the device makes each see what those
//! before it wrote. A copy ends the pass. Calls while recording do not fail:
//! the first mistake is kept and [`Recording::submit`] returns it, so the code
//! of a step reads as its list of stages. Uploads made while a recording is
//! open take effect before all of it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use crate::bind::Bound;
use crate::buffer::Buffer;
use crate::context::GpuContext;
use crate::error::{ComputeError, Result};
use crate::params::ParamsAt;
use crate::pipeline::Pipeline;
use crate::readback::Readback;

impl GpuContext {
    /// Starts a command list; `label` names it in errors.
    pub fn record(self: &Arc<Self>, label: impl Into<Cow<'static, str>>) -> Recording {
        let label = label.into();
        let request = wgpu::CommandEncoderDescriptor { label: Some(&label) };
        Recording {
            encoder: self.device().create_command_encoder(&request),
            begun: self.next_epoch(),
            ctx: Arc::clone(self),
            label,
            pass: None,
            current: None,
            dispatches: 0,
            passes: 0,
            mistake: None,
        }
    }
}

/// A command list under construction.
pub struct Recording {
    ctx: Arc<GpuContext>,
    label: Cow<'static, str>,
    // Dropped before the encoder that it belongs to.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: wgpu::CommandEncoder,
    /// Pipeline set last in the open pass.
    current: Option<wgpu::ComputePipeline>,
    /// Buffers replaced after this epoch changed under the recording.
    begun: u64,
    dispatches: u64,
    passes: u64,
    mistake: Option<ComputeError>,
}

/// How many workgroups a dispatch has.
enum Size<'a> {
    Threads(u32),
    Counts { buffer: &'a wgpu::Buffer, offset: u64 },
}

impl Recording {
    /// Runs a kernel without parameters on `threads` threads.
    pub fn dispatch(&mut self, kernel: &Bound, threads: u32) {
        self.add(kernel, None, &Size::Threads(threads));
    }

    /// Runs a kernel with a parameter record on `threads` threads.
    pub fn dispatch_with(&mut self, kernel: &Bound, params: ParamsAt, threads: u32) {
        self.add(kernel, Some(params), &Size::Threads(threads));
    }

    /// Runs a kernel on as many workgroups as element `index` of `counts`
    /// says when the device comes to it.
    pub fn dispatch_counted(
        &mut self,
        kernel: &Bound,
        params: Option<ParamsAt>,
        counts: &Buffer<[u32; 3]>,
        index: usize,
    ) {
        match counts.byte_range(&(index..index + 1)) {
            Ok(range) => {
                let size = Size::Counts { buffer: &counts.storage().buffer(), offset: range.start };
                self.add(kernel, params, &size);
            }
            Err(error) => self.keep(error),
        }
    }

    /// Copies elements `range` of `from` to `to`, from element `first` on.
    /// Both ranges must be in use.
    pub fn copy<T: Pod>(&mut self, from: &Buffer<T>, range: Range<usize>, to: &Buffer<T>, first: usize) {
        let target = first..first.saturating_add(range.len());
        let (source, target) = match (from.byte_range(&range), to.byte_range(&target)) {
            (Ok(source), Ok(target)) => (source, target),
            (Err(error), _) | (_, Err(error)) => return self.keep(error),
        };
        if std::ptr::eq(from.storage(), to.storage()) {
            return self.refuse(format!("`{}` is copied onto itself", from.label()));
        }
        let [from, to] = [from, to].map(|b| b.storage().buffer());
        self.copy_bytes(&from, &source, &to, target.start);
    }

    /// Puts elements `range` of `from` into a read-back, after what is in it.
    pub fn read_back<T: Pod>(&mut self, from: &Buffer<T>, range: Range<usize>, to: &mut Readback<T>) {
        let source = match from.byte_range(&range) {
            Ok(source) => source,
            Err(error) => return self.keep(error),
        };
        match to.take(source.end - source.start) {
            Ok(first) => {
                self.copy_bytes(&from.storage().buffer(), &source, to.buffer(), first);
            }
            Err(error) => self.keep(error),
        }
    }

    /// Dispatches recorded so far.
    pub fn dispatches(&self) -> u64 {
        self.dispatches
    }

    /// Compute passes recorded so far.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Hands the list to the device, or returns the first mistake. Does not
    /// wait for the device.
    pub fn submit(mut self) -> Result<()> {
        self.end_pass();
        if let Some(mistake) = self.mistake {
            return Err(mistake);
        }
        let (ctx, encoder) = (&self.ctx, self.encoder);
        ctx.guarded(&self.label, || ctx.queue().submit([encoder.finish()]))?;
        ctx.counters().add_submit(self.dispatches);
        ctx.check_fault(&self.label)
    }

    fn add(&mut self, kernel: &Bound, params: Option<ParamsAt>, size: &Size) {
        if self.mistake.is_some() || matches!(size, Size::Threads(0)) {
            return;
        }
        if let Err(error) = self.try_add(kernel, params, size) {
            self.keep(error);
        }
    }

    fn try_add(&mut self, kernel: &Bound, params: Option<ParamsAt>, size: &Size) -> Result<()> {
        let pipeline = kernel.pipeline();
        check_params(pipeline, params)?;
        if kernel.epoch() > self.begun {
            let message = format!(
                "buffer `{}` was replaced while it was open: grow and sync between recordings",
                kernel.newest()
            );
            return Err(ComputeError::Record { label: self.label.to_string(), message });
        }
        let group = kernel.group()?;
        let limit = self.ctx.limits().workgroups_per_dimension;
        let (encoder, passes) = (&mut self.encoder, &mut self.passes);
        let pass = self.pass.get_or_insert_with(|| {
            *passes += 1;
            encoder.begin_compute_pass(&Default::default()).forget_lifetime()
        });
        if self.current.as_ref() != Some(pipeline.compiled()) {
            pass.set_pipeline(pipeline.compiled());
            self.current = Some(pipeline.compiled().clone());
        }
        if group.is_some() {
            pass.set_bind_group(0, group.as_ref(), &[]);
        }
        if let Some(at) = params {
            pass.set_bind_group(1, at.group, &[at.offset]);
        }
        match size {
            Size::Threads(threads) => {
                let [x, y] = grid(threads.div_ceil(pipeline.workgroup()), limit);
                pass.dispatch_workgroups(x, y, 1);
            }
            Size::Counts { buffer, offset } => pass.dispatch_workgroups_indirect(buffer, *offset),
        }
        self.dispatches += 1;
        Ok(())
    }

    fn copy_bytes(&mut self, from: &wgpu::Buffer, source: &Range<u64>, to: &wgpu::Buffer, first: u64) {
        if source.start < source.end && self.mistake.is_none() {
            self.end_pass();
            let bytes = source.end - source.start;
            self.encoder.copy_buffer_to_buffer(from, source.start, to, first, bytes);
        }
    }

    fn end_pass(&mut self) {
        self.pass = None;
        self.current = None;
    }

    fn refuse(&mut self, message: String) {
        self.keep(ComputeError::Record { label: self.label.to_string(), message });
    }

    fn keep(&mut self, error: ComputeError) {
        self.mistake.get_or_insert(error);
    }
}

fn check_params(pipeline: &Pipeline, params: Option<ParamsAt>) -> Result<()> {
    let message = match (pipeline.params_bytes(), params) {
        (None, None) => return Ok(()),
        (Some(wgsl), Some(at)) if wgsl != at.bytes => {
            format!("its parameters have {wgsl} bytes, records of `{}` {}", at.label, at.bytes)
        }
        (Some(_), Some(at)) if !at.uploaded => {
            format!("the record of `{}` is not on the device: upload the table first", at.label)
        }
        (Some(_), Some(_)) => return Ok(()),
        (Some(_), None) => "it needs a parameter record: use `dispatch_with`".to_owned(),
        (None, Some(_)) => "it has no parameters: use `dispatch`".to_owned(),
    };
    Err(ComputeError::Kernel { kernel: pipeline.stem().to_owned(), message })
}

/// Workgroups along x and y: a row if it fits, else rows of equal length.
/// The last row may have idle workgroups; kernels test their index anyway.
pub(crate) fn grid(workgroups: u32, limit: u32) -> [u32; 2] {
    let rows = workgroups.div_ceil(limit).max(1);
    [workgroups.div_ceil(rows), rows]
}

#[cfg(test)]
mod tests {
    use super::grid;

    #[test]
    fn grid_covers_every_workgroup_within_the_limit() {
        for groups in [1, 64, 65535, 65536, 131_071, 10_000_000, u32::MAX / 64] {
            let [x, y] = grid(groups, 65535);
            assert!(x <= 65535 && y <= 65535, "{groups}: {x} x {y}");
            let all = u64::from(x) * u64::from(y);
            assert!(all >= u64::from(groups) && all < u64::from(groups) + u64::from(y), "{groups}");
        }
    }
}
