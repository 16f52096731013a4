//! Prescribed particles that bounds held back, and how they catch up: eq. (28) to (30) of
//! `docs/theory/self-contact.md`.

use coact_math::Vec3;

/// A prescribed particle that is not where it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Lag {
    slot: usize,
    /// From where it is to where it should be \[m\].
    way: Vec3,
    /// What of that the present step is to make up \[m\].
    made_up: Vec3,
}

/// How far prescribed particles are behind where they should be, by slot.
#[derive(Clone, Debug, Default)]
pub struct Lags(Vec<Lag>);

/// Those that are behind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lagging {
    /// How many.
    pub count: usize,
    /// How far the one that is farthest behind is \[m\], and its slot.
    pub most: Option<(f64, usize)>,
}

impl Lags {
    fn find(&self, slot: usize) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |l| l.slot)
    }

    /// How many are behind, or were in the last step.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The slot of one of them.
    pub fn slot(&self, i: usize) -> usize {
        self.0[i].slot
    }

    /// eq. (29): what a particle that should move by `way` in this step makes up of its lag \[m\]: no more
    /// than it moves anyhow, or than `least`.
    pub fn make_up(&mut self, slot: usize, way: &Vec3, least: f64) -> Vec3 {
        let Ok(i) = self.find(slot) else { return Vec3::zeros() };
        let lag = &mut self.0[i];
        let (length, most) = (lag.way.norm(), way.norm().max(least));
        lag.made_up = if length > most { lag.way * (most / length) } else { lag.way };
        lag.made_up
    }

    /// eq. (30): how near a particle comes to what it pushes, for the margin r \[m\].
    pub fn apart(&self, slot: usize, r: f64) -> f64 {
        let (tau, lag) = (0.5 * r, self.find(slot).map_or(0.0, |i| self.0[i].way.norm()));
        tau * tau / (tau + lag)
    }

    /// eq. (28): a step ended `short` of where it wanted a particle \[m\].
    pub fn end(&mut self, slot: usize, short: Vec3) {
        match self.find(slot) {
            Ok(i) => {
                let lag = &mut self.0[i];
                lag.way += short - lag.made_up;
                lag.made_up = Vec3::zeros();
            }
            Err(i) if short != Vec3::zeros() => self.0.insert(i, Lag { slot, way: short, ..Lag::default() }),
            Err(_) => {}
        }
    }

    /// Forgets those that have arrived, and those that are no longer prescribed.
    pub fn drop_arrived(&mut self, is_prescribed: impl Fn(usize) -> bool) {
        self.0.retain(|l| l.way != Vec3::zeros() && is_prescribed(l.slot));
    }

    /// A particle was put where it should be.
    pub fn forget(&mut self, slot: usize) {
        self.0.retain(|l| l.slot != slot);
    }

    /// All of them.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Room for how many there is.
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Who is behind now.
    pub fn lagging(&self) -> Lagging {
        let far = || self.0.iter().map(|l| (l.way.norm(), l.slot)).filter(|(far, _)| *far > 0.0);
        Lagging { count: far().count(), most: far().reduce(|a, b| if b.0 > a.0 { b } else { a }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_held_back_is_made_up_at_twice_the_speed_at_most() {
        let (mut lags, x) = (Lags::default(), Vec3::x());
        lags.end(7, x * 5.0);
        lags.end(3, x * 0.1);
        assert_eq!(lags.lagging(), Lagging { count: 2, most: Some((5.0, 7)) });
        assert_eq!(lags.make_up(7, &(x * 2.0), 0.5), x * 2.0);
        // the way of the step and what is made up arrive but for 1
        lags.end(7, x);
        assert_eq!(lags.lagging().most, Some((4.0, 7)));
        assert_eq!(lags.make_up(7, &Vec3::zeros(), 0.5), x * 0.5, "one that should stand still comes slowly");
        lags.end(7, Vec3::zeros());
        assert_eq!(lags.lagging().most, Some((3.5, 7)));
        assert_eq!(lags.make_up(3, &Vec3::zeros(), 0.5), x * 0.1);
        lags.end(3, Vec3::zeros());
        assert_eq!(lags.lagging().count, 1);
        lags.drop_arrived(|_| true);
        assert_eq!((lags.len(), lags.slot(0)), (1, 7));
        assert_eq!(lags.make_up(4, &x, 0.5), Vec3::zeros());
    }
}
