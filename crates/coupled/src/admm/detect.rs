//! Which bodies and particles of two entries meet in this step: `docs/theory/admm-coupling.md` section 5.
//!
//! Shapes with shapes and particles with shapes by the detectors that all solvers use, on the whole
//! model; particles with particles by sorting along an axis. Records between entries that are no pair
//! are dropped. Nothing that is fast enough to meet within the step is left out.

use coact_collide::{
    ContactMatcher, ContactMatching, Mobility, ParticleQuery, ParticleShapeContact, ParticleShapeDetector,
    ShapeContact, ShapePairDetector, ShapePairOptions, UnsupportedShape,
};
use coact_math::Vec3;
use coact_model::{BodyId, Material, MaterialId, Model, ModelView, ParticleId};
use coact_solver::{Endpoint, EndpointState};

use super::contact::{Contact, Key};
use crate::Entries;
use crate::partition::Owners;

/// Steps that are looked ahead for what passes.
const AHEAD: f64 = 1.5;

/// Settings of matching.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matching {
    pub mode: ContactMatching,
    pub distance: Option<f64>,
}

/// All contacts between entries, and the memory to find them.
pub(super) struct Detection {
    shapes: ShapePairDetector,
    particles: ParticleShapeDetector,
    matcher: ContactMatcher,
    matching: Matching,
    pairs: PairTable,
    /// Endpoints of each entry that may touch, and their states at the begin.
    set: Vec<Vec<Endpoint>>,
    state: Vec<Vec<EndpointState>>,
    /// State of each body and particle of a pair's entries.
    bodies: Vec<EndpointState>,
    points: Vec<(EndpointState, bool)>,
    found: Vec<ShapeContact>,
    touched: Vec<ParticleShapeContact>,
    order: Vec<u32>,
    /// Contacts of this step and of the one before: of shapes, then of particles.
    pub contacts: Vec<Contact>,
    kept: Vec<Contact>,
}

impl Detection {
    /// For these pairs of entries, each with its interface.
    ///
    /// # Errors
    /// A shape that cannot be met.
    pub fn new(
        view: &ModelView,
        owners: &Owners,
        (entries, pairs): (usize, &[([usize; 2], usize)]),
        matching: Matching,
    ) -> Result<Self, UnsupportedShape> {
        let pairs = PairTable::new(entries, pairs);
        let pairs_with = |e: usize| (0..entries).any(|o| pairs.of(Some(e), Some(o)).is_some());
        let bodies = (0..view.body_count()).map(|b| Endpoint::Body(BodyId::new(b)));
        let particles = (0..view.particle_count()).map(|p| Endpoint::Particle(ParticleId::new(p)));
        let all: Vec<Endpoint> = bodies.chain(particles).collect();
        let of = |e: usize| all.iter().filter(move |x| owners.of(x) == Some(e)).copied();
        let set: Vec<Vec<Endpoint>> =
            (0..entries).map(|e| if pairs_with(e) { of(e).collect() } else { Vec::new() }).collect();
        Ok(Self {
            shapes: ShapePairDetector::new(view, ShapePairOptions::default())?,
            particles: ParticleShapeDetector::new(view, None)?,
            matcher: ContactMatcher::default(),
            matching,
            state: set.iter().map(|s| vec![EndpointState::default(); s.len()]).collect(),
            set,
            pairs,
            bodies: vec![EndpointState::default(); view.body_count()],
            points: vec![(EndpointState::default(), false); view.particle_count()],
            found: Vec::new(),
            touched: Vec::new(),
            order: Vec::new(),
            contacts: Vec::new(),
            kept: Vec::new(),
        })
    }

    /// Takes over shapes that changed.
    pub fn update(&mut self, view: &ModelView) {
        self.shapes.update(view);
        self.particles.update(view);
    }

    /// Memory for a snapshot, and back.
    pub fn save(&self, to: &mut Vec<Contact>) {
        to.clone_from(&self.contacts);
    }

    pub fn restore(&mut self, from: &[Contact]) {
        self.contacts.clear();
        self.contacts.extend_from_slice(from);
    }

    /// Forgets what touched some endpoints.
    pub fn forget(&mut self, is_chosen: impl Fn(&Endpoint) -> bool) {
        self.contacts.retain(|c| !c.ends.iter().any(&is_chosen));
    }

