//! `SolverVbd`: what it holds, and the solver contract. The step itself is in `stages.rs`.

use std::sync::Arc;

use coact_collide::{ParticleShapeContact, ParticleShapeDetector};
use coact_compute::GpuContext;
use coact_math::{Pose, Scalar, Spatial};
use coact_model::{
    AttachmentId, BodyId, EntityId, JointId, ModelFlags, ModelView, ParticleId, State, StateFields,
};
use coact_solver::{
    ContactLoad, JointLoad, Loads, Snapshot, Solver, SolverError, StepInput, StepReport, check_step_size,
};

use crate::attachment::AttachmentState;
use crate::body::Bodies;
use crate::config::{Precision, VbdConfig, VelocityRule};
use crate::external::{ExternalBodies, without_bodies};
use crate::gpu::GpuParticles;
use crate::gpu::refuse::refuse_conveyors;
use crate::lanes::LaneWidths;
use crate::particle::{CpuOptions, CpuParticles, ParticleBackend};
use crate::precision::resolved;
use crate::prepared::Layout;
use crate::proxy::Proxies;
use crate::refuse::{
    refuse_attachments, refuse_attachments_to_external, refuse_contacts, refuse_external, refuse_joints,
    refuse_shape, refuse_short_control, refuse_tiny, refuse_unsolved,
};
use crate::rigid::{Rigid, RigidMemory};
use crate::self_contact::{SelfContact, SelfContactConfig};

/// How far particles may come from the origin at least, in margins of self-contact.
const LEAST_EXTENT: f64 = 100.0;
/// What rounding of a position may be at least, in margins: far below the gap that is always kept.
const LEAST_ROUNDING: f64 = 1e-7;

/// Vertex Block Descent over what a view owns, and its proxies.
///
/// Particles of zero mass stay where they were loaded unless the control moves them.
/// Kinematic bodies move with their velocity, which the control may set.
pub struct SolverVbd {
    pub(crate) config: VbdConfig,
    /// Gravity and materials are read from it every step.
    pub(crate) view: ModelView,
    pub(crate) particles: Box<dyn ParticleBackend>,
    pub(crate) bodies: Bodies,
    /// What connects bodies.
    pub(crate) rigid: Rigid,
    pub(crate) proxies: Proxies,
    /// Where another solver puts the bodies; `None` = this one integrates them.
    pub(crate) external: Option<ExternalBodies>,
    pub(crate) detector: ParticleShapeDetector,
    /// Bodies that the last span moved.
    pub(crate) moved: Vec<u32>,
    /// Contacts of the last detection.
    pub(crate) contacts: Vec<ParticleShapeContact>,
    /// Particles and the bodies that hold them, in order.
    pub(crate) attached: Vec<(ParticleId, BodyId)>,
    owned_particles: Vec<ParticleId>,
    owned_bodies: Vec<BodyId>,
    pool: Option<rayon::ThreadPool>,
    /// Why a rebuild failed; the next step returns it.
    fault: Option<SolverError>,
    /// Where particles live; `None` = on the host.
    pub(crate) device: Option<Arc<GpuContext>>,
}

impl SolverVbd {
    /// Builds the solver at the initial state of the view.
    ///
    /// # Errors
    /// A setting out of range; a joint, an attachment or a shape that it cannot handle.
    pub fn new(view: &ModelView, config: VbdConfig) -> Result<Self, SolverError> {
        Self::with_device(view, config, None)
    }

    /// As [`new`](Self::new), with particles on a device, if there is one: in `f32`, read
    /// back only when asked. Contacts of the caller and harvest by contact forces are not
    /// offered there.
    ///
    /// # Errors
    /// As [`new`](Self::new), and what the device path does not do.
    pub fn with_device(
        view: &ModelView,
        config: VbdConfig,
        device: Option<Arc<GpuContext>>,
    ) -> Result<Self, SolverError> {
        config.check()?;
        let external = config.integrate_with_external_rigid_solver;
        if external {
            refuse_external(view, device.is_some())?;
        }
        let without = external.then(|| without_bodies(view));
        let view = without.as_ref().unwrap_or(view);
        refuse_joints(view, device.is_some())?;
        refuse_unsolved(view)?;
        refuse_tiny(view, &config, device.is_some())?;
        if device.is_some() {
            refuse_attachments(view)?;
        }
        let detector = ParticleShapeDetector::new(view, config.soft_contact_gap)
            .map_err(|bad| refuse_shape(view, bad))?;
        let mut solver = Self {
            external: external.then(ExternalBodies::default),
            view: view.clone(),
            particles: backend(view, &config, device.as_ref())?,
            device,
            fault: None,
            bodies: Bodies::new(view, config.rotation, config.velocity),
            rigid: rigid(view, &config)?,
            proxies: Proxies::new(view),
            detector,
            contacts: Vec::new(),
            attached: Vec::new(),
            moved: Vec::with_capacity(view.body_count()),
            owned_particles: owned(view.particle_count(), ParticleId::new, |p| view.owns_particle(p)),
            owned_bodies: owned(view.body_count(), BodyId::new, |b| view.owns_body(b)),
            pool: pool(&config)?,
            config,
        };
        solver.load_external(&view.state());
        Ok(solver)
    }

