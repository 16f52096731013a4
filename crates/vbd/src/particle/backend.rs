//! The stages that a home of particles must offer. Calls come in this order:
//!
//! `load` → per step: `predict`, `carry` (pinned), `set_target` (proxies), `detect`, `build_rows`, then per
//! iteration one `sweep_bodies` and one `sweep`; at the end `finalize`, after which `get`,
//! `correction` and `interface_force` answer for the end of the step. All arguments are host
//! values, by particle id.
//!
//! A device records the stages between `build_rows` and `finalize` and runs them there; what
//! it has to tell of the step is its `outcome`.

use coact_collide::{ParticleShapeContact, ParticleShapeDetector};
use coact_math::{Mat3, Spatial, Vec3};
use coact_model::{AttachmentId, Model, ModelFlags, ModelView, ParticleId, ShapeId};
use coact_solver::{ParticleContactLoad, Snapshot, SolverError};

use super::reduction::Movable;
use super::self_contact::SelfContactSummary;
use crate::attachment::AttachmentState;
use crate::body::{Bodies, BodyLoad};
use crate::reset::Chosen;
use crate::rigid::Bond;
use crate::self_contact::GivenPairs;

/// What drives the prediction.
#[derive(Clone, Copy, Debug)]
pub struct ParticleForces<'a> {
    /// Gravity acceleration \[m/s²\]; not for proxies.
    pub gravity: Vec3,
    /// External forces \[N\]; not for proxies. May be empty.
    pub particle_f: &'a [Vec3],
    /// Step \[s\].
    pub h: f64,
}

/// Force residual over all movable blocks \[N\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ParticleResidual {
    /// Largest.
    pub max: f64,
    /// Sum of squares.
    pub sum_sq: f64,
    /// Number of blocks.
    pub count: usize,
    /// Where the largest is.
    pub worst: Option<ParticleId>,
}

/// Where particles are when contacts are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectionPlace {
    /// At the begin of the step.
    Begin,
    /// Where the last sweep left them.
    Iterate,
}

/// What the rows look like at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactSummary {
    /// Rows.
    pub rows: usize,
    /// Rows that press.
    pub active: usize,
    /// Deepest penetration \[m\], with the pair.
    pub deepest: Option<(f64, ParticleId, ShapeId)>,
}

/// What a device tells of a step when it is over; stages that a host answers at once.
#[derive(Debug, Default)]
pub struct DeviceOutcome {
    /// Why the step failed.
    pub fault: Option<SolverError>,
    /// Bytes moved between host and device.
    pub bytes: u64,
    /// Buffers that grew.
    pub growth: usize,
    /// Before the first sweep and after the last, bodies included.
    pub residuals: [ParticleResidual; 2],
    /// Blocks skipped in the last sweep.
    pub skipped: usize,
}

/// A home of particles.
pub trait ParticleBackend: Send + Sync {
    /// Takes over what `flags` name from a changed view; connectivity and ownership stay.
    fn read_model(&mut self, view: &ModelView, flags: ModelFlags);
    /// Takes over positions and velocities.
    fn load(&mut self, q: &[Vec3], qd: &[Vec3]);
    /// Position and velocity now.
    fn get(&self, particle: ParticleId) -> (Vec3, Vec3);
    /// Overwrites position and velocity.
    fn set(&mut self, particle: ParticleId, q: Vec3, qd: Vec3);
    /// Makes `get` cheap for these: a device reads them back together.
    fn fetch(&mut self, _particles: &mut dyn Iterator<Item = ParticleId>) {}
    /// Forgets what contacts, attachments and sweeps remember of chosen entities.
    fn forget(&mut self, _chosen: &Chosen) {}
    /// All positions and velocities, for an exact restore.
    fn save(&self, to: &mut Snapshot);
    /// Goes back to what `save` saved.
    fn restore(&mut self, from: &Snapshot);

