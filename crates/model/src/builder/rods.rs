//! Rods: segments as bodies, elements between them as joints. Theory: `docs/theory/rod.md` section 2.

use coact_math::{Mat3, Pose, Quat, Vec3, exp_so3};

use super::rod_defs::{RodDef, RodEnd, RodIds, RodRest, Shear};
use super::rod_path::Polyline;
use super::rod_section::{RodSection, RodStiffness};
use super::{BodyDef, BodyMass, JointDef, ModelBuilder, RodRecord, ShapeDef};
use crate::ids::{BodyId, JointId};
use crate::joint::{JointAxis, JointKind};
use crate::shape::Geometry;

/// A definition with what follows from it.
pub(super) struct Shaped<'a> {
    pub def: &'a RodDef,
    pub line: Polyline,
    pub frames: Vec<Quat>,
}

impl Shaped<'_> {
    /// The section at a point of the line.
    fn section_at(&self, point: usize) -> RodSection {
        self.def.taper.get(point).map_or(self.def.section, |s| self.def.section.scaled(*s))
    }

    /// The section of a segment: the mean of its ends.
    fn section_of(&self, i: usize) -> RodSection {
        let scale = |p: usize| self.def.taper.get(p).copied().unwrap_or(1.0);
        self.def.section.scaled(0.5 * (scale(i) + scale(i + 1)))
    }

    fn length(&self, i: usize) -> f64 {
        self.line.edge(i).norm()
    }

    fn stiffness_at(&self, point: usize) -> RodStiffness {
        self.section_at(point).stiffness(self.def.young, self.def.shear.modulus(self.def.young))
    }

    /// Rest rotation of an element of length `h`; `number`: of all elements.
    fn rest(&self, number: usize, h: f64) -> Option<Quat> {
        match &self.def.rest {
            RodRest::Initial => None,
            RodRest::Straight => Some(Quat::identity()),
            RodRest::Curved(k) => Some(exp_so3(&(k * h))),
            RodRest::PerElement(all) => Some(exp_so3(&all[number])),
        }
    }
}

impl Shear {
    /// G \[Pa\] at Young's modulus E.
    pub fn modulus(&self, young: f64) -> f64 {
        match self {
            Self::Modulus(g) => *g,
            Self::Poisson(nu) => 0.5 * young / (1.0 + nu),
        }
    }
}

impl ModelBuilder {
    /// Adds a rod: a body with a capsule per segment, a rod joint between each two, and what holds its
    /// ends. Errors at `finalize`: points that coincide, a spline shorter than a segment, a section or
    /// modulus that is not positive, a closed rod that does not close, counts that do not fit.
    pub fn add_rod(&mut self, def: RodDef) -> RodIds {
        let line = Polyline::of(&def.path);
        if let Err(error) = self.check_rod(&def, &line) {
            self.deferred.push(error);
            return RodIds::default();
        }
        let frames = line.frames(def.first_axis.as_ref(), def.twist);
        let rod = Shaped { def: &def, line, frames };
        let bodies: Vec<BodyId> = (0..rod.line.count()).map(|i| self.add_segment(&rod, i)).collect();
        let joints = self.add_elements(&rod, &bodies);
        let ends = if rod.line.closed { [None; 2] } else { self.add_ends(&rod, &bodies) };
        let (ei, length) = (rod.stiffness_at(0).ei, rod.line.length());
        let radius = |point: usize| rod.section_at(point).capsule_radius();
        let radii = [radius(0), radius(rod.line.count())];
        let held = [0, 1].map(|k| ends[k].map(|j| (j, radii[k])));
        let first = bodies.first().map_or(0, |b| b.index());
        let bodies_of = first..first + bodies.len();
        self.rods.push(RodRecord { def, ei, length, bodies: bodies_of, ends: held });
        RodIds { bodies, joints, ends }
    }