    fn load_external(&mut self, state: &State) {
        if let Some(external) = &mut self.external {
            external.load(&self.view, state);
        }
    }

    /// The settings.
    pub fn config(&self) -> &VbdConfig {
        &self.config
    }

    /// The contacts that the last step used, if it detected them by itself.
    pub fn contacts(&self) -> &[ParticleShapeContact] {
        &self.contacts
    }

    /// What an attachment did in the last step: gap and force. `None` on a device, and for an
    /// id that the model does not have.
    pub fn attachment(&self, id: AttachmentId) -> Option<AttachmentState> {
        self.particles.attachment(id)
    }

    /// What contacts between bodies carried in the last step, by pair of bodies; those that do not press
    /// too.
    pub fn body_contacts(&self) -> impl Iterator<Item = ContactLoad> + '_ {
        self.rigid.contact_loads(&self.bodies)
    }

    /// What a joint carried in the last step. `None` for a joint that it does not solve.
    pub fn joint(&self, id: JointId) -> Option<JointLoad> {
        self.rigid.joint(id)
    }

    /// Ownership changed: everything is built anew, poses and velocities stay.
    fn rebuild(&mut self, view: &ModelView) {
        let mut state = view.state();
        for (p, (q, qd)) in state.particle_q.iter_mut().zip(&mut state.particle_qd).enumerate() {
            (*q, *qd) = self.particles.get(ParticleId::new(p));
        }
        for (b, (q, qd)) in state.body_q.iter_mut().zip(&mut state.body_qd).enumerate() {
            (*q, *qd) = (self.bodies.get(b).frame(), self.bodies.get(b).velocity);
        }
        match backend(view, &self.config, self.device.as_ref()) {
            Ok(particles) => self.particles = particles,
            Err(e) => self.fault = Some(e),
        }
        self.bodies = Bodies::new(view, self.config.rotation, self.config.velocity);
        match rigid(view, &self.config) {
            Ok(rigid) => self.rigid = rigid,
            Err(e) => self.fault = Some(e),
        }
        self.proxies = Proxies::new(view);
        self.owned_particles = owned(view.particle_count(), ParticleId::new, |p| view.owns_particle(p));
        self.owned_bodies = owned(view.body_count(), BodyId::new, |b| view.owns_body(b));
        self.load(&state);
    }
}

/// The state between two steps.
#[derive(Default)]
struct Saved {
    particles: Snapshot,
    bodies: Vec<(Pose, Spatial, Spatial)>,
    rigid: RigidMemory,
    proxies: Proxies,
    external: Option<ExternalBodies>,
}

impl Solver for SolverVbd {
    fn kind(&self) -> &'static str {
        "vbd"
    }

    fn load(&mut self, state: &State) {
        self.particles.load(&state.particle_q, &state.particle_qd);
        self.bodies.load(&state.body_q, &state.body_qd);
        self.rigid.restore(None);
        self.load_external(state);
    }

    fn reset(&mut self, state: &State, chosen: &[EntityId]) {
        self.put_elsewhere(state, chosen);
    }

    fn step(&mut self, input: &StepInput, dt: f64, report: &mut StepReport) -> Result<(), SolverError> {
        check_step_size(dt)?;
        if self.rigid.has_joints() {
            refuse_short_control(&self.view, input.control)?;
        }
        self.fault.take().map_or(Ok(()), Err)?;
        if self.external.is_some() {
            refuse_attachments_to_external(&self.view)?;
        }
        if self.device.is_some() {
            refuse_contacts(input)?;
            refuse_attachments(&self.view)?;
            refuse_conveyors(&self.view)?;
            return self.run_stages(input, dt, report);
        }
        // one entry into the pool per step; small scenes never enter it
        match self.pool.take() {
            Some(pool) => {
                let done = pool.install(|| self.run_stages(input, dt, report));
                self.pool = Some(pool);
                done
            }
            None if self.config.threads.is_none() && self.is_wide() => {
                rayon::scope(|_| self.run_stages(input, dt, report))
            }
            None => self.run_stages(input, dt, report),
        }
    }

    fn store(&mut self, fields: StateFields, out: &mut State) {
        for &p in &self.owned_particles {
            let (q, qd) = self.particles.get(p);
            if fields.contains(StateFields::PARTICLE_Q) {
                out.particle_q[p.index()] = q;
            }
            if fields.contains(StateFields::PARTICLE_QD) {
                out.particle_qd[p.index()] = qd;
            }
        }
        for &b in &self.owned_bodies {
            let body = self.bodies.get(b.index());
            if fields.contains(StateFields::BODY_Q) {
                out.body_q[b.index()] = body.frame();
            }
            if fields.contains(StateFields::BODY_QD) {
                out.body_qd[b.index()] = body.velocity;
            }
        }
    }

    fn save_into(&self, to: &mut Snapshot) {
        let saved = to.slot::<Saved>();
        self.particles.save(&mut saved.particles);
        saved.bodies.clear();
        saved.bodies.extend(self.bodies.iter().map(|b| (b.now, b.velocity, b.kept)));
        self.rigid.save(&mut saved.rigid);
        saved.proxies.bodies.clone_from(&self.proxies.bodies);
        saved.proxies.particles.clone_from(&self.proxies.particles);
        saved.external.clone_from(&self.external);
    }

    fn restore(&mut self, from: &Snapshot) {
        let Some(saved) = from.get::<Saved>() else {
            debug_assert!(false, "restore from a snapshot of another solver");
            return;
        };
        self.particles.restore(&saved.particles);
        for (b, &(now, velocity, kept)) in saved.bodies.iter().enumerate() {
            let body = self.bodies.get_mut(b);
            (body.velocity, body.kept) = (velocity, kept);
            body.go(now);
            body.begin_here();
        }
        self.rigid.restore(Some(&saved.rigid));
        self.proxies.bodies.clone_from(&saved.proxies.bodies);
        self.proxies.particles.clone_from(&saved.proxies.particles);
        self.external.clone_from(&saved.external);
    }

    fn notify_model_changed(&mut self, view: &ModelView, flags: ModelFlags) {
        let without = self.external.as_ref().map(|_| without_bodies(view));
        let view = without.as_ref().unwrap_or(view);
        self.view.clone_from(view);
        if flags.contains(ModelFlags::OWNERSHIP) {
            self.rebuild(view);
        }
        self.particles.read_model(view, flags);
        let moved = flags.contains(ModelFlags::BODY_MASS) && self.bodies.read_masses(view);
        if flags.intersects(ModelFlags::SHAPES | ModelFlags::BODY_MASS | ModelFlags::OWNERSHIP) {
            self.detector.update(view);
        }
        if moved || flags.intersects(ModelFlags::SHAPES | ModelFlags::OWNERSHIP | ModelFlags::JOINTS) {
            self.rigid.detection.update(view);
        }
    }

    fn stored_energy(&mut self) -> f64 {
        self.particles.stored_energy()
    }

    fn append_loads(&self, out: &mut Loads) {
        out.joints.extend(self.rigid.joint_loads());
        out.contacts.extend(self.body_contacts().filter(ContactLoad::acts));
        self.particles.visit_contacts(&self.bodies, &mut |c| out.particles.push(c));
    }
}

