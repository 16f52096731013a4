//! Contacts as rows of a step, with what is remembered of them. Theory:
//! `docs/theory/rigid-rows.md` section 4.
//!
//! A contact that was there in the last step keeps its normal multiplier along the new normal and
//! its tangential one in the new plane, inside the cone; both turn with the mean spin of its
//! bodies about the normal, so that what stands on a turntable keeps its grip and what rolls keeps
//! its direction. What is met for the first time starts cold, expecting the load of its own inertia.

use coact_collide::ShapeContact;
use coact_math::{Quat, Vec3, rotation_between};
use coact_model::{BodyId, Material, ModelView, ShapeId};

use super::law::{Grasp, TouchLaw, TouchRow, inside};
use super::metric::{in_series, series, tangent_support};
use super::{ActsAt, Pair, Touch, Touches};
use crate::body::{Bodies, Place};
use crate::config::RotationUpdate;
use crate::reset::Chosen;
use crate::rigid::HARD;
use crate::row::CompliantRow;

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

impl AsRef<ShapeContact> for ContactMemory {
    fn as_ref(&self) -> &ShapeContact {
        &self.contact
    }
}

/// What the contacts of a step are made of.
#[derive(Clone, Copy)]
pub struct TouchInput<'a> {
    /// Materials.
    pub view: &'a ModelView,
    /// By pair of shapes.
    pub contacts: &'a [ShapeContact],
    /// For each the place in memory; empty = all are new.
    pub matches: &'a [Option<u32>],
    /// Bodies at their targets.
    pub bodies: &'a Bodies,
    /// Step \[s\].
    pub h: f64,
    /// Whether contacts are made again within a step: then nothing turns and nothing fades.
    pub again: bool,
}

impl TouchInput<'_> {
    /// Way of the second surface against the first in the step, by their own velocities \[m\].
    fn carried(&self, c: &ShapeContact, of: [u32; 2]) -> Vec3 {
        let own = |s: ShapeId, b| {
            self.bodies.placed(b, Place::Begin).q * self.view.shape_surface_velocity[s.index()]
        };
        (own(c.shape1, of[1]) - own(c.shape0, of[0])) * self.h
    }
}

impl Touches {
    /// None yet.
    pub fn new(settings: TouchSettings) -> Self {
        let law = TouchLaw { rotation: settings.rotation, epsilon: 0.0, damped_depth: settings.damped_depth };
        Self {
            list: Vec::new(),
            pairs: Vec::new(),
            law,
            settings,
            kept: Vec::new(),
            h: 1.0,
            strikes: Vec::new(),
            hot: Vec::new(),
        }
    }

    /// Contacts of the last step, for matching.
    pub fn kept(&self) -> &[ContactMemory] {
        &self.kept
    }

    /// Rows of the contacts, without metrics. Returns whether memory grew.
    pub fn build(&mut self, input: &TouchInput) -> bool {
        let before = self.list.capacity() + self.pairs.capacity();
        self.h = input.h;
        self.law.epsilon = self.settings.friction_epsilon * input.h;
        self.list.clear();
        for (i, c) in input.contacts.iter().enumerate() {
            let of = [c.body0, c.body1].map(|b| b.map_or(u32::MAX, |b| b.0));
            if of.iter().any(|&b| input.bodies.moves(b)) {
                let kept = input.matches.get(i).copied().flatten().map(|k| &self.kept[k as usize]);
                self.list.push(self.touch(c, of, kept, input));
            }
        }
        self.list.sort_by_key(|t| t.bodies);
        self.pairs.clear();
        for (i, t) in self.list.iter().enumerate() {
            match self.pairs.last_mut().filter(|p| p.bodies == t.bodies) {
                Some(pair) => pair.last = i as u32 + 1,
                None => self.pairs.push(Pair { bodies: t.bodies, first: i as u32, last: i as u32 + 1 }),
            }
        }
        self.list.capacity() + self.pairs.capacity() > before
    }

