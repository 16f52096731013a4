//! Kernels compiled for a device, each once.
//!
//! The layout of a pipeline is made from what the shader declares, after that
//! was compared with the kernel table. Group 0 holds the buffers, group 1 the
//! parameter record.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::bind::{Bound, BufferRef};
use crate::context::{GpuContext, locked};
use crate::error::{ComputeError, Result, ShaderError};
use crate::kernels::{self, Access, Kernel};
use crate::shader::reflect::{self, Entry, Reflected};
use crate::shader::{Shader, ShaderLibrary};

/// The kernels of a table on one device, built when first asked for.
pub struct Pipelines {
    ctx: Arc<GpuContext>,
    library: ShaderLibrary,
    table: Vec<&'static Kernel>,
    built: Mutex<BTreeMap<&'static str, Arc<Pipeline>>>,
}

impl Pipelines {
    /// The kernels of this crate.
    pub fn new(ctx: &Arc<GpuContext>) -> Self {
        Self::with_table(ctx, ShaderLibrary::embedded(), kernels::all().collect())
    }

    /// Another table over another library.
    pub fn with_table(ctx: &Arc<GpuContext>, library: ShaderLibrary, table: Vec<&'static Kernel>) -> Self {
        Self { ctx: Arc::clone(ctx), library, table, built: Mutex::default() }
    }

    /// The device.
    pub fn context(&self) -> &Arc<GpuContext> {
        &self.ctx
    }

    /// The kernel of that stem, built if it was not.
    pub fn get(&self, stem: &str) -> Result<Arc<Pipeline>> {
        let kernel = *self
            .table
            .iter()
            .find(|k| k.stem == stem)
            .ok_or_else(|| ComputeError::UnknownKernel(stem.to_owned()))?;
        let mut built = locked(&self.built);
        if let Some(found) = built.get(stem) {
            return Ok(Arc::clone(found));
        }
        let made = Arc::new(Pipeline::new(&self.ctx, &self.library, kernel)?);
        built.insert(kernel.stem, Arc::clone(&made));
        Ok(made)
    }

    /// Builds every kernel of the table, so that none is built in a step.
    pub fn build_all(&self) -> Result<()> {
        self.table.iter().try_for_each(|k| self.get(k.stem).map(drop))
    }

    /// As [`bind`](Self::bind); `buffer` answers for each name of the kernel's bindings.
    pub fn bind_named<'a>(
        &self,
        stem: &str,
        mut buffer: impl FnMut(&'static str) -> BufferRef<'a>,
    ) -> Result<Bound> {
        let pipeline = self.get(stem)?;
        let buffers: Vec<_> = pipeline.kernel.bindings.iter().map(|b| buffer(b.name)).collect();
        Bound::new(&self.ctx, &pipeline, &buffers)
    }

    /// A kernel with its buffers, ready to be recorded.
    pub fn bind(&self, stem: &str, buffers: &[BufferRef]) -> Result<Bound> {
        Bound::new(&self.ctx, &self.get(stem)?, buffers)
    }
}

/// One kernel, compiled.
pub struct Pipeline {
    kernel: &'static Kernel,
    compiled: wgpu::ComputePipeline,
    layout: Option<wgpu::BindGroupLayout>,
    bindings: Vec<Reflected>,
    params_bytes: Option<u64>,
    workgroup: u32,
}

impl Pipeline {
    fn new(ctx: &GpuContext, library: &ShaderLibrary, kernel: &'static Kernel) -> Result<Self> {
        let shader = library.check(&kernel.file())?;
        let entry = compare(&shader, kernel)?;
        let bindings: Vec<_> = entry.bindings.iter().filter(|b| b.group == 0).cloned().collect();
        check_limits(ctx, kernel, &entry, &bindings)?;
        let layout = bind_group_layout(ctx, kernel.stem, &bindings)?;
        let params = entry.bindings.iter().find(|b| b.group == 1);
        let groups = [layout.as_ref(), params.map(|_| ctx.params_layout())];
        let compiled = compile(ctx, &shader, kernel.entry, &groups)?;
        Ok(Self {
            kernel,
            compiled,
            layout,
            params_bytes: params.map(|p| p.min_bytes),
            bindings,
            workgroup: entry.workgroup[0],
        })
    }

    /// Name of the kernel.
    pub fn stem(&self) -> &'static str {
        self.kernel.stem
    }

    /// Threads of one workgroup.
    pub fn workgroup(&self) -> u32 {
        self.workgroup
    }

    pub(crate) fn bindings(&self) -> &[Reflected] {
        &self.bindings
    }

    pub(crate) fn layout(&self) -> Option<&wgpu::BindGroupLayout> {
        self.layout.as_ref()
    }

    /// Size of the parameter record, in bytes, if the kernel has one.
    pub(crate) fn params_bytes(&self) -> Option<u64> {
        self.params_bytes
    }

    pub(crate) fn compiled(&self) -> &wgpu::ComputePipeline {
        &self.compiled
    }
}

