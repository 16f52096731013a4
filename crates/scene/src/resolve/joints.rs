//! Joints: their bodies, their frames, and what their axes may say.

use coact_math::{Pose, Quat, Vec3};

use crate::error::{Fault, SceneError};
use crate::file::{Axis, Drive, Joint, JointKind, RodPiece, SceneFile, TimeFunction};
use crate::locate::Path;

use super::Origin;
use super::bodies::{BodyCopy, find_body};
use super::context::{At, Context};
use super::copies;
use super::deformables::vec3;

/// A joint with its bodies and frames.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPlace {
    /// Its name.
    pub name: String,
    /// As typed, of a copy with the names and the place of that; none for an element of a rod.
    pub joint: Option<Joint>,
    /// Its place in the file.
    pub origin: Origin,
    /// Parent body, by index; `None` = world.
    pub parent: Option<usize>,
    /// Child body, by index.
    pub child: usize,
    /// Poses in the world, at the start, of the joint's frame in the parent and of that in the
    /// child. They differ by the coordinates of the start.
    pub frames: [Pose; 2],
}

impl JointPlace {
    /// The free axes of the joint, linear ones first.
    pub fn axes(&self) -> Vec<&Axis> {
        match self.joint.as_ref().map(|j| &j.kind) {
            Some(JointKind::Revolute(a) | JointKind::Prismatic(a)) => vec![a],
            Some(JointKind::D6(d)) => d.linear.iter().chain(&d.angular).collect(),
            _ => Vec::new(),
        }
    }
}

/// Joints with their bodies looked up, copies counted out, behind those of the `rods`.
pub(super) fn resolve(
    cx: &Context,
    file: &SceneFile,
    bodies: &[BodyCopy],
    rods: Vec<JointPlace>,
) -> Result<Vec<JointPlace>, SceneError> {
    let mut all = rods;
    for (i, j) in file.joints.iter().enumerate() {
        let origin = Origin { section: "joints", index: i };
        let path = origin.path();
        let Some(repeat) = &j.repeat else {
            all.push(place(cx, origin, j.clone(), bodies)?);
            continue;
        };
        let typed = || file.joints.iter().map(|j| &*j.name);
        for (k, offset) in copies::offsets(cx, &path, repeat)?.into_iter().enumerate() {
            let number = |field: &str, text: &str| copies::numbered(cx, &path.key(field), text, k + 1);
            let copy = Joint {
                name: copies::name(cx, "joints", (&j.name, k + 1), typed())?,
                parent: j.parent.as_deref().map(|p| number("parent", p)).transpose()?,
                child: number("child", &j.child)?,
                position: j.position.as_ref().map(|p| (vec3(p) + offset).into()),
                ..j.clone()
            };
            all.push(place(cx, origin, copy, bodies)?);
        }
    }
    Ok(all)
}

/// A joint of one section, with its bodies looked up.
fn place(cx: &Context, origin: Origin, joint: Joint, bodies: &[BodyCopy]) -> Result<JointPlace, SceneError> {
    let path = origin.path();
    let find = |field: &str, name: &str| find_body(cx, &path.key(field), name, bodies);
    let child = find("child", &joint.child)?;
    let parent = joint.parent.as_deref().map(|p| find("parent", p)).transpose()?;
    if parent == Some(child) {
        let message = format!("joint `{}` joins body `{}` to itself", joint.name, joint.child);
        let help = "name two bodies, or leave `parent` out for the world";
        return Err(cx.fault(Fault::Value, &path.key("parent"), message, help));
    }
    let p = joint.position.as_ref().map_or(bodies[child].pose.p, vec3);
    let mut frames = [Pose::translation(p), Pose::translation(p) * moved(&joint.kind)];
    match &joint.kind {
        JointKind::Distance(d) => {
            let origin = parent.map_or_else(Vec3::zeros, |b| bodies[b].pose.p);
            frames[0] = Pose::translation(d.anchor.as_ref().map_or(origin, vec3));
        }
        JointKind::Rod(r) => {
            let along = vec3(&r.along).normalize();
            let opposite = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
            let turn = Quat::rotation_between(&Vec3::z(), &along).unwrap_or(opposite);
            frames = [Pose::new(p, turn); 2];
        }
        _ => {}
    }
    Ok(JointPlace { name: joint.name.clone(), joint: Some(joint), origin, parent, child, frames })
}

