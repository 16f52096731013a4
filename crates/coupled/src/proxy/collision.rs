//! Contacts that the coupler finds for a destination: a detector of its own per destination,
//! and a buffer that lives as long as it was asked for.
//!
//! They are found where the step begins, proxies included, by the rules of the destination's
//! view: proxies meet neither static shapes nor each other. Between detections contacts stay
//! those of before; a reach of all motion until the next one keeps them complete as long as
//! nothing becomes faster. What the destination would find itself, contact of surfaces with
//! themselves included, is not looked for while the coupler finds contacts for it.

use coact_collide::{
    Contacts, ParticleQuery, ParticleShapeDetector, ShapePairDetector, ShapePairOptions, UnsupportedShape,
};
use coact_math::Spatial;
use coact_model::{BodyId, ModelFlags, ModelView, ParticleId};
use coact_solver::{CouplingInterface, Endpoint, EndpointState};

use super::interface::Interface;
use super::pass::CoupledStep;
use super::validate::Plan;
use crate::filter::particle_mobility;
use crate::{CouplingError, Entries, Entry};

/// Contacts between two steps.
#[derive(Default)]
pub(super) struct SavedContacts {
    age: usize,
    found: Contacts,
}

/// The detector of one destination.
pub(super) struct ProxyContacts {
    /// Coupled steps from one detection to the next.
    every: usize,
    /// Coupled steps until the next detection; 0 = it is due.
    age: usize,
    shapes: ShapePairDetector,
    particles: ParticleShapeDetector,
    /// Everything that the view sees, sorted.
    set: Vec<Endpoint>,
    states: Vec<EndpointState>,
    /// Place of a body in `set`. Shape: \[body_count\].
    place: Vec<Option<usize>>,
    found: Contacts,
}

impl ProxyContacts {
    /// For the shapes of a view.
    ///
    /// # Errors
    /// A shape that cannot be met.
    pub fn new(view: &ModelView, every: usize) -> Result<Self, UnsupportedShape> {
        let bodies = (0..view.body_count()).map(BodyId::new).filter(|&b| view.sees_body(b));
        let particles = (0..view.particle_count()).map(ParticleId::new).filter(|&p| view.sees_particle(p));
        let set: Vec<_> = bodies.map(Endpoint::Body).chain(particles.map(Endpoint::Particle)).collect();
        let mut place = vec![None; view.body_count()];
        for (i, e) in set.iter().enumerate() {
            if let Endpoint::Body(b) = e {
                place[b.index()] = Some(i);
            }
        }
        Ok(Self {
            every,
            age: 0,
            shapes: ShapePairDetector::new(view, ShapePairOptions::default())?,
            particles: ParticleShapeDetector::new(view, None)?,
            states: vec![EndpointState::default(); set.len()],
            set,
            place,
            found: Contacts::default(),
        })
    }

    /// The contacts of the last detection.
    pub fn found(&self) -> &Contacts {
        &self.found
    }

    /// Saves what persists between steps.
    pub fn save(&self, to: &mut SavedContacts) {
        to.age = self.age;
        to.found.particle_shape.clone_from(&self.found.particle_shape);
        to.found.shapes.clone_from(&self.found.shapes);
    }

    /// Goes back to what was saved.
    pub fn restore(&mut self, from: &SavedContacts) {
        self.age = from.age;
        self.found.particle_shape.clone_from(&from.found.particle_shape);
        self.found.shapes.clone_from(&from.found.shapes);
    }

    /// Shapes may have changed.
    pub fn notify_model_changed(&mut self, view: &ModelView, flags: ModelFlags) {
        if flags.intersects(ModelFlags::SHAPES | ModelFlags::OWNERSHIP | ModelFlags::JOINTS) {
            self.shapes.update(view);
            self.particles.update(view);
            self.age = 0;
        }
    }

    fn detect(
        &mut self,
        solver: &mut dyn CouplingInterface,
        proxies: (&[Endpoint], &[EndpointState]),
        dt: f64,
    ) {
        solver.read_interface(&self.set, &mut self.states);
        for (e, s) in proxies.0.iter().zip(proxies.1) {
            if let Ok(i) = self.set.binary_search(e) {
                self.states[i] = *s;
            }
        }
        let time = dt * self.every as f64;
        let (states, place) = (&self.states, &self.place);
        let at = |b: BodyId| place[b.index()].map(|i| states[i]).unwrap_or_default();
        let reach = |v: &Spatial, far: f64| time * (v.lin.norm() + far * v.ang.norm());
        self.found.clear();
        self.shapes.place(|b| at(b).pose, |b, far| reach(&at(b).velocity, far));
        self.shapes.detect(&mut self.found.shapes);
        self.particles.place(|b| at(b).pose, |b, far| reach(&at(b).velocity, far));
        let view = solver.view();
        for (e, s) in self.set.iter().zip(states) {
            if let Endpoint::Particle(p) = *e {
                let motion = reach(&s.velocity, 0.0);
                let radius = view.particle_radius[p.index()];
                let query = ParticleQuery {
                    particle: p,
                    x: s.pose.p,
                    radius,
                    motion,
                    mobility: particle_mobility(view, p),
                };
                self.particles.detect_particle(&query, &mut self.found.particle_shape);
            }
        }
    }
}

fn refuse_shape(entry: &Entry, bad: &UnsupportedShape) -> CouplingError {
    CouplingError::Setting {
        place: format!("entry '{}'", entry.name()),
        setting: "collide_interval",
        value: format!("with {} ({}): {}", bad.shape, bad.kind, bad.fault),
        remedy: "mend the shape's geometry, or leave it out: the destination detects by itself",
    }
}

impl Interface {
    /// Makes the detectors that were asked for; of several proxies at a destination the one
    /// that asks most often counts.
    pub(super) fn add_contacts(&mut self, entries: &Entries, plan: &Plan) -> Result<(), CouplingError> {
        for d in &mut self.destinations {
            let here = plan.mappings.iter().filter(|m| m.destination == d.entry);
            let Some(every) = here.filter_map(|m| m.proxy.collide_interval).min() else { continue };
            let entry = &entries.list[d.entry];
            let made = ProxyContacts::new(&entry.view, every);
            d.contacts = Some(made.map_err(|bad| refuse_shape(entry, &bad))?);
        }
        Ok(())
    }

    /// Finds the contacts of a destination, when it is due; once per coupled step at most.
    pub(super) fn find_contacts(&mut self, d: usize, s: &mut CoupledStep) {
        let destination = &mut self.destinations[d];
        let Some(contacts) = &mut destination.contacts else { return };
        if contacts.age > 0 {
            return;
        }
        // at this point of a step the proxies' states are those of their begin
        let rows = destination.rows.clone();
        let solver = &mut *s.entries.list[destination.entry].solver;
        contacts.detect(solver, (&self.set[rows.clone()], &self.proxy_end[rows]), s.dt);
        contacts.age = contacts.every;
    }

    /// A coupled step has ended.
    pub(super) fn age_contacts(&mut self) {
        for c in self.destinations.iter_mut().filter_map(|d| d.contacts.as_mut()) {
            c.age = c.age.saturating_sub(1);
        }
    }
}
