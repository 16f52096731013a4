//! A step on the device: one recording, one compute pass, one submit. The order of kernels
//! is that of the stages (`stages.rs`); `docs/theory/vbd-gpu.md` section 2 lists them.

use std::sync::PoisonError;

use coact_compute::{Readback, Recording, Result};
use coact_model::{Model, ParticleId, ShapeId};

use super::GpuParticles;
use super::records::{BodyState, Outcome, ParticleEnd, RangeParams, StepRecord, flags, vec4};
use super::tables::place;
use crate::body::Bodies;
use crate::particle::{ParticleForces, ParticleResidual};

/// Words of an [`Outcome`]; the first one alone is read without a report.
pub const OUTCOME_WORDS: usize = size_of::<Outcome>() / 4;

/// Small results of a step on their way to the host.
pub struct Readers {
    pub bodies: Readback<BodyState>,
    pub outcome: Readback<u32>,
    /// Largest and sum of squares of particles, first and last; then bodies, first and last.
    pub residuals: Readback<f32>,
    pub ends: Readback<ParticleEnd>,
    pub body_states: Vec<BodyState>,
    pub words: Vec<u32>,
    pub residual_words: Vec<f32>,
    pub particle_ends: Vec<ParticleEnd>,
}

/// What a step tells of itself, when it is over.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Before the first sweep and after the last.
    pub residuals: [ParticleResidual; 2],
    /// Rows.
    pub rows: usize,
    /// Rows that press.
    pub active: usize,
    /// Deepest penetration \[m\], with its pair.
    pub deepest: Option<(f64, ParticleId, ShapeId)>,
    /// Blocks that the last sweep skipped, bodies included.
    pub skipped: usize,
    /// Particles that are not finite.
    pub nonfinite: usize,
}

impl GpuParticles {
    /// What drives the prediction; forces move only if there are any.
    pub(super) fn take_forces(&mut self, f: &ParticleForces) -> Result<()> {
        let any = f.particle_f.iter().any(|f| f.norm_squared() > 0.0);
        if any {
            self.packed.clear();
            let zero = Default::default();
            let force = |&p: &u32| vec4(f.particle_f.get(p as usize).unwrap_or(&zero));
            self.packed.extend(self.layout.particle_of.iter().map(force));
            self.arrays.particle_f.write(&self.packed)?;
        }
        self.step = StepRecord {
            gravity: super::records::vec3(&f.gravity),
            h: f.h as f32,
            inv_h: (1.0 / f.h) as f32,
            inv_h_sq: (1.0 / (f.h * f.h)) as f32,
            epsilon: (self.options.friction_epsilon * f.h) as f32,
            damped_depth: self.options.damped_depth as f32,
            flags: self.options.flags | if any { flags::FORCES } else { 0 },
            ..self.step
        };
        Ok(())
    }

    /// Uploads what a step needs and records its stages up to the contact lists.
    pub(super) fn begin(&mut self, model: &Model, bodies: &Bodies) -> Result<()> {
        self.upload_interface(model, bodies)?;
        let (k, s) = (&self.kernels, &self.step);
        let mut r = self.ctx.record("vbd step");
        r.dispatch(&k.predict_particle, s.slots);
        let proxies = self.targets.len() as u32;
        r.dispatch_with(&k.place_proxy, self.ranges.table.at(self.ranges.proxies), proxies);
        if self.damped_hinges {
            let hinges = self.layout.hinge_ids.len() as u32;
            r.dispatch_with(&k.start_angle, self.ranges.table.at(self.ranges.hinges), hinges);
        }
        r.dispatch(&k.place_body, s.bodies);
        if s.shapes > 0 {
            r.dispatch(&k.detect, s.slots);
            r.dispatch(&k.list_body_contacts, s.free_bodies * self.workgroup);
        }
        self.recording = Some(r);
        Ok(())
    }

