//! Shared, versioned, copy-on-write arrays.
//!
//! A [`Column`] is one attribute of all entities of a kind. Cloning it costs one
//! reference count; writing to a shared column copies it first. Every write gives
//! the column a version that no other column ever had, so that a cache (a device
//! buffer, a derived table) can tell by one number whether it is still current.
//! It leaves out interior mutability on purpose: a write needs `&mut`.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static NEXT_VERSION: AtomicU64 = AtomicU64::new(1);

fn fresh_version() -> u64 {
    NEXT_VERSION.fetch_add(1, Ordering::Relaxed)
}

/// A shared array of `T` with a globally unique version, copied on write.
#[derive(Debug)]
pub struct Column<T> {
    data: Arc<Vec<T>>,
    version: u64,
}

impl<T> Column<T> {
    /// An empty column.
    pub fn new() -> Self {
        Self::from(Vec::new())
    }

    /// The values.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// Changes with every write, on any column: equal versions mean equal content.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether both columns are the same memory.
    pub fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// Replaces the whole content.
    pub fn set(&mut self, values: Vec<T>) {
        *self = Self::from(values);
    }
}

impl<T: Clone> Column<T> {
    /// Write access; copies first when the memory is shared, and renews the version.
    pub fn make_mut(&mut self) -> &mut Vec<T> {
        self.version = fresh_version();
        Arc::make_mut(&mut self.data)
    }
}

impl<T: Clone> Column<T> {
    /// Takes over content and version of `other`. Memory that nobody shares is written
    /// again: two columns that follow each other edit after edit do not allocate.
    pub fn copy_from(&mut self, other: &Self) {
        if self.version == other.version {
            return;
        }
        match Arc::get_mut(&mut self.data).filter(|own| own.len() == other.len()) {
            Some(own) => own.clone_from_slice(other),
            None => self.data = Arc::clone(&other.data),
        }
        self.version = other.version;
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Self { data: Arc::new(values), version: fresh_version() }
    }
}

impl<T> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::from(values.into_iter().collect::<Vec<_>>())
    }
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        Self { data: Arc::clone(&self.data), version: self.version }
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_shares_until_one_side_writes() {
        let a: Column<f64> = vec![1.0, 2.0].into();
        let mut b = a.clone();
        assert!(a.shares_with(&b));
        assert_eq!(a.version(), b.version());
        b.make_mut()[0] = 5.0;
        assert!(!a.shares_with(&b));
        assert_ne!(a.version(), b.version());
        assert_eq!((&a[..], &b[..]), (&[1.0, 2.0][..], &[5.0, 2.0][..]));
    }

    #[test]
    fn versions_never_repeat() {
        let mut a: Column<u8> = vec![0].into();
        let mut seen = vec![a.version()];
        for _ in 0..10 {
            a.make_mut()[0] += 1;
            assert!(!seen.contains(&a.version()));
            seen.push(a.version());
        }
    }

    #[test]
    fn what_follows_edit_after_edit_keeps_its_own_memory() {
        let mut a: Column<u8> = vec![1, 2, 3].into();
        let mut b = a.clone();
        for _ in 0..2 {
            a.make_mut()[1] += 1;
            b.copy_from(&a);
        }
        let (memory, version) = (b.as_slice().as_ptr(), a.version());
        a.make_mut()[1] = 9;
        b.copy_from(&a);
        assert_eq!((&b[..], b.as_slice().as_ptr()), (&[1, 9, 3][..], memory));
        assert!(b.version() == a.version() && version != a.version());
        b.copy_from(&vec![7].into());
        assert_eq!(&b[..], [7]);
    }

    #[test]
    fn an_unshared_write_keeps_its_memory() {
        let mut a: Column<u8> = vec![1, 2, 3].into();
        let before = a.as_slice().as_ptr();
        a.make_mut()[1] = 9;
        assert_eq!(before, a.as_slice().as_ptr());
    }
}
