//! A step is one submit and one pass, however many dispatches it has.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use coact_compute::testing::{gpu_for_tests, own_gpu_for_tests};
use coact_compute::{Buffer, GpuContext, Params, Pipelines, Slot};

/// Twin of `AxpyParams` in `shaders/common/axpy.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct AxpyParams {
    a: f32,
    first: u32,
    count: u32,
}

/// A table of (a, first, count), uploaded.
pub fn axpy_params(ctx: &Arc<GpuContext>, records: &[(f32, u32, u32)]) -> (Params<AxpyParams>, Vec<Slot>) {
    let mut params = Params::with_capacity(ctx, "axpy params", 2).unwrap();
    let slots = records.iter().map(|&(a, first, count)| params.push(&AxpyParams { a, first, count }));
    let slots = slots.collect();
    params.upload().unwrap();
    (params, slots)
}

#[test]
fn saxpy_round_trip() {
    let Some(ctx) = gpu_for_tests() else { return };
    let n = 100_000;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let x_device = Buffer::from_slice(&ctx, "x", &x).unwrap();
    let y_device = Buffer::from_slice(&ctx, "y", &vec![1.0_f32; n]).unwrap();
    let pipelines = Pipelines::new(&ctx);
    let axpy = pipelines.bind("common/axpy", &[y_device.bind("y"), x_device.bind("x")]).unwrap();
    let (params, slots) = axpy_params(&ctx, &[(0.5, 0, n as u32)]);
    let mut recording = ctx.record("saxpy");
    recording.dispatch_with(&axpy, params.at(slots[0]), n as u32);
    recording.submit().unwrap();
    let y = y_device.download().unwrap();
    for (x, y) in x.iter().zip(&y) {
        assert_eq!(*y, 0.5 * x + 1.0);
    }
}

#[test]
fn thousand_dispatches_are_one_pass_and_one_submit() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let x = Buffer::from_slice(&ctx, "x", &[1.0_f32; 10]).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "y", 10).unwrap();
    let axpy = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
    // Each dispatch has its own range and factor: element i gets all that
    // point at it, and each dispatch sees what those before it wrote.
    let records: Vec<_> = (0..1000).map(|k| (k as f32, k % 10, 1)).collect();
    let (params, slots) = axpy_params(&ctx, &records);
    let before = ctx.traffic();
    let mut recording = ctx.record("thousand");
    for &slot in &slots {
        recording.dispatch_with(&axpy, params.at(slot), 1);
    }
    assert_eq!((recording.passes(), recording.dispatches()), (1, 1000));
    recording.submit().unwrap();
    let moved = ctx.traffic() - before;
    assert_eq!((moved.submits, moved.dispatches, moved.uploads), (1, 1000, 0));
    let expected: Vec<f32> = (0..10).map(|i| (0..1000).filter(|k| k % 10 == i).sum::<i32>() as f32).collect();
    assert_eq!(y.download().unwrap(), expected);
}

#[test]
fn changed_parameters_act_without_a_new_table() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let x = Buffer::from_slice(&ctx, "x", &[1.0_f32; 4]).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "y", 4).unwrap();
    let axpy = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
    let (mut params, slots) = axpy_params(&ctx, &[(1.0, 0, 4), (10.0, 2, 2), (100.0, 3, 1)]);
    let step = |params: &Params<AxpyParams>| {
        let mut recording = ctx.record("step");
        slots.iter().for_each(|&s| recording.dispatch_with(&axpy, params.at(s), 4));
        recording.submit().unwrap();
        y.download().unwrap()
    };
    assert_eq!(step(&params), [1.0, 1.0, 11.0, 111.0]);
    params.set(slots[1], &AxpyParams { a: -10.0, first: 2, count: 2 });
    params.upload().unwrap();
    assert_eq!(step(&params), [2.0, 2.0, 2.0, 202.0]);
    let before = ctx.traffic();
    params.set(slots[1], &AxpyParams { a: -10.0, first: 2, count: 2 });
    params.upload().unwrap();
    assert_eq!((ctx.traffic() - before).uploads, 0);
}

