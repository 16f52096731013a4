//! Runs one WGSL function on many records.

use std::sync::Arc;

use crate::buffer::Buffer;
use crate::context::GpuContext;
use crate::error::{ComputeError, Result};
use crate::params::Uniform;
use crate::parity::signature::{Component, Signature};
use crate::parity::wrapper::{ENTRY, GROUP, WORKGROUP, text};
use crate::pipeline::{bind_group_layout, compile};
use crate::shader::reflect::{self, Reflected};
use crate::shader::{Shader, ShaderLibrary};

/// A WGSL function, ready to run on a device.
pub struct Function {
    ctx: Arc<GpuContext>,
    file: String,
    name: String,
    inputs: Vec<Component>,
    outputs: Vec<Component>,
    compiled: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// What a function gave, one record per input.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Shader file.
    pub file: String,
    /// Name of the function.
    pub function: String,
    /// Components of an input record.
    pub inputs: Vec<Component>,
    /// Components of an output record.
    pub components: Vec<Component>,
    /// All output records, one after the other.
    pub words: Vec<f32>,
}

impl Outputs {
    /// Output records, in the order of the inputs.
    pub fn records(&self) -> impl Iterator<Item = &[f32]> {
        self.words.chunks_exact(self.components.len())
    }
}

/// Runs function `name` of an embedded shader file on every record of
/// `inputs` (flat, see the module).
pub fn run_function(ctx: &Arc<GpuContext>, file: &str, name: &str, inputs: &[f32]) -> Result<Outputs> {
    Function::new(ctx, &ShaderLibrary::embedded(), file, name)?.run(inputs)
}

impl Function {
    /// Wraps and compiles function `name` of a file of `library`.
    pub fn new(ctx: &Arc<GpuContext>, library: &ShaderLibrary, file: &str, name: &str) -> Result<Self> {
        let refused = |message: String| ComputeError::Parity {
            file: file.to_owned(),
            function: name.to_owned(),
            message,
        };
        let plain = library.check(file)?;
        let signature = Signature::of(&plain.module, name).map_err(refused)?;
        let wrapper = text(&plain.module, name, &signature);
        let mut joined = library.join(file)?;
        joined.append(&format!("{file} (parity wrapper)"), &wrapper);
        let shader = Shader::new(joined)?;
        let layout = bind_group_layout(ctx, name, &bindings(&shader)?)?
            .ok_or_else(|| refused("the wrapper has no bindings".to_owned()))?;
        let mut groups = [None; GROUP as usize + 1];
        groups[GROUP as usize] = Some(&layout);
        let compiled = compile(ctx, &shader, ENTRY, &groups)?;
        Ok(Self {
            ctx: Arc::clone(ctx),
            file: file.to_owned(),
            name: name.to_owned(),
            inputs: signature.parameters.into_iter().flat_map(|p| p.components).collect(),
            outputs: signature.result.components,
            compiled,
            layout,
        })
    }

    /// Components of an input record.
    pub fn inputs(&self) -> &[Component] {
        &self.inputs
    }

    /// Components of an output record.
    pub fn outputs(&self) -> &[Component] {
        &self.outputs
    }

    /// Runs the function on every record of `inputs`.
    pub fn run(&self, inputs: &[f32]) -> Result<Outputs> {
        let stride = self.inputs.len();
        if stride == 0 || !inputs.len().is_multiple_of(stride) {
            let message = format!("{} components are no records of {stride}", inputs.len());
            let (file, function) = (self.file.clone(), self.name.clone());
            return Err(ComputeError::Parity { file, function, message });
        }
        let count = inputs.len() / stride;
        let records = Buffer::from_slice(&self.ctx, "parity records", inputs)?;
        let results = Buffer::<f32>::zeroed(&self.ctx, "parity results", count * self.outputs.len())?;
        let number = Uniform::new(&self.ctx, "parity count", count as u32)?;
        self.launch(&records, &results, &number, count as u32)?;
        Ok(Outputs {
            file: self.file.clone(),
            function: self.name.clone(),
            inputs: self.inputs.clone(),
            components: self.outputs.clone(),
            words: results.download()?,
        })
    }

    fn launch(
        &self,
        records: &Buffer<f32>,
        results: &Buffer<f32>,
        number: &Uniform<u32>,
        count: u32,
    ) -> Result<()> {
        let buffers = [records.storage().buffer(), results.storage().buffer(), number.buffer()];
        let entries: Vec<_> = (0..)
            .zip(&buffers)
            .map(|(binding, b)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
            .collect();
        let groups = count.div_ceil(WORKGROUP);
        let [x, y] = crate::record::grid(groups, self.ctx.limits().workgroups_per_dimension);
        self.ctx.guarded(&self.name, || {
            let group = self.ctx.device().create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&self.name),
                layout: &self.layout,
                entries: &entries,
            });
            let mut encoder = self.ctx.device().create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&self.compiled);
                pass.set_bind_group(GROUP, &group, &[]);
                pass.dispatch_workgroups(x, y, 1);
            }
            self.ctx.queue().submit([encoder.finish()]);
        })
    }
}

/// The bindings that the wrapper declares.
fn bindings(shader: &Shader) -> Result<Vec<Reflected>> {
    let entry = reflect::entry(shader, ENTRY)?;
    let all = entry.map(|e| e.bindings).unwrap_or_default();
    Ok(all.into_iter().filter(|b| b.group == GROUP).collect())
}
