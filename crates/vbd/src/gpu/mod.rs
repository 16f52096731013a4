//! Particles on the device, and the bodies that they touch: the particle step of the host
//! path in `f32` WGSL, one submit per step. Theory: `docs/theory/vbd-gpu.md`.
//!
//! State stays on the device. Per step go up: the step record, 144 bytes per body in
//! contact, 32 per proxy particle, and forces on particles if there are any. Down come 32
//! bytes per free body, 48 per proxy particle, and one word: how many particles are not
//! finite. With `report_residual` the report adds eleven words, and two per free body.
//! Everything else is read back only when asked: `store`, `stored_energy`, or endpoints by
//! `read_interface`.
//!
//! Left out on purpose: contacts given by the caller, harvest by contact forces. What cannot
//! work is refused when the solver is built (`refuse.rs`).

mod backend;
mod device;
mod elements;
mod kernels;
mod mirror;
mod records;
pub mod refuse;
mod step;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coact_collide::Mobility;
use coact_compute::{ComputeError, GpuContext, Pipelines, Readback, Recording, Traffic};
use coact_math::Vec3;
use coact_model::{ModelFlags, ModelView, ParticleId};
use coact_solver::SolverError;

use crate::config::{MembraneHessian, RotationUpdate, SingularRule, SpringHessian, VbdConfig, VelocityRule};
use crate::particle::{ParticleBackend, particle_mobility};
use crate::prepared::{Elements, Layout};
use device::{Arrays, Counts};
use kernels::{Kernels, Ranges};
use mirror::{Mirror, Seen};
use records::{BodyRecord, ProxyTarget, StepRecord, flags, host, vec4};
use step::{Measured, OUTCOME_WORDS, Readers};
use tables::{Surroundings, particle_infos, shared_colors};

/// The settings that kernels need.
#[derive(Clone, Copy, Debug)]
struct Options {
    friction_epsilon: f64,
    damped_depth: f64,
    flags: u32,
    gap: Option<f64>,
    speculative: bool,
    damping_needs_stiffness: bool,
    report: bool,
}

impl Options {
    fn new(c: &VbdConfig, shared_colors: bool) -> Self {
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        Self {
            friction_epsilon: c.friction_epsilon,
            damped_depth: c.contact_damping.depth(),
            flags: bit(c.spring_hessian == SpringHessian::Exact, flags::SPRING_EXACT)
                | bit(c.membrane_hessian == MembraneHessian::Clamped, flags::MEMBRANE_CLAMPED)
                | bit(c.singular == SingularRule::AbsoluteDeterminant, flags::SINGULAR_ABSOLUTE)
                | bit(c.speculative, flags::SPECULATIVE)
                | bit(c.velocity == VelocityRule::PositionDifference, flags::POSITION_DIFFERENCE)
                | bit(c.rotation == RotationUpdate::FirstOrder, flags::FIRST_ORDER)
                | bit(shared_colors, flags::SHARED_COLORS),
            gap: c.soft_contact_gap,
            speculative: c.speculative,
            damping_needs_stiffness: c.damping_needs_stiffness,
            report: c.report_residual,
        }
    }
}

/// Particles on the device.
pub struct GpuParticles {
    ctx: Arc<GpuContext>,
    layout: Arc<Layout>,
    options: Options,
    counts: Counts,
    surroundings: Surroundings,
    elements: Elements<f32>,
    damped_hinges: bool,
    movable_blocks: usize,
    arrays: Arrays,
    kernels: Kernels,
    ranges: Ranges,
    /// Threads of a workgroup.
    workgroup: u32,
    step: StepRecord,
    recording: Option<Recording>,
    residuals_recorded: usize,
    /// Proxies and pinned particles whose targets were set for this step.
    targets: Vec<ProxyTarget>,
    proxy_slots: Vec<u32>,
    /// Slots that `arrays.wanted` holds.
    wanted: Vec<u32>,
    body_records: Vec<BodyRecord>,
    materials: Vec<[f32; 4]>,
    packed: Vec<[f32; 4]>,
    readers: Readers,
    measured: Measured,
    mirror: Mutex<Mirror>,
    fault: Mutex<Option<ComputeError>>,
    /// Traffic when the step began.
    before: Traffic,
}

