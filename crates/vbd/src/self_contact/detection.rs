//! What self-contact holds from one detection to the next: pairs, and the bounds of motion.

use coact_collide::self_contact::{Query, SelfContactDetector};
use coact_math::{Real, V3, Vec3};
use coact_model::{Material, MaterialId, ModelView, ParticleId};
use coact_solver::SolverError;

use super::bounds::{Bounds, Clearances};
use super::budget::Budget;
use super::lag::Lags;
use super::limit::Cut;
use super::pair::{PairKind, corners_at_once};
use super::pairs::{Pairs, Stencil};
use super::separator::eval_contact_normal;
use super::settings::{SelfContactConfig, Truncation};
use super::surface::detector_of;
use crate::prepared::Layout;

/// How far clearances are searched, in mean edges: farther costs time, nearer costs detections.
const CLEARANCE_CAP: f64 = 8.0;
/// Clearance per planned motion: 2/γ, and something for what the solve adds.
const CLEARANCE_PER_MOTION: f64 = 3.0;

/// Part of the particles that may use up their bounds before detection runs again.
const USED_UP_SHARE: f64 = 0.01;

/// Room for particles outside their sets at first.
const GOALS: usize = 4096;

/// How many times as many detections a step may have while a prescribed particle is behind.
const BEHIND: usize = 2;
/// The same while one is held back that nothing is near: it costs time, but motion that meets nothing is free.
const ALONE: usize = 8;

/// Detections of a step without need for more.
const SCHEDULED: usize = 2;

/// Where the particles are, as detection and bounds ask for it. All by slot.
pub trait Place: Sync {
    /// Position now \[m\].
    fn position(&self, slot: usize) -> Vec3;
    /// Motion that the step plans for it \[m\].
    fn planned(&self, slot: usize) -> Vec3;
    /// Whether the step moves it.
    fn moves(&self, slot: usize) -> bool;
}

/// Pairs that a caller hands over, by particle.
#[derive(Clone, Copy, Debug)]
pub struct GivenPairs<'a> {
    /// Vertex and triangle.
    pub vertex_triangle: &'a [[ParticleId; 4]],
    /// Two edges.
    pub edge_edge: &'a [[ParticleId; 4]],
}

/// What truncation took from the motion of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Truncated {
    /// Particles that were held back.
    pub particles: usize,
    /// Largest motion that was cut off \[m\].
    pub largest: f64,
    /// Σ of mass times what was cut off \[kg·m\].
    pub moment: Vec3,
}

impl Truncated {
    /// With the counts and lengths of another where these are larger.
    pub fn at_least(self, o: Self) -> Self {
        let (particles, largest) = (self.particles.max(o.particles), self.largest.max(o.largest));
        Self { particles, largest, ..self }
    }

    /// Adds what was taken from others.
    pub fn join(&mut self, o: &Self) {
        self.particles += o.particles;
        self.largest = self.largest.max(o.largest);
        self.moment += o.moment;
    }

    /// A particle of this mass \[kg\] that was held back by `cut` \[m\].
    pub fn note(&mut self, cut: &Vec3, mass: f64) {
        self.particles += 1;
        self.largest = self.largest.max(cut.norm());
        self.moment += cut * mass;
    }
}

/// What bounds did since they were last looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cuts {
    /// Particles that a ball cut.
    pub by_ball: usize,
    /// Whether one of them lost so much that detection should run again.
    pub fast: bool,
    /// Whether one of them is in a component that nothing is near.
    pub alone: bool,
    /// All cuts.
    pub truncated: Truncated,
}

impl Cuts {
    /// A single particle that loses more than this part of its way asks for detection.
    const FAST: f64 = 0.1;

    /// Notes what bounds did to a particle that wanted to be at `goal`, beyond rounding; a prescribed one,
    /// without a `mass` \[kg\], loses no motion by that, but has to get there. `alone`: nothing is near.
    pub fn note(&mut self, cut: &Cut, goal: &Vec3, mass: Option<f64>, alone: bool) {
        if cut.is_rounding {
            return;
        }
        self.by_ball += usize::from(cut.by_ball > 0.0);
        self.alone |= alone && cut.by_ball > 0.0;
        self.fast |= cut.by_ball > if mass.is_some() && !alone { Self::FAST } else { 0.0 };
        if let Some(mass) = mass {
            self.truncated.note(&(goal - cut.x), mass);
        }
    }

    /// Adds those of others.
    pub fn join(&mut self, o: &Self) {
        self.by_ball += o.by_ball;
        self.fast |= o.fast;
        self.alone |= o.alone;
        self.truncated.join(&o.truncated);
    }
}

