//! Rods: from lines, sections and ends as typed to definitions of the model, and to their segments among
//! the bodies.

use coact_math::{Pose, Vec3};
use coact_model::{BodyId, Geometry, ModelError, RodDef, RodEnd, RodRest, RodShape, Shear};

use crate::error::{Fault, SceneError};
use crate::file::{self, Held, Line, Rest, Rod, SceneFile, Section};
use crate::locate::Path;

use super::Origin;
use super::bodies::{BodyCopy, ShapePlace, find_body};
use super::context::{At, Context};
use super::deformables::{material, pose, vec3};
use super::joints::JointPlace;
use super::lines;

/// A rod, ready to be built.
#[derive(Clone, Debug, PartialEq)]
pub struct RodPlace {
    /// What the builder gets; its material and what it meets are added there.
    pub def: RodDef,
    /// Where its segments are at the start.
    pub shape: RodShape,
    /// Its first segment among the bodies.
    pub first_body: usize,
}

impl RodPlace {
    /// Its segments among the bodies.
    pub fn bodies(&self) -> std::ops::Range<usize> {
        self.first_body..self.first_body + self.shape.poses.len()
    }
}

/// Most segments of one rod.
const MOST_SEGMENTS: u64 = 1_000_000;

/// Checks every value of rods that has a range of its own.
pub(super) fn check(cx: &Context, rods: &[Rod]) -> Result<(), SceneError> {
    for (i, r) in rods.iter().enumerate() {
        let at = cx.at(Path::root().key("rods").index(i));
        line(&at, &r.line)?;
        section(&at, &r.section)?;
        at.positive("young", r.young, "Pa")?;
        match r.shear {
            file::Shear::Modulus(g) => at.positive("shear", g, "Pa")?,
            file::Shear::Poisson(nu) => {
                at.require(nu > -1.0 && nu <= 0.5, "shear", nu, "write a ratio above -1, up to 0.5")?;
            }
        }
        at.positive("density", r.density, "kg/m³")?;
        at.not_negative("damping_time", r.damping_time, "s")?;
        r.taper.iter().enumerate().try_for_each(|(k, s)| at.positive(&format!("taper.{k}"), *s, "1"))?;
        r.first_axis.as_ref().map_or(Ok(()), |a| at.direction("first_axis", a))?;
    }
    Ok(())
}

fn line(at: &At, line: &Line) -> Result<(), SceneError> {
    let segments = |n: u32| at.count("line.segments", n.into(), MOST_SEGMENTS);
    let cut = |segment: Option<f64>| segment.map_or(Ok(()), |s| at.positive("line.segment", s, "m"));
    match line {
        Line::Straight { segments: n, .. } => segments(*n),
        Line::Helix { radius, turns, segments: n, .. } => {
            at.positive("line.radius", *radius, "m")?;
            at.positive("line.turns", *turns, "1")?;
            segments(*n)
        }
        Line::Ring { radius, segments: n } => {
            at.positive("line.radius", *radius, "m")?;
            let remedy = format!("write a whole number from 3 to {MOST_SEGMENTS}");
            at.require((3..=MOST_SEGMENTS).contains(&u64::from(*n)), "line.segments", n, &remedy)
        }
        Line::Points { points, segment } => two(at, points).and_then(|()| cut(*segment)),
        Line::Spline { points, segment } => two(at, points).and_then(|()| cut(Some(*segment))),
        Line::File(f) => {
            at.positive("line.scale", f.scale, "1")?;
            cut(f.segment)
        }
    }
}

fn two(at: &At, points: &[file::V3]) -> Result<(), SceneError> {
    at.require(points.len() > 1, "line.points", "no line", "write two points or more")
}

fn section(at: &At, section: &Section) -> Result<(), SceneError> {
    let positive = |field: &str, value: f64, unit| at.positive(&format!("section.{field}"), value, unit);
    match *section {
        Section::Circle { radius } => positive("radius", radius, "m"),
        Section::Ring { outer, inner } => {
            positive("inner", inner, "m")?;
            at.require(outer > inner, "section.outer", outer, "write a radius above `inner` [m]")
        }
        Section::Rectangle { width, height } => {
            positive("width", width, "m")?;
            positive("height", height, "m")
        }
        Section::Direct { bend, twist, stretch, shear, area, radius } => {
            bend.iter().try_for_each(|ei| positive("bend", *ei, "N·m²"))?;
            positive("twist", twist, "N·m²")?;
            positive("stretch", stretch, "N")?;
            positive("shear", shear, "N")?;
            positive("area", area, "m²")?;
            positive("radius", radius, "m")
        }
    }
}

