//! Attachments of particles to bodies, as compliant rows. Theory: `docs/theory/vbd.md`
//! section 7, eq. (32)–(36).
//!
//! ```text
//! C = x − p        p: the anchor, riding on the body      f: force on the body
//! f = k C + s λ + kd (C − C₀)/h                           −f: on the particle
//! ρ = 1/(h² (w' + 1/m_body))      w' = w/(1 + h² w η),    η: row sum of the elements' Hessian
//! ```
//! All in `f64`; the particle's displacement is added to y − p, so no digit of the gap is
//! lost. A hard attachment (K = ∞) is not damped. One that is off forgets its multiplier; when
//! it is switched on it begins without one, at the anchor point that the model has then.
//! Left out: a lever arm in ρ.

use std::ops::Range;

use coact_math::Vec3;
use coact_model::{Model, ModelView};

use crate::row::CompliantRow;

use crate::body::{Bodies, BodyLoad};
use crate::prepared::Layout;

/// What an attachment does at the end of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttachmentState {
    /// From the anchor to the particle \[m\].
    pub gap: Vec3,
    /// Force on the body without damping; the particle feels its opposite \[N\].
    pub force: Vec3,
}

/// One attachment in a step.
#[derive(Clone, Copy, Debug)]
struct Attached {
    id: u32,
    slot: u32,
    body: u32,
    row: CompliantRow,
    /// Anchor relative to the centre of mass, body axes \[m\].
    arm: Vec3,
    /// y − p \[m\].
    e: Vec3,
    /// C at the begin of the step \[m\].
    begin: Vec3,
    /// kd/h \[N/m\].
    damping: f64,
    lambda: Vec3,
    /// The multiplier between steps.
    kept: Vec3,
    /// C at the end of the last step.
    gap: Vec3,
}

/// What attachments need to know of a particle.
pub trait AttachedParticles {
    /// m/h² \[N/m\]; 0 = moved by no force.
    fn inertia(&self, slot: usize) -> f64;
    /// Row sum of the elements' Hessian at the prediction \[N/m\].
    fn stiffness(&self, slot: usize) -> f64;
    /// Target y and position at the begin of the step \[m\].
    fn target(&self, slot: usize) -> (Vec3, Vec3);
}

/// Energy of an attachment at the begin and at the end of a step \[J\].
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    pub begin: f64,
    pub end: f64,
    /// How far apart the ends were at the begin \[m\], if it is hard.
    pub apart: Option<f64>,
}

/// All attachments of a view, by slot, then id.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    list: Vec<Attached>,
    /// Indices into `list` by body, then slot.
    by_body: Vec<u32>,
}

impl Attachments {
    /// Both ends are those of the view; what acts is read every step.
    pub fn new(view: &ModelView, layout: &Layout) -> Self {
        let at = |i: usize| Attached {
            id: i as u32,
            slot: layout.slot_of[view.attachment_particle[i].index()],
            body: view.attachment_body[i].0,
            row: CompliantRow::OFF,
            arm: Vec3::zeros(),
            e: Vec3::zeros(),
            begin: Vec3::zeros(),
            damping: 0.0,
            lambda: Vec3::zeros(),
            kept: Vec3::zeros(),
            gap: Vec3::zeros(),
        };
        let mut list: Vec<_> = (0..view.attachment_particle.len()).map(at).collect();
        list.sort_by_key(|a| (a.slot, a.id));
        let mut by_body: Vec<_> = (0..list.len() as u32).collect();
        by_body.sort_by_key(|&i| (list[i as usize].body, i));
        Self { list, by_body }
    }

    /// eq. (35), (36): coefficients and multipliers of a step; bodies are at their targets.
    /// `retention`: share of the multipliers that is kept.
    pub fn begin(
        &mut self,
        model: &Model,
        bodies: &Bodies,
        particles: &impl AttachedParticles,
        h: f64,
        retention: f64,
    ) {
        for a in &mut self.list {
            let (i, slot) = (a.id as usize, a.slot as usize);
            let body = bodies.get(a.body as usize);
            let ke = if model.attachment_enabled[i] { model.attachment_ke[i] } else { 0.0 };
            a.row = CompliantRow::new(ke, support(slot, bodies.mass(a.body) / (h * h), particles));
            a.lambda = if a.row == CompliantRow::OFF { Vec3::zeros() } else { a.kept * retention };
            a.damping = if ke > 0.0 && ke.is_finite() { model.attachment_kd[i] / h } else { 0.0 };
            a.arm = model.attachment_point[i] - body.com;
            let (y, x0) = particles.target(slot);
            a.begin = x0 - body.begin.point(&a.arm);
            a.e = y - body.now.point(&a.arm);
        }
    }

    /// The attachments of a particle.
    #[inline]
    pub fn of_slot(&self, slot: usize) -> Range<usize> {
        let at = |s: usize| self.list.partition_point(|a| (a.slot as usize) < s);
        if self.list.is_empty() { 0..0 } else { at(slot)..at(slot + 1) }
    }

