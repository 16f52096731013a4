//! Names: there, unique, and what they may not hold.

use std::collections::HashMap;

use crate::error::{Fault, SceneError};
use crate::file::SceneFile;
use crate::locate::Path;

use super::context::Context;

/// Checks that names are there and that nothing shares one. Cloths, soft bodies, particles,
/// bodies and rods share one set of names, since solvers and checks speak of all of them.
pub(super) fn check(cx: &Context, file: &SceneFile) -> Result<(), SceneError> {
    let movers = named("cloths", file.cloths.iter().map(|c| &*c.name))
        .chain(named("soft_bodies", file.soft_bodies.iter().map(|s| &*s.name)))
        .chain(named("particles", file.particles.iter().map(|p| &*p.name)))
        .chain(named("bodies", file.bodies.iter().map(|b| &*b.name)))
        .chain(named("rods", file.rods.iter().map(|r| &*r.name)));
    unique(cx, movers)?;
    unique(cx, named("meshes", file.meshes.iter().map(|m| &*m.name)))?;
    unique(cx, named("materials", file.materials.iter().map(|m| &*m.name)))?;
    unique(cx, named("joints", file.joints.iter().map(|j| &*j.name)))?;
    unique(cx, named("solvers", file.solvers.iter().map(|s| s.name())))
}

/// A section, an index and the name there.
type Named<'a> = (&'static str, usize, &'a str);

fn named<'a>(
    section: &'static str,
    names: impl Iterator<Item = &'a str> + 'a,
) -> impl Iterator<Item = Named<'a>> + 'a {
    names.enumerate().map(move |(i, name)| (section, i, name))
}

fn unique<'a>(cx: &Context, names: impl Iterator<Item = Named<'a>>) -> Result<(), SceneError> {
    let mut seen: HashMap<&str, Named> = HashMap::new();
    for (section, i, name) in names {
        let path = Path::root().key(section).index(i).key("name");
        let meant = |c: char| c.is_control() || "*?.\"'`".contains(c);
        if name.trim().is_empty() || name.contains(meant) {
            let help = "write a text without `*`, `?`, `.`, quotes and line breaks";
            return Err(cx.fault(Fault::Value, &path, format!("{name:?} is no name"), help));
        }
        if let Some((other, k, _)) = seen.insert(name, (section, i, name)) {
            let line = cx.tree.find(&Path::root().key(other).index(k).key("name")).0.span.start;
            let place = cx.source.place(line..line, "");
            let message = format!("two {} are named `{name}`", kinds(other, section));
            let help = format!("rename one of them; the first stands at {}:{}", place.file(), place.line());
            return Err(cx.fault(Fault::Duplicate, &path, message, &help));
        }
    }
    Ok(())
}

fn kinds(a: &str, b: &str) -> String {
    let word = |s: &str| s.replace('_', " ");
    if a == b { word(a) } else { format!("things ({} and {})", word(a), word(b)) }
}