/// What further detections a part of the step may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    /// How many are left for later.
    pub spare: usize,
    /// Whether a prescribed particle is behind.
    pub behind: bool,
}

/// How motion is bounded.
#[derive(Clone, Debug)]
pub enum Guard {
    /// Not at all; positions at the last detection \[m\].
    Off(Vec<Vec3>),
    /// As the reference does.
    Budget(Box<Budget>),
    /// By own distances.
    PerParticle(Box<Bounds>),
}

impl Guard {
    /// Positions at the last detection \[m\]. Shape: \[slot_count\].
    fn x_ref(&mut self) -> &mut Vec<Vec3> {
        match self {
            Self::Off(x) => x,
            Self::Budget(b) => &mut b.x_ref,
            Self::PerParticle(b) => &mut b.x_ref,
        }
    }
}

/// What outlives a step.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    bounds: Bounds,
    held: Vec<Vec3>,
    lags: Lags,
}

/// Self-contact of the particles of a view.
pub struct SelfContact<R> {
    pub config: SelfContactConfig,
    pub pairs: Pairs<R>,
    pub guard: Guard,
    /// Detections in this step.
    pub detections: usize,
    /// Most pairs of a detection of this step that nothing separated.
    pub exempt: usize,
    /// What bounds took of the prediction.
    pub truncated_start: Truncated,
    /// What bounds took in the last sweep.
    pub truncated: Truncated,
    /// What bounds do in the present sweep.
    pub cuts: Cuts,
    /// Acceleration that each particle with a pair had in the last step beside the free one
    /// \[m/s²\].
    pub held: Vec<Vec3>,
    /// Iterates as they were before bounds.
    pub wanted: Vec<V3<f64>>,
    /// Prescribed particles that are not where they should be.
    pub lags: Lags,
    /// Particles outside their sets, by slot, and where they want to be \[m\].
    pub goal: Vec<(usize, Vec3)>,
    /// Which particles are outside their sets.
    pub outside: Vec<bool>,
    /// Lists that grew in this step.
    pub growth: usize,
    detector: SelfContactDetector,
    mean_edge: f64,
    /// Clearances beside the pairs of a caller.
    reach: Vec<f32>,
    /// Whether the step detects by itself.
    detects: bool,
    materials: Vec<Material>,
    /// Of each slot. Shape: \[slot_count\].
    material_of: Vec<MaterialId>,
}

impl<R: Real> SelfContact<R> {
    /// For a view at its initial state; `epsilon`: rounding of a position \[m\].
    ///
    /// # Errors
    /// A surface that cannot work with the settings.
    pub fn new(
        view: &ModelView,
        layout: &Layout,
        config: SelfContactConfig,
        epsilon: f64,
    ) -> Result<Self, SolverError> {
        let detector = detector_of(view, layout, &config)?;
        let (surface, slots) = (detector.surface(), layout.particle_of.len());
        let length = |e: &[u32; 2]| {
            let [a, b] = e.map(|s| view.particle_q[layout.particle_of[s as usize] as usize]);
            (b - a).norm()
        };
        let mean_edge = surface.edges().iter().map(length).sum::<f64>() / surface.edges().len().max(1) as f64;
        let mut labels = vec![u32::MAX; slots];
        for &s in surface.triangles().iter().flatten() {
            labels[s as usize] = surface.component()[s as usize];
        }
        let guard = match config.truncation {
            Truncation::Off => Guard::Off(vec![Vec3::zeros(); slots]),
            Truncation::Budget => {
                Guard::Budget(Box::new(Budget::new(slots, config.relaxation, config.radius())))
            }
            Truncation::PerParticle => {
                Guard::PerParticle(Box::new(Bounds::new(&labels, config.relaxation, config.margin, epsilon)))
            }
        };
        Ok(Self {
            pairs: Pairs::new(slots),
            reach: Vec::new(),
            detections: 0,
            exempt: 0,
            truncated_start: Truncated::default(),
            truncated: Truncated::default(),
            cuts: Cuts::default(),
            held: vec![Vec3::zeros(); slots],
            wanted: vec![V3::zero(); slots],
            lags: Lags::default(),
            goal: Vec::with_capacity(slots.min(GOALS)),
            outside: vec![false; slots],
            growth: 0,
            config,
            guard,
            detector,
            mean_edge,
            detects: false,
            materials: view.materials.to_vec(),
            material_of: layout.particle_of.iter().map(|&p| view.particle_material[p as usize]).collect(),
        })
    }

    /// Which material each particle is of.
    pub fn read_materials(&mut self, view: &ModelView, layout: &Layout) {
        for (of, &p) in self.material_of.iter_mut().zip(&layout.particle_of) {
            *of = view.particle_material[p as usize];
        }
    }

