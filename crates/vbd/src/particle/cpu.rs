//! Particles on the host, `P` for positions and velocities, `R` for blocks.

use std::sync::Arc;

use coact_collide::{ParticleShapeContact, ParticleShapeDetector};
use coact_math::{Mat3, Scalar, V3, Vec3};
use coact_model::{AttachmentId, Model, ModelFlags, ModelView, ParticleId};
use coact_solver::{DetectionSchedule, ParticleContactLoad, Snapshot};

use super::account::{Account, SavedAccount};
use super::backend::{ContactSummary, DetectionPlace, ParticleBackend, ParticleForces, ParticleResidual};
use super::columns::Columns;
use super::contact::GroupTerms;
use super::directions::Directions;
use super::momentum::FreeComponents;
use super::reduction::Movable;
use super::self_contact::SelfContactSummary;
use crate::attachment::{AttachmentState, Attachments};
use crate::body::{Bodies, BodyLoad};
use crate::coarse::Coarse;
use crate::config::{
    Acceleration, ContactLaw, FrictionLaw, MembraneHessian, SingularRule, SpringHessian, VbdConfig,
    VelocityRule,
};
use crate::contact::{Anchor, ContactRows, SlipLaw};
use crate::energy::Block;
use crate::lanes::{LaneSweep, LaneWidths, Simd, lane_sweep};
use crate::prepared::{Elements, Layout};
use crate::reset::Chosen;
use crate::rigid::Bond;
use crate::self_contact::{GivenPairs, Kept, PairLaw, SelfContact};

/// The settings that blocks need.
#[derive(Clone, Copy, Debug)]
pub struct CpuOptions {
    /// Slip velocity below which friction is smoothed \[m/s\].
    pub friction_epsilon: f64,
    /// How rows rub.
    pub friction: FrictionLaw,
    /// Speed at which particles that begin inside a shape come out \[m/s\].
    pub depenetration_speed: f64,
    /// How rows press.
    pub contact_law: ContactLaw,
    /// Share of the multipliers of attachments that a step takes over.
    pub retention: f64,
    /// Over how many penetrations the approach of a contact is damped.
    pub damped_depth: f64,
    /// Hessian of compressed springs.
    pub spring_hessian: SpringHessian,
    /// Block of membranes along their normal.
    pub membrane_hessian: MembraneHessian,
    /// When a block is skipped.
    pub singular: SingularRule,
    /// Where end velocities come from.
    pub velocity: VelocityRule,
    /// Whether coarse blocks are built.
    pub coarse: bool,
    /// Whether sweeps may be accelerated.
    pub accelerated: bool,
    /// Elements without stiffness are not damped.
    pub damping_needs_stiffness: bool,
    /// Vector instructions of the sweep.
    pub simd: Simd,
    /// When self-contact is detected.
    pub self_schedule: DetectionSchedule,
    /// Blocks of a color from which on it is spread over threads.
    pub parallel_threshold: usize,
}

impl CpuOptions {
    /// From the settings of the solver.
    pub fn new(config: &VbdConfig) -> Self {
        Self {
            friction_epsilon: config.friction_epsilon,
            friction: config.friction,
            depenetration_speed: config.depenetration_speed,
            contact_law: config.contact_law,
            retention: config.multiplier_retention,
            damped_depth: config.contact_damping.depth(),
            spring_hessian: config.spring_hessian,
            membrane_hessian: config.membrane_hessian,
            singular: config.singular,
            velocity: config.velocity,
            coarse: config.coarse.is_built(),
            accelerated: config.acceleration != Acceleration::Off,
            damping_needs_stiffness: config.damping_needs_stiffness,
            simd: config.simd,
            self_schedule: config.detection.self_contact,
            parallel_threshold: if config.threads == Some(1) {
                usize::MAX
            } else {
                config.parallel_threshold
            },
        }
    }
}

