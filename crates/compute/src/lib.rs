//! Device, buffers, kernel table and pipelines: the only crate that names wgpu.
