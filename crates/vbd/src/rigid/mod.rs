//! Rigid bodies with what connects them: the rigid half of a step. Theory:
//! `docs/theory/rigid-rows.md`.
//!
//! Map: `terms.rs` is what a connection puts on its two bodies, `edges.rs` all of them, `cluster.rs`
//! bodies that are solved together, `clusters.rs` which these are, `links.rs` what connects them;
//! `sweep.rs` is the order, `visit.rs` what a cluster does in a sweep, `newton.rs` its step, `search.rs`
//! how far that goes; `adrift.rs` gives back what free mechanisms lost, `retreat.rs` draws
//! back what gained energy out of nothing; `detection.rs` finds contacts, `crate::joint` are the joints,
//! `crate::touch` the contacts.

mod adrift;
mod cluster;
mod clusters;
mod components;
mod detection;
mod edges;
mod links;
mod newton;
mod retreat;
mod search;
mod seen;
mod sweep;
mod terms;
mod visit;

use coact_collide::{ContactMatching, ShapeContact, UnsupportedShape};
use coact_model::{Control, JointId, ModelView, ShapeId};
use coact_solver::{ContactLoad, JointLoad};

use crate::body::{Bodies, Place};
use crate::joint::{Joint, JointInput, JointMemory, Joints};
use crate::particle::ParticleBackend;
use crate::reset::Chosen;
use crate::residual::ResidualSums;
use crate::touch::{ContactMemory, TouchInput, TouchSettings, Touches};

use adrift::Adrift;
use cluster::How;
use clusters::{Clusters, CutIsland, Graph};
use edges::EdgesMut;
use retreat::Retreat;
use visit::When;

pub use detection::BodyDetection;
pub use edges::{Change, Follow};

pub use crate::joint::JointSettings;
pub use clusters::BodyBlocks;
pub use components::Forest;
pub use retreat::{Bond, DRIVEN};
pub use terms::{EdgeTerms, eval_arm_stiffness};

/// ρ of a hard row over the heaviest inertia that is solved with it, of joints and contacts.
pub const HARD: f64 = 1e3;

/// Rounds of steps and dual updates of clusters in a sweep, at most: multipliers of friction take
/// some ten to find a new hold, and more where contacts are met for the first time.
const ROUNDS: [usize; 2] = [3, 10];

/// Joints and contacts of the bodies of a view.
pub struct Rigid {
    connections: Connections,
    clusters: Clusters,
    adrift: Adrift,
    retreat: Retreat,
    blocks: BodyBlocks,
    /// Bodies of each color, where the model gives them.
    groups: Vec<Vec<u32>>,
    /// Bodies of the joints that act in this step.
    ends: Vec<[u32; 2]>,
    /// Stiffness of the joints of each body, for contacts of bodies alone \[N/m\].
    structure: Vec<f64>,
    /// Torques on what each body is solved with, for hard joints \[N·m\].
    torques: Vec<f64>,
    /// What finds contacts.
    pub detection: BodyDetection,
    h: f64,
    parallel: bool,
    /// Speed of impacts that bounce \[m/s\].
    threshold: f64,
    /// Rounds of a sweep in this step.
    rounds: usize,
}

/// Settings of joints, contacts and clusters.
#[derive(Clone, Copy, Debug)]
pub struct RigidSettings {
    /// What is solved together.
    pub blocks: BodyBlocks,
    /// Of joints.
    pub joints: JointSettings,
    /// Of contacts.
    pub touches: TouchSettings,
    /// How contacts are known again.
    pub matching: ContactMatching,
    /// How far a contact may move and be the same \[m\]; `None` = a tenth of the smaller shape.
    pub distance: Option<f64>,
    /// Whether detection reaches as far as bodies are about to move.
    pub speculative: bool,
    /// Speed of impacts from which on they bounce \[m/s\].
    pub restitution_threshold: f64,
    /// Whether clusters are spread over threads.
    pub parallel: bool,
}

/// What lies between bodies.
struct Connections {
    joints: Joints,
    touches: Touches,
}

/// What the rigid half of a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidSummary {
    /// Joint with the largest gap, and that gap \[m\].
    pub worst_joint: Option<(JointId, f64)>,
    /// Contacts, and those that press.
    pub contacts: (usize, usize),
    /// The deepest pressing contact \[m\] and its shapes.
    pub deepest: Option<(f64, [ShapeId; 2])>,
}

impl Connections {
    fn edges(&mut self) -> EdgesMut<'_> {
        let (touches, pairs) = self.touches.split();
        EdgesMut { joints: self.joints.split(), touches, pairs }
    }

    /// What joints and contacts are between their bodies.
    fn bonds<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = Bond> + 'a {
        let joints = self.joints.iter().filter(|j| j.on).map(|j| j.bond(bodies));
        joints.chain(self.touches.bonds(bodies))
    }
}

