//! Who owns what, and what meets what: globs over names to indices.

use crate::error::{Fault, SceneError};
use crate::file::{Coupling, Entry, SceneFile};
use crate::locate::Path;
use crate::nearest::suggestion;

use super::Group;
use super::bodies::{BodyCopy, names as body_names};
use super::context::Context;
use super::glob;
use super::joints::JointPlace;

/// What a solver owns, by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Owned {
    /// Cloths, soft bodies, particles.
    pub groups: Vec<usize>,
    /// Bodies.
    pub bodies: Vec<usize>,
    /// Joints: those whose child body it owns, but for those that a coupling by rows solves.
    pub joints: Vec<usize>,
}

/// What meets what, by index.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// The solver that owns the things.
    pub source: usize,
    /// The solver that sees them.
    pub destination: usize,
    /// Bodies.
    pub bodies: Vec<usize>,
    /// Cloths, soft bodies, particles.
    pub groups: Vec<usize>,
    /// Joints that stay enabled in the destination.
    pub joints: Vec<usize>,
}

/// Resolves ownership: everything that moves has exactly one owner, which can move it.
pub(super) fn owned(
    cx: &Context,
    file: &SceneFile,
    groups: &[Group],
    bodies: &[BodyCopy],
    joints: &[JointPlace],
) -> Result<Vec<Owned>, SceneError> {
    if file.solvers.is_empty() {
        let help = "add for instance `solvers: [Vbd(name: \"soft\")]`, which owns everything";
        return Err(cx.fault(Fault::MissingField, &Path::root(), "the scene has no solver", help));
    }
    if groups.is_empty() && bodies.is_empty() {
        let help = "add `cloths`, `soft_bodies`, `particles`, `bodies` or `rods`; see docs/scene-format.md";
        return Err(cx.fault(Fault::MissingField, &Path::root(), "the scene has nothing that moves", help));
    }
    let names = Names { groups, bodies };
    let mut owner: Vec<Option<usize>> = vec![None; groups.len() + bodies.len()];
    for (e, entry) in file.solvers.iter().enumerate() {
        for (g, pattern) in entry.owns().iter().enumerate() {
            let path = Path::root().key("solvers").index(e).key("owns").index(g);
            for thing in names.matching(cx, pattern, &path, true, true)? {
                claim(cx, file, &names, &mut owner, thing, e, &path)?;
            }
        }
    }
    if let Some(thing) = owner.iter().position(Option::is_none) {
        return Err(unowned(cx, file, &names, thing));
    }
    let mut all = vec![Owned::default(); file.solvers.len()];
    for (thing, e) in owner.iter().enumerate().filter_map(|(t, e)| Some((t, (*e)?))) {
        match thing.checked_sub(groups.len()) {
            None => all[e].groups.push(thing),
            Some(body) => all[e].bodies.push(body),
        }
    }
    let of_body = |b: usize| owner[groups.len() + b];
    for (j, joint) in joints.iter().enumerate() {
        // a joint between two solvers belongs to the coupling by rows
        let cut = |e: usize| joint.parent.and_then(of_body).is_some_and(|p| p != e);
        let coupled = matches!(file.coupling, Coupling::Admm(_));
        if let Some(e) = of_body(joint.child).filter(|&e| !(coupled && cut(e))) {
            all[e].joints.push(j);
        }
    }
    Ok(all)
}

/// Names of what can be owned: groups first, then bodies.
pub(super) struct Names<'a> {
    pub groups: &'a [Group],
    pub bodies: &'a [BodyCopy],
}