    /// Inertial targets; the iterate starts there. eq. (1), (2).
    fn predict(&mut self, forces: &ParticleForces);
    /// Replaces the target and the free end velocity of a proxy.
    fn set_target(&mut self, particle: ParticleId, y: Vec3, v_free: Vec3);
    /// Lets a pinned particle move over the step with a prescribed velocity: eq. (2a).
    fn carry(&mut self, particle: ParticleId, velocity: Vec3, h: f64) {
        let (x, _) = self.get(particle);
        self.set_target(particle, x + velocity * h, velocity);
    }
    /// Appends contacts, by particle, then shape. Returns whether other memory grew.
    /// `speculative`: reach as far as each particle is about to move.
    fn detect(
        &self,
        detector: &mut ParticleShapeDetector,
        place: DetectionPlace,
        speculative: bool,
        out: &mut Vec<ParticleShapeContact>,
    ) -> bool;
    /// Makes rows of contacts. Returns whether memory grew.
    fn build_rows(&mut self, contacts: &[ParticleShapeContact], model: &Model, bodies: &Bodies) -> bool;
    /// Moves the iterate from the targets to where rows held it last. eq. (30).
    fn start_from_rows(&mut self) {}
    /// Reads the attachments of the model for the coming step; bodies are at their targets.
    fn begin_attachments(&mut self, _model: &Model, _bodies: &Bodies) {}
    /// What an attachment did at the end of the last step.
    fn attachment(&self, _id: AttachmentId) -> Option<AttachmentState> {
        None
    }
    /// The attachment with the largest gap at the end of the last step, and that gap \[m\].
    fn worst_attachment(&self) -> Option<(AttachmentId, f64)> {
        None
    }
    /// Takes over where a body now is.
    fn refresh_rows(&mut self, body: usize, bodies: &Bodies);
    /// Whether rows act on any body at all.
    fn acts_on_bodies(&self) -> bool {
        true
    }
    /// What the rows of a body put on it.
    fn body_load(&self, body: usize, bodies: &Bodies) -> BodyLoad;
    /// Every free body once, where the backend solves bodies itself.
    fn sweep_bodies(&mut self) -> bool {
        false
    }
    /// Pairs of particles among themselves for the step, detected by the schedule or given,
    /// and bounds of their motion; the iterate is brought within them.
    fn begin_self_contact(&mut self, _given: Option<GivenPairs>, _model: &Model) {}
    /// Detects such pairs anew at the iterate.
    fn detect_self_contact(&mut self) {}
    /// After a sweep: prescribed particles go on within their bounds. `more_follow`: further sweeps
    /// follow, so it is worth to detect anew where bounds are used up.
    fn limit_motion(&mut self, _more_follow: bool) {}
    /// What self-contact did in the last step; `None` = it is off.
    fn self_contact_summary(&self) -> Option<SelfContactSummary> {
        None
    }
    /// Mean over movable blocks of h² k/m, k the stiffness of their elements.
    fn stiffness(&self) -> f64 {
        0.0
    }
    /// One sweep over coarse blocks of all levels, where there are any.
    fn sweep_coarse(&mut self) {}
    /// One sweep over all colors. Returns the number of blocks skipped as singular.
    fn sweep(&mut self) -> usize;
    /// The first block that is singular at the iterate.
    fn first_skipped(&self) -> Option<ParticleId> {
        None
    }
    /// Before the first sweep, where sweeps are accelerated; `fresh`: the residual was just measured.
    fn begin_ways(&mut self, _fresh: bool, _movable: &mut Movable) {}
    /// Goes to the least of the objective over the ways of the last sweeps.
    fn span_ways(&mut self, _movable: &mut Movable) {}
    /// The same after the last sweep, unless the step `is_done`; then sees to it that no energy is gained.
    fn end_ways(&mut self, _is_done: bool, _movable: &mut Movable) {}
    /// Multipliers of rows follow the last sweep; `finalize` does it after the last one.
    fn update_duals(&mut self) {}
    /// Residual at the iterate.
    fn residual(&mut self) -> ParticleResidual;
    /// Draws up what islands that touch gained, before end velocities are known; `bonds`: what connects bodies.
    fn draw_up_account(&mut self, _bodies: &Bodies, _bonds: &mut dyn Iterator<Item = Bond>) {}
    /// Takes what they gained out of their motion, after end velocities are known. eq. (49b)–(49f).
    fn settle_account(&mut self, _bodies: &Bodies) {}
    /// Between two steps: makes ready for `compliance` over `h`. Returns whether it is known here.
    fn begin_compliances(&mut self, _h: f64) -> bool {
        false
    }
    /// eq. (23a): what a force on a particle over the step moves it, its neighbours held \[m/N\].
    fn compliance(&self, _particle: ParticleId) -> Mat3 {
        Mat3::zeros()
    }
    /// End positions and velocities. eq. (5). Bodies are where the last sweep left them.
    fn finalize(&mut self, bodies: &mut Bodies);
    /// The outcome of the last step, from a device.
    fn outcome(&mut self) -> Option<DeviceOutcome> {
        None
    }

    /// What the last step corrected: displacement from the target \[m\].
    fn correction(&self, particle: ParticleId) -> Vec3;
    /// Force of elements and rows on a particle at the end of the last step \[N\].
    fn interface_force(&self, particle: ParticleId) -> Vec3;
    /// Wrench of rows on a body at the end of the last step.
    fn interface_wrench(&self, body: usize, bodies: &Bodies) -> Spatial {
        self.body_load(body, bodies).wrench
    }
    /// Contacts with shapes that press at the end of the last step; a device does not tell.
    fn visit_contacts(&self, _bodies: &Bodies, _visit: &mut dyn FnMut(ParticleContactLoad)) {}
    /// State of the rows at the end of the last step.
    fn contact_summary(&self) -> ContactSummary;
    /// Energy of all elements now \[J\].
    fn stored_energy(&self) -> f64;
    /// Names particles with a number that is not finite.
    fn note_nonfinite(&self, note: &mut dyn FnMut(ParticleId));
}