    /// Forgets what the last step counted. `detects`: whether this one detects by itself.
    pub fn begin_step(&mut self, materials: &[Material], detects: bool) {
        self.detects = detects;
        self.materials.clear();
        self.materials.extend_from_slice(materials);
        (self.detections, self.exempt, self.growth) = (0, 0, 0);
        (self.truncated_start, self.truncated) = (Truncated::default(), Truncated::default());
        self.cuts = Cuts::default();
    }

    /// Where the particles are now, in the memory of the bounds.
    fn positions(&mut self, place: &impl Place) -> Vec<Vec3> {
        let mut x = std::mem::take(self.guard.x_ref());
        for (slot, x) in x.iter_mut().enumerate() {
            *x = place.position(slot);
        }
        x
    }

    /// Finds pairs and clearances where the particles are now; what they may do counts from here.
    pub fn detect(&mut self, place: &impl Place, layout: &Layout) {
        let before = self.grown();
        let x = self.positions(place);
        let radius = self.config.radius();
        let clearance_radius = self.clearance_radius(place);
        self.detector.detect(&x, Query { radius, clearance_radius });
        let d = &self.detector;
        let at_once = |v: &[u32; 4]| at_once(&self.config, layout, v);
        let normal = |kind, v: &[u32; 4]| normal(kind, v, &x);
        let material = |s: &Stencil| mixed(&self.materials, &self.material_of, s);
        self.pairs.build(stencils(d), material, at_once, normal);
        *self.guard.x_ref() = x;
        let clearances = Clearances { own: d.own_clearance(), cross: d.cross_clearance() };
        self.exempt = self.exempt.max(bind(&mut self.guard, &self.pairs, clearances, place));
        self.detections += 1;
        self.growth += usize::from(self.grown() > before);
    }

    /// Takes over the pairs of the caller, who vouches that all others are farther apart than
    /// margin + gap.
    pub fn take(&mut self, given: GivenPairs, place: &impl Place, layout: &Layout) {
        let before = self.capacity();
        let x = self.positions(place);
        let stencil = |kind, v: &[ParticleId; 4]| Stencil {
            kind,
            v: v.map(|p| layout.slot_of[p.index()]),
            presses: true,
        };
        let vt = given.vertex_triangle.iter().map(|v| stencil(PairKind::VertexTriangle, v));
        let ee = given.edge_edge.iter().map(|v| stencil(PairKind::EdgeEdge, v));
        let at_once = |v: &[u32; 4]| at_once(&self.config, layout, v);
        let normal = |kind, v: &[u32; 4]| normal(kind, v, &x);
        let material = |s: &Stencil| mixed(&self.materials, &self.material_of, s);
        self.pairs.build(vt.chain(ee), material, at_once, normal);
        self.reach.resize(x.len(), self.config.radius() as f32);
        *self.guard.x_ref() = x;
        let clearances = Clearances { own: &self.reach, cross: &self.reach };
        self.exempt = bind(&mut self.guard, &self.pairs, clearances, place);
        self.growth += usize::from(self.capacity() > before);
    }

    /// No pairs, nothing bounded.
    pub fn clear(&mut self) {
        self.invalidate();
        self.pairs.build(std::iter::empty(), |_| no_material(), |_| 0, |_, _| Vec3::z());
    }

    /// All particles were put elsewhere.
    pub fn forget(&mut self) {
        self.held.fill(Vec3::zeros());
        self.lags.clear();
        self.invalidate();
    }

    /// Particles were put elsewhere: what the last step found does not hold.
    pub fn invalidate(&mut self) {
        if let Guard::PerParticle(b) = &mut self.guard {
            b.invalidate();
        }
    }

    /// What the next step depends on, for an exact restore.
    pub fn save_into(&self, to: &mut Kept) {
        to.held.clone_from(&self.held);
        to.lags.clone_from(&self.lags);
        if let Guard::PerParticle(b) = &self.guard {
            to.bounds.restore(b);
        }
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, from: &Kept) {
        self.held.clone_from(&from.held);
        self.lags.clone_from(&from.lags);
        if let Guard::PerParticle(b) = &mut self.guard {
            b.restore(&from.bounds);
        }
    }

    /// Whether a particle at `x` \[m\] is where the last detection knows that it meets nothing of other
    /// components.
    pub fn is_clear(&self, slot: usize, x: &Vec3) -> bool {
        match &self.guard {
            Guard::Off(_) => true,
            Guard::Budget(b) => (x - b.x_ref[slot]).norm() <= b.cap,
            Guard::PerParticle(b) => b.holds_across(slot, x),
        }
    }