/// Compares a shader with its entry of the table. Needs no device.
pub(crate) fn compare(shader: &Shader, kernel: &Kernel) -> Result<Entry> {
    let differs = |message: String| ComputeError::Kernel { kernel: kernel.stem.to_owned(), message };
    let entry = reflect::entry(shader, kernel.entry)?.ok_or_else(|| {
        let there: Vec<_> = shader.entry_points().collect();
        differs(format!("no entry point `{}`; there is {}", kernel.entry, there.join(", ")))
    })?;
    if entry.workgroup[1..] != [1, 1] {
        return Err(differs(format!("workgroup {:?} is not (n, 1, 1)", entry.workgroup)));
    }
    let in_group = |group| entry.bindings.iter().filter(move |b| b.group == group);
    if let Some(odd) = entry.bindings.iter().find(|b| b.group > 1) {
        return Err(differs(format!("{}: `{}` is in group {}", odd.place, odd.name, odd.group)));
    }
    let declared: Vec<String> = in_group(0).map(describe).collect();
    let listed: Vec<String> =
        (0..).zip(kernel.bindings).map(|(i, b)| format!("{i}: {} {:?} {}", b.name, b.access, b.ty)).collect();
    for i in 0..declared.len().max(listed.len()) {
        let (wgsl, table) = (declared.get(i), listed.get(i));
        if wgsl != table {
            let place = in_group(0).nth(i).map(|b| format!("{}: ", b.place)).unwrap_or_default();
            let [wgsl, table] = [wgsl, table].map(|t| t.map_or("nothing", String::as_str));
            return Err(differs(format!("{place}shader has `{wgsl}`, kernel table has `{table}`")));
        }
    }
    let params = in_group(1).map(describe).next();
    let listed = kernel.params.map(|ty| format!("0: params Uniform {ty}"));
    if params != listed {
        return Err(differs(format!("group 1: shader has {params:?}, kernel table has {listed:?}")));
    }
    Ok(entry)
}

fn describe(b: &Reflected) -> String {
    format!("{}: {} {:?} {}", b.index, b.name, b.access, b.ty)
}

fn check_limits(ctx: &GpuContext, kernel: &Kernel, entry: &Entry, bindings: &[Reflected]) -> Result<()> {
    let arrays = bindings.iter().filter(|b| b.access != Access::Uniform).count() as u32;
    let limits = ctx.limits();
    let (allowed, threads) = (limits.storage_buffers_per_kernel, limits.threads_per_workgroup);
    let message = if arrays > allowed {
        format!("binds {arrays} storage buffers, {} allows {allowed}", ctx.info())
    } else if entry.workgroup[0] > threads {
        format!("workgroup of {} threads, {} allows {threads}", entry.workgroup[0], ctx.info())
    } else {
        return Ok(());
    };
    Err(ComputeError::Kernel { kernel: kernel.stem.to_owned(), message })
}

pub(crate) fn bind_group_layout(
    ctx: &GpuContext,
    label: &str,
    bindings: &[Reflected],
) -> Result<Option<wgpu::BindGroupLayout>> {
    if bindings.is_empty() {
        return Ok(None);
    }
    let entries: Vec<_> = bindings
        .iter()
        .map(|b| wgpu::BindGroupLayoutEntry {
            binding: b.index,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match b.access {
                    Access::Uniform => wgpu::BufferBindingType::Uniform,
                    Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
                    Access::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(b.min_bytes),
            },
            count: None,
        })
        .collect();
    let request = wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries };
    ctx.guarded(label, || ctx.device().create_bind_group_layout(&request)).map(Some)
}

/// Compiles one entry point for a device.
pub(crate) fn compile(
    ctx: &GpuContext,
    shader: &Shader,
    entry: &str,
    groups: &[Option<&wgpu::BindGroupLayout>],
) -> Result<wgpu::ComputePipeline> {
    let source = wgpu::ShaderSource::Wgsl(shader.text().into());
    let request = wgpu::ShaderModuleDescriptor { label: Some(shader.name()), source };
    let device = ctx.device();
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let module = device.create_shader_module(request);
    if let Some(error) = pollster::block_on(scope.pop()) {
        return Err(module_error(shader, &module, &error).into());
    }
    let what = format!("shaders/{}, entry `{entry}`", shader.name());
    ctx.guarded(&what, || {
        let layout = wgpu::PipelineLayoutDescriptor {
            label: Some(shader.name()),
            bind_group_layouts: groups,
            immediate_size: 0,
        };
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(shader.name()),
            layout: Some(&device.create_pipeline_layout(&layout)),
            module: &module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        })
    })
}

/// What a device objects to in a shader that passed our own validation.
fn module_error(shader: &Shader, module: &wgpu::ShaderModule, error: &wgpu::Error) -> ShaderError {
    let report = pollster::block_on(module.get_compilation_info());
    let places = report.messages.iter().filter_map(|m| {
        let at = m.location?.offset as usize;
        Some((shader.joined().place(at), m.message.clone()))
    });
    ShaderError { message: error.to_string(), places: places.collect(), notes: Vec::new() }
}
