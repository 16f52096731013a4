//! The step of `SolverVbd`, as a list of stages. Theory: `docs/theory/vbd.md` section 1.

use coact_collide::{Mobility, ParticleShapeContact};
use coact_model::{BodyId, EntityId};
use coact_solver::{
    Residual, SelfContactReport, SolverError, StepInput, StepReport, WorstAttachment, WorstPenetration,
};

use crate::body::Place;
use crate::particle::{
    DetectionPlace, Movable, ParticleBackend, ParticleForces, ParticleResidual, particle_mobility,
};
use crate::proxy::at;
use crate::residual::ResidualSums;
use crate::self_contact::GivenPairs;
use crate::solver::SolverVbd;
use coact_math::Spatial;

/// Sweeps between two looks at the residual, which costs about one.
const CHECK: usize = 5;

impl SolverVbd {
    /// One step of size `h`.
    pub(crate) fn run_stages(
        &mut self,
        input: &StepInput,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        report.clear();
        self.predict(input, h);
        self.detect(input, report);
        self.begin_bodies(input, h, report);
        self.begin_self_contact(input);
        let first = self.residual(h, report);
        report.iterations = self.iterate(input, h, report);
        let last = self.residual(h, report);
        self.report_residuals(first, last, report);
        self.finalize(h);
        self.fill_report(h, report);
        self.take_outcome(report)
    }

    /// Sweeps, until there were enough of them or the residual is small; how many there were.
    fn iterate(&mut self, input: &StepInput, h: f64, report: &mut StepReport) -> usize {
        let sweeps = self.config.iterations;
        let period = self.config.coarse.period(self.particles.stiffness());
        let span = self.config.acceleration.period(self.particles.stiffness());
        let goal = self.config.tolerance.map(|t| t * self.eval_residual(h, report).max);
        if span.is_some() {
            let fresh = self.config.report_residual || goal.is_some();
            self.with_bodies(|particles, movable| particles.begin_ways(fresh, movable));
        }
        let (mut done, mut skipped) = (sweeps, false);
        for k in 0..sweeps {
            let check = k > 0 && k.is_multiple_of(CHECK);
            if goal.is_some_and(|goal| check && self.eval_residual(h, report).max <= goal) {
                done = k;
                break;
            }
            if k > 0 {
                self.rigid.update_duals(&self.bodies);
                self.particles.update_duals();
            }
            if span.is_some_and(|n| k > 0 && k.is_multiple_of(n)) {
                self.with_bodies(|particles, movable| particles.span_ways(movable));
            }
            if self.config.detection.rigid_soft.before_sweep(k) {
                self.detect_again(input, report);
            }
            if period.is_some_and(|n| k.is_multiple_of(n)) {
                self.particles.sweep_coarse();
            }
            if self.config.detection.rigid.before_sweep(k) {
                self.detect_bodies_again(input, report);
            }
            let bodies = self.sweep_bodies();
            if input.contacts.is_none() && self.config.detection.self_contact.before_sweep(k) {
                self.particles.detect_self_contact();
            }
            let particles = self.particles.sweep();
            let more_follow = input.contacts.is_none() && k + 1 < self.config.iterations;
            self.particles.limit_motion(more_follow);
            report.skipped_blocks = bodies + particles;
            skipped = particles > 0;
        }
        report.first_skipped = if skipped { self.particles.first_skipped() } else { None };
        if span.is_some() {
            self.with_bodies(|particles, movable| particles.end_ways(done < sweeps, movable));
        }
        done
    }

    /// `work` that may move free bodies; those that own them are told.
    fn with_bodies(&mut self, work: impl FnOnce(&mut dyn ParticleBackend, &mut Movable)) {
        self.moved.clear();
        let rigid = &self.rigid;
        let (bodies, moved) = (&mut self.bodies, &mut self.moved);
        let mut movable = Movable { bodies, is_free: &|b| !rigid.connects(b), moved };
        work(&mut *self.particles, &mut movable);
        if !self.moved.is_empty() {
            self.rigid.take_over(&self.bodies, &self.moved);
        }
    }

    /// Every free body once; returns how many were skipped.
    fn sweep_bodies(&mut self) -> usize {
        if self.particles.sweep_bodies() {
            return 0;
        }
        self.rigid.sweep(&mut self.bodies, &mut *self.particles)
    }

    /// Whether there is something worth spreading over threads.
    pub(crate) fn is_wide(&self) -> bool {
        self.view.particle_count() >= self.config.parallel_threshold
            || self.config.spreads_bodies(self.view.body_count())
            || self.config.self_contact.is_some()
    }