    fn upload_interface(&mut self, model: &Model, bodies: &Bodies) -> Result<()> {
        let a = &mut self.arrays;
        a.step.set(self.step);
        a.proxy_targets.write(&self.targets)?;
        let range = RangeParams { first: 0, count: self.targets.len() as u32 };
        self.ranges.table.set(self.ranges.proxies, &range);
        self.surroundings.body_records(
            bodies,
            self.step.slots as usize,
            self.options.speculative,
            &mut self.body_records,
        );
        a.bodies.write(&self.body_records)?;
        self.surroundings.pair_materials(model, &mut self.packed);
        if self.packed != self.materials {
            a.pair_material.write(&self.packed)?;
            self.materials.clone_from(&self.packed);
        }
        self.want_proxies()?;
        self.ranges.table.upload()
    }

    /// Free bodies once, all at a time: they meet only through particles.
    pub(super) fn record_bodies(&mut self) {
        let threads = self.step.free_bodies * self.workgroup;
        if let Some(r) = &mut self.recording {
            r.dispatch(&self.kernels.solve_body, threads);
        }
    }

    /// All colors once.
    pub(super) fn record_colors(&mut self) {
        let Some(r) = &mut self.recording else { return };
        for &(slot, count) in &self.ranges.colors {
            r.dispatch_with(&self.kernels.solve_particle, self.ranges.table.at(slot), count);
            if self.counts.shared_colors {
                r.dispatch_with(&self.kernels.apply_particle, self.ranges.table.at(slot), count);
            }
        }
    }

    /// The residual now, reduced on the device.
    pub(super) fn record_residual(&mut self) {
        let which = self.residuals_recorded.min(1);
        self.residuals_recorded += 1;
        let Some(r) = &mut self.recording else { return };
        r.dispatch(&self.kernels.residual_particle, self.step.blocks);
        self.kernels.residuals[which].iter().for_each(|reduction| reduction.record(r));
        let range = self.ranges.table.at(self.ranges.bodies[which]);
        r.dispatch_with(&self.kernels.residual_body, range, self.step.free_bodies * self.workgroup);
    }

    /// Records the end of the step, submits it all, and waits for what is read back.
    pub(super) fn end(&mut self, bodies: &mut Bodies) -> Result<()> {
        let Some(mut r) = self.recording.take() else { return Ok(()) };
        r.dispatch(&self.kernels.finalize_particle, self.step.slots);
        if self.options.report {
            r.dispatch(&self.kernels.measure_particle, self.step.slots);
            r.dispatch(&self.kernels.name_worst, self.step.slots);
        }
        let (free, proxies) = (self.surroundings.free, self.proxy_slots.len());
        let gather = self.ranges.table.at(self.ranges.gather);
        r.dispatch_with(&self.kernels.gather_particle, gather, proxies as u32);
        r.read_back(&self.arrays.body_state, 0..free, &mut self.readers.bodies);
        r.read_back(&self.arrays.ends, 0..proxies, &mut self.readers.ends);
        self.read_report(&mut r);
        r.submit()?;
        self.mirror_mut().forget();
        self.take_results(bodies)
    }

    fn read_report(&mut self, r: &mut Recording) {
        let words = if self.options.report { OUTCOME_WORDS } else { 1 };
        r.read_back(&self.arrays.outcome, 0..words, &mut self.readers.outcome);
        if self.options.report {
            let to = &mut self.readers.residuals;
            let reductions = self.kernels.residuals.iter().flatten();
            reductions.for_each(|reduction| r.read_back(reduction.result(), 0..1, to));
            r.read_back(&self.arrays.body_residual, 0..2 * self.surroundings.free, to);
        }
    }