impl Names<'_> {
    fn of(&self, thing: usize) -> &str {
        match thing.checked_sub(self.groups.len()) {
            None => &self.groups[thing].name,
            Some(body) => &self.bodies[body].name,
        }
    }

    /// Everything that a glob matches; nothing at all is a fault, unless it is a plain `*`.
    pub fn matching(
        &self,
        cx: &Context,
        pattern: &str,
        path: &Path,
        groups: bool,
        bodies: bool,
    ) -> Result<Vec<usize>, SceneError> {
        let n = self.groups.len();
        let group = |i: &usize| groups && glob::matches(pattern, &self.groups[*i].name);
        let body = |i: &usize| bodies && self.bodies[*i - n].matches(pattern);
        let found: Vec<usize> = (0..n).filter(group).chain((n..n + self.bodies.len()).filter(body)).collect();
        if !found.is_empty() || pattern == "*" {
            return Ok(found);
        }
        let mut candidates = Vec::new();
        if groups {
            candidates.extend(self.groups.iter().map(|g| &*g.name));
        }
        if bodies {
            candidates.extend(body_names(self.bodies));
        }
        let what = match (groups, bodies) {
            (true, true) => "names",
            (true, false) => "cloths, soft bodies and particles",
            _ => "bodies",
        };
        let message = format!("`{pattern}` matches none of the {what}");
        Err(cx.fault(Fault::UnknownName, path, message, &suggestion(pattern, &candidates, what)))
    }
}

fn claim(
    cx: &Context,
    file: &SceneFile,
    names: &Names,
    owner: &mut [Option<usize>],
    thing: usize,
    e: usize,
    path: &Path,
) -> Result<(), SceneError> {
    let (name, entry) = (names.of(thing), &file.solvers[e]);
    match owner[thing] {
        Some(first) if first != e => {
            let other = file.solvers[first].name();
            let message = format!("`{name}` is owned by `{other}` and by `{}`", entry.name());
            let help = "let one solver own it: list names or globs that do not overlap";
            return Err(cx.fault(Fault::Ownership, path, message, help));
        }
        _ => owner[thing] = Some(e),
    }
    let mover = match entry {
        Entry::Vbd(_) => None,
        Entry::Articulated(_) => Some("an articulated solver"),
        Entry::Rod(_) => Some("a rod solver"),
    };
    if let Some(mover) = mover.filter(|_| thing < names.groups.len()) {
        let message = format!("`{name}` is made of particles, which {mover} does not move");
        let help = "give it to a `Vbd` solver, and list here only bodies";
        return Err(cx.fault(Fault::Ownership, path, message, help));
    }
    Ok(())
}

fn unowned(cx: &Context, file: &SceneFile, names: &Names, thing: usize) -> SceneError {
    let mut name = names.of(thing);
    if let Some(rod) = thing.checked_sub(names.groups.len()).and_then(|b| names.bodies[b].rod.as_ref()) {
        name = rod;
    }
    let (section, i) = match thing.checked_sub(names.groups.len()) {
        Some(body) => (names.bodies[body].origin.section, names.bodies[body].origin.index),
        None => group_section(file, &names.groups[thing], thing),
    };
    let path = Path::root().key(section).index(i).key("name");
    let solvers: Vec<&str> = file.solvers.iter().map(Entry::name).collect();
    let listed = solvers.iter().map(|s| format!("`{s}`")).collect::<Vec<_>>().join(", ");
    let message = format!("no solver owns `{name}`: it would not move");
    cx.fault(Fault::Ownership, &path, message, &format!("add \"{name}\" to `owns` of one of {listed}"))
}

/// The section of the file in which a group stands.
pub(super) fn group_section(file: &SceneFile, group: &Group, index: usize) -> (&'static str, usize) {
    let section = if index < file.cloths.len() {
        "cloths"
    } else if index < file.cloths.len() + file.soft_bodies.len() {
        "soft_bodies"
    } else {
        "particles"
    };
    (section, group.section_index)
}