/// The rods; their segments join `bodies`.
pub(super) fn resolve(
    cx: &Context,
    file: &SceneFile,
    bodies: &mut Vec<BodyCopy>,
) -> Result<Vec<RodPlace>, SceneError> {
    let mut all = Vec::new();
    for (i, r) in file.rods.iter().enumerate() {
        let origin = Origin { section: "rods", index: i };
        let path = origin.path();
        material(cx, file, r.material.as_deref(), &path)?;
        let (mut def, shape) = definition(cx, r, &path)?;
        let finder = Finder { cx, file, bodies, before: &all, number: i };
        def.begin = finder.end(&r.begin, &path.key("begin"), &shape.points[0])?;
        def.end = finder.end(&r.end, &path.key("end"), &shape.points[shape.poses.len()])?;
        if shape.closed && (r.begin != Held::Free || r.end != Held::Free) {
            let field = if r.begin == Held::Free { "end" } else { "begin" };
            let help = "leave it out, and join one of its segments by `joints`, or open the rod";
            let message = format!("the closed rod `{}` has no ends to hold", r.name);
            return Err(cx.fault(Fault::Value, &path.key(field), message, help));
        }
        let first_body = bodies.len();
        bodies.extend(shape.poses.iter().enumerate().map(|(k, pose)| BodyCopy {
            name: format!("{}_{}", r.name, k + 1),
            origin,
            rod: Some(r.name.clone()),
            pose: *pose,
        }));
        all.push(RodPlace { def, shape, first_body });
    }
    Ok(all)
}

/// What follows from one section of the file alone.
fn definition(cx: &Context, r: &Rod, path: &Path) -> Result<(RodDef, RodShape), SceneError> {
    let frame = pose(cx, path, &r.position, r.rotation.as_ref())?;
    let mut def = RodDef {
        name: r.name.clone(),
        path: lines::path(cx, &r.line, &frame, &path.key("line"))?,
        section: r.section.model(),
        young: r.young,
        shear: match r.shear {
            file::Shear::Poisson(nu) => Shear::Poisson(nu),
            file::Shear::Modulus(g) => Shear::Modulus(g),
        },
        density: r.density,
        damping_time: r.damping_time,
        first_axis: r.first_axis.as_ref().map(vec3),
        twist: r.twist,
        rest: match r.rest {
            Rest::Initial => RodRest::Initial,
            Rest::Straight => RodRest::Straight,
            Rest::Curvature(a, b, t) => RodRest::Curved(Vec3::new(a, b, t)),
        },
        ..RodDef::default()
    };
    let shape = def.shape().map_err(|e| refuse(cx, path, &e))?;
    def.taper = spread(&r.taper, shape.points.len());
    Ok((def, shape))
}

/// What the model refuses, at the field that it is about.
fn refuse(cx: &Context, path: &Path, e: &ModelError) -> SceneError {
    let text = e.to_string();
    let (message, help) = crate::build::split_remedy(&text);
    let field = if text.contains("first axis") { "first_axis" } else { "line" };
    cx.fault(Fault::Value, &path.key(field), message, help)
}

/// Values spread evenly over `count` points, linear between.
fn spread(values: &[f64], count: usize) -> Vec<f64> {
    let Some(last) = values.len().checked_sub(1) else { return Vec::new() };
    let at = |i: usize| {
        let place = last as f64 * i as f64 / (count - 1).max(1) as f64;
        let k = (place as usize).min(last.saturating_sub(1));
        let next = values[(k + 1).min(last)];
        values[k] + (next - values[k]) * (place - k as f64)
    };
    (0..count).map(at).collect()
}

/// Looks up what holds the ends of a rod.
struct Finder<'a> {
    cx: &'a Context,
    file: &'a SceneFile,
    /// Those of the file, and the segments of the rods before this one.
    bodies: &'a [BodyCopy],
    before: &'a [RodPlace],
    number: usize,
}

