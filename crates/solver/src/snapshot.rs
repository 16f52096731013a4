//! Exact private step state of a solver, in memory that is used again.

use std::any::Any;

/// A slot that a solver fills with its own type. Saving twice into one snapshot uses the
/// same memory, so that a coupler that rewinds every step does not allocate.
#[derive(Default)]
pub struct Snapshot {
    slot: Option<Box<dyn Any + Send>>,
}

impl Snapshot {
    /// An empty snapshot.
    pub fn new() -> Self {
        Self::default()
    }

    /// The solver's own snapshot type, created on first use.
    pub fn slot<T: Any + Send + Default>(&mut self) -> &mut T {
        let fits = self.slot.as_ref().is_some_and(|s| s.is::<T>());
        if !fits {
            self.slot = Some(Box::new(T::default()));
        }
        let any = self.slot.as_mut().expect("filled above");
        any.downcast_mut::<T>().expect("checked above")
    }

    /// What a solver saved, if it saved a `T`.
    pub fn get<T: Any + Send>(&self) -> Option<&T> {
        self.slot.as_ref()?.downcast_ref::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_again_uses_the_same_memory() {
        let mut s = Snapshot::new();
        s.slot::<Vec<f64>>().extend([1.0; 8]);
        let first = s.get::<Vec<f64>>().unwrap().as_ptr();
        let v = s.slot::<Vec<f64>>();
        v.clear();
        v.extend([2.0; 8]);
        assert_eq!(first, s.get::<Vec<f64>>().unwrap().as_ptr());
        assert!(s.get::<Vec<f32>>().is_none());
    }
}
