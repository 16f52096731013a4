//! Columns of the model on the device: one allocation per (version, layout).
//!
//! A version names the contents of a column for ever, so equal versions need
//! no second upload, whoever asks. A [`ColumnBuffer`] is one user's sight of a
//! column. When its column gets a new version, it takes over the allocation
//! that somebody else already filled, or overwrites its own if it is the only
//! user, or fills a fresh one; bindings follow by themselves.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use bytemuck::Pod;
use coact_column::Column;

use crate::bind::BufferRef;
use crate::context::{GpuContext, locked};
use crate::error::Result;
use crate::storage::{Storage, Usage, allocate, is_words, upload};

/// How elements `S` of a host column become elements `T` on the device.
pub struct ColumnLayout<S, T> {
    /// Name of the layout; two layouts of the same `T` differ in it.
    pub name: &'static str,
    /// Appends the packed elements.
    pub pack: fn(&[S], &mut Vec<T>),
}

impl<S, T> Clone for ColumnLayout<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T> Copy for ColumnLayout<S, T> {}

impl<T: Pod> ColumnLayout<T, T> {
    /// Elements as they are.
    pub const PLAIN: Self = Self { name: "plain", pack: |from, to| to.extend_from_slice(from) };
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    version: u64,
    layout: &'static str,
    element: TypeId,
}

/// An allocation with the contents of a version.
struct Held {
    key: Key,
    buffer: wgpu::Buffer,
}

/// The columns that a device holds. Only looked up by key, never iterated in
/// an order that matters.
pub struct ColumnCache {
    ctx: Arc<GpuContext>,
    held: Mutex<HashMap<Key, Weak<Held>>>,
}

impl ColumnCache {
    /// An empty cache.
    pub fn new(ctx: &Arc<GpuContext>) -> Arc<Self> {
        Arc::new(Self { ctx: Arc::clone(ctx), held: Mutex::default() })
    }
}

/// One user's sight of a column on the device. Kernels only read it.
pub struct ColumnBuffer<S, T: Pod> {
    cache: Arc<ColumnCache>,
    layout: ColumnLayout<S, T>,
    storage: Arc<Storage>,
    held: Option<Arc<Held>>,
    packed: Vec<T>,
    len: usize,
}

impl<S, T: Pod> ColumnBuffer<S, T> {
    /// A sight of no version yet.
    pub fn new(cache: &Arc<ColumnCache>, label: &str, layout: ColumnLayout<S, T>) -> Result<Self> {
        const { assert!(is_words::<T>(), "elements are whole words") };
        let bytes = size_of::<T>() as u64;
        let storage = Storage::allocate(&cache.ctx, label, Usage::Array, bytes)?;
        let cache = Arc::clone(cache);
        Ok(Self { cache, layout, storage, held: None, packed: Vec::new(), len: 0 })
    }

    /// Makes the device hold a column. Returns whether it had to be uploaded.
    pub fn sync_column(&mut self, column: &Column<S>) -> Result<bool> {
        self.sync(column.version(), column.as_slice())
    }

    /// Makes the device hold `values`, the contents of `version`. Returns
    /// whether they had to be uploaded.
    pub fn sync(&mut self, version: u64, values: &[S]) -> Result<bool> {
        let key = Key { version, layout: self.layout.name, element: TypeId::of::<T>() };
        if self.held.as_ref().is_some_and(|h| h.key == key) {
            return Ok(false);
        }
        let cache = Arc::clone(&self.cache);
        let mut all = locked(&cache.held);
        if let Some(found) = all.get(&key).and_then(Weak::upgrade) {
            self.storage.replace(&cache.ctx, found.buffer.clone());
            self.len = values.len();
            self.held = Some(found);
            return Ok(false);
        }
        self.packed.clear();
        (self.layout.pack)(values, &mut self.packed);
        let held = match self.reuse(&mut all, key) {
            Some(held) => held,
            None => self.fresh(&mut all, key)?,
        };
        upload(&cache.ctx, &held.buffer, 0, bytemuck::cast_slice(&self.packed));
        all.insert(key, Arc::downgrade(&held));
        self.len = self.packed.len();
        self.held = Some(held);
        Ok(true)
    }

    /// The own allocation, if nobody else uses it and it is large enough.
    fn reuse(&mut self, all: &mut HashMap<Key, Weak<Held>>, key: Key) -> Option<Arc<Held>> {
        let mut held = self.held.take()?;
        let bytes = size_of_val(self.packed.as_slice()) as u64;
        // Others get hold of it only under the lock that the caller has.
        if Arc::strong_count(&held) > 1 || held.buffer.size() < bytes {
            self.held = Some(held);
            return None;
        }
        all.remove(&held.key);
        Arc::get_mut(&mut held)?.key = key;
        Some(held)
    }

    fn fresh(&mut self, all: &mut HashMap<Key, Weak<Held>>, key: Key) -> Result<Arc<Held>> {
        let bytes = (self.packed.len().max(1) * size_of::<T>()) as u64;
        let buffer = allocate(&self.cache.ctx, &self.storage.label, Usage::Array, bytes)?;
        self.storage.replace(&self.cache.ctx, buffer.clone());
        all.retain(|_, held| held.strong_count() > 0);
        Ok(Arc::new(Held { key, buffer }))
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Version that the device holds.
    pub fn version(&self) -> Option<u64> {
        self.held.as_ref().map(|h| h.key.version)
    }

    /// This column as the binding `name` of a kernel.
    pub fn bind<'a>(&'a self, name: &'a str) -> BufferRef<'a> {
        BufferRef::new(name, &self.storage, size_of::<T>() as u64, false)
    }
}
