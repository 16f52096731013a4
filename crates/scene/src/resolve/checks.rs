//! Expectations: the names that they speak of.

use crate::error::{Fault, SceneError};
use crate::expect::Check;
use crate::file::{Expectation, SceneFile};
use crate::locate::Path;
use crate::nearest::suggestion;

use super::bodies::{BodyCopy, names};
use super::context::Context;
use super::{Group, first_particles, glob};

/// Which names a check may use.
#[derive(Clone, Copy)]
enum Kind {
    Bodies,
    Groups,
    Both,
}

/// Looks up the names of every expectation.
pub(super) fn resolve(
    cx: &Context,
    file: &SceneFile,
    groups: &[Group],
    bodies: &[BodyCopy],
) -> Result<Vec<Check>, SceneError> {
    let first = first_particles(groups);
    let mut checks = Vec::new();
    for (i, expectation) in file.expect.iter().enumerate() {
        let path = Path::root().key("expect").index(i);
        range(cx, expectation, &path)?;
        let mut check = Check { expectation: expectation.clone(), bodies: Vec::new(), particles: Vec::new() };
        if let Some((field, pattern, kind)) = name_of(expectation) {
            let matched = |name: &str| glob::matches(pattern, name);
            if !matches!(kind, Kind::Groups) {
                check.bodies = (0..bodies.len()).filter(|&b| bodies[b].matches(pattern)).collect();
            }
            if !matches!(kind, Kind::Bodies) {
                let of = |g: usize| first[g]..first[g] + groups[g].particle_count;
                check.particles =
                    (0..groups.len()).filter(|&g| matched(&groups[g].name)).flat_map(of).collect();
            }
            if check.bodies.is_empty() && check.particles.is_empty() {
                return Err(nothing(cx, &path.key(field), pattern, kind, groups, bodies));
            }
        }
        checks.push(check);
    }
    Ok(checks)
}

fn name_of(e: &Expectation) -> Option<(&'static str, &str, Kind)> {
    use Expectation as E;
    match e {
        E::BodyHeight { body, .. } | E::BodyRebound { body, .. } => Some(("body", body, Kind::Bodies)),
        E::BodyExtent { of, .. } => Some(("of", of, Kind::Bodies)),
        E::ParticleExtent { of, .. } | E::NoIntersections { of } => Some(("of", of, Kind::Groups)),
        E::StayAbove { of, .. } | E::AtRest { of, .. } => Some(("of", of, Kind::Both)),
        E::Finite | E::MaxPenetration(_) | E::JointGap(_) | E::EnergyGain(_) | E::MomentumDefect(_) => None,
    }
}

fn range(cx: &Context, e: &Expectation, path: &Path) -> Result<(), SceneError> {
    use Expectation as E;
    let at = cx.at(path.clone());
    match e {
        E::BodyHeight { min, max, .. } | E::BodyRebound { min, max, .. } => {
            at.require(
                min.is_some() || max.is_some(),
                "body",
                "checked for nothing",
                "write `min`, `max` or both",
            )?;
            let crossed = matches!((min, max), (Some(a), Some(b)) if a > b);
            at.require(!crossed, "min", min.unwrap_or_default(), "write a `min` that is not above `max`")
        }
        E::ParticleExtent { min, max, .. } | E::BodyExtent { min, max, .. } => {
            let text = format!("({}, {}, {})", min[0], min[1], min[2]);
            at.require((0..3).all(|k| min[k] <= max[k]), "min", text, "write a `min` that is not above `max`")
        }
        E::AtRest { speed, .. } => at.not_negative("speed", *speed, "m/s"),
        E::MaxPenetration(x) | E::JointGap(x) | E::EnergyGain(x) | E::MomentumDefect(x) => {
            at.require(*x >= 0.0, "0", x, "write 0 or a number above 0")
        }
        E::Finite | E::StayAbove { .. } | E::NoIntersections { .. } => Ok(()),
    }
}

fn nothing(
    cx: &Context,
    path: &Path,
    pattern: &str,
    kind: Kind,
    groups: &[Group],
    bodies: &[BodyCopy],
) -> SceneError {
    let group_names = groups.iter().map(|g| &*g.name);
    let body_names = names(bodies).into_iter();
    let (names, what): (Vec<&str>, &str) = match kind {
        Kind::Bodies => (body_names.collect(), "bodies"),
        Kind::Groups => (group_names.collect(), "cloths, soft bodies and particles"),
        Kind::Both => (group_names.chain(body_names).collect(), "names"),
    };
    let message = format!("`{pattern}` matches none of the {what}");
    cx.fault(Fault::UnknownName, path, message, &suggestion(pattern, &names, what))
}
