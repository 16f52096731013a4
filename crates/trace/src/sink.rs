//! Where a run goes: one trait, with a sink that drops all and one that feeds several.
//!
//! Order of calls: for each recorded step `begin_frame`, then any of `state`, `contacts`,
//! `report`, `loads`, `energy`, `scalar` in any order, then `end_frame`; at the end `finish`, once. A step
//! that is not a frame of the trajectory is recorded without `state`.

use coact_collide::Contacts;
use coact_model::State;
use coact_solver::{Loads, StepReport};

use crate::energy::Energy;
use crate::error::Result;
use crate::verdict::Verdict;

/// Receives what a run does. Every method has a default that ignores it.
pub trait Sink {
    /// A recorded step begins: its number (0 = initial state) and its end time \[s\].
    ///
    /// # Errors
    /// When the file system refuses, as for all methods here.
    fn begin_frame(&mut self, _step: u64, _time: f64) -> Result<()> {
        Ok(())
    }

    /// The state at the end of the step.
    ///
    /// # Errors
    /// Also when its counts differ from those of the first frame.
    fn state(&mut self, _state: &State) -> Result<()> {
        Ok(())
    }

    /// Contacts that the step used.
    ///
    /// # Errors
    /// As above.
    fn contacts(&mut self, _contacts: &Contacts) -> Result<()> {
        Ok(())
    }

    /// What the step did.
    ///
    /// # Errors
    /// As above.
    fn report(&mut self, _report: &StepReport) -> Result<()> {
        Ok(())
    }

    /// What joints and contacts carried in the step.
    ///
    /// # Errors
    /// As above.
    fn loads(&mut self, _loads: &Loads) -> Result<()> {
        Ok(())
    }

    /// Energy and momentum of the state of this step.
    ///
    /// # Errors
    /// As above.
    fn energy(&mut self, _energy: &Energy) -> Result<()> {
        Ok(())
    }

    /// A named number of this step.
    ///
    /// # Errors
    /// As above.
    fn scalar(&mut self, _name: &str, _value: f64) -> Result<()> {
        Ok(())
    }

    /// The recorded step is complete: from here on a kill does not lose it.
    ///
    /// # Errors
    /// As above.
    fn end_frame(&mut self) -> Result<()> {
        Ok(())
    }

    /// The run is over.
    ///
    /// # Errors
    /// As above.
    fn finish(&mut self, _verdict: &Verdict) -> Result<()> {
        Ok(())
    }
}

/// Drops everything: for timing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl Sink for NullSink {}

/// Hands everything to each of several sinks, in order; the first error ends the call.
#[derive(Default)]
pub struct Tee<'a> {
    sinks: Vec<Box<dyn Sink + 'a>>,
}

impl<'a> Tee<'a> {
    /// Without sinks yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sink.
    #[must_use]
    pub fn with(mut self, sink: impl Sink + 'a) -> Self {
        self.push(sink);
        self
    }

    /// Adds a sink.
    pub fn push(&mut self, sink: impl Sink + 'a) {
        self.sinks.push(Box::new(sink));
    }

    fn each(&mut self, mut call: impl FnMut(&mut dyn Sink) -> Result<()>) -> Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| call(sink.as_mut()))
    }
}

impl Sink for Tee<'_> {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.each(|s| s.begin_frame(step, time))
    }

    fn state(&mut self, state: &State) -> Result<()> {
        self.each(|s| s.state(state))
    }

    fn contacts(&mut self, contacts: &Contacts) -> Result<()> {
        self.each(|s| s.contacts(contacts))
    }

    fn report(&mut self, report: &StepReport) -> Result<()> {
        self.each(|s| s.report(report))
    }

    fn loads(&mut self, loads: &Loads) -> Result<()> {
        self.each(|s| s.loads(loads))
    }

    fn energy(&mut self, energy: &Energy) -> Result<()> {
        self.each(|s| s.energy(energy))
    }

    fn scalar(&mut self, name: &str, value: f64) -> Result<()> {
        self.each(|s| s.scalar(name, value))
    }

    fn end_frame(&mut self) -> Result<()> {
        self.each(|s| s.end_frame())
    }

    fn finish(&mut self, verdict: &Verdict) -> Result<()> {
        self.each(|s| s.finish(verdict))
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        (**self).begin_frame(step, time)
    }

    fn state(&mut self, state: &State) -> Result<()> {
        (**self).state(state)
    }

    fn contacts(&mut self, contacts: &Contacts) -> Result<()> {
        (**self).contacts(contacts)
    }

    fn report(&mut self, report: &StepReport) -> Result<()> {
        (**self).report(report)
    }

    fn loads(&mut self, loads: &Loads) -> Result<()> {
        (**self).loads(loads)
    }

    fn energy(&mut self, energy: &Energy) -> Result<()> {
        (**self).energy(energy)
    }

    fn scalar(&mut self, name: &str, value: f64) -> Result<()> {
        (**self).scalar(name, value)
    }

    fn end_frame(&mut self) -> Result<()> {
        (**self).end_frame()
    }

    fn finish(&mut self, verdict: &Verdict) -> Result<()> {
        (**self).finish(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Count(usize);

    impl Sink for Count {
        fn scalar(&mut self, _: &str, _: f64) -> Result<()> {
            self.0 += 1;
            Ok(())
        }
    }

    #[test]
    fn tee_feeds_every_sink() {
        let (mut a, mut b) = (Count::default(), Count::default());
        let mut tee = Tee::new().with(&mut a).with(&mut b).with(NullSink);
        tee.begin_frame(0, 0.0).unwrap();
        tee.scalar("x", 1.0).unwrap();
        tee.scalar("y", 1.0).unwrap();
        tee.finish(&Verdict::ran()).unwrap();
        drop(tee);
        assert_eq!((a.0, b.0), (2, 2));
    }
}
