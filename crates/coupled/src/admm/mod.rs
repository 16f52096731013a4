//! `SolverCoupledAdmm`: rows between entries, equal and opposite forces on both sides.
//!
//! Problem (`docs/theory/admm-coupling.md` eq. (1)): find the multipliers λ of a step for which its end
//! fulfils all rows. Every entry is a black box that takes forces and returns the end of the step; the
//! mobility that the entries report makes a dual update behave like a Newton step.
//!
//! - `config.rs`: what a user declares
//! - `plan.rs`: which joints and attachments are rows, what is refused
//! - `link.rs`, `axis.rs`: how a joint or attachment measures; limits and drives of its free axes
//! - `detect.rs`, `contact.rs`: what meets, and how a contact measures
//! - `ends.rs`: endpoints of this step, their states and responses
//! - `rows.rs`: rows of this step
//! - `mobility.rs`: what multipliers move, and the dual update
//! - `secant.rs`, `project.rs`: the same where multipliers have bounds
//! - `memory.rs`: multipliers of earlier steps
//! - `solve.rs`: the passes of an island
//! - `velocity.rs`: velocities at the end of the step
//! - `measure.rs`: the report
//! - this file: building, and the order of a step

mod axis;
mod config;
mod contact;
mod detect;
mod ends;
mod link;
mod measure;
mod memory;
mod mobility;
mod plan;
mod project;
mod rows;
mod secant;
mod solve;
mod velocity;

use coact_model::{Control, EntityId, JointKind, Model, ModelFlags, ModelView, Ownership};
use coact_solver::{Endpoint, Snapshot, SolverError, StepInput, StepReport};

use crate::coupled::{Coupled, Exchange};
use crate::entries::{Entries, ViewSetup};
use crate::follow::refuse_followers;
use crate::graph::EntryGraph;
use crate::partition::{check_element_links, check_entries_around, entity_of};
use crate::summary::{begin_report, finish_report};
use crate::{CouplingError, Entry, EntryDef, Parent};

pub use config::{AdmmConfig, ContactPair, auto_detect_contact_pairs};
use contact::{Contact, ContactInput, append_contact};
use detect::{Detection, Matching};
use ends::Ends;
use link::{Link, Origin};
use memory::Memory;
use plan::{Partition, is_cut};
use project::project;
use rows::{Closing, LinkInput, Measure, Measured, Row, Spring, append_link};
use solve::Island;
use velocity::VelocityStage;

/// Several solvers on one model, coupled by rows.
pub type SolverCoupledAdmm = Coupled<AdmmExchange>;

impl SolverCoupledAdmm {
    /// Builds the entries on a model (inside another coupler: on the entry's view). Joints that no
    /// entry owns between bodies of two entries, and attachments between two entries, become rows.
    ///
    /// # Errors
    /// What cannot work, by name and with a remedy.
    pub fn new<'a>(
        parent: impl Into<Parent<'a>>,
        defs: Vec<EntryDef>,
        config: AdmmConfig,
    ) -> Result<Self, CouplingError> {
        let parent = parent.into();
        let model = parent.model;
        config.check()?;
        let owners = check_entries_around(parent, &defs, &|owners, j| is_cut(model, owners, j))?;
        refuse_followers(&defs)?;
        let names: Vec<String> = defs.iter().map(|d| d.name.clone()).collect();
        let links = Partition { model, names: &names, owners: &owners }.find_links()?;
        check_element_links(model, &names, &owners, &|_, _| false)?;
        let contact_pairs = plan::check_contact_pairs(&names, &config.contact_pairs)?;
        let order: Vec<usize> = (0..defs.len()).collect();
        let shared = without_attachments(model, &links);
        let entries = Entries::build(&shared, defs, owners, &order, &mut PlainViews)?;
        let exchange = AdmmExchange::new(&names, links, &contact_pairs, config, &entries, &parent.view())?;
        exchange.check_capabilities(&entries)?;
        Ok(Self { view: parent.view(), entries, exchange })
    }
}

/// The model without the attachments that are rows: no entry is to look for their other end.
fn without_attachments(model: &Model, links: &[Link]) -> Model {
    let mut shared = model.clone();
    for link in links {
        if let Origin::Attachment(a) = link.origin {
            shared.attachment_enabled.make_mut()[a.index()] = false;
        }
    }
    shared
}

/// Rows change nothing in the views.
struct PlainViews;

