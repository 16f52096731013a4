//! Counts what crosses between host and device, so that a report can state
//! the bytes that a step moved.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};

/// Running totals of one device since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes from host to device.
    pub upload_bytes: u64,
    /// Transfers from host to device.
    pub uploads: u64,
    /// Bytes from device to host.
    pub download_bytes: u64,
    /// Transfers from device to host.
    pub downloads: u64,
    /// Buffers that had to be replaced by larger ones.
    pub growths: u64,
    /// Command lists handed to the device.
    pub submits: u64,
    /// Kernel launches recorded.
    pub dispatches: u64,
}

impl Sub for Traffic {
    type Output = Traffic;

    /// What happened between `earlier` and `self`.
    fn sub(self, earlier: Traffic) -> Traffic {
        Traffic {
            upload_bytes: self.upload_bytes - earlier.upload_bytes,
            uploads: self.uploads - earlier.uploads,
            download_bytes: self.download_bytes - earlier.download_bytes,
            downloads: self.downloads - earlier.downloads,
            growths: self.growths - earlier.growths,
            submits: self.submits - earlier.submits,
            dispatches: self.dispatches - earlier.dispatches,
        }
    }
}

/// The counters behind [`Traffic`]. Order between them does not matter.
#[derive(Default)]
pub(crate) struct Counters {
    upload_bytes: AtomicU64,
    uploads: AtomicU64,
    download_bytes: AtomicU64,
    downloads: AtomicU64,
    growths: AtomicU64,
    submits: AtomicU64,
    dispatches: AtomicU64,
}

impl Counters {
    pub(crate) fn add_upload(&self, bytes: u64) {
        self.upload_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.uploads.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_download(&self, bytes: u64) {
        self.download_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.downloads.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_growth(&self) {
        self.growths.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_submit(&self, dispatches: u64) {
        self.submits.fetch_add(1, Ordering::Relaxed);
        self.dispatches.fetch_add(dispatches, Ordering::Relaxed);
    }

    pub(crate) fn totals(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            upload_bytes: read(&self.upload_bytes),
            uploads: read(&self.uploads),
            download_bytes: read(&self.download_bytes),
            downloads: read(&self.downloads),
            growths: read(&self.growths),
            submits: read(&self.submits),
            dispatches: read(&self.dispatches),
        }
    }
}
