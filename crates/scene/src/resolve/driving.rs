//! Motions, forces and attachments: what they act on, and what they cannot mean.

use crate::error::{Fault, SceneError};
use crate::file::{Attachment, Force, Motion, Move, Pin, SceneFile};
use crate::locate::Path;

use super::bodies::{BodyCopy, find_body};
use super::context::{Context, Number};
use super::entries::Names;
use super::selection::Selection;
use super::{Group, first_particles};

/// What a motion, a force or an attachment acts on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Driven {
    /// Particles of the scene, by group.
    pub particles: Vec<Vec<usize>>,
    /// Bodies, by index.
    pub bodies: Vec<usize>,
}

/// Motions, forces and attachments, each in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Driving {
    /// What each motion moves.
    pub motions: Vec<Driven>,
    /// What each force acts on.
    pub forces: Vec<Driven>,
    /// What each attachment holds: the particles, and the body.
    pub attachments: Vec<Driven>,
}

/// Resolves all of them; particles that a motion moves become pins of their group.
pub(super) fn resolve(
    cx: &Context,
    file: &SceneFile,
    groups: &mut [Group],
    bodies: &[BodyCopy],
) -> Result<Driving, SceneError> {
    let mut driving = Driving::default();
    for (i, m) in file.motions.iter().enumerate() {
        let path = Path::root().key("motions").index(i);
        check_motion(cx, m, &path)?;
        let driven = motion(&Finder { cx, file, groups: &*groups, bodies }, m, &path)?;
        pin(groups, &driven);
        driving.motions.push(driven);
    }
    let finder = Finder { cx, file, groups: &*groups, bodies };
    once(&finder, &driving.motions)?;
    for (i, f) in file.forces.iter().enumerate() {
        driving.forces.push(force(&finder, f, &Path::root().key("forces").index(i))?);
    }
    for (i, a) in file.attachments.iter().enumerate() {
        driving.attachments.push(attachment(&finder, a, &Path::root().key("attachments").index(i))?);
    }
    Ok(driving)
}

/// Looks up names and particles.
struct Finder<'a> {
    cx: &'a Context,
    file: &'a SceneFile,
    groups: &'a [Group],
    bodies: &'a [BodyCopy],
}

impl Finder<'_> {
    /// Groups and bodies that `of` matches, by index.
    fn named(
        &self,
        of: &str,
        path: &Path,
        with_bodies: bool,
    ) -> Result<(Vec<usize>, Vec<usize>), SceneError> {
        let names = Names { groups: self.groups, bodies: self.bodies };
        let found = names.matching(self.cx, of, &path.key("of"), true, with_bodies)?;
        let n = self.groups.len();
        let (groups, bodies): (Vec<usize>, Vec<usize>) = found.into_iter().partition(|&t| t < n);
        Ok((groups, bodies.into_iter().map(|b| b - n).collect()))
    }

    /// The particles of a group that a selection means, as numbers of the scene.
    fn particles(&self, group: usize, pins: &[Pin], path: &Path) -> Result<Vec<usize>, SceneError> {
        let g = &self.groups[group];
        let (local, path) = (g.vertices(self.file), path.key("particles"));
        let found = Selection { cx: self.cx, path, local: &local, pose: g.pose }.find(pins)?;
        let first = first_particles(self.groups)[group];
        Ok(found.into_iter().map(|p| first + p as usize).collect())
    }
}

fn motion(find: &Finder, m: &Motion, path: &Path) -> Result<Driven, SceneError> {
    let (groups, bodies) = find.named(&m.of, path, true)?;
    let mut driven = Driven { particles: Vec::new(), bodies };
    for &b in &driven.bodies {
        let body = &find.bodies[b];
        if body.typed(find.file).is_none_or(|b| !b.kinematic) {
            let message = format!("`{}` is no kinematic body: nothing can prescribe its motion", body.name);
            let help = match &body.rod {
                Some(rod) => {
                    format!("hold rod `{rod}` on a kinematic body and move that, or push it by `forces`")
                }
                None => format!("write `kinematic: true` in body `{}`, or push it by `forces`", body.name),
            };
            return Err(find.cx.fault(Fault::Value, &path.key("of"), message, &help));
        }
    }
    for g in groups {
        if m.particles.is_empty() && find.groups[g].pins.is_empty() {
            let message =
                format!("nothing of `{}` is pinned, so that nothing of it can be moved", find.groups[g].name);
            let help = "say which ones: for instance `particles: [Corners]`";
            return Err(find.cx.fault(Fault::Value, &path.key("of"), message, help));
        }
        let first = first_particles(find.groups)[g];
        driven.particles.push(match m.particles.as_slice() {
            [] => find.groups[g].pins.iter().map(|&p| first + p as usize).collect(),
            pins => find.particles(g, pins, path)?,
        });
    }
    only_bodies(find, &driven, &m.particles, path)?;
    Ok(driven)
}

/// A selection of particles where there are none is a slip.
fn only_bodies(find: &Finder, driven: &Driven, pins: &[Pin], path: &Path) -> Result<(), SceneError> {
    if pins.is_empty() || !driven.particles.is_empty() {
        return Ok(());
    }
    let help = "leave `particles` out, or name what is made of particles";
    Err(find.cx.fault(Fault::Value, &path.key("particles"), "bodies have no particles", help))
}

/// Pins what moves.
fn pin(groups: &mut [Group], driven: &Driven) {
    let first = first_particles(groups);
    for (g, first) in groups.iter_mut().zip(first) {
        let own = first..first + g.particle_count;
        let moved = driven.particles.iter().flatten().filter(|p| own.contains(p));
        g.pins.extend(moved.map(|p| (p - first) as u32));
        g.pins.sort_unstable();
        g.pins.dedup();
    }
}

