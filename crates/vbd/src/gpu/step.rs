//! A step on the device: one recording, one compute pass, one submit. The order of kernels
//! is that of the stages (`stages.rs`); `docs/theory/vbd-gpu.md` section 2 lists them.

use std::sync::PoisonError;

use coact_compute::{Readback, Recording, Result};
use coact_model::Model;

use super::GpuParticles;
use super::records::{BodyState, ParticleEnd, RangeParams, StepRecord, flags, vec4};
use super::tables::place;
use crate::body::Bodies;
use crate::particle::{ParticleForces, ParticleResidual};

/// Small results of a step on their way to the host.
pub struct Readers {
    pub bodies: Readback<BodyState>,
    pub report: Readback<f32>,
    pub ends: Readback<ParticleEnd>,
    pub body_states: Vec<BodyState>,
    pub words: Vec<f32>,
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
    /// Deepest penetration \[m\].
    pub depth: f64,
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
        }
    }

    /// The residual now, reduced on the device.
    pub(super) fn record_residual(&mut self) {
        let which = self.residuals_recorded.min(1);
        self.residuals_recorded += 1;
        let Some(r) = &mut self.recording else { return };
        r.dispatch(&self.kernels.residual_particle, self.step.blocks);
        self.kernels.residuals[which].iter().for_each(|reduction| reduction.record(r));
    }

    /// Records the end of the step, submits it all, and waits for what is read back.
    pub(super) fn end(&mut self, bodies: &mut Bodies) -> Result<()> {
        let Some(mut r) = self.recording.take() else { return Ok(()) };
        r.dispatch(&self.kernels.finalize_particle, self.step.slots);
        if self.options.report {
            r.dispatch(&self.kernels.measure_particle, self.step.slots);
            self.kernels.measures.iter().for_each(|reduction| reduction.record(&mut r));
        }
        let proxies = self.proxy_slots.len();
        r.dispatch_with(
            &self.kernels.gather_particle,
            self.ranges.table.at(self.ranges.gather),
            proxies as u32,
        );
        r.read_back(&self.arrays.body_state, 0..self.surroundings.free, &mut self.readers.bodies);
        r.read_back(&self.arrays.ends, 0..proxies, &mut self.readers.ends);
        if self.options.report {
            self.read_report(&mut r);
        }
        r.submit()?;
        self.mirror_mut().forget();
        self.take_results(bodies)
    }

    fn read_report(&mut self, r: &mut Recording) {
        let words = &mut self.readers.report;
        let reductions = self.kernels.residuals.iter().flatten().chain(&self.kernels.measures);
        reductions.for_each(|reduction| r.read_back(reduction.result(), 0..1, words));
    }

    fn take_results(&mut self, bodies: &mut Bodies) -> Result<()> {
        let readers = &mut self.readers;
        readers.bodies.wait(&mut readers.body_states)?;
        readers.ends.wait(&mut readers.particle_ends)?;
        readers.report.wait(&mut readers.words)?;
        self.measured = Measured::default();
        for (state, &b) in self.readers.body_states.iter().zip(&self.surroundings.body_ids) {
            place(bodies.get_mut(b), &state.turn, &state.dx);
            self.measured.skipped += state.skipped as usize;
        }
        self.mirror_ends();
        self.take_report();
        Ok(())
    }

    fn take_report(&mut self) {
        let blocks = self.movable_blocks;
        let m = &mut self.measured;
        let &[max0, sum0, max1, sum1, rows, active, depth, skipped, nonfinite] =
            self.readers.words.as_slice()
        else {
            return;
        };
        let residual = |max: f32, sum: f32| ParticleResidual {
            max: f64::from(max).sqrt(),
            sum_sq: f64::from(sum),
            count: blocks,
            worst: None,
        };
        m.residuals = [residual(max0, sum0), residual(max1, sum1)];
        (m.rows, m.active, m.depth) = (rows as usize, active as usize, f64::from(depth));
        m.skipped += skipped as usize;
        m.nonfinite = nonfinite as usize;
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
