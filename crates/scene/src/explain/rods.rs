//! Rods: length, segments, stiffness, and how the simple ones vibrate.

use std::f64::consts::TAU;

use coact_model::{Model, RodEnd, RodStiffness};

use crate::file::{Line, Rod};
use crate::resolve::{RodPlace, Scene};

use super::{EntityLine, counted};

/// Gap between the ends of a rod over the length of its segments that is told: it was meant to be closed.
const TOLD_GAP: f64 = 0.5;

impl Scene {
    /// One line per rod.
    pub(super) fn rod_lines<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = EntityLine> + 'a {
        self.file.rods.iter().zip(&self.rods).map(|(typed, place)| {
            let (def, length) = (&place.def, place.shape.length());
            let mass = place.bodies().map(|b| model.body_mass[b]).sum();
            let begin = def.section.scaled(def.taper.first().copied().unwrap_or(1.0));
            let s = begin.stiffness(def.young, def.shear.modulus(def.young));
            let [a, b] = s.ei;
            let ei =
                if (a / b - 1.0).abs() < 1e-9 { format!("{a:.3e}") } else { format!("{a:.3e} and {b:.3e}") };
            let place_of_it = if def.taper.is_empty() { "" } else { " at its begin" };
            let mut detail = format!(
                "{}, {length:.4} m, EI {ei} N·m², GJ {:.3e} N·m²{place_of_it}",
                counted(place.shape.poses.len(), "segment"),
                s.gj
            );
            if let Some(f) = first_frequency(typed, place, &s, mass / length) {
                detail += &format!(", bends at {f:.3} Hz");
            }
            EntityLine { name: typed.name.clone(), kind: "rod", mass, detail }
        })
    }

    /// Rods whose ends nearly meet.
    pub(super) fn gap_warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.rods.iter().filter_map(|r| {
            let (points, n) = (&r.shape.points, r.shape.poses.len());
            let gap = (points[n] - points[0]).norm();
            (!r.shape.closed && n > 2 && gap < TOLD_GAP * r.shape.length() / n as f64).then(|| {
                format!(
                    "rod `{}`: its ends are {gap:.1e} m apart and it is open; write its first point again as \
                     the last one to close it",
                    r.def.name
                )
            })
        })
    }
}

/// The lowest frequency of bending of a straight rod of one section, without load \[Hz\]; `density`: per
/// length. λ² of Euler's beam, by what holds its ends.
fn first_frequency(typed: &Rod, place: &RodPlace, s: &RodStiffness, density: f64) -> Option<f64> {
    let world = |e: &RodEnd| matches!(e, RodEnd::Free | RodEnd::Clamped(None) | RodEnd::Pinned(None));
    let def = &place.def;
    let simple = matches!(typed.line, Line::Straight { .. }) && typed.taper.is_empty();
    if !simple || !world(&def.begin) || !world(&def.end) {
        return None;
    }
    let lambda2 = match (&def.begin, &def.end) {
        (RodEnd::Clamped(_), RodEnd::Free) | (RodEnd::Free, RodEnd::Clamped(_)) => 3.516_015,
        (RodEnd::Clamped(_), RodEnd::Clamped(_)) | (RodEnd::Free, RodEnd::Free) => 22.373_285,
        (RodEnd::Pinned(_), RodEnd::Pinned(_)) => 9.869_604,
        _ => 15.418_206,
    };
    let l = place.shape.length();
    Some(lambda2 / (TAU * l * l) * (s.ei[0].min(s.ei[1]) / density).sqrt())
}