/// Particles on the host.
pub struct CpuParticles<P, R: Scalar> {
    pub(super) layout: Arc<Layout>,
    pub(super) options: CpuOptions,
    pub(super) columns: Columns<P, R>,
    pub(super) elements: Elements<R>,
    /// In `f64`: a load is a small share of the stiffness times a particle's way.
    pub(super) rows: ContactRows<f64>,
    pub(super) attachments: Attachments,
    /// What all terms of the step share: 1/h and the slip law.
    pub(super) law: SlipLaw<f64>,
    /// What blocks meet, in lanes.
    pub(super) lanes: Box<dyn LaneSweep<R>>,
    /// Pairs of the particles with each other, and bounds of motion; `None` = off.
    pub(super) self_contact: Option<Box<SelfContact<R>>>,
    /// What all pairs of the step share.
    pub(super) pair_law: PairLaw<R>,
    /// Coarse blocks; no level where there is no coarse correction.
    pub(super) coarse: Box<dyn Coarse<R>>,
    /// Terms of each part of the coarse blocks of a color.
    pub(super) coarse_terms: Vec<Block<R>>,
    /// What may move, and how stiff elements hold it, by slot: for the coarse blocks.
    pub(super) coarse_input: (Vec<bool>, Vec<f64>),
    /// Mean stiffness over mass of a movable block \[1/s²\].
    pub(super) stiffness: f64,
    /// The step of each block of a color.
    pub(super) buffer: Vec<V3<R>>,
    /// Displacements of the blocks of a color before it was swept, or motions of all \[m\].
    pub(super) before: Vec<V3<f64>>,
    /// Residual of each block \[N\], when one was asked for; 0 where nothing moves.
    pub(super) residual: Vec<V3<R>>,
    /// Whether it is that of the end of the step.
    pub(super) residual_is_current: bool,
    /// Ways that the step went, where sweeps are accelerated.
    pub(super) directions: Directions<R>,
    /// Components that nothing may act on.
    pub(super) free: FreeComponents,
    /// What islands gained.
    pub(super) account: Account,
    /// Memory for the terms of a group.
    pub(super) group_terms: GroupTerms<R>,
    pub(super) h: f64,
    /// Of the step \[m/s²\].
    pub(super) gravity: Vec3,
}

impl<P: Scalar, R: LaneWidths> CpuParticles<P, R> {
    /// From a view and its layout, at the initial state of the view.
    pub fn new(view: &ModelView, layout: Arc<Layout>, options: CpuOptions) -> Self {
        let n = view.particle_count();
        let mut particles = Self {
            columns: Columns::new(n),
            elements: Elements::default(),
            rows: ContactRows::new(n, view.body_count(), options.friction, options.depenetration_speed),
            attachments: Attachments::new(view, &layout),
            law: SlipLaw::default(),
            lanes: lane_sweep(&layout, options.simd),
            self_contact: None,
            pair_law: PairLaw::default(),
            coarse: R::coarse(options.simd),
            coarse_terms: Vec::new(),
            coarse_input: Default::default(),
            stiffness: 0.0,
            buffer: vec![V3::zero(); layout.block_count],
            before: vec![V3::zero(); layout.block_count],
            residual: Vec::with_capacity(layout.block_count),
            group_terms: GroupTerms::default(),
            residual_is_current: false,
            directions: Directions::default(),
            free: FreeComponents::default(),
            account: Account::default(),
            h: 0.0,
            gravity: Vec3::zeros(),
            layout,
            options,
        };
        particles.group_terms.reserve(particles.lanes.lanes());
        particles.read_model(view, ModelFlags::all());
        particles.load(&view.particle_q, &view.particle_qd);
        particles
    }

    /// With contact of the particles among themselves.
    pub fn with_self_contact(mut self, self_contact: Option<SelfContact<R>>) -> Self {
        self.self_contact = self_contact.map(Box::new);
        self
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// A particle was put elsewhere, or all of them.
    fn forget_bounds(&mut self, slot: Option<usize>) {
        match (&mut self.self_contact, slot) {
            (None, _) => {}
            (Some(sc), None) => sc.forget(),
            (Some(sc), Some(slot)) => {
                sc.held[slot] = Vec3::zeros();
                sc.lags.forget(slot);
                sc.invalidate();
            }
        }
    }

    fn slot(&self, particle: ParticleId) -> usize {
        self.layout.slot_of[particle.index()] as usize
    }
}

/// The state between two steps.
#[derive(Default)]
struct Saved<P, R> {
    x0: Vec<V3<P>>,
    v: Vec<V3<P>>,
    /// What friction remembers.
    anchors: Vec<Anchor>,
    /// Multipliers of attachments.
    pulls: Vec<Vec3>,
    /// What self-contact keeps.
    self_contact: Kept,
    /// What the last step corrected, over h².
    correction: Vec<V3<R>>,
    account: SavedAccount,
}

impl<P: Scalar, R: Scalar> ParticleBackend for CpuParticles<P, R> {
    fn read_model(&mut self, view: &ModelView, flags: ModelFlags) {
        if flags.intersects(ModelFlags::PARTICLE_MASS | ModelFlags::SHAPES) {
            self.columns.read_masses(view, &self.layout);
        }
        if flags.contains(ModelFlags::ELEMENTS) {
            self.elements.read(view, &self.layout, self.options.damping_needs_stiffness);
            self.lanes.read(&self.elements, &self.layout);
        }
        let keeps = self.options.velocity == VelocityRule::Correction;
        if keeps && flags.intersects(ModelFlags::PARTICLE_MASS | ModelFlags::ELEMENTS) {
            self.read_free_components();
        }
        if let Some(sc) = &mut self.self_contact {
            sc.read_materials(view, &self.layout);
        }
        let (coarse, accelerated) = (self.options.coarse, self.options.accelerated);
        if (coarse || accelerated) && flags.intersects(ModelFlags::PARTICLE_MASS | ModelFlags::ELEMENTS) {
            self.read_coarse();
            if accelerated {
                self.read_directions();
            }
        }
    }

