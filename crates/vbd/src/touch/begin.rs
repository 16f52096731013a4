//! Contacts as rows of a step, with what is remembered of them. Theory:
//! `docs/theory/rigid-rows.md` section 4.
//!
//! A contact that was there in the last step keeps its normal multiplier along the new normal and
//! its tangential one in the new plane, inside the cone; both turn with the mean spin of its
//! bodies about the normal, so that what stands on a turntable keeps its grip and what rolls keeps
//! its direction. What is met for the first time starts cold, expecting the load of its own inertia.

use coact_collide::ShapeContact;
use coact_math::Vec3;
use coact_model::{Material, ModelView};
use rayon::prelude::*;

use super::law::{Applied, Grasp, TouchLaw, TouchPlace, TouchRow};
use super::meeting::Meeting;
use super::push_out::PushOut;
use super::spin::SpinRow;
use super::{ActsAt, Pair, Touch, Touches};
use crate::body::Bodies;
use crate::config::RotationUpdate;
use crate::reset::Chosen;

/// Settings of all contacts between bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchSettings {
    /// How bodies turn: exact laws, or those of the reference.
    pub rotation: RotationUpdate,
    /// Slip velocity below which the sliding metric of the reference is smooth \[m/s\].
    pub friction_epsilon: f64,
    /// Over how many penetrations an approach is damped.
    pub damped_depth: f64,
    /// Share of the multipliers that a step takes over.
    pub retention: f64,
    /// Whether contacts remember from step to step.
    pub history: bool,
    /// Whether matched contacts keep their points; then, in the law of the reference, friction
    /// remembers by how far these are apart, not by its multiplier.
    pub sticky: bool,
    /// Speed at which bodies that overlap are moved apart \[m/s\].
    pub depenetration_speed: f64,
}

/// A contact between two steps.
#[derive(Clone, Debug)]
pub struct ContactMemory {
    /// As detected in the last step.
    pub contact: ShapeContact,
    pub(super) grasp: Grasp,
}

impl AsRef<ShapeContact> for Touch {
    fn as_ref(&self) -> &ShapeContact {
        &self.memory.contact
    }
}

/// What the contacts of a step are made of.
pub struct TouchInput<'a> {
    /// Materials.
    pub view: &'a ModelView,
    /// As detected or given.
    pub contacts: &'a [ShapeContact],
    /// For each the place in memory; empty = all are new.
    pub matches: &'a [Option<u32>],
    /// Bodies at their targets.
    pub bodies: &'a Bodies,
    /// Mass of the heaviest body that is solved with both of these \[kg\], 0 = they are swept.
    pub together: &'a (dyn Fn([u32; 2]) -> f64 + Sync),
    /// By body: stiffness of its joints, for bodies alone \[N/m\].
    pub structure: &'a [f64],
    /// Step \[s\].
    pub h: f64,
    /// Whether contacts are made again within a step: then nothing turns and nothing fades.
    pub again: bool,
    /// Whether they are made side by side.
    pub parallel: bool,
}

impl Touches {
    /// None yet.
    pub fn new(settings: TouchSettings) -> Self {
        let law = TouchLaw { rotation: settings.rotation, epsilon: 0.0, damped_depth: settings.damped_depth };
        Self {
            list: Vec::new(),
            pairs: Vec::new(),
            found: Vec::new(),
            order: Vec::new(),
            places: Vec::new(),
            meetings: Vec::new(),
            law,
            settings,
            kept: Vec::new(),
            h: 1.0,
            strikes: Vec::new(),
            hot: Vec::new(),
            bounds: super::bounded::Bounds::default(),
        }
    }

    /// The contacts there are become those that are remembered.
    pub fn turn_over(&mut self) {
        std::mem::swap(&mut self.list, &mut self.kept);
    }

    /// Contacts that are remembered, for matching.
    pub fn kept(&self) -> &[Touch] {
        &self.kept
    }

    /// Groups contacts by the bodies that they connect, in order of these.
    pub fn pair_up(&mut self, contacts: &[ShapeContact], bodies: &Bodies) -> &[Pair] {
        let of = |i: u32| bodies_of(&contacts[i as usize]);
        self.order.clear();
        let count = contacts.len() as u32;
        self.order.extend((0..count).filter(|&i| of(i).iter().any(|&b| bodies.moves(b))));
        self.order.sort_unstable_by_key(|&i| (of(i), i));
        self.found.clear();
        for (i, same) in self.order.chunk_by(|&a, &b| of(a) == of(b)).scan(0, |first, same| {
            *first += same.len() as u32;
            Some((*first - same.len() as u32, same))
        }) {
            self.found.push(Pair { bodies: of(same[0]), first: i, count: same.len() as u32 });
        }
        &self.found
    }