    fn take_results(&mut self, bodies: &mut Bodies) -> Result<()> {
        let readers = &mut self.readers;
        readers.bodies.wait(&mut readers.body_states)?;
        readers.ends.wait(&mut readers.particle_ends)?;
        readers.outcome.wait(&mut readers.words)?;
        readers.residuals.wait(&mut readers.residual_words)?;
        self.measured = Measured::default();
        for (state, &b) in self.readers.body_states.iter().zip(&self.surroundings.body_ids) {
            place(bodies.get_mut(b), &state.turn, &state.dx);
            self.measured.skipped += state.skipped as usize;
        }
        self.mirror_ends();
        self.take_outcome();
        self.take_residuals();
        Ok(())
    }

    fn take_outcome(&mut self) {
        let mut o = Outcome::default();
        let words = &mut bytemuck::cast_mut::<Outcome, [u32; OUTCOME_WORDS]>(&mut o)[..];
        words.iter_mut().zip(&self.readers.words).for_each(|(to, from)| *to = *from);
        let shapes = self.step.shapes.max(1);
        let particle = |slot: u32| self.layout.particle_of.get(slot as usize).map(|&p| ParticleId(p));
        let shape = |s: u32| self.surroundings.shape_ids.get(s as usize).copied();
        let pair = particle(o.deepest / shapes).zip(shape(o.deepest % shapes));
        let m = &mut self.measured;
        m.deepest = pair.map(|(p, s)| (f64::from(f32::from_bits(o.depth)), p, s));
        (m.rows, m.active) = (o.rows as usize, o.pressing as usize);
        m.skipped += o.skipped as usize;
        m.nonfinite = o.nonfinite as usize;
        m.residuals[1].worst = particle(o.worst);
    }

    /// Particles as the device reduced them, and bodies.
    fn take_residuals(&mut self) {
        let (free, words) = (self.surroundings.free, &self.readers.residual_words);
        let Some((particles, bodies)) = words.split_at_checked(4) else { return };
        for (i, r) in self.measured.residuals.iter_mut().enumerate() {
            let (max, sum) = (f64::from(particles[2 * i]), f64::from(particles[2 * i + 1]));
            let bodies = bodies[i * free..(i + 1) * free].iter().map(|&sq| f64::from(sq));
            let (max, sum) = bodies.fold((max, sum), |(max, sum), sq| (f64::max(max, sq), sum + sq));
            (r.max, r.sum_sq, r.count) = (max.sqrt(), sum, self.movable_blocks + free);
        }
    }

    /// The packed ends are those of the proxies.
    fn want_proxies(&mut self) -> Result<()> {
        if self.wanted != self.proxy_slots {
            self.wanted.clone_from(&self.proxy_slots);
            self.arrays.wanted.write(&self.wanted)?;
        }
        self.arrays.ends.resize(self.wanted.len())?;
        let range = RangeParams { first: 0, count: self.wanted.len() as u32 };
        self.ranges.table.set(self.ranges.gather, &range);
        Ok(())
    }

    /// Reads some particles back, packed.
    pub(super) fn gather(&mut self, slots: Vec<u32>) -> Result<()> {
        let count = slots.len();
        self.wanted = slots;
        self.arrays.wanted.write(&self.wanted)?;
        self.arrays.ends.resize(count)?;
        self.ranges.table.set(self.ranges.gather, &RangeParams { first: 0, count: count as u32 });
        self.ranges.table.upload()?;
        let mut r = self.ctx.record("vbd interface");
        r.dispatch_with(
            &self.kernels.gather_particle,
            self.ranges.table.at(self.ranges.gather),
            count as u32,
        );
        r.read_back(&self.arrays.ends, 0..count, &mut self.readers.ends);
        r.submit()?;
        self.readers.ends.wait(&mut self.readers.particle_ends)?;
        self.mirror_ends();
        Ok(())
    }

    /// The host now knows the particles that were packed.
    fn mirror_ends(&mut self) {
        let mirror = self.mirror.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (end, &slot) in self.readers.particle_ends.iter().zip(&self.wanted) {
            mirror.read(slot as usize, end);
        }
    }
}