    /// Whether so many bounds are used up that detection should run again, and may.
    pub fn asks_for_detection(&self, cuts: &Cuts, budgets: Budgets) -> bool {
        let Guard::PerParticle(bounds) = &self.guard else { return false };
        let factor = match (cuts.alone, budgets.behind) {
            (true, _) => ALONE,
            (false, true) => BEHIND,
            (false, false) => 1,
        };
        let may = self.detects && self.detections + budgets.spare < factor * self.config.max_detections;
        may && (cuts.fast || cuts.by_ball as f64 > USED_UP_SHARE * bounds.bound_count() as f64)
    }

    /// Farther than the pairs only if particles are about to move so far against each other;
    /// every detection beyond the usual two of a step looks twice as far.
    fn clearance_radius(&self, place: &impl Place) -> f64 {
        let radius = self.config.radius();
        let Guard::PerParticle(bounds) = &self.guard else { return radius };
        let count = bounds.bound_count().max(1) as f64;
        let slots = || (0..self.held.len()).filter(|&s| bounds.is_bound(s));
        let mean: Vec3 = slots().map(|s| place.planned(s)).sum::<Vec3>() / count;
        let most = slots().map(|s| (place.planned(s) - mean).norm_squared()).fold(0.0, f64::max).sqrt();
        let farther = f64::from(1_u32 << self.detections.saturating_sub(SCHEDULED).min(16));
        let wanted = (CLEARANCE_PER_MOTION * most).max(radius) * farther;
        wanted.clamp(radius, radius.max(CLEARANCE_CAP * self.mean_edge))
    }

    /// Rises when memory was taken: a list grew, or a tree was built anew.
    fn grown(&self) -> usize {
        self.capacity() + self.detector.growth() + self.detector.rebuilds()
    }

    fn capacity(&self) -> usize {
        let guard = match &self.guard {
            Guard::Off(_) => 0,
            Guard::Budget(b) => b.capacity(),
            Guard::PerParticle(b) => b.capacity(),
        };
        self.pairs.capacity() + guard
    }
}

/// What the detector found, by slots: first all pairs that press.
fn stencils(d: &SelfContactDetector) -> impl Iterator<Item = Stencil> + '_ {
    let vt = |presses| move |&[v, t]: &[u32; 2]| vertex_triangle(d, v, t, presses);
    let ee = |presses| move |&[e, f]: &[u32; 2]| edge_edge(d, e, f, presses);
    let pressing = d.vertex_triangle().iter().map(vt(true)).chain(d.edge_edge().iter().map(ee(true)));
    let close = d.close_vertex_triangle().iter().map(vt(false));
    pressing.chain(close).chain(d.close_edge_edge().iter().map(ee(false)))
}

fn vertex_triangle(d: &SelfContactDetector, v: u32, t: u32, presses: bool) -> Stencil {
    let [a, b, c] = d.surface().triangles()[t as usize];
    Stencil { kind: PairKind::VertexTriangle, v: [v, a, b, c], presses }
}

fn edge_edge(d: &SelfContactDetector, e: u32, f: u32, presses: bool) -> Stencil {
    let ([a, b], [c, d]) = (d.surface().edges()[e as usize], d.surface().edges()[f as usize]);
    Stencil { kind: PairKind::EdgeEdge, v: [a, b, c, d], presses }
}

/// Mixed from the first vertex of each side.
fn mixed(materials: &[Material], of: &[MaterialId], s: &Stencil) -> Material {
    let of = |slot: u32| &materials[of[slot as usize].index()];
    Material::mix(of(s.v[0]), of(s.v[s.kind.first_side()]))
}

/// Which corners of a pair the sweep moves at once, where these are to share it.
fn at_once(config: &SelfContactConfig, layout: &Layout, v: &[u32; 4]) -> u16 {
    if config.share_pairs { corners_at_once(v.map(|s| layout.color_of(s))) } else { 0 }
}

fn no_material() -> Material {
    Material { ke: 0.0, kd: 0.0, mu: 0.0, ..Material::default() }
}

fn normal(kind: PairKind, v: &[u32; 4], x: &[Vec3]) -> Vec3 {
    eval_contact_normal(kind, &v.map(|v| x[v as usize]))
}

/// Bounds that hold from `x_ref` on. Returns the number of exempt pairs.
fn bind<R: Real>(guard: &mut Guard, pairs: &Pairs<R>, clearances: Clearances, place: &impl Place) -> usize {
    match guard {
        Guard::Off(_) => 0,
        Guard::Budget(b) => b.place(pairs),
        Guard::PerParticle(b) => {
            b.set_clearances(clearances);
            b.place_planes(pairs, |s| place.planned(s), |s| place.moves(s))
        }
    }
}
