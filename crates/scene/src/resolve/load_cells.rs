//! Load cells: the joints and the things that touch whose forces are written.

use crate::error::{Fault, SceneError};
use crate::file::SceneFile;
use crate::locate::Path;
use crate::nearest::suggestion;

use super::bodies::{BodyCopy, ShapePlace};
use super::context::Context;
use super::joints::JointPlace;
use super::{Group, glob};

/// Whose loads are written, by index, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Joints.
    pub joints: Vec<usize>,
    /// Shapes: those of the bodies that are named, and named ones.
    pub shapes: Vec<usize>,
    /// Groups of particles.
    pub groups: Vec<usize>,
}

/// Looks up the names of `output.loads`; one that nothing has is refused.
pub(super) fn resolve(
    cx: &Context,
    file: &SceneFile,
    groups: &[Group],
    bodies: &[BodyCopy],
    joints: &[JointPlace],
    shapes: &[ShapePlace],
) -> Result<Measured, SceneError> {
    let (cells, path) = (&file.output.loads, Path::root().key("output").key("loads"));
    let joint_names: Vec<[&str; 1]> = joints.iter().map(|j| [&*j.name]).collect();
    let shape_names: Vec<[&str; 3]> = shapes.iter().map(|s| shape_names(s, bodies)).collect();
    let group_names: Vec<[&str; 1]> = groups.iter().map(|g| [&*g.name]).collect();

    let mut measured = Measured::default();
    for (i, pattern) in cells.joints.iter().enumerate() {
        if !add(&mut measured.joints, pattern, &joint_names) {
            let at = path.key("joints").index(i);
            return Err(nothing(cx, &at, pattern, joint_names.concat(), "joints"));
        }
    }
    for (i, pattern) in cells.contacts.iter().enumerate() {
        let found = [
            add(&mut measured.shapes, pattern, &shape_names),
            add(&mut measured.groups, pattern, &group_names),
        ];
        if found == [false; 2] {
            let at = path.key("contacts").index(i);
            let names = [shape_names.concat(), group_names.concat()].concat();
            return Err(nothing(
                cx,
                &at,
                pattern,
                names,
                "bodies, shapes, rods, cloths, soft bodies and particles",
            ));
        }
    }
    Ok(measured)
}

/// The name of a shape, its kind where it has none, that of its body, and that of its rod.
fn shape_names<'a>(s: &'a ShapePlace, bodies: &'a [BodyCopy]) -> [&'a str; 3] {
    let own = if s.name.is_empty() { s.geometry.kind() } else { &*s.name };
    let body = s.body.map(|b| &bodies[b]);
    let name = body.map_or(own, |b| &*b.name);
    [own, name, body.and_then(|b| b.rod.as_deref()).unwrap_or(name)]
}

/// Adds what has a name that matches; false where nothing has.
fn add<const N: usize>(to: &mut Vec<usize>, pattern: &str, names: &[[&str; N]]) -> bool {
    let matched = (0..names.len()).filter(|&i| names[i].iter().any(|name| glob::matches(pattern, name)));
    let before = to.len();
    to.extend(matched);
    let any = to.len() > before;
    to.sort_unstable();
    to.dedup();
    any || pattern == "*"
}

fn nothing(cx: &Context, path: &Path, pattern: &str, mut names: Vec<&str>, what: &str) -> SceneError {
    names.sort_unstable();
    names.dedup();
    let message = format!("`{pattern}` matches none of the {what}");
    cx.fault(Fault::UnknownName, path, message, &suggestion(pattern, &names, what))
}