fn backend(
    view: &ModelView,
    config: &VbdConfig,
    device: Option<&Arc<GpuContext>>,
) -> Result<Box<dyn ParticleBackend>, SolverError> {
    let layout = Arc::new(Layout::new(view));
    if let Some(ctx) = device {
        return Ok(Box::new(GpuParticles::new(ctx, view, layout, config)?));
    }
    Ok(match (resolved(view, config.precision), config.velocity) {
        (Precision::Double, VelocityRule::PositionDifference) => host::<f32, f64>(view, layout, config)?,
        (Precision::Double, _) => host::<f64, f64>(view, layout, config)?,
        (Precision::Mixed | Precision::Auto, _) => host::<f64, f32>(view, layout, config)?,
        (Precision::Single, _) => host::<f32, f32>(view, layout, config)?,
    })
}

/// What connects the bodies of a view.
fn rigid(view: &ModelView, config: &VbdConfig) -> Result<Rigid, SolverError> {
    Rigid::new(view, config.rigid(view.body_count())).map_err(|bad| refuse_shape(view, bad))
}

/// Particles on the host, with their self-contact.
fn host<P: Scalar, R: LaneWidths>(
    view: &ModelView,
    layout: Arc<Layout>,
    config: &VbdConfig,
) -> Result<Box<dyn ParticleBackend>, SolverError> {
    let make =
        |c: SelfContactConfig| SelfContact::new(view, &layout, c, position_rounding::<P>(view, c.margin));
    let self_contact = config.self_contact.map(make).transpose()?;
    let particles = CpuParticles::<P, R>::new(view, layout, CpuOptions::new(config));
    Ok(Box::new(particles.with_self_contact(self_contact)))
}

/// What rounding may do to a position of the view \[m\], as far as it may go: displacements have all digits.
/// All in shares of lengths of the scene, so that its unit does not matter.
fn position_rounding<P: Scalar>(view: &ModelView, margin: f64) -> f64 {
    let extent = view.particle_q.iter().fold(LEAST_EXTENT * margin, |m, x| m.max(x.amax()));
    (4.0 * P::EPSILON.to_f64() * extent).max(LEAST_ROUNDING * margin)
}

fn owned<I: Copy>(count: usize, id: impl Fn(usize) -> I, owns: impl Fn(I) -> bool) -> Vec<I> {
    (0..count).map(id).filter(|&i| owns(i)).collect()
}

fn pool(config: &VbdConfig) -> Result<Option<rayon::ThreadPool>, SolverError> {
    // detection of self-contact always runs in a pool
    let needed = |n: &usize| *n > 1 || config.self_contact.is_some();
    let Some(threads) = config.threads.filter(needed) else { return Ok(None) };
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    built.map(Some).map_err(|e| SolverError::Setting {
        setting: "threads",
        value: threads.to_string(),
        remedy: format!("the threads could not be started ({e}): write fewer"),
    })
}
