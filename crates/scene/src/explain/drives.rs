//! Drives that cannot do what they are told, and load cells that nothing reads.

use crate::file::{Drive, Entry, TimeFunction};
use crate::resolve::Scene;

impl Scene {
    /// One line per drive whose target has no effect.
    pub(super) fn drive_warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        for place in &self.joints {
            let axes = place.axes();
            for (k, drive) in axes.iter().enumerate().filter_map(|(k, a)| Some((k, a.drive.as_ref()?))) {
                let which = if axes.len() > 1 { format!(" {k}") } else { String::new() };
                let name = &place.name;
                all.extend(
                    idle_targets(drive).map(|what| format!("joint `{name}`: its drive{which} {what}")),
                );
            }
        }
        all
    }

    /// One line per solver that knows no loads of joints or bodies that `output.loads` names.
    pub(super) fn load_warnings(&self) -> Vec<String> {
        let shape_of = |b: &usize| self.measured.shapes.iter().any(|&s| self.shapes[s].body == Some(*b));
        let named = |(entry, owned): (&Entry, &crate::resolve::Owned)| {
            let joint = owned.joints.iter().any(|j| self.measured.joints.contains(j));
            let silent = matches!(entry, Entry::Articulated(_));
            (silent && (joint || owned.bodies.iter().any(shape_of))).then(|| {
                format!(
                    "solver `{}`: an Articulated solver reports no loads, `output.loads` names joints or bodies \
                     of it in vain; give these to a Vbd solver to have them",
                    entry.name()
                )
            })
        };
        self.file.solvers.iter().zip(&self.owned).filter_map(named).collect()
    }
}

/// What of a drive does nothing. Without stiffness a position that moves is still followed by its rate,
/// if that is damped.
fn idle_targets(d: &Drive) -> impl Iterator<Item = &'static str> {
    let still = d.position.is_some_and(|p| matches!(p, TimeFunction::Constant(_)));
    let followed = d.damping > 0.0 && d.velocity.is_none() && !still;
    let position = d.position.is_some() && d.stiffness == 0.0 && !followed;
    let velocity = d.velocity.is_some() && d.damping == 0.0;
    let told = [
        (position, "has a `position` and no `stiffness`: nothing pulls towards it; write one above 0"),
        (velocity, "has a `velocity` and no `damping`: nothing pulls towards it; write one above 0"),
    ];
    told.into_iter().filter(|(idle, _)| *idle).map(|(_, text)| text)
}
