//! Contacts of a step, made of what was detected and of what is remembered.
//!
//! Theory: `docs/theory/rod-contact.md` eq. (5), (6), (14).

use coact_collide::ShapeContact;
use coact_math::{Pose, Spatial, Vec3};
use coact_model::{BodyId, Material, ModelView};

use super::law::{Law, Push, Spot, inside};
use super::touch::{Foot, Touch};
use crate::element::Side;
use crate::layout::{Layout, Role};
use crate::rod::Rod;

/// Normal stiffness over that of the inertia of the heavier rod: eq. (5). Larger loses digits.
const HARD: f64 = 1e5;

/// The same of friction: how far what sticks gives way before it slides.
const RUB: f64 = 30.0;

/// Part of a depth that comes out in a step, and the speed at which it does at most \[m/s\]: eq. (6).
const OUT: f64 = 0.2;
const PACE: f64 = 0.2;

/// Share of its relative way in the step within which a contact is a row from the start: eq. (14).
const WATCHED: f64 = 0.25;

/// A contact between two steps.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// As detected in the last step.
    pub contact: ShapeContact,
    /// Normal force and friction at its end \[N\].
    pub push: Push,
}

impl AsRef<ShapeContact> for Memory {
    fn as_ref(&self) -> &ShapeContact {
        &self.contact
    }
}

/// What contacts are made of.
pub(crate) struct Maker<'a> {
    pub view: &'a ModelView,
    pub layout: &'a Layout,
    pub rods: &'a [Rod],
    /// Masses of rods \[kg\].
    pub masses: &'a [f64],
    /// Body frames of what is prescribed, at the begin and at the end.
    pub bases: [&'a [Pose]; 2],
    pub base_qd: &'a [Spatial],
    pub h: f64,
}

/// A body of a contact: its side, frame and angular velocity at the begin, and the mass of its rod.
struct Stand {
    side: Side,
    frame: Pose,
    spin: Vec3,
    mass: f64,
}

impl Maker<'_> {
    /// A contact; `offset(rod)`: what is added to the numbers of segments.
    pub fn make(&self, c: &ShapeContact, kept: Option<&Memory>, offset: impl Fn(usize) -> u32) -> Touch {
        let stands = [c.body0, c.body1].map(|b| self.stand(b, &offset));
        let feet = [
            self.foot(&stands[0], c.body0, &c.point0, &c.offset0),
            self.foot(&stands[1], c.body1, &c.point1, &c.offset1),
        ];
        let mix = Material::mix(self.view.material_of_shape(c.shape0), self.view.material_of_shape(c.shape1));
        let n = c.normal;
        let begin = c.margin0 + c.margin1 - n.dot(&(feet[1].begin - feet[0].begin));
        let inertia = stands[0].mass.max(stands[1].mass) / (self.h * self.h);
        let soft = mix.rigid_ke.is_finite();
        let surface = |s: &Stand, shape: usize| s.frame.vector(&self.view.shape_surface_velocity[shape]);
        let push = kept.map_or_else(Push::default, |k| carried(k, &n, &stands, self.h));
        let k = mix.rigid_ke.min(HARD * inertia);
        // what carries its load lies as deep as that asks for
        let excess = (begin - push.normal / k).max(0.0);
        let allowed = excess - (excess * OUT).min(self.h * PACE);
        let law = Law {
            k,
            damping: if soft { mix.kd / self.h } else { 0.0 },
            begin: if soft { begin.max(0.0) } else { 0.0 },
            rho: if mix.mu > 0.0 { RUB * inertia } else { 0.0 },
            limit: mix.mu * push.normal,
        };
        let grip = inside(push.friction, law.limit);
        Touch {
            contact: *c,
            margin: c.margin0 + c.margin1 - if soft { 0.0 } else { allowed },
            carried: (surface(&stands[1], c.shape1.index()) - surface(&stands[0], c.shape0.index())) * self.h,
            feet,
            edge: None,
            on: push.normal > 0.0,
            law,
            mu: mix.mu,
            grip,
            arms: [Vec3::zeros(); 2],
            here: Spot::default(),
            ahead: Spot::default(),
            foreseen: Push { normal: push.normal, friction: grip },
        }
    }

    /// A contact that is found where the solve came to: all of its depth is new, and friction waits for the
    /// next step.
    pub fn make_late(&self, c: &ShapeContact, offset: impl Fn(usize) -> u32) -> Touch {
        let mut touch = self.make(c, None, offset);
        touch.margin = c.margin0 + c.margin1;
        (touch.mu, touch.law.rho, touch.law.begin, touch.on) = (0.0, 0.0, 0.0, true);
        touch
    }

    fn stand(&self, body: Option<BodyId>, offset: impl Fn(usize) -> u32) -> Stand {
        let (still, origin) = (Vec3::zeros(), Pose::identity());
        match body.map(|b| self.layout.roles[b.index()]) {
            None => Stand { side: Side::World, frame: origin, spin: still, mass: 0.0 },
            Some(Role::Base(k)) => {
                let (frame, spin) = (self.bases[0][k as usize], self.base_qd[k as usize].ang);
                Stand { side: Side::Base(k), frame, spin, mass: 0.0 }
            }
            Some(Role::Segment(r, n)) => {
                let (rod, i) = (&self.rods[r as usize], n as usize);
                let side = Side::Node(offset(r as usize) + n);
                Stand { side, frame: rod.pose[i], spin: rod.velocity[i].ang, mass: self.masses[r as usize] }
            }
        }
    }

    fn foot(&self, stand: &Stand, body: Option<BodyId>, point: &Vec3, offset: &Vec3) -> Foot {
        let (begin, beside) = (stand.frame.point(point), stand.frame.vector(offset));
        let mut foot = Foot {
            side: stand.side,
            r: Vec3::zeros(),
            begin,
            offset: beside,
            end: begin,
            way: Vec3::zeros(),
        };
        match stand.side {
            Side::Node(_) => {
                foot.r = point - body.map_or_else(Vec3::zeros, |b| self.view.body_com[b.index()])
            }
            Side::Base(k) => {
                let end = &self.bases[1][k as usize];
                foot.end = end.point(point);
                let turn = coact_math::rotation_between(&stand.frame.q, &end.q);
                foot.way = foot.end - begin + turn.cross(&beside);
            }
            Side::World => {}
        }
        foot
    }
}

/// What is remembered, turned with the two bodies about the new normal `n` and laid into its plane.
fn carried(kept: &Memory, n: &Vec3, stands: &[Stand; 2], h: f64) -> Push {
    let spin = (stands[0].spin + stands[1].spin) * 0.5;
    let (sin, cos) = (spin.dot(n) * h).sin_cos();
    let f = &kept.push.friction;
    let plane = f - n * n.dot(f);
    Push { normal: kept.push.normal, friction: plane * cos + n.cross(&plane) * sin }
}

impl Rod {
    /// eq. (14): which contacts are rows, at the iterate that the solve starts from.
    pub(crate) fn choose_rows(&mut self) {
        let mut touches = std::mem::take(&mut self.touches);
        for touch in &mut touches {
            touch.look(&self.segments());
            touch.on |= touch.here.depth > -WATCHED * touch.way(&self.segments());
        }
        self.touches = touches;
        self.tie();
    }
}