impl Finder<'_> {
    fn end(&self, held: &Held, path: &Path, place: &Vec3) -> Result<RodEnd, SceneError> {
        Ok(match held {
            Held::Free => RodEnd::Free,
            Held::Clamped => RodEnd::Clamped(None),
            Held::Pinned => RodEnd::Pinned(None),
            Held::ClampedTo(name) => RodEnd::Clamped(Some(self.holder(name, path, place)?)),
            Held::PinnedTo(name) => RodEnd::Pinned(Some(self.holder(name, path, place)?)),
        })
    }

    /// The body of that name, or the segment of the rod of that name which is nearest to `place`.
    fn holder(&self, name: &str, path: &Path, place: &Vec3) -> Result<BodyId, SceneError> {
        if let Some(rod) = self.before.iter().find(|r| r.def.name == name) {
            let distance = |b: &usize| (self.bodies[*b].pose.p - place).norm_squared();
            let nearest = rod.bodies().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            return Ok(BodyId::new(nearest.unwrap_or(rod.first_body)));
        }
        if name == "world" {
            let help = "write `Clamped` or `Pinned` for the world";
            return Err(self.cx.fault(Fault::UnknownName, path, "the world is no body", help));
        }
        let segment_of = |r: &&Rod| {
            let number = name.strip_prefix(&*r.name).and_then(|rest| rest.strip_prefix('_'));
            r.name == name || number.is_some_and(|n| n.parse::<u32>().is_ok())
        };
        let known = self.bodies.iter().any(|b| b.name == name);
        if let Some(later) = self.file.rods[self.number..].iter().find(segment_of).filter(|_| !known) {
            let (own, other) = (&self.file.rods[self.number].name, &later.name);
            let (message, help) = if own == other {
                (format!("rod `{own}` is held by itself"), "name a body or another rod".to_owned())
            } else {
                let message = format!("`{name}` is of rod `{other}`, which stands after `{own}`");
                (message, format!("write rod `{other}` before `{own}`, or hold `{other}` by `{own}`"))
            };
            return Err(self.cx.fault(Fault::UnknownName, path, message, &help));
        }
        find_body(self.cx, path, name, self.bodies).map(BodyId::new)
    }
}

/// The shapes of the rods, one per segment, in the order in which the builder adds them.
pub(super) fn shapes(rods: &[RodPlace]) -> impl Iterator<Item = ShapePlace> + '_ {
    let of = |r: &RodPlace| {
        let scale = |p: usize| r.def.taper.get(p).copied().unwrap_or(1.0);
        let capsule = |k: usize| Geometry::Capsule {
            radius: r.def.section.scaled(0.5 * (scale(k) + scale(k + 1))).capsule_radius(),
            half_height: 0.5 * (r.shape.points[k + 1] - r.shape.points[k]).norm(),
        };
        let place = |k: usize| ShapePlace {
            name: format!("{}_{}", r.def.name, k + 1),
            body: Some(r.first_body + k),
            pose: Pose::identity(),
            geometry: capsule(k),
            shape: None,
        };
        (0..r.shape.poses.len()).map(place).collect::<Vec<_>>()
    };
    rods.iter().flat_map(of)
}

/// The joints of the rods, in the order in which the builder adds them: of each rod the elements, then
/// what holds its ends.
pub(super) fn joints(rods: &[RodPlace]) -> Vec<JointPlace> {
    let mut all = Vec::new();
    for (i, rod) in rods.iter().enumerate() {
        let (n, name) = (rod.shape.poses.len(), &rod.def.name);
        let origin = Origin { section: "rods", index: i };
        let mut add = |name: String, parent: Option<usize>, child: usize, k: usize| {
            let place = rod.shape.points[k];
            let turned = |b: usize| Pose::new(place, rod.shape.poses[b - rod.first_body].q);
            let frames = [turned(child); 2];
            all.push(JointPlace { name, joint: None, origin, parent, child, frames });
        };
        let elements = if rod.shape.closed { n } else { n - 1 };
        for k in 0..elements {
            let child = rod.first_body + (k + 1) % n;
            add(format!("{name}_joint_{}", k + 1), Some(rod.first_body + k), child, k + 1);
        }
        let ends = [(rod.def.begin, "begin", 0, 0), (rod.def.end, "end", n - 1, n)];
        for (held, word, segment, point) in ends {
            if let RodEnd::Clamped(holder) | RodEnd::Pinned(holder) = held {
                let child = rod.first_body + segment;
                add(format!("{name}_{word}"), holder.map(|b| b.index()), child, point);
            }
        }
    }
    all
}
