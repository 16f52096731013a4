//! Entries that follow the bodies of others: contact in one direction.
//!
//! A follower sees the bodies of all other entries and is pushed by them; they do not feel it. It steps
//! last, and is told where each of them has come to in the step; in each of its substeps they have come a
//! part of the way, turned with one rotation.

use coact_math::{Pose, exp_so3, rotation_between};
use coact_model::{BodyId, ModelView, Ownership};
use coact_solver::{Endpoint, EndpointState, EntryReport, SolverError, StepInput};

use crate::entries::ViewSetup;
use crate::{CouplingError, Entries, Entry, EntryDef};

/// The bodies of one entry, as a follower sees them move over a step.
#[derive(Debug)]
struct Followed {
    entry: usize,
    set: Vec<Endpoint>,
    begin: Vec<EndpointState>,
    end: Vec<EndpointState>,
    part: Vec<EndpointState>,
}

/// An entry with whom it follows.
#[derive(Debug)]
struct Follower {
    entry: usize,
    followed: Vec<Followed>,
}

/// All followers.
#[derive(Debug, Default)]
pub struct Followers {
    list: Vec<Follower>,
}

impl Followers {
    /// From the declarations.
    pub(crate) fn new(defs: &[EntryDef]) -> Self {
        let followed = |entry: usize| Followed {
            entry,
            set: defs[entry].bodies.iter().copied().map(Endpoint::Body).collect(),
            begin: vec![EndpointState::default(); defs[entry].bodies.len()],
            end: vec![EndpointState::default(); defs[entry].bodies.len()],
            part: vec![EndpointState::default(); defs[entry].bodies.len()],
        };
        let has_bodies = |e: &usize| !defs[*e].follows_bodies && !defs[*e].bodies.is_empty();
        let follower =
            |entry| Follower { entry, followed: (0..defs.len()).filter(has_bodies).map(followed).collect() };
        let list = (0..defs.len()).filter(|&i| defs[i].follows_bodies).map(follower).collect();
        Self { list }
    }

    /// Refuses a follower that cannot follow.
    pub(crate) fn check(&self, entries: &Entries) -> Result<(), CouplingError> {
        for f in &self.list {
            let e = &entries.list[f.entry];
            if !e.capabilities.follows_bodies {
                return Err(CouplingError::Capability {
                    entry: e.name.clone(),
                    kind: e.solver.kind(),
                    cannot: "cannot follow the bodies of other entries".into(),
                    capability: "follows_bodies",
                    remedy: "build SolverVbd with integrate_with_external_rigid_solver, or couple by proxies"
                        .into(),
                });
            }
        }
        Ok(())
    }

    /// Whether an entry follows others.
    pub(crate) fn contains(&self, entry: usize) -> bool {
        self.list.iter().any(|f| f.entry == entry)
    }

    /// Takes note of where bodies are before anything steps.
    pub(crate) fn begin(&mut self, entries: &mut Entries) {
        for f in self.list.iter_mut().flat_map(|f| &mut f.followed) {
            entries.list[f.entry].solver.read_interface(&f.set, &mut f.begin);
        }
    }

    /// Steps the followers, after all others.
    pub(crate) fn step(
        &mut self,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        reports: &mut [EntryReport],
    ) -> Result<(), SolverError> {
        for f in &mut self.list {
            for s in &mut f.followed {
                entries.list[s.entry].solver.read_interface(&s.set, &mut s.end);
            }
            let entry = &mut entries.list[f.entry];
            let n = entry.substeps;
            for k in 1..=n {
                f.followed.iter_mut().for_each(|s| s.write(entry, k as f64 / n as f64));
                entry.substep(input, dt / n as f64, &mut reports[f.entry])?;
            }
        }
        Ok(())
    }
}

impl Followed {
    /// Tells a follower where the bodies are after a part of the step.
    fn write(&mut self, follower: &mut Entry, part: f64) {
        for ((out, begin), end) in self.part.iter_mut().zip(&self.begin).zip(&self.end) {
            *out = if part < 1.0 { between(begin, end, part) } else { *end };
        }
        follower.solver.write_interface(&self.set, &self.part);
    }
}

/// A part of the way between two states of a body frame, turned about that.
fn between(begin: &EndpointState, end: &EndpointState, part: f64) -> EndpointState {
    let (a, b) = (&begin.pose, &end.pose);
    let turn = exp_so3(&(rotation_between(&a.q, &b.q) * part));
    let pose = Pose::new(a.p + (b.p - a.p) * part, turn * a.q);
    EndpointState { pose, velocity: begin.velocity + (end.velocity - begin.velocity) * part }
}

/// Followers see the bodies of others in their views.
pub(crate) struct FollowerViews<'a>(pub &'a Followers);

impl ViewSetup for FollowerViews<'_> {
    fn extend_ownership(&self, entry: usize, ownership: &mut Ownership) {
        let body = |e: &Endpoint| match *e {
            Endpoint::Body(b) => Some(b),
            Endpoint::Particle(_) => None,
        };
        let of_entry = self.0.list.iter().filter(|f| f.entry == entry);
        let bodies = of_entry.flat_map(|f| &f.followed).flat_map(|s| &s.set);
        ownership.proxy_bodies.extend(bodies.filter_map(body).collect::<Vec<BodyId>>());
    }

    fn edit_view(&mut self, _entry: usize, _view: &mut ModelView, _built: &mut [Option<Entry>]) {}
}

/// Followers among entries that are coupled by proxies.
pub(crate) fn refuse_followers(defs: &[EntryDef]) -> Result<(), CouplingError> {
    match defs.iter().find(|d| d.follows_bodies) {
        None => Ok(()),
        Some(d) => Err(CouplingError::Setting {
            place: format!("entry '{}'", d.name),
            setting: "follows_bodies",
            value: "true".into(),
            remedy: "bodies that it should meet come as proxies: leave it out, or couple without proxies",
        }),
    }
}
