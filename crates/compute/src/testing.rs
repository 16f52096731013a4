//! For tests that need a device, or compare a struct with its twin.
//!
//! Tests without a device skip visibly; with `COACT_REQUIRE_GPU=1` they fail.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::choice::DeviceChoice;
use crate::context::GpuContext;
use crate::shader::ShaderLibrary;
use crate::shader::layout::check_layout;

static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// The device that all tests of a process share, or `None` and a line on the
/// error stream that says so.
///
/// # Panics
/// Without a device, if the environment has `COACT_REQUIRE_GPU=1`.
pub fn gpu_for_tests() -> Option<Arc<GpuContext>> {
    static SHARED: OnceLock<Result<Arc<GpuContext>, String>> = OnceLock::new();
    found(SHARED.get_or_init(open).clone())
}

/// A device of this test alone, for tests that count traffic.
///
/// # Panics
/// Without a device, if the environment has `COACT_REQUIRE_GPU=1`.
pub fn own_gpu_for_tests() -> Option<Arc<GpuContext>> {
    found(open())
}

/// Tests of this process that had no device.
pub fn skipped_tests() -> usize {
    SKIPPED.load(Ordering::Relaxed)
}

fn open() -> Result<Arc<GpuContext>, String> {
    match GpuContext::open(DeviceChoice::Gpu) {
        Ok(Some(ctx)) => Ok(ctx),
        Ok(None) => Err("no device".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn found(ctx: Result<Arc<GpuContext>, String>) -> Option<Arc<GpuContext>> {
    let reason = match ctx {
        Ok(ctx) => return Some(ctx),
        Err(reason) => reason,
    };
    let required = std::env::var("COACT_REQUIRE_GPU").is_ok_and(|v| v == "1");
    assert!(!required, "COACT_REQUIRE_GPU=1, but: {reason}");
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    let test = std::thread::current().name().unwrap_or("?").to_owned();
    // Past the capture of the test harness: a skip must be seen.
    let _ = writeln!(std::io::stderr(), "skipped {test} (number {count} without a GPU): {reason}");
    None
}

/// Checks a Rust struct against its WGSL twin in an embedded shader file:
/// `assert_layout::<T>("vbd/x.wgsl", "Name", &[("field", offset_of!(T, field))])`.
///
/// # Panics
/// With every difference, if there is one.
pub fn assert_layout<T>(file: &str, name: &str, fields: &[(&str, usize)]) {
    let shader = ShaderLibrary::embedded().check(file).unwrap_or_else(|e| panic!("{e}"));
    check_layout::<T>(&shader, name, fields).unwrap_or_else(|e| panic!("{e}"));
}