    /// All of them, each with its slot and its body.
    pub fn ends(&self) -> impl Iterator<Item = (usize, u32, u32)> + '_ {
        self.list.iter().enumerate().map(|(i, a)| (i, a.slot, a.body))
    }

    /// Whether a particle of `slots` is attached.
    pub fn any(&self, slots: &Range<usize>) -> bool {
        !self.list.is_empty() && self.of_slot(slots.start).start < self.of_slot(slots.end).start
    }

    /// Force on the particle \[N\] and its stiffness \[N/m\], at the displacement `d` from its
    /// target.
    pub fn eval(&self, attachment: usize, d: &Vec3) -> (Vec3, f64) {
        let a = &self.list[attachment];
        (-a.force(d), if a.row == CompliantRow::OFF { 0.0 } else { a.row.k + a.damping })
    }

    /// Potential of an attachment at the displacement `d` of its particle, its multiplier held \[J\].
    pub fn energy(&self, attachment: usize, d: &Vec3) -> f64 {
        let a = &self.list[attachment];
        if a.row == CompliantRow::OFF {
            return 0.0;
        }
        let (c, moved) = (a.e + d, a.e + d - a.begin);
        0.5 * (a.row.k * c.norm_squared() + a.damping * moved.norm_squared()) + a.row.s * a.lambda.dot(&c)
    }

    /// Energy of an attachment that acts, at the begin of the step and at the displacement `d` of its particle.
    pub fn stored(&self, attachment: usize, d: &Vec3) -> Option<Stored> {
        let a = &self.list[attachment];
        let ke = if a.row.a > 0.0 { a.row.k / a.row.a } else { 0.0 };
        let at = |c: Vec3| 0.5 * ke * c.norm_squared();
        let apart = (a.row.a == 0.0).then(|| a.begin.norm());
        (a.row != CompliantRow::OFF).then(|| Stored { begin: at(a.begin), end: at(a.e + d), apart })
    }

    /// Attachments to a body: number, slot and anchor from the centre of mass, body axes.
    pub fn ends_at(&self, body: usize) -> impl Iterator<Item = (usize, u32, Vec3)> + '_ {
        let list = self.of_body(body).map(|k| self.by_body[k] as usize);
        list.map(|i| (i, self.list[i].slot, self.list[i].arm))
    }

    /// The body of an attachment, and its anchor there.
    pub fn anchor(&self, attachment: usize) -> (u32, &Vec3) {
        let a = &self.list[attachment];
        (a.body, &a.arm)
    }

    /// Adds what pulls on a body. `d` is the displacement of a slot.
    pub fn add_load(&self, body: usize, load: &mut BodyLoad, bodies: &Bodies, d: impl Fn(usize) -> Vec3) {
        for i in self.of_body(body) {
            let i = self.by_body[i] as usize;
            let (f, k) = self.eval(i, &d(self.list[i].slot as usize));
            if k > 0.0 {
                let h = coact_math::Mat3::identity() * k;
                load.react(&f, &h, &(bodies.get(body).now.q * self.list[i].arm));
            }
        }
    }

    /// Takes over where a body now is. `y` is the target of a slot.
    pub fn refresh(&mut self, body: usize, bodies: &Bodies, y: impl Fn(usize) -> Vec3) {
        for i in self.of_body(body) {
            let a = &mut self.list[self.by_body[i] as usize];
            a.e = y(a.slot as usize) - bodies.get(body).now.point(&a.arm);
        }
    }

    /// eq. (34): multipliers follow a sweep.
    pub fn update_duals(&mut self, d: impl Fn(usize) -> Vec3) {
        for a in &mut self.list {
            a.lambda = a.row.force(&(a.e + d(a.slot as usize)), &a.lambda);
        }
    }

    /// eq. (34): the end of a step. Multipliers in use stay as blocks felt them.
    pub fn commit(&mut self, d: impl Fn(usize) -> Vec3) {
        for a in &mut self.list {
            a.gap = a.e + d(a.slot as usize);
            a.kept = a.row.force(&a.gap, &a.lambda);
        }
    }

    /// Multipliers between two steps, by slot, then id.
    pub fn save(&self, to: &mut Vec<Vec3>) {
        to.clear();
        to.extend(self.list.iter().map(|a| a.kept));
    }

    /// Goes back to what `save` saved; `None` = no multiplier.
    pub fn restore(&mut self, from: Option<&[Vec3]>) {
        for (i, a) in self.list.iter_mut().enumerate() {
            a.kept = from.map_or_else(Vec3::zeros, |kept| kept[i]);
        }
    }

    /// Forgets the multipliers of some pairs of a slot and a body.
    pub fn forget(&mut self, is_chosen: impl Fn(u32, u32) -> bool) {
        let chosen = self.list.iter_mut().filter(|a| is_chosen(a.slot, a.body));
        chosen.for_each(|a| a.kept = Vec3::zeros());
    }

    /// What an attachment did at the end of the last step.
    pub fn state(&self, id: u32) -> Option<AttachmentState> {
        let a = self.list.iter().find(|a| a.id == id)?;
        Some(AttachmentState { gap: a.gap, force: a.kept })
    }

    /// The one that acts with the largest gap at the end of the last step, and that gap \[m\].
    pub fn worst(&self) -> Option<(u32, f64)> {
        let acting = self.list.iter().filter(|a| a.row != CompliantRow::OFF);
        acting.map(|a| (a.id, a.gap.norm())).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn of_body(&self, body: usize) -> Range<usize> {
        let at = |b: usize| self.by_body.partition_point(|&i| (self.list[i as usize].body as usize) < b);
        if self.list.is_empty() { 0..0 } else { at(body)..at(body + 1) }
    }
}

impl Attached {
    /// Force on the body.
    fn force(&self, d: &Vec3) -> Vec3 {
        if self.row == CompliantRow::OFF {
            return Vec3::zeros();
        }
        let c = self.e + d;
        self.row.force(&c, &self.lambda) + (c - self.begin) * self.damping
    }
}

/// eq. (35): ρ \[N/m\], in series; a side of 0 is moved by no force.
fn support(slot: usize, body: f64, particles: &impl AttachedParticles) -> f64 {
    let k = particles.inertia(slot);
    let particle = if k > 0.0 { k + particles.stiffness(slot) } else { 0.0 };
    match (particle > 0.0, body > 0.0) {
        (true, true) => particle * body / (particle + body),
        _ => particle + body,
    }
}
