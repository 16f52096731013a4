//! Buffers: contents survive what is done to them, and nothing overflows.

use coact_compute::testing::{gpu_for_tests, own_gpu_for_tests};
use coact_compute::{Buffer, ComputeError, Readback};

#[test]
fn contents_round_trip() {
    let Some(ctx) = gpu_for_tests() else { return };
    let values: Vec<[f32; 4]> = (0..1000).map(|i| [i as f32, 0.5, -1.0, f32::MAX]).collect();
    let buffer = Buffer::from_slice(&ctx, "round trip", &values).unwrap();
    assert_eq!(buffer.download().unwrap(), values);
    assert_eq!(buffer.download_range(10..12).unwrap(), values[10..12]);
}

#[test]
fn write_beyond_capacity_grows_keeps_and_counts() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let mut buffer = Buffer::<u32>::with_capacity(&ctx, "list", 4).unwrap();
    buffer.write(&[1, 2, 3, 4]).unwrap();
    assert_eq!((buffer.growths(), buffer.capacity()), (0, 4));
    buffer.write_at(3, &[40, 50, 60]).unwrap();
    assert_eq!(buffer.download().unwrap(), [1, 2, 3, 40, 50, 60]);
    assert_eq!(buffer.growths(), 1);
    buffer.resize(8).unwrap();
    assert_eq!(buffer.download().unwrap()[..7], [1, 2, 3, 40, 50, 60, 0]);
    assert_eq!(ctx.traffic().growths, buffer.growths());
    buffer.write(&[9; 100]).unwrap();
    assert_eq!(buffer.download().unwrap(), [9; 100]);
}

#[test]
fn growth_is_rare_for_a_list_that_grows_by_ones() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut buffer = Buffer::<u32>::with_capacity(&ctx, "list", 1).unwrap();
    for i in 0..1000 {
        buffer.write_at(i, &[i as u32]).unwrap();
    }
    assert!(buffer.growths() < 20, "{}", buffer.growths());
    assert_eq!(buffer.download().unwrap(), (0..1000).collect::<Vec<u32>>());
}

#[test]
fn range_outside_the_contents_is_refused() {
    let Some(ctx) = gpu_for_tests() else { return };
    let mut buffer = Buffer::from_slice(&ctx, "three", &[1_u32, 2, 3]).unwrap();
    let text = buffer.download_range(2..4).unwrap_err().to_string();
    assert!(text.contains("`three`: 2..4 is outside its 3 elements"), "{text}");
    assert!(matches!(buffer.write_at(4, &[5]), Err(ComputeError::Range { .. })));
}

#[test]
fn buffer_beyond_the_device_is_refused_by_name() {
    let Some(ctx) = gpu_for_tests() else { return };
    let elements = ctx.limits().binding_bytes as usize / 4 + 1;
    let error = Buffer::<u32>::with_capacity(&ctx, "huge", elements).unwrap_err();
    assert!(matches!(error, ComputeError::TooLarge { .. }) && error.to_string().contains("huge"));
}

#[test]
fn empty_buffers_are_no_special_case() {
    let Some(ctx) = gpu_for_tests() else { return };
    let buffer = Buffer::<[f32; 4]>::from_slice(&ctx, "empty", &[]).unwrap();
    assert!(buffer.is_empty());
    assert_eq!(buffer.download().unwrap(), Vec::<[f32; 4]>::new());
}

#[test]
fn copies_and_read_backs_follow_in_one_submit() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let from = Buffer::from_slice(&ctx, "from", &[1_u32, 2, 3, 4]).unwrap();
    let to = Buffer::<u32>::zeroed(&ctx, "to", 4).unwrap();
    let mut readback = Readback::new(&ctx, "interface", 4).unwrap();
    let before = ctx.traffic();
    let mut recording = ctx.record("copy");
    recording.copy(&from, 1..3, &to, 2);
    recording.read_back(&to, 1..4, &mut readback);
    recording.read_back(&from, 0..1, &mut readback);
    recording.submit().unwrap();
    let mut values = Vec::new();
    readback.wait(&mut values).unwrap();
    assert_eq!(values, [0, 2, 3, 1]);
    let moved = ctx.traffic() - before;
    assert_eq!((moved.upload_bytes, moved.download_bytes, moved.submits), (0, 16, 1));
}

#[test]
fn traffic_counts_every_byte() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let before = ctx.traffic();
    let buffer = Buffer::from_slice(&ctx, "bytes", &[0.0_f32; 100]).unwrap();
    let moved = ctx.traffic() - before;
    assert_eq!((moved.upload_bytes, moved.uploads, moved.download_bytes), (400, 1, 0));
    buffer.download_range(0..7).unwrap();
    let moved = ctx.traffic() - before;
    assert_eq!((moved.download_bytes, moved.downloads), (28, 1));
}