    fn touch(
        &self,
        c: &ShapeContact,
        of: [u32; 2],
        kept: Option<&ContactMemory>,
        input: &TouchInput,
    ) -> Touch {
        let view = input.view;
        let pair = Material::mix(view.material_of_shape(c.shape0), view.material_of_shape(c.shape1));
        let com = of.map(|b| if b == u32::MAX { Vec3::zeros() } else { input.bodies.com(b as usize) });
        let skeleton = [c.point0 - com[0], c.point1 - com[1]];
        let surface = [skeleton[0] + c.offset0, skeleton[1] + c.offset1];
        let row = TouchRow {
            normal: c.normal,
            margin: c.margin0 + c.margin1,
            damping: if pair.rigid_ke.is_finite() { pair.kd / input.h } else { 0.0 },
            mu: pair.mu,
            carried: input.carried(c, of),
            ..TouchRow::default()
        };
        let grasp =
            kept.map_or_else(Grasp::default, |k| self.carried(k, c.normal, of, &surface, pair.mu, input));
        let begin = of.map(|b| input.bodies.placed(b, Place::Begin).q);
        let offset = [begin[0] * c.offset0, begin[1] * c.offset1];
        let points = [skeleton, surface];
        let mut touch = Touch {
            contact: *c,
            bodies: of,
            points,
            is_round: skeleton != surface,
            fresh: kept.is_none_or(|k| k.grasp.normal == 0.0),
            at: self.acts_at(c, of, input),
            offset,
            row,
            grasp,
            restitution: pair.restitution,
            gap: 0.0,
            overlapped: false,
            h: input.h,
        };
        touch.row.row = CompliantRow { k: pair.rigid_ke, ..CompliantRow::OFF };
        touch
    }

    fn acts_at(&self, c: &ShapeContact, of: [u32; 2], input: &TouchInput) -> ActsAt {
        let exact = self.settings.rotation == RotationUpdate::Exponential;
        if !exact || !of.iter().all(|&b| input.bodies.moves(b)) {
            return ActsAt::Own;
        }
        match (c.offset0 == Vec3::zeros(), c.offset1 == Vec3::zeros()) {
            (false, true) => ActsAt::Surface(0),
            (true, false) => ActsAt::Surface(1),
            _ => ActsAt::Middle,
        }
    }

    /// What is kept, turned with the bodies and into the new plane.
    fn carried(
        &self,
        k: &ContactMemory,
        n: Vec3,
        of: [u32; 2],
        points: &[Vec3; 2],
        mu: f64,
        input: &TouchInput,
    ) -> Grasp {
        if !self.settings.history && !input.again {
            return Grasp::default();
        }
        let spin: f64 = of
            .iter()
            .map(|&b| {
                let (begin, now) = (input.bodies.placed(b, Place::Begin), input.bodies.placed(b, Place::Now));
                0.5 * rotation_between(&begin.q, &now.q).dot(&n)
            })
            .sum();
        let exact = self.settings.rotation == RotationUpdate::Exponential;
        let turn = if exact && !input.again { Quat::from_scaled_axis(n * spin) } else { Quat::identity() };
        let plane = |v: Vec3| {
            let v = turn * v;
            v - n * n.dot(&v)
        };
        let retention = if input.again { 1.0 } else { self.settings.retention };
        let normal = k.grasp.normal * retention;
        if !exact && self.settings.sticky {
            let x = |i: usize| input.bodies.placed(of[i], Place::Begin).point(&points[i]);
            let apart = x(1) - x(0);
            return Grasp { normal, offset: apart - n * n.dot(&apart), ..Grasp::default() };
        }
        Grasp {
            normal,
            tangent: inside(plane(k.grasp.tangent) * retention, mu * normal),
            offset: if exact { plane(k.grasp.offset) } else { Vec3::zeros() },
            limit: k.grasp.limit,
            next: Vec3::zeros(),
        }
    }

