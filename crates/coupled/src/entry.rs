//! One solver with what it owns: how it is declared and what the coupler keeps of it.

use std::time::Instant;

use coact_collide::Contacts;
use coact_model::{
    BodyId, Forces, JointId, Model, ModelFlags, ModelView, Ownership, ParticleId, ShapeId, StateFields,
};
use coact_solver::{CouplingCapabilities, CouplingInterface, EntryReport, Snapshot, SolverError, StepInput};

use crate::CouplingError;
use crate::filter::filter_contacts;

/// Makes the solver of an entry from the entry's view; options are bound in the closure.
pub type Build = Box<dyn FnOnce(&ModelView) -> Result<Box<dyn CouplingInterface>, SolverError>>;

/// The declaration of an entry. Ids are global; each is owned by at most one entry.
pub struct EntryDef {
    /// Unique name.
    pub name: String,
    /// Bodies that this entry moves.
    pub bodies: Vec<BodyId>,
    /// Particles that it moves.
    pub particles: Vec<ParticleId>,
    /// Joints that it solves.
    pub joints: Vec<JointId>,
    /// Static shapes that it sees; `None` = all. Shapes of its bodies are seen anyway.
    pub shapes: Option<Vec<ShapeId>>,
    /// In how many equal parts it takes a step.
    pub substeps: usize,
    /// Whether it follows the bodies of all other entries without pushing them; without proxies only.
    pub follows_bodies: bool,
    /// Makes the solver.
    pub build: Build,
}

impl EntryDef {
    /// An entry that owns nothing yet and takes whole steps.
    pub fn new<S, F>(name: impl Into<String>, build: F) -> Self
    where
        S: CouplingInterface + 'static,
        F: FnOnce(&ModelView) -> Result<S, SolverError> + 'static,
    {
        Self::boxed(name, Box::new(|view| Ok(Box::new(build(view)?))))
    }

    /// As [`EntryDef::new`], for a solver whose type is known at run time only.
    pub fn boxed(name: impl Into<String>, build: Build) -> Self {
        let (bodies, particles, joints) = (Vec::new(), Vec::new(), Vec::new());
        let (shapes, substeps, follows_bodies) = (None, 1, false);
        Self { name: name.into(), bodies, particles, joints, shapes, substeps, follows_bodies, build }
    }

    /// Adds owned bodies.
    pub fn bodies(mut self, ids: impl IntoIterator<Item = BodyId>) -> Self {
        self.bodies.extend(ids);
        self
    }

    /// Adds owned particles.
    pub fn particles(mut self, ids: impl IntoIterator<Item = ParticleId>) -> Self {
        self.particles.extend(ids);
        self
    }

    /// Adds owned joints.
    pub fn joints(mut self, ids: impl IntoIterator<Item = JointId>) -> Self {
        self.joints.extend(ids);
        self
    }

    /// Lists the static shapes that the entry sees.
    pub fn shapes(mut self, ids: impl IntoIterator<Item = ShapeId>) -> Self {
        self.shapes.get_or_insert_default().extend(ids);
        self
    }

    /// Sets the number of substeps.
    pub fn substeps(mut self, n: usize) -> Self {
        self.substeps = n;
        self
    }

    /// Lets it see the bodies of all other entries, which do not feel it.
    pub fn follows_bodies(mut self, follows: bool) -> Self {
        self.follows_bodies = follows;
        self
    }

    pub(crate) fn ownership(&self) -> Ownership {
        Ownership {
            bodies: self.bodies.clone(),
            particles: self.particles.clone(),
            joints: self.joints.clone(),
            shapes: self.shapes.clone(),
            ..Ownership::default()
        }
    }
}

/// An entry at work.
pub struct Entry {
    pub(crate) name: String,
    pub(crate) view: ModelView,
    pub(crate) solver: Box<dyn CouplingInterface>,
    pub(crate) capabilities: CouplingCapabilities,
    pub(crate) substeps: usize,
    /// State at the begin of the coupled step, for rewinding.
    pub(crate) begin: Snapshot,
    /// User forces plus interface forces; used by sources of an interface only.
    pub(crate) forces: Forces,
    /// Whether it has taken the present step already.
    pub(crate) stepped: bool,
    /// Contacts of the caller that belong here.
    contacts: Contacts,
}

impl Entry {
    pub(crate) fn build(
        name: String,
        view: ModelView,
        substeps: usize,
        build: Build,
    ) -> Result<Self, CouplingError> {
        let solver = build(&view).map_err(|source| CouplingError::Build { entry: name.clone(), source })?;
        let capabilities = solver.capabilities();
        let (forces, contacts, begin) = (Forces::default(), Contacts::default(), Snapshot::new());
        Ok(Self { name, view, solver, capabilities, substeps, begin, forces, stepped: false, contacts })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model as this entry sees it.
    pub fn view(&self) -> &ModelView {
        &self.view
    }

    /// The solver.
    pub fn solver(&self) -> &dyn CouplingInterface {
        &*self.solver
    }

    /// Takes over a changed parent model and tells the solver.
    pub(crate) fn notify_model_changed(&mut self, parent: &Model, flags: ModelFlags) {
        self.view.notify_model_changed(parent, flags);
        self.solver.notify_model_changed(&self.view, flags);
    }

    /// One step of `dt` in the entry's substeps.
    pub(crate) fn step(
        &mut self,
        input: &StepInput,
        dt: f64,
        report: &mut EntryReport,
    ) -> Result<(), SolverError> {
        let h = dt / self.substeps as f64;
        (0..self.substeps).try_for_each(|_| self.substep(input, h, report))
    }

    /// One call of the solver.
    pub(crate) fn substep(
        &mut self,
        input: &StepInput,
        h: f64,
        report: &mut EntryReport,
    ) -> Result<(), SolverError> {
        let start = Instant::now();
        report.report.clear();
        let filtered = take_contacts(&self.view, input, &mut self.contacts);
        let result = self.solver.step(&StepInput { contacts: filtered, ..*input }, h, &mut report.report);
        report.solves += 1;
        report.seconds += start.elapsed().as_secs_f64();
        result
    }

    /// As [`Entry::step`], with the forces that the coupler prepared in `self.forces`.
    pub(crate) fn step_with_own_forces(
        &mut self,
        input: &StepInput,
        dt: f64,
        report: &mut EntryReport,
    ) -> Result<(), SolverError> {
        let forces = std::mem::take(&mut self.forces);
        let own = StepInput { forces: &forces, ..*input };
        let result = self.step(&own, dt, report);
        self.forces = forces;
        result
    }

    /// Back to the begin of the coupled step, to take it again.
    pub(crate) fn rewind(&mut self, dt: f64) {
        self.solver.restore(&self.begin);
        self.solver.notify_input_state(StateFields::all(), true, dt);
    }
}

/// The caller's contacts that belong to an entry, in `out`, if there are any.
fn take_contacts<'a>(view: &ModelView, input: &StepInput, out: &'a mut Contacts) -> Option<&'a Contacts> {
    filter_contacts(view, input.contacts?, out);
    Some(out)
}