/// Pose of the child's frame in the parent's at the coordinates of the start. Turns follow each
/// other from the parent to the child.
fn moved(kind: &JointKind) -> Pose {
    let along = |a: &Axis| vec3(&a.axis).normalize() * a.start;
    let turn = |a: &Axis| Quat::from_scaled_axis(along(a));
    match kind {
        JointKind::Revolute(a) => Pose::new(Vec3::zeros(), turn(a)),
        JointKind::Prismatic(a) => Pose::translation(along(a)),
        JointKind::D6(d) => {
            let turns = d.angular.iter().map(turn);
            Pose::new(d.linear.iter().map(along).sum(), turns.fold(Quat::identity(), |all, q| all * q))
        }
        _ => Pose::identity(),
    }
}

/// Checks every value of joints that has a range of its own.
pub(super) fn check(cx: &Context, joints: &[Joint]) -> Result<(), SceneError> {
    for (i, j) in joints.iter().enumerate() {
        let path = Path::root().key("joints").index(i).key("kind");
        let at = cx.at(path.clone());
        match &j.kind {
            JointKind::Revolute(a) | JointKind::Prismatic(a) => axis(cx, &path, a)?,
            JointKind::D6(d) => {
                axes(cx, &path, "linear", &d.linear)?;
                axes(cx, &path, "angular", &d.angular)?;
            }
            JointKind::Distance(d) => {
                at.not_negative("min", d.min, "m")?;
                at.require(d.min <= d.max, "max", d.max, "write a distance of at least `min` [m]")?;
            }
            JointKind::Rod(r) => rod(&at, r)?,
            JointKind::Fixed | JointKind::Ball | JointKind::Free => {}
        }
    }
    Ok(())
}

fn rod(at: &At, r: &RodPiece) -> Result<(), SceneError> {
    at.direction("along", &r.along)?;
    at.not_negative("bend", r.bend, "N·m/rad")?;
    at.not_negative("twist", r.twist, "N·m/rad")?;
    at.not_negative("damping_time", r.damping_time, "s")?;
    r.stretch.map_or(Ok(()), |k| at.positive("stretch", k, "N/m"))?;
    r.shear.map_or(Ok(()), |k| at.positive("shear", k, "N/m"))
}

/// How far from a plane three directions of unit length must reach, and two from a line.
const LEAST_SPREAD: f64 = 1e-3;

/// Some axes of one kind, of which none may do what the others do together.
fn axes(cx: &Context, path: &Path, field: &str, axes: &[Axis]) -> Result<(), SceneError> {
    let at = cx.at(path.clone());
    at.require(axes.len() <= 3, field, format!("{} axes", axes.len()), "write up to three")?;
    axes.iter().enumerate().try_for_each(|(k, a)| axis(cx, &path.key(field).index(k), a))?;
    let directions: Vec<Vec3> = axes.iter().map(|a| vec3(&a.axis).normalize()).collect();
    let spread = match directions.as_slice() {
        [a, b] => a.cross(b).norm(),
        // turns in a row may come back to the first axis
        [a, b, c] if field == "angular" => a.cross(b).norm().min(b.cross(c).norm()),
        [a, b, c] => a.cross(b).dot(c).abs(),
        _ => 1.0,
    };
    let remedy = "write axes of which none is made of the others";
    at.require(spread > LEAST_SPREAD, field, "short of directions", remedy)
}

fn axis(cx: &Context, path: &Path, a: &Axis) -> Result<(), SceneError> {
    let at = cx.at(path.clone());
    at.direction("axis", &a.axis)?;
    at.not_negative("armature", a.armature, "kg·m² or kg")?;
    at.not_negative("friction", a.friction, "N·m or N")?;
    if let Some(l) = a.limits {
        let text = format!("{} to {}", l.lower, l.upper);
        at.require(l.lower <= l.upper, "limits", text, "write the lower end first")?;
    }
    a.drive.as_ref().map_or(Ok(()), |d| drive(cx, &path.key("drive"), d))
}

fn drive(cx: &Context, path: &Path, d: &Drive) -> Result<(), SceneError> {
    let at = cx.at(path.clone());
    at.not_negative("stiffness", d.stiffness, "N·m/rad or N/m")?;
    at.not_negative("damping", d.damping, "N·m·s/rad or N·s/m")?;
    d.effort_limit.map_or(Ok(()), |e| at.not_negative("effort_limit", e, "N·m or N"))?;
    for (field, f) in [("position", d.position), ("velocity", d.velocity)] {
        let at = cx.at(path.key(field));
        match f {
            Some(TimeFunction::Ramp { duration, .. }) => at.not_negative("duration", duration, "s")?,
            Some(TimeFunction::Sine { frequency, .. }) => at.not_negative("frequency", frequency, "Hz")?,
            Some(TimeFunction::Constant(_)) | None => {}
        }
    }
    Ok(())
}