    /// eq. (30)–(34): metrics, once it is known what is solved together. `together`:
    /// mass of the heaviest body that is solved with both of these, 0 = they are swept; `structure`: by body, stiffness of its
    /// joints, for bodies alone; `gravity` \[m/s²\].
    pub fn measure(
        &mut self,
        bodies: &Bodies,
        together: impl Fn([u32; 2]) -> f64,
        structure: &[f64],
        gravity: f64,
    ) {
        let (h, h2) = (self.h, self.h * self.h);
        let exact = self.settings.rotation == RotationUpdate::Exponential;
        for t in &mut self.list {
            let of = t.bodies;
            let arms = |k: usize| [0, 1].map(|i| bodies.placed(of[i], Place::Begin).q * t.points[k][i]);
            let ([s0, s1], [f0, f1]) = (arms(0), arms(1));
            let n = t.row.normal;
            let ke = t.row.row.k;
            let heavy = together(of);
            let stiff = of.map(|b| structure.get(b as usize).copied().unwrap_or(0.0));
            let alone = heavy == 0.0 || !exact;
            let [w0, w1] = [bodies.point_mobility(of[0], &s0), bodies.point_mobility(of[1], &s1)];
            let surface = match t.is_round {
                false => w0 + w1,
                true => bodies.point_mobility(of[0], &f0) + bodies.point_mobility(of[1], &f1),
            };
            let mobility = [n.dot(&(w0 * n)), n.dot(&(w1 * n))];
            let natural = series(mobility, if alone { stiff } else { [0.0; 2] }, h2);
            let rho = match (alone, ke.is_finite()) {
                (true, _) => natural,
                (false, true) => f64::INFINITY,
                (false, false) => HARD * heavy / h2,
            };
            t.row.row = CompliantRow::new(ke, rho);
            let support = tangent_support(&surface, &n, h2);
            t.row.rho = match alone {
                true => support.max(rho.min(in_series(stiff[0], stiff[1]))),
                false if gravity > 0.0 => support.max(t.grasp.normal / (gravity * h2)),
                false => support,
            };
            t.begin(bodies, ke, natural, h, &self.settings);
        }
    }

    /// Keeps the multipliers in use: at the end of a step, and before contacts are detected again.
    pub fn keep(&mut self) {
        self.kept.clear();
        self.kept.extend(self.list.iter().map(|t| ContactMemory { contact: t.contact, grasp: t.grasp }));
    }

    /// What is kept between steps.
    pub fn save(&self, to: &mut Vec<ContactMemory>) {
        to.clone_from(&self.kept);
    }

    /// Forgets the contacts of chosen bodies.
    pub fn forget(&mut self, chosen: &Chosen) {
        let is_chosen = |b: Option<BodyId>| b.is_some_and(|b| chosen.body(b.0));
        self.kept.retain(|k| !is_chosen(k.contact.body0) && !is_chosen(k.contact.body1));
    }

    /// Goes back to what was saved; `None` = nothing is remembered.
    pub fn restore(&mut self, from: Option<&Vec<ContactMemory>>) {
        match from {
            Some(kept) => self.kept.clone_from(kept),
            None => self.kept.clear(),
        }
    }
}

impl Touch {
    /// eq. (34): a hard contact that begins deep is pushed out no faster than the set speed; a new
    /// one expects the load that its inertia would bring.
    fn begin(&mut self, bodies: &Bodies, ke: f64, natural: f64, h: f64, settings: &TouchSettings) {
        if settings.rotation == RotationUpdate::FirstOrder {
            return;
        }
        let n = self.row.normal;
        let at = |place| {
            let x = [0, 1].map(|i| bodies.placed(self.bodies[i], place).point(&self.points[0][i]));
            self.row.margin - n.dot(&(x[1] - x[0]))
        };
        let (begin, now): (f64, f64) = (at(Place::Begin), at(Place::Now));
        self.note_begin(begin, ke.is_infinite());
        if ke.is_infinite() {
            self.row.allowed = (begin - settings.depenetration_speed * h).max(0.0);
        }
        self.fresh &= now > 0.0;
        if self.grasp.limit == 0.0 {
            let depth = now - self.row.allowed;
            let k = in_series(ke.min(1e300), natural);
            self.grasp.limit = self.row.mu * k * depth.max(0.0);
        }
    }
}