    /// eq. (30)–(34): rows of the contacts, pairs in the given `sequence` of those found. Returns
    /// whether memory grew.
    pub fn build(&mut self, sequence: &[u32], input: &TouchInput) -> bool {
        let before = self.list.capacity() + self.pairs.capacity();
        self.h = input.h;
        self.law.epsilon = self.settings.friction_epsilon * input.h;
        let mut places = std::mem::take(&mut self.places);
        self.pairs.clear();
        places.clear();
        for p in sequence.iter().map(|&p| self.found[p as usize]) {
            let contacts = &self.order[p.first as usize..(p.first + p.count) as usize];
            let pair = self.pairs.len() as u32;
            self.pairs.push(Pair { first: places.len() as u32, ..p });
            places.extend(contacts.iter().map(|&contact| Origin { contact, pair }));
        }
        let mut meetings = std::mem::take(&mut self.meetings);
        each(&self.pairs, &mut meetings, input.parallel, |p| Meeting::new(p.bodies, input, &self.settings));
        self.meetings = meetings;
        let mut list = std::mem::take(&mut self.list);
        each(&places, &mut list, input.parallel, |at| self.touch(at, input));
        (self.list, self.places) = (list, places);
        self.list.capacity() + self.pairs.capacity() > before
    }

    fn touch(&self, at: &Origin, input: &TouchInput) -> Touch {
        let (i, view) = (at.contact as usize, input.view);
        let (c, meeting) = (&input.contacts[i], &self.meetings[at.pair as usize]);
        let kept = input.matches.get(i).copied().flatten().map(|k| &self.kept[k as usize].memory);
        let pair = Material::mix(view.material_of_shape(c.shape0), view.material_of_shape(c.shape1));
        let sides = &meeting.sides;
        let row = TouchRow {
            normal: c.normal,
            margin: c.margin0 + c.margin1,
            damping: if pair.rigid_ke.is_finite() { pair.kd / input.h } else { 0.0 },
            mu: pair.mu,
            spin: SpinRow { arm: [pair.rolling, pair.torsion], rho: [0.0; 2] },
            carried: meeting.carried_by(c, input),
            ..TouchRow::default()
        };
        let mut touch = Touch {
            memory: ContactMemory { contact: *c, grasp: Grasp::default() },
            bodies: bodies_of(c),
            points: [c.point0 - sides[0].com, c.point1 - sides[1].com],
            is_round: c.offset0 != Vec3::zeros() || c.offset1 != Vec3::zeros(),
            fresh: kept.is_none_or(|k| k.grasp.normal == 0.0),
            at: meeting.acts_at(c),
            offset: [sides[0].begin_axes * c.offset0, sides[1].begin_axes * c.offset1],
            row,
            place: TouchPlace::default(),
            applied: Applied::default(),
            struck: (0.0, Vec3::zeros()),
            restitution: pair.restitution,
            fastest: 0.0,
            gap: 0.0,
            overlapped: false,
            overlap: 0.0,
            push_out: PushOut::default(),
        };
        if let Some(kept) = kept.filter(|_| self.settings.history || input.again) {
            touch.memory.grasp = touch.carried(&kept.grasp, meeting, &self.settings, input.again);
        }
        touch.measure(pair.rigid_ke, meeting, input.h, &self.settings);
        touch
    }

    /// What is kept between steps.
    pub fn save(&self, to: &mut Vec<ContactMemory>) {
        to.clear();
        to.extend(self.list.iter().map(|t| t.memory.clone()));
    }

    /// Forgets the contacts of chosen bodies.
    pub fn forget(&mut self, chosen: &Chosen) {
        self.list.retain(|t| !t.bodies.iter().any(|&b| chosen.body(b)));
        self.pairs.clear();
    }

    /// Goes back to what was saved; `None` = nothing is remembered.
    pub fn restore(&mut self, from: Option<&[ContactMemory]>) {
        self.list.clear();
        self.pairs.clear();
        self.list.extend(from.unwrap_or_default().iter().map(Touch::remembered));
    }
}

impl Touch {
    /// A contact of which nothing is known but what was saved.
    fn remembered(memory: &ContactMemory) -> Self {
        let c = &memory.contact;
        Self {
            memory: memory.clone(),
            bodies: bodies_of(c),
            points: [c.point0, c.point1],
            is_round: false,
            fresh: false,
            at: ActsAt::Own,
            offset: [c.offset0, c.offset1],
            row: TouchRow { normal: c.normal, ..TouchRow::default() },
            place: TouchPlace::default(),
            applied: Applied::default(),
            struck: (0.0, Vec3::zeros()),
            restitution: 0.0,
            fastest: 0.0,
            gap: 0.0,
            overlapped: false,
            overlap: 0.0,
            push_out: PushOut::default(),
        }
    }
}

/// The contact that a row is made of, and the place of its pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    contact: u32,
    pair: u32,
}

/// `make` of each of `from` into `to`, side by side where `parallel`.
fn each<A: Sync, B: Send>(from: &[A], to: &mut Vec<B>, parallel: bool, make: impl Fn(&A) -> B + Send + Sync) {
    if parallel {
        from.par_iter().with_min_len(64).map(make).collect_into_vec(to);
    } else {
        to.clear();
        to.extend(from.iter().map(make));
    }
}

/// Bodies of a contact; out of range = world.
fn bodies_of(c: &ShapeContact) -> [u32; 2] {
    [c.body0, c.body1].map(|b| b.map_or(u32::MAX, |b| b.0))
}
