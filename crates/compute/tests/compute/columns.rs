//! Columns: an unchanged version is never uploaded twice.

use std::sync::Arc;

use coact_column::Column;
use coact_compute::testing::own_gpu_for_tests;
use coact_compute::{Buffer, ColumnBuffer, ColumnCache, ColumnLayout, GpuContext, Pipelines};

use crate::recording::{AxpyParams, axpy_params};

/// Host positions in `f64`, on the device in `f32`, padded.
const NARROW: ColumnLayout<[f64; 3], [f32; 4]> = ColumnLayout {
    name: "f32x4",
    pack: |from, to| {
        to.extend(from.iter().map(|p| [p[0] as f32, p[1] as f32, p[2] as f32, 0.0]));
    },
};

fn uploaded(ctx: &GpuContext, act: impl FnOnce()) -> u64 {
    let before = ctx.traffic();
    act();
    (ctx.traffic() - before).upload_bytes
}

#[test]
fn unchanged_column_is_not_uploaded_again() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let cache = ColumnCache::new(&ctx);
    let values = vec![[1.0, 2.0, 3.0]; 10];
    let mut first = ColumnBuffer::new(&cache, "particle_q", NARROW).unwrap();
    let mut second = ColumnBuffer::new(&cache, "particle_q of a view", NARROW).unwrap();
    assert_eq!(uploaded(&ctx, || assert!(first.sync(7, &values).unwrap())), 160);
    assert_eq!(uploaded(&ctx, || assert!(!first.sync(7, &values).unwrap())), 0);
    assert_eq!(uploaded(&ctx, || assert!(!second.sync(7, &values).unwrap())), 0);
    assert_eq!((first.version(), second.len()), (Some(7), 10));
}

#[test]
fn written_column_is_uploaded_and_its_clone_is_not() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let cache = ColumnCache::new(&ctx);
    let mut column = Column::from(vec![1.0_f32, 2.0]);
    let mut on_device = ColumnBuffer::new(&cache, "mass", ColumnLayout::PLAIN).unwrap();
    assert!(on_device.sync_column(&column).unwrap());
    assert!(!on_device.sync_column(&column.clone()).unwrap());
    column.make_mut()[0] = 3.0;
    assert!(on_device.sync_column(&column).unwrap());
}

#[test]
fn another_layout_of_a_version_is_another_upload() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let cache = ColumnCache::new(&ctx);
    let values = vec![[1.0, 2.0, 3.0]; 10];
    let mut narrow = ColumnBuffer::new(&cache, "q", NARROW).unwrap();
    let wide = ColumnLayout { name: "f32x4 scaled", ..NARROW };
    let mut other = ColumnBuffer::new(&cache, "q", wide).unwrap();
    narrow.sync(1, &values).unwrap();
    assert!(other.sync(1, &values).unwrap());
}

/// Sum of the column as a kernel sees it: y = 1 x + 0.
fn seen(
    ctx: &Arc<GpuContext>,
    kernel: &coact_compute::Bound,
    y: &mut Buffer<f32>,
    params: &coact_compute::Params<AxpyParams>,
    slot: coact_compute::Slot,
) -> Vec<f32> {
    y.write(&[0.0; 3]).unwrap();
    let mut recording = ctx.record("look");
    recording.dispatch_with(kernel, params.at(slot), 3);
    recording.submit().unwrap();
    y.download().unwrap()
}

#[test]
fn new_version_reaches_the_user_that_asked_and_no_other() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let cache = ColumnCache::new(&ctx);
    let pipelines = Pipelines::new(&ctx);
    let (params, slots) = axpy_params(&ctx, &[(1.0, 0, 3)]);
    let mut sights: Vec<_> =
        (0..2).map(|_| ColumnBuffer::new(&cache, "x", ColumnLayout::<f32, f32>::PLAIN).unwrap()).collect();
    for sight in &mut sights {
        sight.sync(1, &[1.0, 2.0, 3.0]).unwrap();
    }
    let mut y = Buffer::<f32>::zeroed(&ctx, "y", 3).unwrap();
    let kernels: Vec<_> =
        sights.iter().map(|x| pipelines.bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap()).collect();

    // The first user gets a new version; the second still sees the old one.
    assert!(sights[0].sync(2, &[4.0, 5.0, 6.0]).unwrap());
    let look = |y: &mut Buffer<f32>, i: usize| seen(&ctx, &kernels[i], y, &params, slots[0]);
    assert_eq!(look(&mut y, 0), [4.0, 5.0, 6.0]);
    assert_eq!(look(&mut y, 1), [1.0, 2.0, 3.0]);
    // The second follows without an upload, and both see the same.
    assert!(!sights[1].sync(2, &[4.0, 5.0, 6.0]).unwrap());
    assert_eq!(look(&mut y, 1), [4.0, 5.0, 6.0]);
    // Back to an older version that nobody holds any more: uploaded again.
    assert!(sights[0].sync(1, &[1.0, 2.0, 3.0]).unwrap());
    assert_eq!(look(&mut y, 0), [1.0, 2.0, 3.0]);
    assert_eq!(look(&mut y, 1), [4.0, 5.0, 6.0]);
    // Alone with its version, a user overwrites its memory.
    assert!(sights[0].sync(3, &[7.0, 8.0, 9.0]).unwrap());
    assert_eq!(look(&mut y, 0), [7.0, 8.0, 9.0]);
    assert_eq!(look(&mut y, 1), [4.0, 5.0, 6.0]);
}

#[test]
fn shared_column_cannot_be_written_by_a_kernel() {
    let Some(ctx) = own_gpu_for_tests() else { return };
    let cache = ColumnCache::new(&ctx);
    let column = ColumnBuffer::new(&cache, "mass", ColumnLayout::<f32, f32>::PLAIN).unwrap();
    let x = Buffer::<f32>::zeroed(&ctx, "x", 3).unwrap();
    let bound = Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), column.bind("y")]);
    let text = bound.err().unwrap().to_string();
    assert!(text.contains("`common/axpy`, binding `y`") && text.contains("`mass`"), "{text}");
}
