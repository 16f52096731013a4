//! Where every body was when it was last visited: what clusters of other colors, and connections between
//! clusters, read of it.

use rayon::prelude::*;

use crate::body::{Bodies, Iterate};

/// Iterates of all bodies, by id; the static world last.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(Vec<Iterate>);

impl Seen {
    /// Takes over where all bodies are.
    pub(super) fn begin(&mut self, bodies: &Bodies, parallel: bool) {
        self.0.resize_with(bodies.len() + 1, Iterate::default);
        let look = |(b, at): (usize, &mut Iterate)| *at = bodies.seen(b as u32);
        match parallel {
            true => self.0.par_iter_mut().with_min_len(128).enumerate().for_each(look),
            false => self.0.iter_mut().enumerate().for_each(look),
        }
    }

    /// Where a body is; out of range = the world.
    #[inline]
    pub(super) fn at(&self, body: u32) -> &Iterate {
        &self.0[(body as usize).min(self.0.len() - 1)]
    }

    /// A body has come to another place.
    #[inline]
    pub(super) fn put(&mut self, body: u32, at: &Iterate) {
        self.0[body as usize] = *at;
    }
}
