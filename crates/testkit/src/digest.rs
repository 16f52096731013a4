//! A short number for "the same bits": FNV-1a over the bit patterns of a state.

use coact_model::State;

/// FNV-1a, 64 bits. Order of what is added matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

/// Published offset basis and prime of FNV-1a, 64 bits.
const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

impl Default for Digest {
    fn default() -> Self {
        Self(OFFSET_BASIS)
    }
}

impl Digest {
    /// Adds bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(PRIME);
        }
        self
    }

    /// Adds the bit pattern of each number: −0 and 0 differ, and so do two NaNs.
    pub fn numbers<'a>(self, numbers: impl IntoIterator<Item = &'a f64>) -> Self {
        numbers.into_iter().fold(self, |d, x| d.bytes(&x.to_bits().to_le_bytes()))
    }

    /// The value.
    pub fn value(self) -> u64 {
        self.0
    }
}

/// Digest of all fields of a state.
pub fn state_digest(s: &State) -> u64 {
    let mut d = Digest::default();
    for v in s.particle_q.iter().chain(&s.particle_qd) {
        d = d.numbers(v);
    }
    for q in &s.body_q {
        d = d.numbers(&q.to_array());
    }
    for v in &s.body_qd {
        d = d.numbers(&v.to_vec6());
    }
    d.numbers(s.joint_q.iter().chain(&s.joint_qd)).value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_of_fnv_1a() {
        assert_eq!(Digest::default().value(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Digest::default().bytes(b"a").value(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Digest::default().bytes(b"foobar").value(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn one_bit_of_a_state_changes_the_digest() {
        let mut s = State { joint_q: vec![1.0, 2.0], ..State::default() };
        let before = state_digest(&s);
        s.joint_q[1] = f64::from_bits(s.joint_q[1].to_bits() ^ 1);
        assert_ne!(before, state_digest(&s));
    }
}
