//! An opened device: what every buffer, pipeline and recording is made from.
//!
//! Errors of the device are caught in scopes around each request and come
//! back as `Err`; what arrives outside of any scope, a lost device for
//! instance, is kept and returned by the next submit.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::adapter::{AdapterInfo, choose, instance};
use crate::choice::DeviceChoice;
use crate::error::{ComputeError, Result};
use crate::traffic::{Counters, Traffic};

/// Limits of a device that decide what kernels and buffers it can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Storage buffers that one kernel may bind.
    pub storage_buffers_per_kernel: u32,
    /// Largest buffer, in bytes.
    pub buffer_bytes: u64,
    /// Largest part of a buffer that a kernel sees, in bytes.
    pub binding_bytes: u64,
    /// Threads of one workgroup.
    pub threads_per_workgroup: u32,
    /// Shared memory of one workgroup, in bytes.
    pub workgroup_bytes: u32,
    /// Workgroups along one dimension of a dispatch.
    pub workgroups_per_dimension: u32,
    /// Distance of two parameter records in a parameter table, in bytes.
    pub uniform_alignment: u32,
}

/// An opened device with its queue.
pub struct GpuContext {
    device: wgpu::Device,
    queue: wgpu::Queue,
    info: AdapterInfo,
    limits: DeviceLimits,
    counters: Counters,
    /// First error that no scope caught.
    fault: Arc<Mutex<Option<String>>>,
    /// Source of buffer epochs, see `storage.rs`.
    epoch: AtomicU64,
    params_layout: OnceLock<wgpu::BindGroupLayout>,
}

impl std::fmt::Debug for GpuContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuContext({})", self.info)
    }
}

/// The value behind a lock. A thread that panicked while it held one of our
/// locks leaves a usable value behind: each guards one plain replacement.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GpuContext {
    /// Opens the device for a choice. `None` means: use the Rust path.
    pub fn open(choice: DeviceChoice) -> Result<Option<Arc<GpuContext>>> {
        match choose(&instance(), choice)? {
            Some(adapter) => Self::of_adapter(&adapter).map(|c| Some(Arc::new(c))),
            None => Ok(None),
        }
    }

    fn of_adapter(adapter: &wgpu::Adapter) -> Result<GpuContext> {
        let info = AdapterInfo::of(adapter);
        let limits = wanted_limits(&adapter.limits());
        let request = wgpu::DeviceDescriptor {
            label: Some("coact"),
            required_limits: limits.clone(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&request))
            .map_err(|e| ComputeError::NoDevice { adapter: info.name.clone(), reason: e.to_string() })?;
        let fault = Arc::new(Mutex::new(None));
        catch_faults(&device, &fault);
        Ok(GpuContext {
            device,
            queue,
            info,
            limits: own_limits(&limits),
            counters: Counters::default(),
            fault,
            epoch: AtomicU64::new(1),
            params_layout: OnceLock::new(),
        })
    }

    /// The adapter that this device belongs to.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// What the device can take.
    pub fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    /// Totals of transfers, submits and dispatches so far.
    pub fn traffic(&self) -> Traffic {
        self.counters.totals()
    }

    /// Blocks until everything that was submitted has run.
    pub fn wait(&self) -> Result<()> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|e| self.failed("waiting", e.to_string()))?;
        self.check_fault("waiting")
    }

    pub(crate) fn device(&self) -> &wgpu::Device {
        &self.device
    }

    pub(crate) fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A number that is larger than every one given before.
    pub(crate) fn next_epoch(&self) -> u64 {
        self.epoch.fetch_add(1, Ordering::Relaxed)
    }

    /// The layout of group 1 of every kernel: one uniform at a dynamic offset.
    pub(crate) fn params_layout(&self) -> &wgpu::BindGroupLayout {
        self.params_layout.get_or_init(|| {
            let entry = wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: true,
                    min_binding_size: None,
                },
                count: None,
            };
            let request = wgpu::BindGroupLayoutDescriptor { label: Some("params"), entries: &[entry] };
            self.device.create_bind_group_layout(&request)
        })
    }

    /// Runs `request` and returns what the device had to object.
    pub(crate) fn guarded<T>(&self, what: &str, request: impl FnOnce() -> T) -> Result<T> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let made = request();
        let objections = [pollster::block_on(validation.pop()), pollster::block_on(memory.pop())];
        match objections.into_iter().flatten().next() {
            Some(error) => Err(self.failed(what, error.to_string())),
            None => Ok(made),
        }
    }

    pub(crate) fn check_fault(&self, what: &str) -> Result<()> {
        match locked(&self.fault).clone() {
            Some(message) => Err(self.failed(what, message)),
            None => Ok(()),
        }
    }

    pub(crate) fn failed(&self, what: &str, message: String) -> ComputeError {
        ComputeError::Device { what: what.to_owned(), message }
    }
}

/// Portable limits, raised to what the adapter has where kernels profit.
fn wanted_limits(adapter: &wgpu::Limits) -> wgpu::Limits {
    let portable = wgpu::Limits::default().or_worse_values_from(adapter);
    wgpu::Limits {
        max_storage_buffers_per_shader_stage: adapter.max_storage_buffers_per_shader_stage,
        max_buffers_and_acceleration_structures_per_shader_stage: adapter
            .max_buffers_and_acceleration_structures_per_shader_stage,
        max_storage_buffer_binding_size: adapter.max_storage_buffer_binding_size,
        max_buffer_size: adapter.max_buffer_size,
        max_compute_workgroup_storage_size: adapter.max_compute_workgroup_storage_size,
        max_compute_invocations_per_workgroup: adapter.max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x: adapter.max_compute_workgroup_size_x,
        min_uniform_buffer_offset_alignment: adapter.min_uniform_buffer_offset_alignment,
        ..portable
    }
}

fn own_limits(limits: &wgpu::Limits) -> DeviceLimits {
    DeviceLimits {
        storage_buffers_per_kernel: limits.max_storage_buffers_per_shader_stage,
        buffer_bytes: limits.max_buffer_size,
        binding_bytes: limits.max_storage_buffer_binding_size,
        threads_per_workgroup: limits.max_compute_invocations_per_workgroup,
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
        uniform_alignment: limits.min_uniform_buffer_offset_alignment,
    }
}

/// Keeps the first error that reaches nobody; without this, it would panic.
fn catch_faults(device: &wgpu::Device, fault: &Arc<Mutex<Option<String>>>) {
    let keep = Arc::clone(fault);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        locked(&keep).get_or_insert_with(|| error.to_string());
    }));
    let keep = Arc::clone(fault);
    device.set_device_lost_callback(move |reason, message| {
        // A device that we close ourselves is "destroyed": no fault.
        if reason != wgpu::DeviceLostReason::Destroyed {
            locked(&keep).get_or_insert_with(|| format!("device lost: {message}"));
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::buffer::Buffer;
    use crate::testing::own_gpu_for_tests;

    /// A device that is gone answers with an error that names what was asked of it.
    #[test]
    fn a_device_that_is_gone_is_an_error_not_a_panic() {
        let Some(ctx) = own_gpu_for_tests() else { return };
        let held = Buffer::from_slice(&ctx, "held", &[1.0_f32; 4]).unwrap();
        ctx.device.destroy();
        let text = held.download().expect_err("nothing can be read").to_string();
        assert!(text.contains("held"), "{text}");
    }
}