    /// Inertial targets; every iterate starts at its target.
    fn predict(&mut self, input: &StepInput, h: f64) {
        let (gravity, forces) = (self.view.gravity, input.forces);
        let proxies = &self.proxies;
        for &(b, velocity) in &input.control.body_motion {
            self.bodies.prescribe(b.index(), velocity);
        }
        let parallel = self.config.spreads_bodies(self.bodies.len());
        self.bodies.predict(&gravity, &forces.body_f, h, parallel, |i, b| proxies.body_end(i, b, h));
        if let Some(external) = &self.external {
            external.carry(&mut self.bodies);
        }
        self.particles.predict(&ParticleForces { gravity, particle_f: &forces.particle_f, h });
        for &(p, velocity) in &input.control.particle_motion {
            if particle_mobility(&self.view, p) == Mobility::Prescribed {
                self.particles.carry(p, velocity, h);
            }
        }
        self.particles.fetch(&mut self.proxies.particles.iter().map(|(p, _)| *p));
        for (p, track) in &self.proxies.particles {
            let (x, v) = self.particles.get(*p);
            let end = track.next(&at(x), &Spatial::new(v, coact_math::Vec3::zeros()), h);
            self.particles.set_target(*p, end.pose.p, end.velocity.lin);
        }
    }

    /// Pairs of particles among themselves, or the caller's; they bound the prediction
    /// and where rows start from.
    fn begin_self_contact(&mut self, input: &StepInput) {
        let given = input.contacts.map(|c| GivenPairs {
            vertex_triangle: &c.particle_vertex_triangle,
            edge_edge: &c.particle_edge_edge,
        });
        self.particles.begin_self_contact(given, &self.view);
    }

    /// Contacts at the begin of the step, or the caller's, as rows; by its schedule the slot
    /// runs again at the prediction.
    fn detect(&mut self, input: &StepInput, report: &mut StepReport) {
        let slot = self.config.detection.rigid_soft;
        let ours = slot.before_init() && input.contacts.is_none();
        self.find_contacts(ours.then_some(DetectionPlace::Begin), report);
        let contacts = input.contacts.map_or(&self.contacts[..], |c| &c.particle_shape);
        let grew = self.particles.build_rows(contacts, &self.view, &self.bodies);
        report.growth += usize::from(grew);
        self.particles.begin_attachments(&self.view, &self.bodies);
        self.particles.start_from_rows();
        if slot.after_init() {
            self.detect_again(input, report);
        }
    }

    /// Joints and contacts between bodies, by the schedule or the caller's, as rows.
    fn begin_bodies(&mut self, input: &StepInput, h: f64, report: &mut StepReport) {
        if self.device.is_some() || self.external.is_some() {
            return;
        }
        let ours = input.contacts.is_none();
        self.rigid.detection.clear();
        if ours && self.config.detection.rigid.before_init() {
            report.growth += usize::from(self.rigid.detection.detect(&self.bodies, Place::Begin, h));
        }
        let given = input.contacts.map(|c| &c.shapes[..]);
        let grew = self.rigid.begin(&self.view, input.control, &mut self.bodies, given, h);
        report.growth += usize::from(grew);
        if self.config.detection.rigid.after_init() {
            self.detect_bodies_again(input, report);
        }
    }

    /// Replaces the contacts between bodies by those at the iterate; the caller's stay.
    fn detect_bodies_again(&mut self, input: &StepInput, report: &mut StepReport) {
        if input.contacts.is_none() && self.device.is_none() && self.external.is_none() {
            report.growth += usize::from(self.rigid.detect_again(&self.view, &self.bodies));
        }
    }

    /// Replaces the rows by those at the iterate; the caller's contacts stay.
    fn detect_again(&mut self, input: &StepInput, report: &mut StepReport) {
        if input.contacts.is_none() {
            self.find_contacts(Some(DetectionPlace::Iterate), report);
            let grew = self.particles.build_rows(&self.contacts, &self.view, &self.bodies);
            report.growth += usize::from(grew);
        }
    }

    fn find_contacts(&mut self, place: Option<DetectionPlace>, report: &mut StepReport) {
        let before = self.contacts.capacity();
        self.contacts.clear();
        let place = place.filter(|_| !self.detector.is_empty());
        let grew = place.is_some_and(|place| self.detect_particle_shape(place));
        report.growth += usize::from(grew || self.contacts.capacity() > before);
    }

    fn detect_particle_shape(&mut self, place: DetectionPlace) -> bool {
        let (bodies, speculative) = (&self.bodies, self.config.speculative);
        let frame = |b: BodyId| match place {
            DetectionPlace::Begin => bodies.get(b.index()).begin_frame(),
            DetectionPlace::Iterate => bodies.get(b.index()).frame(),
        };
        let motion = |b: BodyId, far: f64| {
            if speculative { bodies.get(b.index()).motion_bound(far) } else { 0.0 }
        };
        self.detector.place(frame, motion);
        let grew = self.particles.detect(&mut self.detector, place, speculative, &mut self.contacts);
        self.leave_out_attached();
        grew
    }

    /// A particle does not touch the body that holds it.
    fn leave_out_attached(&mut self) {
        self.attached.clear();
        let (v, attached) = (&self.view, &mut self.attached);
        let on = (0..v.attachment_particle.len()).filter(|&a| v.attachment_enabled[a]);
        attached.extend(on.map(|a| (v.attachment_particle[a], v.attachment_body[a])));
        if !attached.is_empty() {
            attached.sort_unstable();
            let holds = |c: &ParticleShapeContact| {
                c.body.is_some_and(|b| attached.binary_search(&(c.particle, b)).is_ok())
            };
            self.contacts.retain(|c| !holds(c));
        }
    }

