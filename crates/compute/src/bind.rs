//! Buffers given to the bindings of a kernel, checked by name, type and size.
//!
//! A [`Bound`] is prepared once and used in every step. It follows its
//! buffers when they grow.

use std::sync::{Arc, Mutex};

use crate::context::{GpuContext, locked};
use crate::error::{ComputeError, Result};
use crate::kernels::Access;
use crate::pipeline::Pipeline;
use crate::shader::reflect::Reflected;
use crate::storage::{Storage, Usage};

/// A buffer with the name of the binding that it is meant for.
#[derive(Clone, Copy)]
pub struct BufferRef<'a> {
    name: &'a str,
    storage: &'a Arc<Storage>,
    /// Size of an element, in bytes.
    stride: u64,
    /// Whether kernels may write it.
    writable: bool,
}

impl<'a> BufferRef<'a> {
    pub(crate) fn new(name: &'a str, storage: &'a Arc<Storage>, stride: u64, writable: bool) -> Self {
        Self { name, storage, stride, writable }
    }
}

/// A kernel with its buffers.
pub struct Bound {
    ctx: Arc<GpuContext>,
    pipeline: Arc<Pipeline>,
    /// In order of binding index.
    storages: Vec<Arc<Storage>>,
    group: Mutex<Group>,
}

struct Group {
    /// Epoch of the storages for which `made` was made.
    epoch: u64,
    made: Option<wgpu::BindGroup>,
}

impl Bound {
    /// Gives `buffers`, in any order, to the bindings of the same names.
    pub(crate) fn new(
        ctx: &Arc<GpuContext>,
        pipeline: &Arc<Pipeline>,
        buffers: &[BufferRef],
    ) -> Result<Bound> {
        refuse_unknown(pipeline, buffers)?;
        let chosen = pipeline
            .bindings()
            .iter()
            .map(|wanted| {
                let given = buffers.iter().find(|b| b.name == wanted.name);
                let given = given.ok_or_else(|| refused(pipeline, &wanted.name, "no buffer given"))?;
                check(wanted, given).map_err(|m| refused(pipeline, &wanted.name, m))?;
                Ok(given)
            })
            .collect::<Result<Vec<_>>>()?;
        refuse_aliases(pipeline, &chosen)?;
        let storages: Vec<_> = chosen.iter().map(|b| Arc::clone(b.storage)).collect();
        let group = make_group(ctx, pipeline, &storages)?;
        Ok(Bound {
            ctx: Arc::clone(ctx),
            pipeline: Arc::clone(pipeline),
            group: Mutex::new(Group { epoch: epoch(&storages), made: group }),
            storages,
        })
    }

    pub(crate) fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Newest replacement among the buffers.
    pub(crate) fn epoch(&self) -> u64 {
        epoch(&self.storages)
    }

    /// Name of the buffer that was replaced last.
    pub(crate) fn newest(&self) -> &str {
        self.storages.iter().max_by_key(|s| s.epoch()).map_or("", |s| &s.label)
    }

    /// The bind group of the present allocations; `None` if nothing is bound.
    pub(crate) fn group(&self) -> Result<Option<wgpu::BindGroup>> {
        let mut group = locked(&self.group);
        let now = self.epoch();
        if group.epoch != now {
            group.made = make_group(&self.ctx, &self.pipeline, &self.storages)?;
            group.epoch = now;
        }
        Ok(group.made.clone())
    }
}

fn epoch(storages: &[Arc<Storage>]) -> u64 {
    storages.iter().map(|s| s.epoch()).max().unwrap_or(0)
}

fn make_group(
    ctx: &GpuContext,
    pipeline: &Pipeline,
    storages: &[Arc<Storage>],
) -> Result<Option<wgpu::BindGroup>> {
    let Some(layout) = pipeline.layout() else { return Ok(None) };
    let buffers: Vec<_> = storages.iter().map(|s| s.buffer()).collect();
    let entries: Vec<_> = buffers
        .iter()
        .zip(pipeline.bindings())
        .map(|(buffer, wanted)| wgpu::BindGroupEntry {
            binding: wanted.index,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let request = wgpu::BindGroupDescriptor { label: Some(pipeline.stem()), layout, entries: &entries };
    ctx.guarded(pipeline.stem(), || ctx.device().create_bind_group(&request)).map(Some)
}

/// Whether a buffer fits a binding; `Err` says why not.
fn check(wanted: &Reflected, given: &BufferRef) -> Result<(), String> {
    let label = &given.storage.label;
    let is_uniform = given.storage.usage == Usage::Uniform;
    if is_uniform != (wanted.access == Access::Uniform) {
        let kind = if is_uniform { "a uniform record" } else { "a storage buffer" };
        return Err(format!("declared {:?}, but `{label}` is {kind}", wanted.access));
    }
    if wanted.access == Access::ReadWrite && !given.writable {
        return Err(format!("the kernel writes it, but `{label}` is a shared column"));
    }
    let (ty, stride) = (&wanted.ty, given.stride);
    match wanted.stride {
        Some(s) if s == stride || (wanted.of_words && stride % s == 0) => {}
        Some(s) => {
            return Err(format!("`{ty}` has elements of {s} bytes, those of `{label}` have {stride}"));
        }
        None if is_uniform && stride != wanted.min_bytes => {
            return Err(format!("`{ty}` has {} bytes, `{label}` has {stride}", wanted.min_bytes));
        }
        None => {}
    }
    if given.storage.bytes() < wanted.min_bytes {
        return Err(format!(
            "`{ty}` needs {} bytes, `{label}` has {}",
            wanted.min_bytes,
            given.storage.bytes()
        ));
    }
    Ok(())
}

fn refuse_unknown(pipeline: &Pipeline, buffers: &[BufferRef]) -> Result<()> {
    for given in buffers {
        if !pipeline.bindings().iter().any(|b| b.name == given.name) {
            let names: Vec<_> = pipeline.bindings().iter().map(|b| b.name.as_str()).collect();
            let message = format!("the kernel has no such binding; it has {}", names.join(", "));
            return Err(refused(pipeline, given.name, message));
        }
    }
    Ok(())
}

/// A buffer that a kernel writes cannot be bound to it twice.
fn refuse_aliases(pipeline: &Pipeline, chosen: &[&BufferRef]) -> Result<()> {
    let bindings = pipeline.bindings();
    for (i, wanted) in bindings.iter().enumerate() {
        let twin = (0..bindings.len()).find(|&j| j != i && Arc::ptr_eq(chosen[i].storage, chosen[j].storage));
        if let (Access::ReadWrite, Some(j)) = (wanted.access, twin) {
            let message = format!(
                "buffer `{}` is written here and also bound as `{}`",
                chosen[i].storage.label, bindings[j].name
            );
            return Err(refused(pipeline, &wanted.name, message));
        }
    }
    Ok(())
}

fn refused(pipeline: &Pipeline, binding: &str, message: impl Into<String>) -> ComputeError {
    ComputeError::Binding {
        kernel: pipeline.stem().to_owned(),
        binding: binding.to_owned(),
        message: message.into(),
    }
}