#[test]
fn bindings_follow_a_buffer_that_grows() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut x = Buffer::from_slice(&ctx, "x", &[1.0_f32; 4]).unwrap();
    let mut y = Buffer::<f32>::zeroed(&ctx, "y", 4).unwrap();
    let axpy = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
    x.write(&[2.0; 500]).unwrap();
    y.resize(500).unwrap();
    let (params, slots) = axpy_params(&ctx, &[(3.0, 0, 500)]);
    let mut recording = ctx.record("after growth");
    recording.dispatch_with(&axpy, params.at(slots[0]), 500);
    recording.submit().unwrap();
    assert_eq!(y.download().unwrap(), [6.0; 500]);
}

#[test]
fn growth_under_an_open_recording_is_refused() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut x = Buffer::from_slice(&ctx, "x of growth", &[1.0_f32; 4]).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "y", 4).unwrap();
    let axpy = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
    let (params, slots) = axpy_params(&ctx, &[(3.0, 0, 4)]);
    let mut recording = ctx.record("open");
    x.write(&[2.0; 500]).unwrap();
    recording.dispatch_with(&axpy, params.at(slots[0]), 4);
    let text = recording.submit().unwrap_err().to_string();
    assert!(text.contains("`open`") && text.contains("`x of growth` was replaced"), "{text}");
}

#[test]
fn dispatch_beyond_one_row_of_workgroups_reaches_every_element() {
    let Some(ctx) = gpu_for_tests() else { return };
    let n = 65535 * 64 + 1000;
    let x = Buffer::from_slice(&ctx, "x", &vec![1.0_f32; n]).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "y", n).unwrap();
    let axpy = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
    let (params, slots) = axpy_params(&ctx, &[(7.0, 0, n as u32)]);
    let mut recording = ctx.record("rows");
    recording.dispatch_with(&axpy, params.at(slots[0]), n as u32);
    recording.submit().unwrap();
    assert!(y.download().unwrap().iter().all(|&v| v == 7.0));
}

#[test]
fn device_counts_size_a_dispatch() {
    let Some(ctx) = gpu_for_tests() else { return };
    let x = Buffer::from_slice(&ctx, "x", &[1.0_f32; 200]).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "y", 200).unwrap();
    let axpy = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
    let (params, slots) = axpy_params(&ctx, &[(2.0, 0, 200)]);
    let mut counts = Buffer::<[u32; 3]>::workgroup_counts(&ctx, "counts", 2).unwrap();
    counts.write(&[[0, 1, 1], [2, 1, 1]]).unwrap();
    let mut recording = ctx.record("counted");
    recording.dispatch_counted(&axpy, Some(params.at(slots[0])), &counts, 1);
    recording.submit().unwrap();
    let y = y.download().unwrap();
    assert!(y[..128].iter().all(|&v| v == 2.0) && y[128..].iter().all(|&v| v == 0.0));
}

#[test]
fn mistakes_surface_at_submit_with_the_kernel() {
    let Some(ctx) = gpu_for_tests() else { return };
    let x = Buffer::from_slice(&ctx, "x", &[1.0_f32; 4]).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "y", 4).unwrap();
    let axpy = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
    let refusal = |act: &dyn Fn(&mut coact_compute::Recording)| {
        let mut recording = ctx.record("mistake");
        act(&mut recording);
        recording.submit().unwrap_err().to_string()
    };
    let text = refusal(&|r| r.dispatch(&axpy, 4));
    assert!(text.contains("common/axpy") && text.contains("parameter record"), "{text}");

    let mut stale = Params::with_capacity(&ctx, "stale", 1).unwrap();
    let slot = stale.push(&AxpyParams { a: 1.0, first: 0, count: 4 });
    let text = refusal(&|r| r.dispatch_with(&axpy, stale.at(slot), 4));
    assert!(text.contains("`stale` is not on the device"), "{text}");

    let mut other = Params::with_capacity(&ctx, "other", 1).unwrap();
    let slot = other.push(&[0_u32; 8]);
    other.upload().unwrap();
    let text = refusal(&|r| r.dispatch_with(&axpy, other.at(slot), 4));
    assert!(text.contains("12 bytes") && text.contains("`other` 32"), "{text}");

    let text = refusal(&|r| r.copy(&x, 0..4, &y, 1));
    assert!(text.contains("`y`: 1..5"), "{text}");
}
