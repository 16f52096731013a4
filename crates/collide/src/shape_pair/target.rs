//! One shape as detection sees it: where it is, its box, and its side of a record.
//! Theory: `docs/theory/contact-detection.md` eq. (1).

use coact_math::{Mat3, Pose, Vec3};
use coact_model::{BodyId, ModelView, ShapeFlags, ShapeId};

use crate::contacts::ShapeContact;
use crate::narrow::{Side, Solid, Touch};
use crate::particle_shape::{Mobility, UnsupportedShape, body_mobility};
use crate::world_box::WorldBox;

/// Where a shape is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Of the body frame in the world; identity for the static world.
    turn_body: Mat3,
    /// Of the shape frame in the world, and its origin.
    turn: Mat3,
    pub p: Vec3,
}

/// A shape, placed.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub shape: ShapeId,
    pub body: Option<BodyId>,
    pub solid: Solid,
    /// Shape frame in the body (or world) frame.
    pub x_local: Pose,
    turn_local: Mat3,
    pub here: Spot,
    /// Where it comes to in the step if nothing stops it, as far as that is known.
    pub ahead: Option<Spot>,
    pub mobility: Mobility,
    pub margin: f64,
    gap: f64,
    /// How far the surface moves in the step \[m\].
    pub motion: f64,
    pub group: i32,
    pub visible: bool,
}

impl Spot {
    /// How far the point `x`, relative to this spot's own origin, moves from here to `to`.
    pub fn way(&self, to: &Self, x: &Vec3) -> Vec3 {
        to.p - self.p + to.turn * self.turn.tr_mul(x) - x
    }
}

impl Target {
    /// Of a shape; `known` are asked for a surface of the same geometry.
    pub fn new(
        view: &ModelView,
        shape: ShapeId,
        gap: Option<f64>,
        known: &[Self],
    ) -> Result<Self, UnsupportedShape> {
        let (i, body) = (shape.index(), view.shape_body[shape.index()]);
        let geometry = &view.shape_geometry[i];
        let visible = view.shape_flags[i].contains(ShapeFlags::COLLIDE_SHAPES);
        let solid =
            if visible { Solid::of(geometry, known.iter().map(|t| &t.solid)) } else { Ok(Solid::NOTHING) };
        let solid = solid.map_err(|fault| UnsupportedShape { shape, kind: geometry.kind(), fault })?;
        Ok(Self {
            shape,
            body,
            solid,
            x_local: view.shape_x[i],
            turn_local: matrix(&view.shape_x[i]),
            here: Spot { turn_body: Mat3::identity(), turn: matrix(&view.shape_x[i]), p: view.shape_x[i].p },
            ahead: None,
            mobility: body.map_or(Mobility::Static, |b| body_mobility(view, b)),
            margin: view.shape_margin[i],
            gap: gap.unwrap_or(view.shape_gap[i]),
            motion: 0.0,
            group: view.shape_group[i],
            visible,
        })
    }

    /// Puts the body where it is, with the motion to expect.
    pub fn move_to(&mut self, body: &Pose, motion: f64) {
        self.here = self.spot(body);
        (self.ahead, self.motion) = (None, motion);
    }

    /// Says where the body comes to.
    pub fn aim_at(&mut self, body: &Pose) {
        self.ahead = Some(self.spot(body));
    }

    fn spot(&self, body: &Pose) -> Spot {
        let turn_body = matrix(body);
        Spot { turn_body, turn: turn_body * self.turn_local, p: turn_body * self.x_local.p + body.p }
    }

    /// Stays where another form of it was, in the body frame that one had.
    pub fn stay(&mut self, was: &Self) {
        if self.body.is_some() {
            // the origin of the body frame, from the place of the former shape
            let Spot { turn_body, p, .. } = was.here;
            let origin = p - turn_body * was.x_local.p;
            let p = turn_body * self.x_local.p + origin;
            self.here = Spot { turn_body, turn: turn_body * self.turn_local, p };
        }
        self.motion = was.motion;
    }

    /// How far outside of its geometry this shape alone is looked for \[m\].
    pub fn reach(&self) -> f64 {
        self.gap + self.margin + self.motion
    }

    /// Its box, wider by its reach; everything for a plane.
    pub fn bounds(&self) -> WorldBox {
        let Some([lower, upper]) = self.solid.bounds() else { return WorldBox::ALL };
        WorldBox::turned(&lower, &upper, &self.here.turn, &self.here.p).inflated(self.reach())
    }

    /// Whether this plane is near a box that is wider by its own reach.
    pub fn plane_meets(&self, o: &WorldBox) -> bool {
        let n = self.here.turn.column(2);
        let (centre, half) = ((o.lower + o.upper) * 0.5, (o.upper - o.lower) * 0.5);
        n.dot(&(centre - self.here.p)) - n.abs().dot(&half) < self.reach()
    }

    /// As the narrow phase sees it at `spot`, about `origin`.
    pub fn side(&self, spot: &Spot, origin: &Vec3) -> Side<'_> {
        Side { solid: &self.solid, turn: spot.turn, at: spot.p - origin }
    }
}

fn matrix(x: &Pose) -> Mat3 {
    x.q.to_rotation_matrix().into_inner()
}

/// A skeleton point with what lies outside of it, in the body frame: eq. (1).
struct Skeleton {
    point: Vec3,
    offset: Vec3,
    margin: f64,
}

/// eq. (1) of the surface point `x` (relative to the shape's origin, world axes) with the
/// outward normal `n`.
#[inline]
fn skeleton(t: &Target, spot: &Spot, n: &Vec3, x: &Vec3) -> Skeleton {
    let to_body = |x: &Vec3| spot.turn_body.tr_mul(x);
    let beyond = if t.margin == 0.0 { Vec3::zeros() } else { to_body(n) * t.margin };
    if t.solid.is_own_skeleton() {
        return Skeleton { point: to_body(x) + t.x_local.p, offset: beyond, margin: t.margin };
    }
    let (local_n, local_x) = (spot.turn.tr_mul(n), spot.turn.tr_mul(x));
    let point = t.solid.skeleton(&local_n, &local_x);
    let out = local_x - point;
    Skeleton {
        point: t.turn_local * point + t.x_local.p,
        offset: t.turn_local * out + beyond,
        margin: local_n.dot(&out) + t.margin,
    }
}

/// The record of a touch of two shapes at these spots, about the origin of the first.
#[inline]
pub(super) fn record([a, b]: [&Target; 2], [at_a, at_b]: [&Spot; 2], t: &Touch) -> ShapeContact {
    let s0 = skeleton(a, at_a, &t.normal, &t.x[0]);
    let s1 = skeleton(b, at_b, &-t.normal, &(t.x[1] - (at_b.p - at_a.p)));
    ShapeContact {
        shape0: a.shape,
        shape1: b.shape,
        body0: a.body,
        body1: b.body,
        point0: s0.point,
        point1: s1.point,
        offset0: s0.offset,
        offset1: s1.offset,
        margin0: s0.margin,
        margin1: s1.margin,
        normal: t.normal,
        feature: t.feature,
    }
}