impl ViewSetup for PlainViews {
    fn extend_ownership(&self, _entry: usize, _ownership: &mut Ownership) {}
    fn edit_view(&mut self, _entry: usize, _view: &mut ModelView, _built: &mut [Option<Entry>]) {}
}

/// All rows between two entries.
#[derive(Clone, Debug)]
struct Pair {
    /// "upper <-> lower".
    name: String,
    /// The two, ascending; the first stands as the source in reports.
    entries: [usize; 2],
}

/// The exchange by rows.
pub struct AdmmExchange {
    config: AdmmConfig,
    /// As it is now, attachments included.
    model: Model,
    links: Vec<Link>,
    pairs: Vec<Pair>,
    islands: Vec<Island>,
    /// What finds contacts; `None` = no contact pairs.
    detection: Option<Box<Detection>>,
    ends: Ends,
    rows: Vec<Row>,
    /// Multipliers of `rows`, and those of the last look at velocities.
    lambda: Vec<f64>,
    impulse: Vec<f64>,
    memory: Memory,
    velocity: VelocityStage,
    /// Links that acted in the last step.
    acted: Vec<bool>,
}

impl AdmmExchange {
    fn new(
        names: &[String],
        mut links: Vec<Link>,
        contact_pairs: &[[usize; 2]],
        config: AdmmConfig,
        entries: &Entries,
        view: &ModelView,
    ) -> Result<Self, CouplingError> {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut pair_of = |entries: [usize; 2]| {
            let known = pairs.iter().position(|p| p.entries == entries);
            known.unwrap_or_else(|| {
                let name = format!("{} <-> {}", names[entries[0]], names[entries[1]]);
                pairs.push(Pair { name, entries });
                pairs.len() - 1
            })
        };
        for link in &mut links {
            let [a, b] = [link.sides[0].entry, link.sides[1].entry];
            link.pair = pair_of([a.min(b), a.max(b)]);
        }
        let meeting: Vec<_> = contact_pairs.iter().map(|&e| (e, pair_of(e))).collect();
        let graph = EntryGraph::new(names.len(), pairs.iter().map(|p| (p.entries[0], p.entries[1])));
        let islands = graph.islands().into_iter();
        let islands = islands.map(|entries| Island::new(entries, &links, &config)).collect();
        let rows = links.iter().map(|l| l.memory.len()).sum();
        let matching = Matching { mode: config.contact_matching, distance: config.contact_matching_distance };
        let found = (!meeting.is_empty())
            .then(|| Detection::new(view, &entries.owners, (names.len(), &meeting), matching))
            .transpose();
        let detection = found.map_err(|u| CouplingError::ContactShape {
            shape: u.shape,
            kind: u.kind,
            what: format!("{}; mend it, or clear its collision flags", u.fault),
        })?;
        Ok(Self {
            acted: vec![false; links.len()],
            memory: Memory::new(rows),
            velocity: VelocityStage::default(),
            ends: Ends::default(),
            rows: Vec::new(),
            lambda: Vec::new(),
            impulse: Vec::new(),
            detection: detection.map(Box::new),
            model: view.model().clone(),
            config,
            links,
            pairs,
            islands,
        })
    }

    fn check_capabilities(&self, entries: &Entries) -> Result<(), CouplingError> {
        for side in self.links.iter().flat_map(|l| &l.sides) {
            let entry = &entries.list[side.entry];
            let (takes, capability) = match side.endpoint {
                Endpoint::Body(_) => (entry.capabilities.body_source, "body_source"),
                Endpoint::Particle(_) => (entry.capabilities.particle_source, "particle_source"),
            };
            let (cannot, capability) = match (takes, entry.capabilities.rewind) {
                (false, _) => ("cannot be pushed by a row", capability),
                (_, false) => ("cannot take a step again", "rewind"),
                _ => continue,
            };
            return Err(CouplingError::Capability {
                entry: entry.name.clone(),
                kind: entry.solver.kind(),
                cannot: cannot.into(),
                capability,
                remedy: "let another solver own that end, or implement the hook".into(),
            });
        }
        Ok(())
    }