/// Whether a target may be set from outside.
fn is_targeted(view: &ModelView, p: ParticleId) -> bool {
    matches!(particle_mobility(view, p), Mobility::Proxy | Mobility::Prescribed)
}

/// Particle state in a snapshot, on the device.
#[derive(Default)]
struct Saved {
    buffers: Option<[coact_compute::Buffer<[f32; 4]>; 2]>,
}

impl GpuParticles {
    /// From a view and its layout, at the initial state of the view.
    ///
    /// # Errors
    /// What the device path does not do, or what the device does not have room for.
    pub fn new(
        ctx: &Arc<GpuContext>,
        view: &ModelView,
        layout: Arc<Layout>,
        config: &VbdConfig,
    ) -> Result<Self, SolverError> {
        refuse::refuse_on_device(view, config)?;
        let built = Self::build(ctx, view, layout, config);
        let mut made = built.map_err(|e| refuse::refuse_by_device(&e))?;
        made.load(&view.particle_q, &view.particle_qd);
        made.take_fault().map_or(Ok(made), Err)
    }

    fn build(
        ctx: &Arc<GpuContext>,
        view: &ModelView,
        layout: Arc<Layout>,
        config: &VbdConfig,
    ) -> Result<Self, ComputeError> {
        let proxies = (0..view.particle_count()).map(ParticleId::new).filter(|&p| view.is_proxy_particle(p));
        let proxy_slots: Vec<u32> = proxies.map(|p| layout.slot_of[p.index()]).collect();
        let (slots, materials) = (view.particle_count(), view.materials.len());
        let counts = Counts {
            slots,
            proxies: proxy_slots.len(),
            targets: (0..slots).map(ParticleId::new).filter(|&p| is_targeted(view, p)).count(),
            materials,
            bodies: view.body_count(),
            shared_colors: shared_colors(&layout, view),
        };
        let pipelines = Pipelines::new(ctx);
        let arrays = Arrays::new(ctx, &layout, counts)?;
        let mut made = Self {
            kernels: Kernels::new(&pipelines, &arrays, &layout)?,
            ranges: Ranges::new(ctx, &layout)?,
            workgroup: pipelines.get("vbd/solve_body")?.workgroup(),
            readers: Readers::new(ctx, counts)?,
            surroundings: Surroundings::default(),
            elements: Elements::default(),
            damped_hinges: false,
            movable_blocks: 0,
            step: StepRecord { slots: slots as u32, blocks: layout.block_count as u32, ..Default::default() },
            recording: None,
            residuals_recorded: 0,
            targets: Vec::with_capacity(counts.targets),
            proxy_slots,
            wanted: Vec::new(),
            body_records: Vec::new(),
            materials: Vec::new(),
            packed: Vec::new(),
            measured: Measured::default(),
            mirror: Mutex::new(Mirror::new(slots)),
            fault: Mutex::new(None),
            before: ctx.traffic(),
            ctx: Arc::clone(ctx),
            options: Options::new(config, counts.shared_colors),
            counts,
            layout,
            arrays,
        };
        made.take_model(view, ModelFlags::all())?;
        Ok(made)
    }

    fn take_model(&mut self, view: &ModelView, flags: ModelFlags) -> Result<(), ComputeError> {
        if flags.intersects(ModelFlags::PARTICLE_MASS | ModelFlags::SHAPES) {
            let infos = particle_infos(view, &self.layout);
            self.movable_blocks = infos.iter().filter(|i| i.mobility >= 2).count();
            self.arrays.particle_info.write(&infos)?;
        }
        if flags.contains(ModelFlags::ELEMENTS) {
            self.elements.read(view, &self.layout, self.options.damping_needs_stiffness);
            self.damped_hinges = self.elements.hinges.iter().any(|h| h.e.kd > 0.0);
            self.arrays.write_elements(&self.elements)?;
        }
        if flags.intersects(ModelFlags::SHAPES | ModelFlags::BODY_MASS | ModelFlags::OWNERSHIP) {
            self.surroundings = Surroundings::new(view, self.options.gap);
            self.arrays.write_surroundings(&self.surroundings, self.counts)?;
            self.materials.clear();
            let s = &self.surroundings;
            let (shapes, bodies, free) = (s.shapes.len() as u32, s.body_ids.len() as u32, s.free as u32);
            let materials = self.counts.materials as u32;
            self.step = StepRecord { shapes, bodies, free_bodies: free, materials, ..self.step };
            self.ranges.set_free_bodies(free);
        }
        Ok(())
    }