impl Rigid {
    /// The joints that a view solves.
    ///
    /// # Errors
    /// A shape that cannot be met.
    pub fn new(view: &ModelView, settings: RigidSettings) -> Result<Self, UnsupportedShape> {
        let groups = view.body_color_groups.iter().map(|g| g.iter().map(|b| b.0).collect()).collect();
        let (joints, touches) = (Joints::new(view, settings.joints), Touches::new(settings.touches));
        Ok(Self {
            connections: Connections { joints, touches },
            clusters: Clusters::default(),
            adrift: Adrift::default(),
            retreat: Retreat::default(),
            blocks: settings.blocks,
            groups,
            ends: Vec::new(),
            structure: Vec::new(),
            torques: Vec::new(),
            detection: BodyDetection::new(view, settings.matching, settings.distance, settings.speculative)?,
            h: 1.0,
            parallel: settings.parallel,
            threshold: settings.restitution_threshold,
            rounds: ROUNDS[0],
        })
    }

    /// Rows of a step of size `h` out of the contacts that were `given` or else detected; bodies are
    /// at their targets. Returns whether memory grew.
    pub fn begin(
        &mut self,
        view: &ModelView,
        control: &Control,
        bodies: &mut Bodies,
        given: Option<&[ShapeContact]>,
        h: f64,
    ) -> bool {
        self.h = h;
        self.ends.clear();
        self.ends.extend(self.connections.joints.iter().map(|j| j.ends_in(view)));
        self.read_structure(view);
        let grew = self.make_touches(view, bodies, given, false);
        self.clusters.sum_torques(bodies, &mut self.torques);
        let (together, torques) = (self.clusters.together(), &self.torques[..]);
        let input = JointInput { view, control, bodies, together, torques, h };
        self.connections.joints.begin(&input, self.parallel);
        self.rounds = ROUNDS[usize::from(self.connections.touches.has_fresh())];
        if self.searches() {
            self.clusters.connected().for_each(|b| bodies.start(b, h));
        }
        self.clusters.begin(bodies, h, view.gravity.norm(), self.parallel);
        grew
    }

    /// Contacts anew, at the iterate; what was known of them within the step stays. Returns whether
    /// memory grew.
    pub fn detect_again(&mut self, view: &ModelView, bodies: &Bodies) -> bool {
        let grew =
            self.detection.detect(bodies, Place::Now, self.h) | self.make_touches(view, bodies, None, true);
        self.clusters.begin(bodies, self.h, view.gravity.norm(), self.parallel);
        grew
    }

    /// Contacts that were `given` or else detected become rows, and clusters those of the joints in
    /// `ends` and of the contacts. Returns whether memory grew.
    fn make_touches(
        &mut self,
        view: &ModelView,
        bodies: &Bodies,
        given: Option<&[ShapeContact]>,
        again: bool,
    ) -> bool {
        let Connections { joints, touches } = &mut self.connections;
        touches.turn_over();
        self.detection.find_kept(touches.kept(), given, bodies);
        let (found, matches) = self.detection.found();
        let contacts = given.unwrap_or(found);
        let graph = Graph { joints: &self.ends, pairs: touches.pair_up(contacts, bodies) };
        let changed = self.clusters.update(bodies, graph, self.blocks, &self.groups);
        let [joint_sequence, pair_sequence] = self.clusters.sequence();
        if changed {
            joints.arrange(joint_sequence);
        }
        let input = TouchInput {
            view,
            contacts,
            matches,
            bodies,
            together: &|of| self.clusters.heaviest(of),
            structure: &self.structure,
            h: self.h,
            again,
            parallel: self.parallel,
        };
        touches.build(pair_sequence, &input) || changed
    }

    /// The stiffest linear rows of the joints of each body; 0 for hard ones, which have no number.
    fn read_structure(&mut self, view: &ModelView) {
        self.structure.clear();
        self.structure.resize(view.body_count(), 0.0);
        for j in self.connections.joints.iter().filter(|j| j.on) {
            let ke = j.linear_ke(view, self.connections.joints.settings().ke[0]);
            for &b in j.bodies.iter().filter(|_| ke.is_finite()) {
                if let Some(k) = self.structure.get_mut(b as usize) {
                    *k = k.max(ke);
                }
            }
        }
    }

    /// Every free body once; returns how many have a singular system.
    pub fn sweep(&mut self, bodies: &mut Bodies, particles: &mut dyn ParticleBackend) -> usize {
        let (how, law) = (self.how(bodies), self.connections.touches.law());
        self.clusters.sweep(self.connections.edges(), law, bodies, particles, &how)
    }

    /// Takes over where free bodies are that something else moved, by id.
    pub fn take_over(&mut self, bodies: &Bodies, moved: &[u32]) {
        self.clusters.take_over(bodies, moved);
    }

    /// Multipliers follow a sweep.
    pub fn update_duals(&mut self, bodies: &Bodies) {
        self.follow(bodies, When::Sweep);
    }

    /// The end of a step.
    pub fn commit(&mut self, bodies: &mut Bodies, particles: &dyn ParticleBackend) {
        self.follow(bodies, When::End);
        if self.searches() {
            self.clusters.connected().for_each(|b| bodies.keep(b, self.h));
            self.draw_back(bodies, particles);
        }
    }

