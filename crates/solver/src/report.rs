//! What a step reports: residuals, contacts, growth, bad entities, coupling.
//!
//! Physics that went bad is in these fields, never in an `Err` or a panic. A report is
//! made once and filled again every step without allocating.

use coact_model::{AttachmentId, EntityId, JointId, ParticleId, ShapeId};

/// How many bad entities are named per step; the count goes on.
pub const MAX_LISTED_ENTITIES: usize = 16;

/// A residual over all blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Largest.
    pub max: f64,
    /// Root mean square.
    pub rms: f64,
}

/// Contacts that the step knew of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactCounts {
    /// Particles against shapes, detected.
    pub particle_shape: usize,
    /// Particles against shapes, pressing at the end of the step.
    pub particle_shape_active: usize,
    /// Shapes against shapes, detected.
    pub shapes: usize,
    /// Shapes against shapes, pressing at the end of the step.
    pub shapes_active: usize,
}

/// The deepest penetration at the end of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorstPenetration {
    /// Depth \[m\]; 0 = none.
    pub depth: f64,
    /// The particle, when one is involved.
    pub particle: Option<ParticleId>,
    /// The shape.
    pub shape: Option<ShapeId>,
    /// The other shape, when two are involved.
    pub other: Option<ShapeId>,
}

/// The attachment of a particle with the largest gap at the end of the step. One that gives way has a
/// gap under load; a hard one has what the sweeps left over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorstAttachment {
    /// From the anchor to the particle \[m\].
    pub gap: f64,
    /// The attachment; none where none acts.
    pub attachment: Option<AttachmentId>,
}

/// Contact of particle surfaces with themselves and each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SelfContactReport {
    /// Pairs that the last detection found.
    pub pairs: usize,
    /// Those closer than the margin at the end of the step.
    pub active: usize,
    /// Least distance of a pair at the end of the step \[m\]; infinite without pairs.
    pub least_distance: f64,
    /// Pairs that nothing separated at a detection, the most of the step: they are not held
    /// apart until something does.
    pub exempt: usize,
    /// Detections in the step.
    pub detections: usize,
    /// Particles whose motion was cut by their bounds at the end of the step.
    pub truncated_particles: usize,
    /// The largest such cut \[m\].
    pub truncated_motion: f64,
    /// Prescribed particles that are behind their prescription, held back by what they would meet.
    pub lagging_particles: usize,
    /// How far the one farthest behind is \[m\].
    pub lag: f64,
    /// That one.
    pub lagging: Option<ParticleId>,
    /// Momentum that the cuts of the last sweep took from the step: Σ of mass times cut, over the size of
    /// the step \[N·s\].
    pub truncated_momentum: [f64; 3],
}

/// One entry of a coupled step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryReport {
    /// The entry's name.
    pub name: String,
    /// Steps that its solver took (substeps, iterations and trial steps included).
    pub solves: usize,
    /// Wall time inside its solver \[s\].
    pub seconds: f64,
    /// Its solver's own report of the last solve.
    pub report: StepReport,
}

/// One interface of a coupled step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterfaceReport {
    /// Source and destination entry, as "rigid -> soft".
    pub name: String,
    /// Passes taken.
    pub iterations: usize,
    /// Primal residual: largest distance between an endpoint in its source and its proxy
    /// at the end of the step; of rows, what a projection step would still move one \[m, rad\].
    pub primal: f64,
    /// Dual residual \[N\]: the largest force by which a further pass would start anew.
    /// `Lagged` and `Staggered`: change of an exchanged force in the last pass. `Predicted`:
    /// proxy mass times the difference of the two end velocities of an endpoint, over dt,
    /// which is that change without a further solve (`docs/theory/proxy-coupling.md` eq. (14)).
    /// Rows: the largest change of a force that a further pass would make.
    pub dual: f64,
    /// Largest exchanged force \[N\].
    pub force: f64,
    /// The endpoint with the largest primal residual.
    pub worst: Option<EntityId>,
    /// Largest share of a force that was held back so that late feedback feeds no energy; 0 = none.
    pub withheld: f64,
    /// Whether the tolerance was met (true when a fixed count was asked for).
    pub converged: bool,
    /// Impulse handed to the source \[N·s\].
    pub impulse_source: [f64; 3],
    /// Impulse that the destination's proxies received, or that it gave through rows \[N·s\].
    pub impulse_destination: [f64; 3],
    /// Work done on the source by the interface in this step \[J\].
    pub work_source: f64,
    /// Work done on the destination by the interface in this step \[J\].
    pub work_destination: f64,
}

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Iterations of the solver.
    pub iterations: usize,
    /// Force residual before the first sweep \[N\].
    pub residual_first: Residual,
    /// Force residual after the last sweep \[N\].
    pub residual_last: Residual,
    /// The particle with the largest residual.
    pub worst_particle: Option<ParticleId>,
    /// Blocks whose system was singular and that were left where they were.
    pub skipped_blocks: usize,
    /// The particle of the first of them in the order of sweeps, where it is one.
    pub first_skipped: Option<ParticleId>,
    /// The joint with the largest distance between what it holds together, and that \[m\].
    pub worst_joint: Option<(JointId, f64)>,
    /// Contact counts.
    pub contacts: ContactCounts,
    /// The deepest penetration.
    pub penetration: WorstPenetration,
    /// The attachment with the largest gap.
    pub attachment: WorstAttachment,
    /// Self-contact of particles; zeros when it is off.
    pub self_contact: SelfContactReport,
    /// Lists that grew in this step.
    pub growth: usize,
    /// How many entities are not finite.
    pub nonfinite_count: usize,
    /// The first of them, by id.
    pub nonfinite: Vec<EntityId>,
    /// Bytes moved between host and device.
    pub bytes_moved: u64,
    /// Entries, when the solver is a coupler.
    pub entries: Vec<EntryReport>,
    /// Interfaces, when the solver is a coupler.
    pub interfaces: Vec<InterfaceReport>,
}

impl InterfaceReport {
    /// Momentum that one side got more than the other gave \[N·s\].
    pub fn momentum_defect(&self) -> f64 {
        let pairs = self.impulse_source.iter().zip(&self.impulse_destination);
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// Energy that the interface made in this step \[J\]; negative: that was lost in it.
    pub fn energy_made(&self) -> f64 {
        self.work_source + self.work_destination
    }
}

impl StepReport {
    /// Makes ready for the next step; memory and names stay.
    pub fn clear(&mut self) {
        let (mut nonfinite, mut entries, mut interfaces) = (
            std::mem::take(&mut self.nonfinite),
            std::mem::take(&mut self.entries),
            std::mem::take(&mut self.interfaces),
        );
        nonfinite.clear();
        for e in &mut entries {
            (e.solves, e.seconds) = (0, 0.0);
            e.report.clear();
        }
        for i in &mut interfaces {
            let name = std::mem::take(&mut i.name);
            *i = InterfaceReport { name, ..InterfaceReport::default() };
        }
        *self = Self { nonfinite, entries, interfaces, ..Self::default() };
    }

    /// Names a non-finite entity.
    pub fn note_nonfinite(&mut self, entity: EntityId) {
        self.nonfinite_count += 1;
        if self.nonfinite.len() < MAX_LISTED_ENTITIES {
            self.nonfinite.push(entity);
        }
    }
}