    /// Force residual of all blocks but bodies that something connects, if it is asked for.
    fn residual(&mut self, h: f64, report: &mut StepReport) -> ResidualSums {
        if !self.config.report_residual {
            return ResidualSums::default();
        }
        self.eval_residual(h, report)
    }

    /// Those of connected bodies are known from their own solve.
    fn report_residuals(&self, mut first: ResidualSums, mut last: ResidualSums, report: &mut StepReport) {
        if self.config.report_residual {
            let [begin, end] = self.rigid.residuals();
            first.join(&begin);
            last.join(&end);
        }
        (report.residual_first, report.residual_last) = (first.residual(), last.residual());
    }

    fn eval_residual(&mut self, h: f64, report: &mut StepReport) -> ResidualSums {
        let p = self.particles.residual();
        report.worst_particle = p.worst;
        let mut sums = ResidualSums { max: p.max, sum_sq: p.sum_sq, count: p.count };
        for b in (0..self.bodies.len()).filter(|&b| self.bodies.get(b).is_free() && !self.rigid.connects(b)) {
            let load = self.particles.body_load(b, &self.bodies);
            sums.add(self.bodies.residual(b, load, h).lin.norm_squared());
        }
        sums
    }

    /// End velocities and positions; proxies take note of what they received.
    fn finalize(&mut self, h: f64) {
        self.rigid.commit(&mut self.bodies, &*self.particles);
        self.particles.draw_up_account(&self.bodies, &mut self.rigid.bonds(&self.bodies));
        self.particles.finalize(&mut self.bodies);
        self.bodies.finalize(h, self.config.spreads_bodies(self.bodies.len()));
        self.rigid.keep_momentum(&mut self.bodies, &*self.particles);
        self.particles.settle_account(&self.bodies);
        self.rigid.bounce(&mut self.bodies);
        for (b, track) in &mut self.proxies.bodies {
            let body = self.bodies.get(b.index());
            track.receive(Spatial::new(body.dx, body.theta()), body.received(h), h);
        }
        for (p, track) in &mut self.proxies.particles {
            let d = self.particles.correction(*p);
            let f = d * (self.view.particle_mass[p.index()] / (h * h));
            let linear = |v| Spatial::new(v, coact_math::Vec3::zeros());
            track.receive(linear(d), linear(f), h);
        }
    }

    fn fill_report(&self, h: f64, report: &mut StepReport) {
        let s = self.particles.contact_summary();
        (report.contacts.particle_shape, report.contacts.particle_shape_active) = (s.rows, s.active);
        if let Some((depth, particle, shape)) = s.deepest {
            let shape = Some(shape);
            report.penetration = WorstPenetration { depth, particle: Some(particle), shape, other: None };
        }
        if let Some((attachment, gap)) = self.particles.worst_attachment() {
            report.attachment = WorstAttachment { gap, attachment: Some(attachment) };
        }
        self.report_bodies(report);
        if let Some(s) = self.particles.self_contact_summary() {
            report.self_contact = SelfContactReport {
                pairs: s.pairs,
                active: s.active,
                least_distance: s.least_distance,
                exempt: s.exempt,
                detections: s.detections,
                truncated_particles: s.truncated.particles,
                truncated_motion: s.truncated.largest,
                lagging_particles: s.lagging.0,
                lag: s.lagging.1.map_or(0.0, |(lag, _)| lag),
                lagging: s.lagging.1.map(|(_, p)| p),
                truncated_momentum: (s.truncated.moment / h).into(),
            };
            report.growth += s.growth;
        }
        self.particles.note_nonfinite(&mut |p| report.note_nonfinite(EntityId::Particle(p)));
        self.bodies.note_nonfinite(|b| report.note_nonfinite(EntityId::Body(b)));
    }

    fn report_bodies(&self, report: &mut StepReport) {
        let s = self.rigid.summary();
        report.worst_joint = s.worst_joint;
        (report.contacts.shapes, report.contacts.shapes_active) = s.contacts;
        if let Some((depth, [a, b])) = s.deepest.filter(|(depth, _)| *depth > report.penetration.depth) {
            report.penetration = WorstPenetration { depth, particle: None, shape: Some(a), other: Some(b) };
        }
    }

    /// What a device found out while it ran the recorded stages.
    fn take_outcome(&mut self, report: &mut StepReport) -> Result<(), SolverError> {
        let Some(o) = self.particles.outcome() else { return Ok(()) };
        let residual =
            |r: ParticleResidual| Residual { max: r.max, rms: (r.sum_sq / r.count.max(1) as f64).sqrt() };
        [report.residual_first, report.residual_last] = o.residuals.map(residual);
        (report.skipped_blocks, report.bytes_moved) = (o.skipped, o.bytes);
        report.growth += o.growth;
        report.worst_particle = o.residuals[1].worst;
        o.fault.map_or(Ok(()), Err)
    }
}
