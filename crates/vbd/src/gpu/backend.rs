//! The stages of a step, as a device takes them: recorded by `step.rs`, run at the end.

use std::sync::Arc;

use coact_collide::{ParticleShapeContact, ParticleShapeDetector};
use coact_math::{V3, Vec3};
use coact_model::{Model, ModelFlags, ModelView, ParticleId};
use coact_solver::Snapshot;

use super::mirror::Seen;
use super::records::{ProxyTarget, host, vec3, vec4};
use super::{GpuParticles, Saved};
use crate::body::{Bodies, BodyLoad};
use crate::particle::{
    ContactSummary, DetectionPlace, DeviceOutcome, ParticleBackend, ParticleForces, ParticleResidual,
    element_energy,
};

impl ParticleBackend for GpuParticles {
    fn read_model(&mut self, view: &ModelView, flags: ModelFlags) {
        let taken = self.take_model(view, flags);
        self.note(taken);
    }

    fn load(&mut self, q: &[Vec3], qd: &[Vec3]) {
        let loaded = self.upload(q, qd);
        self.note(loaded);
        self.mirror_mut().forget();
    }

    fn get(&self, particle: ParticleId) -> (Vec3, Vec3) {
        let seen = self.seen(self.slot(particle));
        (seen.q, seen.qd)
    }

    fn set(&mut self, particle: ParticleId, q: Vec3, qd: Vec3) {
        let slot = self.slot(particle);
        let (q, qd) = (vec4(&q), vec4(&qd));
        let known = self.mirror_mut().get(slot).copied();
        if known.is_some_and(|s| vec4(&s.q) == q && vec4(&s.qd) == qd) {
            return;
        }
        let written = self.arrays.particle_q.write_at(slot, &[q]);
        self.note(written);
        let written = self.arrays.particle_qd.write_at(slot, &[qd]);
        self.note(written);
        let d = known.unwrap_or_default().d;
        self.mirror_mut().put(slot, Seen { q: host(&q), qd: host(&qd), d });
    }

    fn fetch(&mut self, particles: &mut dyn Iterator<Item = ParticleId>) {
        let layout = Arc::clone(&self.layout);
        let slots = particles.map(|p| layout.slot_of[p.index()]);
        let missing: Vec<u32> = slots.filter(|&s| self.locked_mirror().get(s as usize).is_none()).collect();
        if !missing.is_empty() {
            let gathered = self.gather(missing);
            self.note(gathered);
        }
    }

    fn save(&self, to: &mut Snapshot) {
        self.note(self.save_state(to.slot::<Saved>()));
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(buffers) = from.get::<Saved>().and_then(|s| s.buffers.as_ref()) {
            self.note(self.restore_state(buffers));
        }
        self.mirror_mut().forget();
    }

    fn predict(&mut self, forces: &ParticleForces) {
        self.before = self.ctx.traffic();
        self.residuals_recorded = 0;
        self.targets.clear();
        let taken = self.take_forces(forces);
        self.note(taken);
    }

    fn set_target(&mut self, particle: ParticleId, y: Vec3, v_free: Vec3) {
        let slot = self.slot(particle) as u32;
        self.targets.push(ProxyTarget { y: vec3(&y), slot, v_free: vec3(&v_free), relative: 0 });
    }

    /// By displacement, so that nothing is read back to know where it begins.
    fn carry(&mut self, particle: ParticleId, velocity: Vec3, h: f64) {
        let slot = self.slot(particle) as u32;
        let (y, v_free) = (vec3(&(velocity * h)), vec3(&velocity));
        self.targets.push(ProxyTarget { y, slot, v_free, relative: 1 });
    }

    /// Detection is a kernel of the step.
    fn detect(
        &self,
        _: &mut ParticleShapeDetector,
        _: DetectionPlace,
        _: bool,
        _: &mut Vec<ParticleShapeContact>,
    ) -> bool {
        false
    }

    fn build_rows(&mut self, _: &[ParticleShapeContact], model: &Model, bodies: &Bodies) -> bool {
        let begun = self.begin(model, bodies);
        self.note(begun);
        false
    }

    /// Rows follow their bodies on the device.
    fn refresh_rows(&mut self, _: usize, _: &Bodies) {}

    /// Bodies are solved on the device.
    fn body_load(&self, _: usize, _: &Bodies) -> BodyLoad {
        BodyLoad::default()
    }

    fn sweep_bodies(&mut self) -> bool {
        self.record_bodies();
        true
    }

    fn sweep(&mut self) -> usize {
        self.record_colors();
        0
    }

    fn residual(&mut self) -> ParticleResidual {
        self.record_residual();
        ParticleResidual::default()
    }

    fn finalize(&mut self, bodies: &mut Bodies) {
        let ended = self.end(bodies);
        self.note(ended);
    }

    fn outcome(&mut self) -> Option<DeviceOutcome> {
        let moved = self.ctx.traffic() - self.before;
        Some(DeviceOutcome {
            fault: self.take_fault(),
            bytes: moved.upload_bytes + moved.download_bytes,
            growth: moved.growths as usize,
            residuals: self.measured.residuals,
            skipped: self.measured.skipped,
        })
    }

    fn correction(&self, particle: ParticleId) -> Vec3 {
        self.seen(self.slot(particle)).d
    }

    /// Not offered by the device: `capabilities` says so.
    fn interface_force(&self, _: ParticleId) -> Vec3 {
        Vec3::zeros()
    }

    fn contact_summary(&self) -> ContactSummary {
        let m = &self.measured;
        ContactSummary { rows: m.rows, active: m.active, deepest: m.deepest }
    }

    fn stored_energy(&self) -> f64 {
        let q = self.note(self.arrays.particle_q.download()).unwrap_or_default();
        let x = |s: u32| {
            q.get(s as usize)
                .map_or_else(Default::default, |q| V3::new(q[0].into(), q[1].into(), q[2].into()))
        };
        element_energy(&self.elements, x)
    }

    fn note_nonfinite(&self, note: &mut dyn FnMut(ParticleId)) {
        if self.measured.nonfinite == 0 {
            return;
        }
        let bad = |p: &ParticleId| {
            let seen = self.seen(self.slot(*p));
            self.slot(*p) < self.layout.block_count && !(seen.q + seen.qd).iter().all(|x| x.is_finite())
        };
        (0..self.counts.slots).map(ParticleId::new).filter(bad).for_each(note);
    }
}