    fn slot(&self, particle: ParticleId) -> usize {
        self.layout.slot_of[particle.index()] as usize
    }

    fn locked_mirror(&self) -> MutexGuard<'_, Mirror> {
        self.mirror.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mirror_mut(&mut self) -> &mut Mirror {
        self.mirror.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the first error; the step returns it.
    fn note<T>(&self, result: Result<T, ComputeError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(e) => {
                self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                None
            }
        }
    }

    fn take_fault(&mut self) -> Option<SolverError> {
        let fault = self.fault.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        fault.map(|e| SolverError::Device(e.to_string()))
    }

    /// What is known of a slot; if nothing is, everything is downloaded.
    fn seen(&self, slot: usize) -> Seen {
        let mut mirror = self.locked_mirror();
        if mirror.get(slot).is_none()
            && let Some([q, qd]) = self.note(self.download())
        {
            for (s, (q, qd)) in q.iter().zip(&qd).enumerate() {
                mirror.put(s, Seen { q: host(q), qd: host(qd), ..Seen::default() });
            }
        }
        mirror.get(slot).copied().unwrap_or_default()
    }

    /// Positions and velocities by slot.
    fn download(&self) -> Result<[Vec<[f32; 4]>; 2], ComputeError> {
        Ok([self.arrays.particle_q.download()?, self.arrays.particle_qd.download()?])
    }

    fn upload(&mut self, q: &[Vec3], qd: &[Vec3]) -> Result<(), ComputeError> {
        let mut pack = |values: &[Vec3], to: &mut coact_compute::Buffer<[f32; 4]>| {
            self.packed.clear();
            self.packed.extend(self.layout.particle_of.iter().map(|&p| vec4(&values[p as usize])));
            to.write(&self.packed)
        };
        pack(q, &mut self.arrays.particle_q)?;
        pack(qd, &mut self.arrays.particle_qd)
    }

    fn save_state(&self, saved: &mut Saved) -> Result<(), ComputeError> {
        let (n, live) = (self.counts.slots, [&self.arrays.particle_q, &self.arrays.particle_qd]);
        let buffers = match &mut saved.buffers {
            Some(held) if held[0].len() == n => held,
            slot => {
                let made = |name: &str| coact_compute::Buffer::zeroed(&self.ctx, name, n);
                slot.insert([made("saved particle_q")?, made("saved particle_qd")?])
            }
        };
        let mut r = self.ctx.record("vbd save");
        live.iter().zip(&*buffers).for_each(|(from, to)| r.copy(from, 0..n, to, 0));
        r.submit()
    }

    fn restore_state(&self, saved: &[coact_compute::Buffer<[f32; 4]>; 2]) -> Result<(), ComputeError> {
        let live = [&self.arrays.particle_q, &self.arrays.particle_qd];
        let mut r = self.ctx.record("vbd restore");
        saved.iter().zip(live).for_each(|(from, to)| r.copy(from, 0..self.counts.slots, to, 0));
        r.submit()
    }
}

impl Readers {
    fn new(ctx: &Arc<GpuContext>, counts: Counts) -> Result<Self, ComputeError> {
        Ok(Self {
            bodies: Readback::new(ctx, "body states", 1)?,
            outcome: Readback::new(ctx, "outcome", OUTCOME_WORDS)?,
            residuals: Readback::new(ctx, "residuals", 4 + 2 * counts.bodies)?,
            ends: Readback::new(ctx, "proxy ends", counts.proxies)?,
            body_states: Vec::new(),
            words: Vec::new(),
            residual_words: Vec::new(),
            particle_ends: Vec::new(),
        })
    }
}