    /// Finds what acts in this step: ends, rows, and where the rows of each island are.
    fn begin_step(&mut self, entries: &mut Entries, input: &StepInput, dt: f64) {
        self.ends.clear();
        if let Some(d) = &mut self.detection {
            d.detect(entries, dt);
            for c in &d.contacts {
                (0..2).for_each(|i| self.ends.add(c.entries[i], c.ends[i]));
            }
        }
        for (i, link) in self.links.iter().enumerate() {
            let acts = is_enabled(link, &self.model);
            if self.acted[i] != acts {
                self.acted[i] = acts;
                self.memory.forget(link.memory.clone());
                self.islands.iter_mut().filter(|x| x.links.contains(&i)).for_each(Island::forget);
            }
            if acts {
                link.sides.iter().for_each(|s| self.ends.add(s.entry, s.endpoint));
            }
        }
        self.ends.begin_step(entries, dt);
        self.make_rows(input, dt);
        self.predict();
    }

    fn make_rows(&mut self, input: &StepInput, dt: f64) {
        let contacts = self.detection.as_ref().map_or(&[][..], |d| &d.contacts);
        let x = Measured { links: &self.links, contacts, ends: &self.ends };
        let closing = Closing { share: self.config.baumgarte, most: self.config.closing_speed * dt };
        self.rows.clear();
        for island in &mut self.islands {
            let first = self.rows.len();
            for &i in island.links.iter().filter(|&&i| self.acted[i]) {
                let link =
                    link_input(&self.config, &self.links[i], (&self.model, input.control), (closing, dt));
                append_link(i, x, &link, &mut self.rows);
            }
            for (i, c) in contacts.iter().enumerate().filter(|(_, c)| island.entries.contains(&c.entries[0]))
            {
                append_contact(i, x, &contact_input(&self.config, c, (closing, dt)), &mut self.rows);
            }
            island.rows = first..self.rows.len();
        }
        self.lambda.clear();
        self.lambda.resize(self.rows.len(), 0.0);
        self.impulse.clear();
        self.impulse.resize(self.rows.len(), 0.0);
    }

    /// Eq. (10): where the multipliers start.
    fn predict(&mut self) {
        self.memory.begin_step();
        let contacts = self.detection.as_ref().map_or(&[][..], |d| &d.contacts);
        let mut order = (usize::MAX, 0);
        for (row, lambda) in self.rows.iter().zip(&mut self.lambda) {
            let kept = |c: &usize| contacts[*c].multipliers(self.config.contact_force_scale);
            *lambda = match row.measure {
                Measure::Link { link, .. } => {
                    if order.0 != link {
                        order = (link, self.memory.order(self.links[link].memory.clone()));
                    }
                    project(&row.bound, self.memory.predict(row.memory, order.1))
                }
                Measure::Depth { contact } => kept(&contact)[0].max(0.0),
                Measure::Slip { contact, tangent } => kept(&contact)[1 + tangent],
            };
        }
    }

    /// What the next step starts from.
    fn keep(&mut self) {
        let mut contacts = self.detection.as_mut().map_or(&mut [][..], |d| &mut d.contacts);
        let contacts: &mut [Contact] = std::mem::take(&mut contacts);
        for island in &self.islands {
            for (k, i) in island.rows.clone().enumerate() {
                let row = &self.rows[i];
                match row.measure {
                    Measure::Link { .. } => self.memory.keep(row.memory, self.lambda[i]),
                    Measure::Depth { contact } => {
                        let rubs = contacts[contact].mu > 0.0;
                        let at = |n: usize| if rubs { self.lambda[i + n] } else { 0.0 };
                        let left = |n: usize| if rubs { island.residual()[k + n] } else { 0.0 };
                        contacts[contact].keep([self.lambda[i], at(1), at(2)], [left(1), left(2)]);
                    }
                    Measure::Slip { .. } => {}
                }
            }
        }
        self.memory.end_step();
    }
}

/// Whether a link acts, as the model of now says.
fn is_enabled(link: &Link, model: &Model) -> bool {
    match link.origin {
        Origin::Joint(j) => model.joint_enabled[j.index()],
        Origin::Attachment(a) => model.attachment_enabled[a.index()],
    }
}

/// Stiffness and tolerance of a link, as the model of now has them.
fn link_input<'a>(
    config: &AdmmConfig,
    link: &Link,
    (model, control): (&'a Model, &'a Control),
    (closing, dt): (Closing, f64),
) -> LinkInput<'a> {
    let (linear, angular) = match link.origin {
        Origin::Joint(_) => (
            Spring { ke: config.joint_stiffness, kd: config.joint_damping },
            Spring { ke: config.joint_angular_stiffness, kd: config.joint_angular_damping },
        ),
        Origin::Attachment(a) => {
            let s = Spring { ke: model.attachment_ke[a.index()], kd: model.attachment_kd[a.index()] };
            (s, s)
        }
    };
    let of_particle = link.sides.iter().any(|s| matches!(s.endpoint, Endpoint::Particle(_)));
    let tolerance = if of_particle { AdmmConfig::PARTICLE_TOLERANCE } else { AdmmConfig::TOLERANCE };
    LinkInput { linear, angular, closing, dt, tolerance, model, control }
}