/// Resolves the interfaces of a coupling.
pub(super) fn interfaces(
    cx: &Context,
    file: &SceneFile,
    groups: &[Group],
    bodies: &[BodyCopy],
    joints: &[JointPlace],
    owned: &[Owned],
) -> Result<Vec<Interface>, SceneError> {
    let Coupling::Proxy(proxy) = &file.coupling else { return Ok(Vec::new()) };
    let path = Path::root().key("coupling").key("interfaces");
    let names = Names { groups, bodies };
    let mut all = Vec::new();
    for (i, interface) in proxy.interfaces.iter().enumerate() {
        let path = path.index(i);
        let source = solver(cx, file, &interface.source, &path.key("source"))?;
        let destination = solver(cx, file, &interface.destination, &path.key("destination"))?;
        if source == destination {
            let message = format!("source and destination are both `{}`", interface.source);
            return Err(cx.fault(Fault::Value, &path.key("destination"), message, "name two solvers"));
        }
        let parts = Parts { cx, names: &names, file, owned, source };
        let resolved = Interface {
            source,
            destination,
            bodies: parts.find(&interface.bodies, &path.key("bodies"), false)?,
            groups: parts.find(&interface.particles, &path.key("particles"), true)?,
            joints: named_joints(cx, &interface.joints, &path.key("joints"), joints)?,
        };
        if resolved.bodies.is_empty() && resolved.groups.is_empty() {
            let help =
                "write `bodies: [\"…\"]` or `particles: [\"…\"]`; `\"*\"` takes all that the source owns";
            return Err(cx.fault(
                Fault::MissingField,
                &path,
                "this interface lists nothing that meets",
                help,
            ));
        }
        all.push(resolved);
    }
    Ok(all)
}

fn named_joints(
    cx: &Context,
    names: &[String],
    path: &Path,
    joints: &[JointPlace],
) -> Result<Vec<usize>, SceneError> {
    let find = |(i, name): (usize, &String)| {
        joints.iter().position(|j| j.name == *name).ok_or_else(|| {
            let all: Vec<&str> = joints.iter().map(|j| &*j.name).collect();
            let message = format!("no joint is named `{name}`");
            cx.fault(Fault::UnknownName, &path.index(i), message, &suggestion(name, &all, "joints"))
        })
    };
    names.iter().enumerate().map(find).collect()
}

fn solver(cx: &Context, file: &SceneFile, name: &str, path: &Path) -> Result<usize, SceneError> {
    file.solvers.iter().position(|s| s.name() == name).ok_or_else(|| {
        let names: Vec<&str> = file.solvers.iter().map(Entry::name).collect();
        let message = format!("no solver is named `{name}`");
        cx.fault(Fault::UnknownName, path, message, &suggestion(name, &names, "solvers"))
    })
}

/// Looks up the things of one interface.
struct Parts<'a> {
    cx: &'a Context,
    names: &'a Names<'a>,
    file: &'a SceneFile,
    owned: &'a [Owned],
    source: usize,
}

impl Parts<'_> {
    /// Groups or bodies of the source; a glob with `*` passes over what others own.
    fn find(&self, patterns: &[String], path: &Path, groups: bool) -> Result<Vec<usize>, SceneError> {
        let mine = &self.owned[self.source];
        let mut found = Vec::new();
        for (i, pattern) in patterns.iter().enumerate() {
            let path = path.index(i);
            for thing in self.names.matching(self.cx, pattern, &path, groups, !groups)? {
                let index = if groups { thing } else { thing - self.names.groups.len() };
                let list = if groups { &mine.groups } else { &mine.bodies };
                match list.contains(&index) {
                    true => found.push(index),
                    false if pattern == "*" => {}
                    false => return Err(self.foreign(thing, index, groups, &path)),
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn foreign(&self, thing: usize, index: usize, groups: bool, path: &Path) -> SceneError {
        let name = self.names.of(thing);
        let source = self.file.solvers[self.source].name();
        let owns = |o: &Owned| if groups { o.groups.contains(&index) } else { o.bodies.contains(&index) };
        let owner = self.owned.iter().position(owns).map_or("nobody", |e| self.file.solvers[e].name());
        let message = format!("the source `{source}` does not own `{name}`: `{owner}` does");
        let help = format!("write `source: \"{owner}\"`, or add \"{name}\" to `owns` of `{source}`");
        self.cx.fault(Fault::Ownership, path, message, &help)
    }
}
