//! What the host knows of particles on the device: ends of the last step that were read
//! back, until the device changes them.

use coact_math::Vec3;

use super::records::{ParticleEnd, host};

/// A particle as the host last saw it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Position \[m\].
    pub q: Vec3,
    /// Velocity \[m/s\].
    pub qd: Vec3,
    /// Displacement from the target of the last step \[m\].
    pub d: Vec3,
}

/// Particles by slot, with the state of the device in which they were seen.
#[derive(Clone, Debug, Default)]
pub struct Mirror {
    seen: Vec<Seen>,
    at: Vec<u64>,
    now: u64,
}

impl Mirror {
    /// Nothing known of `n` particles.
    pub fn new(n: usize) -> Self {
        Self { seen: vec![Seen::default(); n], at: vec![0; n], now: 1 }
    }

    /// The device changes: nothing is known any more.
    pub fn forget(&mut self) {
        self.now += 1;
    }

    /// What is known of a slot.
    pub fn get(&self, slot: usize) -> Option<&Seen> {
        (self.at[slot] == self.now).then(|| &self.seen[slot])
    }

    /// A slot was seen or set.
    pub fn put(&mut self, slot: usize, seen: Seen) {
        (self.seen[slot], self.at[slot]) = (seen, self.now);
    }

    /// A slot was read back.
    pub fn read(&mut self, slot: usize, end: &ParticleEnd) {
        self.put(slot, Seen { q: host(&end.q), qd: host(&end.qd), d: host(&end.d) });
    }
}