    /// Finds the contacts of the coming step, with what they remember.
    pub fn detect(&mut self, entries: &mut Entries, dt: f64) {
        std::mem::swap(&mut self.contacts, &mut self.kept);
        self.contacts.clear();
        self.read(entries);
        let model = entries.list[0].view.parent();
        self.find_shapes(model, &entries.owners, dt);
        self.find_particle_shapes(model, &entries.owners, dt);
        self.find_particles(model, &entries.owners, dt);
        self.recall();
    }

    fn read(&mut self, entries: &mut Entries) {
        for ((entry, set), state) in entries.list.iter_mut().zip(&self.set).zip(&mut self.state) {
            if set.is_empty() {
                continue;
            }
            entry.solver.read_interface(set, state);
            for (e, s) in set.iter().zip(state) {
                match *e {
                    Endpoint::Body(b) => self.bodies[b.index()] = *s,
                    Endpoint::Particle(p) => self.points[p.index()] = (*s, true),
                }
            }
        }
    }

    fn find_shapes(&mut self, model: &Model, owners: &Owners, dt: f64) {
        self.found.clear();
        if self.shapes.is_empty() {
            return;
        }
        let (bodies, fall) = (&self.bodies, model.gravity.norm() * dt * dt);
        let reach = |b: BodyId, far: f64| {
            let v = &bodies[b.index()].velocity;
            (v.lin.norm() + far * v.ang.norm()) * dt + fall
        };
        self.shapes.place(|b| bodies[b.index()].pose, reach);
        self.shapes.aim(|b| bodies[b.index()].coasted(&model.body_com[b.index()], AHEAD * dt).pose);
        self.shapes.detect(&mut self.found);
        for c in &self.found {
            let owner = |b: Option<BodyId>| b.and_then(|b| owners.bodies[b.index()]);
            // the first end is the body of the second shape: the normal points at it
            let Some((entries, pair)) = self.pairs.of(owner(c.body1), owner(c.body0)) else { continue };
            let mixed =
                mix(model, model.shape_material[c.shape0.index()], model.shape_material[c.shape1.index()]);
            self.contacts.extend(Contact::of_shapes(c, entries, pair, mixed));
        }
    }

    fn find_particle_shapes(&mut self, model: &Model, owners: &Owners, dt: f64) {
        self.touched.clear();
        if self.particles.is_empty() || !self.points.iter().any(|p| p.1) {
            return;
        }
        let (bodies, points, fall) = (&self.bodies, &self.points, model.gravity.norm() * dt * dt);
        let reach = |b: BodyId, far: f64| {
            let v = &bodies[b.index()].velocity;
            (v.lin.norm() + far * v.ang.norm()) * dt + fall
        };
        self.particles.place(|b| bodies[b.index()].pose, reach);
        let query = |p: usize| {
            let (state, known) = &points[p];
            known.then(|| ParticleQuery {
                particle: ParticleId::new(p),
                x: state.pose.p,
                radius: model.particle_radius[p],
                motion: state.velocity.lin.norm() * dt + fall,
                mobility: Mobility::Dynamic,
            })
        };
        self.particles.detect_all(query, points.len(), &mut self.touched);
        for c in &self.touched {
            let p = c.particle.index();
            let body = c.body.and_then(|b| owners.bodies[b.index()]);
            let Some((entries, pair)) = self.pairs.of(owners.particles[p], body) else { continue };
            let mixed = mix(model, model.particle_material[p], model.shape_material[c.shape.index()]);
            let radius = model.particle_radius[p];
            self.contacts.extend(Contact::of_particle(c, radius, entries, pair, mixed));
        }
    }

    /// Particles of two entries: sorted along x, each with those that it may reach.
    fn find_particles(&mut self, model: &Model, owners: &Owners, dt: f64) {
        let between = |set: &Vec<Endpoint>| set.iter().any(|e| matches!(e, Endpoint::Particle(_)));
        if self.set.iter().filter(|s| between(s)).count() < 2 {
            return;
        }
        let points = &self.points;
        let reach = |p: u32| {
            let speed = points[p as usize].0.velocity.lin.norm();
            model.particle_radius[p as usize] + speed * dt + model.gravity.norm() * dt * dt
        };
        let low = |p: &u32| points[*p as usize].0.pose.p.x - reach(*p);
        self.order.clear();
        self.order.extend((0..points.len() as u32).filter(|p| points[*p as usize].1));
        self.order.sort_unstable_by(|a, b| low(a).total_cmp(&low(b)).then(a.cmp(b)));
        for (i, &a) in self.order.iter().enumerate() {
            let high = points[a as usize].0.pose.p.x + reach(a);
            for &b in self.order[i + 1..].iter().take_while(|b| low(b) <= high) {
                let (p, q) = (a.min(b) as usize, a.max(b) as usize);
                let Some((entries, pair)) = self.pairs.of(owners.particles[p], owners.particles[q]) else {
                    continue;
                };
                let d: Vec3 = points[p].0.pose.p - points[q].0.pose.p;
                if d.norm() <= reach(a) + reach(b) {
                    self.contacts.push(of_particles(model, (p, q), d, entries, pair));
                }
            }
        }
    }