/// Nothing can be in two places.
fn once(find: &Finder, motions: &[Driven]) -> Result<(), SceneError> {
    let count = find.groups.iter().map(|g| g.particle_count).sum();
    let (mut particles, mut bodies) = (vec![None; count], vec![None; find.bodies.len()]);
    for (i, driven) in motions.iter().enumerate() {
        let moved = driven.particles.iter().flatten().map(|&p| particles[p].replace(i));
        let moved = moved.chain(driven.bodies.iter().map(|&b| bodies[b].replace(i)));
        if let Some(first) = moved.flatten().next() {
            let message = format!("motions {first} and {i} move the same thing");
            let help = "keep one of them; what shall act together goes into one list of `moves`";
            let path = Path::root().key("motions").index(i).key("of");
            return Err(find.cx.fault(Fault::Duplicate, &path, message, help));
        }
    }
    Ok(())
}

fn check_motion(cx: &Context, m: &Motion, path: &Path) -> Result<(), SceneError> {
    let at = cx.at(path.clone());
    span(cx, path, m.start, m.stop)?;
    at.require(
        !m.moves.is_empty(),
        "moves",
        "empty",
        "write for instance `moves: [Translate(velocity: (0, 0, 1))]`",
    )?;
    for (k, step) in m.moves.iter().enumerate() {
        let path = path.key("moves").index(k);
        match step {
            Move::Translate { .. } => {}
            Move::Rotate { axis, .. } => cx.at(path).direction("axis", axis)?,
            Move::Path { times, offsets, repeat } => check_path(cx, &path, times, offsets, *repeat)?,
        }
    }
    Ok(())
}

fn check_path(
    cx: &Context,
    path: &Path,
    times: &[f64],
    offsets: &[[f64; 3]],
    repeat: bool,
) -> Result<(), SceneError> {
    let at = cx.at(path.clone());
    at.require(!times.is_empty(), "times", "empty", "write one time for each offset")?;
    let counts = format!("of {} times for {} offsets", times.len(), offsets.len());
    at.require(times.len() == offsets.len(), "times", counts, "write one time for each offset")?;
    let rising = times[0] >= 0.0 && times.windows(2).all(|t| t[0] < t[1]);
    at.require(rising, "times", "not rising from 0", "write times of 0 s or more, each later than the last")?;
    let zero = |x: &[f64; 3]| *x == [0.0; 3];
    let begins = times[0] > 0.0 || zero(&offsets[0]);
    at.require(begins, "offsets", "not zero at time 0", "begin with (0, 0, 0), or with a later time")?;
    let closed = !repeat || (offsets.last().is_some_and(zero) && times.last() > Some(&0.0));
    at.require(closed, "offsets", "not back at its begin", "end with (0, 0, 0), or leave `repeat` out")
}

/// A span of time.
fn span(cx: &Context, path: &Path, start: f64, stop: Option<f64>) -> Result<(), SceneError> {
    let at = cx.at(path.clone());
    at.not_negative("start", start, "s")?;
    let stop_text = Number(stop.unwrap_or_default());
    at.require(stop.is_none_or(|t| t > start), "stop", stop_text, "write a time after `start` [s]")
}

fn force(find: &Finder, f: &Force, path: &Path) -> Result<Driven, SceneError> {
    let at = find.cx.at(path.clone());
    span(find.cx, path, f.start, f.stop)?;
    let acts = [f.force, f.torque].iter().flatten().any(|x| *x != 0.0);
    at.require(acts, "force", "zero", "write a force [N], or a torque [N·m] on bodies")?;
    let (groups, bodies) = find.named(&f.of, path, true)?;
    let kinematic = |b: &&usize| find.bodies[**b].typed(find.file).is_some_and(|b| b.kinematic);
    if let Some(&b) = bodies.iter().find(kinematic) {
        let message = format!("`{}` is kinematic: no force moves it", find.bodies[b].name);
        return Err(find.cx.fault(Fault::Value, &path.key("of"), message, "move it by `motions`"));
    }
    at.require(
        bodies.is_empty() || f.torque == [0.0; 3] || groups.is_empty(),
        "torque",
        "for particles too",
        "name bodies only where there is a torque",
    )?;
    at.require(
        !bodies.is_empty() || f.torque == [0.0; 3],
        "torque",
        "for particles",
        "particles have no orientation: write forces on some of them",
    )?;
    let mut driven = Driven { particles: Vec::new(), bodies };
    for g in groups {
        let first = first_particles(find.groups)[g];
        driven.particles.push(match f.particles.as_slice() {
            [] => (first..first + find.groups[g].particle_count).collect(),
            pins => find.particles(g, pins, path)?,
        });
    }
    only_bodies(find, &driven, &f.particles, path)?;
    Ok(driven)
}

fn attachment(find: &Finder, a: &Attachment, path: &Path) -> Result<Driven, SceneError> {
    let at = find.cx.at(path.clone());
    a.stiffness.map_or(Ok(()), |k| at.positive("stiffness", k, "N/m"))?;
    at.not_negative("damping", a.damping, "N·s/m")?;
    at.require(!a.particles.is_empty(), "particles", "empty", "say which ones: for instance `[Corners]`")?;
    let (groups, _) = find.named(&a.of, path, false)?;
    let body = find_body(find.cx, &path.key("body"), &a.body, find.bodies)?;
    let held = groups.iter().map(|&g| find.particles(g, &a.particles, path));
    Ok(Driven { particles: held.collect::<Result<_, _>>()?, bodies: vec![body] })
}