    /// eq. (38a)–(38c): islands whose step gave energy out of nothing are drawn back.
    fn draw_back(&mut self, bodies: &mut Bodies, particles: &dyn ParticleBackend) {
        let acted = |b: usize| acts_on(particles, b, bodies);
        self.retreat.measure(bodies, || self.connections.bonds(bodies), acted);
        let Connections { joints, touches } = &mut self.connections;
        if self.retreat.apply(bodies, touches.depenetration_speed(), self.h) {
            touches.give_up(bodies, |b| self.retreat.holds(b));
            joints.give_up(|b| self.retreat.holds(b));
        }
    }

    /// What connects bodies at the end of a step.
    pub fn bonds<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = Bond> + 'a {
        self.connections.bonds(bodies)
    }

    fn follow(&mut self, bodies: &Bodies, when: When) {
        let (how, law) = (self.how(bodies), self.connections.touches.law());
        self.clusters.follow(self.connections.edges(), law, &how, when);
    }

    fn how(&self, bodies: &Bodies) -> How {
        let (search, rounds) = (self.searches(), self.rounds);
        How { h: self.h, motion: bodies.motion(), search, rounds, parallel: self.parallel }
    }

    /// Whether steps of clusters are judged by where they lead.
    fn searches(&self) -> bool {
        self.blocks != BodyBlocks::Single
    }

    /// What joints hold together and nothing else touches keeps its momentum, after end velocities are known.
    pub fn keep_momentum(&mut self, bodies: &mut Bodies, particles: &dyn ParticleBackend) {
        if !self.searches() || self.ends.is_empty() {
            return;
        }
        let Connections { joints, touches } = &self.connections;
        self.adrift.begin(bodies);
        joints.iter().filter(|j| j.on).for_each(|j| self.adrift.connect(j.bodies, true));
        touches.pressing().for_each(|of| self.adrift.connect(of, false));
        let acted = |b: usize, bodies: &Bodies| acts_on(particles, b, bodies);
        self.adrift.keep_momentum(bodies, &acted, self.h);
    }

    /// Impacts end, after end velocities are known.
    pub fn bounce(&mut self, bodies: &mut Bodies) {
        if self.searches() {
            self.connections.touches.bounce(bodies, self.threshold, self.parallel);
        }
    }

    /// Whether a joint or a contact acts on a body in this step.
    pub fn connects(&self, body: usize) -> bool {
        self.clusters.connects(body)
    }

    /// What acts on connected bodies: before the first sweep, and after the last.
    pub fn residuals(&self) -> [ResidualSums; 2] {
        self.clusters.residuals()
    }

    /// Whether there is any joint to solve.
    pub fn has_joints(&self) -> bool {
        self.connections.joints.iter().len() > 0
    }

    /// What a joint carried in the last step.
    pub fn joint(&self, id: JointId) -> Option<JointLoad> {
        self.connections.joints.get(id).map(Joint::load)
    }

    /// What all joints carried in the last step.
    pub fn joint_loads(&self) -> impl Iterator<Item = JointLoad> {
        self.connections.joints.loads()
    }

    /// What contacts between bodies carried in the last step.
    pub fn contact_loads<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = ContactLoad> + 'a {
        self.connections.touches.loads(bodies)
    }

    /// The rigid half of the report.
    pub fn summary(&self) -> RigidSummary {
        let Connections { joints, touches } = &self.connections;
        RigidSummary { worst_joint: joints.worst(), contacts: touches.count(), deepest: touches.deepest() }
    }

    /// What is kept between steps.
    pub fn save(&self, to: &mut RigidMemory) {
        self.connections.joints.save(&mut to.joints);
        self.connections.touches.save(&mut to.contacts);
        self.clusters.save(&mut to.cut);
    }

    /// Goes back to what was saved; `None` = nothing is remembered.
    pub fn restore(&mut self, from: Option<&RigidMemory>) {
        self.connections.joints.restore(from.map(|m| &m.joints[..]));
        self.connections.touches.restore(from.map(|m| &m.contacts[..]));
        self.clusters.restore(from.map_or(&[], |m| &m.cut[..]));
    }
}

impl Rigid {
    /// Forgets what is remembered of chosen entities.
    pub fn forget(&mut self, chosen: &Chosen) {
        self.connections.joints.forget(chosen);
        self.connections.touches.forget(chosen);
    }
}

/// Whether particles act on a body.
fn acts_on(particles: &dyn ParticleBackend, b: usize, bodies: &Bodies) -> bool {
    let load = particles.body_load(b, bodies);
    load.is_stiff() || load.wrench != coact_math::Spatial::zeros()
}

/// What joints and contacts keep between steps.
#[derive(Clone, Debug, Default)]
pub struct RigidMemory {
    joints: Vec<JointMemory>,
    contacts: Vec<ContactMemory>,
    cut: Vec<CutIsland>,
}