    fn load(&mut self, q: &[Vec3], qd: &[Vec3]) {
        for (slot, &p) in self.layout.particle_of.iter().enumerate() {
            self.columns.x0[slot] = V3::from_host(&q[p as usize]);
            self.columns.v[slot] = V3::from_host(&qd[p as usize]);
        }
        self.forget_bounds(None);
        self.directions.set_previous(&[]);
        self.account.forget();
        self.rows.keep(None);
        self.attachments.restore(None);
    }

    fn get(&self, particle: ParticleId) -> (Vec3, Vec3) {
        let slot = self.slot(particle);
        (self.columns.x0[slot].to_host(0), self.columns.v[slot].to_host(0))
    }

    fn set(&mut self, particle: ParticleId, q: Vec3, qd: Vec3) {
        let slot = self.slot(particle);
        self.columns.x0[slot] = V3::from_host(&q);
        self.columns.v[slot] = V3::from_host(&qd);
        self.forget_bounds(Some(slot));
    }

    fn forget(&mut self, chosen: &Chosen) {
        let layout = &self.layout;
        let is_chosen = |slot: u32| chosen.particle(layout.particle_of[slot as usize]);
        self.rows.forget(|slot, shape| is_chosen(slot) || chosen.shape(shape));
        self.attachments.forget(|slot, body| is_chosen(slot) || chosen.body(body));
        self.directions.forget(is_chosen);
        let (parts, bodies) = (&self.directions.parts, |b: usize| chosen.body(b as u32));
        self.account.forget_chosen(parts, is_chosen, bodies);
    }

    fn save(&self, to: &mut Snapshot) {
        let saved = to.slot::<Saved<P, R>>();
        saved.x0.clone_from(&self.columns.x0);
        saved.v.clone_from(&self.columns.v);
        self.rows.save(&mut saved.anchors);
        self.attachments.save(&mut saved.pulls);
        saved.correction.clear();
        saved.correction.extend_from_slice(self.directions.previous());
        self.account.save(&mut saved.account);
        if let Some(sc) = &self.self_contact {
            sc.save_into(&mut saved.self_contact);
        }
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(saved) = from.get::<Saved<P, R>>() {
            self.columns.x0.clone_from(&saved.x0);
            self.columns.v.clone_from(&saved.v);
            self.rows.keep(Some(&saved.anchors));
            self.attachments.restore(Some(&saved.pulls));
            self.directions.set_previous(&saved.correction);
            self.account.restore(&saved.account);
            if let Some(sc) = &mut self.self_contact {
                sc.restore(&saved.self_contact);
            }
        }
    }

    fn predict(&mut self, forces: &ParticleForces) {
        (self.h, self.gravity) = (forces.h, forces.gravity);
        self.law = SlipLaw {
            inv_h: 1.0 / forces.h,
            epsilon: self.options.friction_epsilon * forces.h,
            damped_depth: self.options.damped_depth,
            normal: self.options.contact_law,
        };
        self.columns.predict(forces, &self.layout, self.options.velocity);
        self.carry_lagging(forces.h);
        let parallel = self.layout.block_count >= self.options.parallel_threshold;
        self.lanes.start(&self.elements, (&self.columns.at, &self.columns.u), parallel);
    }

    fn carry(&mut self, particle: ParticleId, velocity: Vec3, h: f64) {
        self.carry_slot(self.slot(particle), &velocity, h);
    }

    fn set_target(&mut self, particle: ParticleId, y: Vec3, v_free: Vec3) {
        let slot = self.slot(particle);
        let y = V3::<P>::from_host(&y);
        let way = (y - self.columns.x0[slot], V3::from_host(&v_free));
        self.columns.put_target(slot, y, way, self.options.velocity);
    }

    fn detect(
        &self,
        detector: &mut ParticleShapeDetector,
        place: DetectionPlace,
        speculative: bool,
        out: &mut Vec<ParticleShapeContact>,
    ) -> bool {
        self.detect_contacts(detector, place, speculative, out)
    }

    fn build_rows(&mut self, contacts: &[ParticleShapeContact], model: &Model, bodies: &Bodies) -> bool {
        self.make_rows(contacts, model, bodies)
    }

    fn begin_attachments(&mut self, model: &Model, bodies: &Bodies) {
        self.prepare_attachments(model, bodies);
    }