fn contact_input(config: &AdmmConfig, c: &Contact, (closing, dt): (Closing, f64)) -> ContactInput {
    let of_particle = c.ends.iter().any(|e| matches!(e, Endpoint::Particle(_)));
    let tolerance = if of_particle { AdmmConfig::PARTICLE_TOLERANCE } else { AdmmConfig::CONTACT_TOLERANCE };
    ContactInput { closing, dt, threshold: config.restitution_threshold, tolerance }
}

impl Exchange for AdmmExchange {
    fn kind(&self) -> &'static str {
        "coupled-admm"
    }

    fn interface_count(&self) -> usize {
        self.pairs.len()
    }

    fn step(
        &mut self,
        entries: &mut Entries,
        input: &StepInput,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        begin_report(entries, self.pairs.iter().map(|p| p.name.as_str()), report);
        self.begin_step(entries, input, dt);
        for i in 0..self.islands.len() {
            let mut island = std::mem::take(&mut self.islands[i]);
            let result = island.step(self, entries, input, dt, report);
            self.islands[i] = island;
            result?;
        }
        self.correct_velocities(entries, dt);
        self.fill_reports(dt, report);
        self.keep();
        finish_report(report);
        Ok(())
    }

    fn save_into(&self, to: &mut Snapshot) {
        let saved = to.slot::<Saved>();
        saved.memory.copy_from(&self.memory);
        saved.acted.clone_from(&self.acted);
        self.detection.iter().for_each(|d| d.save(&mut saved.contacts));
        saved.islands.resize_with(self.islands.len(), solve::Saved::default);
        self.islands.iter().zip(&mut saved.islands).for_each(|(i, s)| i.save_into(s));
    }

    fn restore(&mut self, from: &Snapshot) {
        if let Some(saved) = from.get::<Saved>() {
            self.memory.copy_from(&saved.memory);
            self.acted.clone_from(&saved.acted);
            self.detection.iter_mut().for_each(|d| d.restore(&saved.contacts));
            self.islands.iter_mut().zip(&saved.islands).for_each(|(i, s)| i.restore(s));
        }
    }

    fn reset(&mut self, chosen: &[EntityId]) {
        let is_chosen = |e: &Endpoint| chosen.contains(&entity_of(e));
        self.detection.iter_mut().for_each(|d| d.forget(is_chosen));
        for (i, link) in self.links.iter().enumerate() {
            let own = match link.origin {
                Origin::Joint(j) => chosen.contains(&EntityId::Joint(j)),
                Origin::Attachment(_) => false,
            };
            if own || link.sides.iter().any(|s| chosen.contains(&entity_of(&s.endpoint))) {
                self.memory.forget(link.memory.clone());
                self.islands.iter_mut().filter(|x| x.links.contains(&i)).for_each(Island::forget);
            }
        }
    }

    /// Anchors and axes may have moved; enabled flags and stiffness are read every step.
    fn notify_model_changed(&mut self, entries: &mut Entries, flags: ModelFlags) {
        self.model.clone_from(entries.list[0].view.parent());
        let shapes = ModelFlags::SHAPES | ModelFlags::BODY_MASS | ModelFlags::JOINTS;
        if let Some(d) = self.detection.as_mut().filter(|_| flags.intersects(shapes)) {
            d.update(&ModelView::whole(entries.list[0].view.parent()));
        }
        if !flags.intersects(ModelFlags::JOINTS | ModelFlags::ATTACHMENTS) {
            return;
        }
        for link in &mut self.links {
            let model = &self.model;
            match link.origin {
                Origin::Joint(j) if model.joint_kind[j.index()] != JointKind::Free => {
                    link.sides[0].frame = model.joint_x_c[j.index()];
                    link.sides[1].frame = model.joint_x_p[j.index()];
                }
                Origin::Joint(_) => {}
                Origin::Attachment(a) => link.sides[1].frame.p = model.attachment_point[a.index()],
            }
        }
    }
}

/// What persists between steps.
#[derive(Default)]
struct Saved {
    memory: Memory,
    acted: Vec<bool>,
    contacts: Vec<Contact>,
    islands: Vec<solve::Saved>,
}