    fn add_segment(&mut self, rod: &Shaped, i: usize) -> BodyId {
        let (def, l, section) = (rod.def, rod.length(i), rod.section_of(i));
        let per_length = def.density * section.area();
        let [i1, i2] = section.second_moments().map(|m| m * def.density * l);
        let thin = per_length * l.powi(3) / 12.0;
        let inertia = Mat3::from_diagonal(&Vec3::new(thin + i1, thin + i2, i1 + i2));
        let body = self.add_body(BodyDef {
            name: numbered(&def.name, "", i),
            pose: Pose::new(rod.line.center(i), rod.frames[i]),
            mass: BodyMass::Given { mass: per_length * l, com: Vec3::zeros(), inertia },
            ..BodyDef::default()
        });
        let radius = section.capsule_radius();
        self.add_shape(ShapeDef {
            name: numbered(&def.name, "", i),
            body: Some(body),
            geometry: Geometry::Capsule { radius, half_height: 0.5 * l },
            density: 0.0,
            material: def.material,
            flags: def.flags,
            group: def.group,
            ..ShapeDef::default()
        });
        body
    }

    fn add_elements(&mut self, rod: &Shaped, bodies: &[BodyId]) -> Vec<JointId> {
        let n = bodies.len();
        let count = if rod.line.closed { n } else { n - 1 };
        let add = |i: usize| {
            let next = (i + 1) % n;
            let h = 0.5 * (rod.length(i) + rod.length(next));
            self.add_joint(JointDef {
                name: numbered(&rod.def.name, "joint_", i),
                x_p: Pose::translation(Vec3::z() * (0.5 * rod.length(i))),
                x_c: Pose::translation(Vec3::z() * (-0.5 * rod.length(next))),
                axes: axes(&rod.stiffness_at(i + 1), h, rod.def.damping_time, true),
                rest_rotation: rod.rest(i, h),
                ..JointDef::new(JointKind::Rod, Some(bodies[i]), bodies[next])
            })
        };
        (0..count).map(add).collect()
    }

    fn add_ends(&mut self, rod: &Shaped, bodies: &[BodyId]) -> [Option<JointId>; 2] {
        let last = bodies.len() - 1;
        let begin = self.add_end(rod, &rod.def.begin, (0, bodies[0], -0.5));
        let end = self.add_end(rod, &rod.def.end, (last, bodies[last], 0.5));
        [begin, end]
    }

    /// A half-segment element between what holds the rod and its first or last segment, at `place` of
    /// its length from its centre: eq. (8).
    fn add_end(&mut self, rod: &Shaped, end: &RodEnd, at: (usize, BodyId, f64)) -> Option<JointId> {
        let (i, child, place) = at;
        let (parent, bends) = match *end {
            RodEnd::Free => return None,
            RodEnd::Clamped(parent) => (parent, true),
            RodEnd::Pinned(parent) => (parent, false),
        };
        let (l, point) = (rod.length(i), if place < 0.0 { 0 } else { i + 1 });
        let frame = Pose::new(rod.line.points[point], rod.frames[i]);
        let holder = parent.and_then(|b| self.bodies.get(b.index())).map_or_else(Pose::identity, |b| b.pose);
        let half = match &rod.def.rest {
            // from what holds it towards the middle of the segment: against the rod at its end
            RodRest::Curved(k) => exp_so3(&(k * (-place * l))),
            _ => Quat::identity(),
        };
        Some(self.add_joint(JointDef {
            name: if rod.def.name.is_empty() {
                String::new()
            } else {
                format!("{}_{}", rod.def.name, if place < 0.0 { "begin" } else { "end" })
            },
            x_p: holder.inverse() * frame,
            x_c: Pose::translation(Vec3::z() * (place * l)),
            axes: axes(&rod.stiffness_at(point), 0.5 * l, rod.def.damping_time, bends),
            rest_rotation: Some(half),
            ..JointDef::new(JointKind::Rod, parent, child)
        }))
    }
}

/// The six rows of an element of length `h`: eq. (7).
fn axes(s: &RodStiffness, h: f64, damping_time: f64, bends: bool) -> Vec<JointAxis> {
    let turns = if bends { [s.ei[0], s.ei[1], s.gj] } else { [0.0; 3] };
    let row =
        |k: f64| JointAxis { target_ke: k / h, target_kd: damping_time * k / h, ..JointAxis::default() };
    [s.ga, s.ga, s.ea].into_iter().chain(turns).map(row).collect()
}

/// Counted from 1, as copies of bodies in a scene are.
fn numbered(name: &str, kind: &str, i: usize) -> String {
    if name.is_empty() { String::new() } else { format!("{name}_{kind}{}", i + 1) }
}