    /// What contacts of the step before remember.
    fn recall(&mut self) {
        if self.matching.mode == ContactMatching::Disabled {
            return;
        }
        let is_shapes = |c: &Contact| matches!(c.key, Key::Shapes(_));
        let (now, before) = (count(&self.contacts, is_shapes), count(&self.kept, is_shapes));
        self.found.clear();
        self.found.extend(self.contacts[..now].iter().map(|c| *c.as_ref()));
        let (detector, distance) = (&self.shapes, self.matching.distance);
        let near = |a, b| distance.unwrap_or_else(|| detector.matching_distance(a, b));
        let matches = self.matcher.find(&self.kept[..before], &self.found, near);
        for (c, m) in self.contacts[..now].iter_mut().zip(matches) {
            if let Some(m) = m {
                c.recall(&self.kept[*m as usize]);
            }
        }
        if self.matching.mode == ContactMatching::Sticky {
            let bodies = &self.bodies;
            let frame = |b: BodyId| bodies[b.index()].pose;
            self.matcher.stick(&self.kept[..before], &mut self.found, frame, near);
            self.contacts[..now].iter_mut().zip(&self.found).for_each(|(c, f)| c.take_points(f));
        }
        // both lists of particles are sorted by their keys where they were made in one order
        self.kept[before..].sort_unstable_by_key(|c| c.order());
        for c in &mut self.contacts[now..] {
            if let Ok(i) = self.kept[before..].binary_search_by_key(&c.order(), |k| k.order()) {
                let old = self.kept[before + i];
                c.recall(&old);
            }
        }
    }
}

/// The interface of each pair of entries that meet.
#[derive(Clone, Debug, Default)]
struct PairTable {
    entries: usize,
    /// `usize::MAX` = no pair.
    of: Vec<usize>,
}

impl PairTable {
    fn new(entries: usize, pairs: &[([usize; 2], usize)]) -> Self {
        let mut of = vec![usize::MAX; entries * entries];
        for &([a, b], pair) in pairs {
            (of[a * entries + b], of[b * entries + a]) = (pair, pair);
        }
        Self { entries, of }
    }

    /// Two owners with their interface, if they meet.
    fn of(&self, a: Option<usize>, b: Option<usize>) -> Option<([usize; 2], usize)> {
        let (a, b) = (a?, b?);
        let pair = self.of[a * self.entries + b];
        (pair != usize::MAX).then_some(([a, b], pair))
    }
}

fn count(contacts: &[Contact], is: impl Fn(&Contact) -> bool) -> usize {
    contacts.iter().take_while(|c| is(c)).count()
}

fn mix(model: &Model, a: MaterialId, b: MaterialId) -> (f64, f64) {
    let of = |m: MaterialId| model.materials.get(m.index()).copied().unwrap_or_default();
    let mixed = Material::mix(&of(a), &of(b));
    (mixed.mu, mixed.restitution)
}

fn of_particles(model: &Model, (p, q): (usize, usize), d: Vec3, entries: [usize; 2], pair: usize) -> Contact {
    let (mu, restitution) = mix(model, model.particle_material[p], model.particle_material[q]);
    Contact {
        key: Key::Particles(p as u32, q as u32),
        entries,
        ends: [Endpoint::Particle(ParticleId::new(p)), Endpoint::Particle(ParticleId::new(q))],
        pair,
        points: [Vec3::zeros(); 2],
        surface: Vec3::zeros(),
        extent: model.particle_radius[p] + model.particle_radius[q],
        // where two coincide no way apart is better than another
        normal: d.try_normalize(1e-12).unwrap_or_else(Vec3::z),
        mu,
        restitution,
        force: Vec3::zeros(),
        offset: Vec3::zeros(),
    }
}