    fn attachment(&self, id: AttachmentId) -> Option<AttachmentState> {
        self.attachments.state(id.0)
    }

    fn worst_attachment(&self) -> Option<(AttachmentId, f64)> {
        self.attachments.worst().map(|(id, gap)| (AttachmentId(id), gap))
    }

    fn start_from_rows(&mut self) {
        self.start_iterate();
    }

    fn refresh_rows(&mut self, body: usize, bodies: &Bodies) {
        let columns = &self.columns;
        self.rows.refresh(body, |slot| columns.target(slot), bodies);
        self.attachments.refresh(body, bodies, |slot| columns.target(slot).0);
    }

    fn acts_on_bodies(&self) -> bool {
        self.rows.act_on_bodies() || !self.attachments.is_empty()
    }

    fn body_load(&self, body: usize, bodies: &Bodies) -> BodyLoad {
        self.load_of_body(body, bodies)
    }

    fn begin_self_contact(&mut self, given: Option<GivenPairs>, model: &Model) {
        self.begin_pairs(given, model);
    }

    fn detect_self_contact(&mut self) {
        self.detect_pairs_again();
    }

    fn limit_motion(&mut self, more_follow: bool) {
        self.limit_after_sweep(more_follow);
    }

    fn self_contact_summary(&self) -> Option<SelfContactSummary> {
        self.self_contact.is_some().then(|| self.summarise_pairs())
    }

    fn sweep(&mut self) -> usize {
        self.sweep_colors()
    }

    fn first_skipped(&self) -> Option<ParticleId> {
        self.find_skipped().map(|slot| ParticleId(self.layout.particle_of[slot]))
    }

    fn stiffness(&self) -> f64 {
        self.stiffness * self.h * self.h
    }

    fn sweep_coarse(&mut self) {
        self.limited(Self::sweep_coarse_levels);
    }

    fn begin_ways(&mut self, fresh: bool, movable: &mut Movable) {
        self.limited(|p| CpuParticles::begin_ways(p, fresh, movable));
    }

    fn span_ways(&mut self, movable: &mut Movable) {
        self.limited(|p| p.span(movable));
    }

    fn end_ways(&mut self, is_done: bool, movable: &mut Movable) {
        self.limited(|p| CpuParticles::end_ways(p, is_done, movable));
    }

    fn residual(&mut self) -> ParticleResidual {
        self.measure_residual()
    }

    fn begin_compliances(&mut self, h: f64) -> bool {
        self.begin_blocks(h);
        true
    }

    fn compliance(&self, particle: ParticleId) -> Mat3 {
        self.block_compliance(self.slot(particle))
    }

    fn update_duals(&mut self) {
        self.rows.update_duals(&self.law, &self.columns.exact);
        self.attachments.update_duals(|slot| self.columns.exact[slot].to_host(0));
    }

    fn draw_up_account(&mut self, bodies: &Bodies, bonds: &mut dyn Iterator<Item = Bond>) {
        self.draw_up(bodies, bonds);
    }

    fn settle_account(&mut self, bodies: &Bodies) {
        self.settle_gains(bodies);
    }

    fn finalize(&mut self, bodies: &mut Bodies) {
        self.find_lost_momentum();
        self.rows.commit(&self.law, &self.columns.exact, &self.columns.inertia_exact, bodies);
        self.attachments.commit(|slot| self.columns.exact[slot].to_host(0));
        self.keep_held();
        self.note_lags();
        self.columns.finalize(self.h, self.options.velocity);
        self.restore_momentum();
    }

    fn correction(&self, particle: ParticleId) -> Vec3 {
        self.columns.exact[self.slot(particle)].to_host(0)
    }

    fn interface_force(&self, particle: ParticleId) -> Vec3 {
        let slot = self.slot(particle);
        if slot < self.layout.block_count { self.eval_block(slot).f.to_host(0) } else { Vec3::zeros() }
    }

    fn visit_contacts(&self, bodies: &Bodies, visit: &mut dyn FnMut(ParticleContactLoad)) {
        self.visit_rows(bodies, visit);
    }

    fn contact_summary(&self) -> ContactSummary {
        self.summarise_rows()
    }

    fn stored_energy(&self) -> f64 {
        self.stored_in_elements()
    }

    fn note_nonfinite(&self, note: &mut dyn FnMut(ParticleId)) {
        let bad = |v: V3<P>| !v.to_host(0).iter().all(|x| x.is_finite());
        for (p, &slot) in self.layout.slot_of.iter().enumerate() {
            let slot = slot as usize;
            if slot < self.layout.block_count && (bad(self.columns.x0[slot]) || bad(self.columns.v[slot])) {
                note(ParticleId::new(p));
            }
        }
    }
}
