//! Tests of the device layer. Those that need a device skip visibly without.

mod bindings;
mod buffers;
mod columns;
mod parity;
mod recording;
mod shaders;

/// A solver moves between threads with all it has on a device.
#[test]
fn device_values_are_send() {
    fn is_send<T: Send>() {}
    is_send::<coact_compute::GpuContext>();
    is_send::<coact_compute::Buffer<f32>>();
    is_send::<coact_compute::ColumnBuffer<f64, f32>>();
    is_send::<coact_compute::Bound>();
    is_send::<coact_compute::Params<f32>>();
    is_send::<coact_compute::Readback<f32>>();
    is_send::<coact_compute::Recording>();
    is_send::<coact_compute::Pipelines>();
}
