//! Checks of rods, and warnings about their sections.

use super::check::{Label, finite, finite_not_negative, finite_positive};
use super::rod_defs::{RodDef, RodEnd, RodPath, RodRest, Shear};
use super::rod_path::Polyline;
use super::rod_section::RodSection;
use super::warn::warn;
use super::{ModelBuilder, RodRecord};
use crate::error::{ModelError, Warning, WarningKind};
use crate::ids::JointId;
use crate::shape::Geometry;

/// Shortest segment over the mean one: less is two points that were meant to be one.
const LEAST_SEGMENT: f64 = 1e-6;

/// Largest gap of a closed rod over its length.
const CLOSURE: f64 = 1e-6;

/// Cosine of a turn from one segment to the next beyond which they lie on each other.
const FOLD: f64 = -0.999_999;

/// Sine of the angle between first axis and rod below which the axis says nothing.
const LEAST_ACROSS: f64 = 1e-6;

/// Moduli of what rods are made of, gels to diamond \[Pa\].
const MODULUS: std::ops::RangeInclusive<f64> = 1.0e3..=2.0e12;

/// Radii of two rods that are joined may differ by this share without a word.
const STEP: f64 = 1.0e-2;

/// Thickness over length of what is a rod: beyond lie millimetres that were read as metres.
const SLENDERNESS: std::ops::RangeInclusive<f64> = 1.0e-6..=0.5;

impl ModelBuilder {
    pub(super) fn check_rod(&self, def: &RodDef, line: &Polyline) -> Result<(), ModelError> {
        check_def(def, line)?;
        let label = || rod_label(&def.name);
        for end in [&def.begin, &def.end] {
            if let RodEnd::Clamped(Some(b)) | RodEnd::Pinned(Some(b)) = end {
                super::check::in_range(&label, b, b.index(), self.bodies.len())?;
            }
        }
        Ok(())
    }

    /// Sections whose units look wrong, with the bending stiffness that they make, and junctions of rods
    /// of different radii.
    pub(super) fn warn_rods(&self, out: &mut Vec<Warning>) {
        for RodRecord { def, ei, length, ends, .. } in &self.rods {
            out.extend(
                ends.iter().flatten().filter_map(|(joint, radius)| self.step_of(def, *joint, *radius)),
            );
            let thickness = 2.0 * def.section.capsule_radius() / length;
            let direct = matches!(def.section, RodSection::Direct { .. });
            let odd_modulus = !direct && !MODULUS.contains(&def.young);
            if odd_modulus || !SLENDERNESS.contains(&thickness) {
                let message = format!(
                    "its section and modulus make a bending stiffness EI of {:.3e} N·m² at a thickness of \
                     {thickness:.1e} of its length; lengths are in metres, E in Pa",
                    ei[0].max(ei[1])
                );
                out.push(warn(WarningKind::Stiffness, rod_label(&def.name), message));
            }
        }
    }

    /// A step of radius from an end of a rod to the segment of another that holds it.
    fn step_of(&self, def: &RodDef, joint: JointId, radius: f64) -> Option<Warning> {
        let holder = self.joints[joint.index()].parent?;
        let trunk = self.rods.iter().find(|r| r.bodies.contains(&holder.index()))?;
        let carried = self.shapes.iter().find(|s| s.body == Some(holder))?;
        let Geometry::Capsule { radius: other, .. } = carried.geometry else { return None };
        ((radius / other - 1.0).abs() > STEP).then(|| {
            let message = format!(
                "its end of radius {radius:.3e} m is joined to {} of radius {other:.3e} m; give both one radius, \
                 for instance by a taper, if the step is not meant",
                rod_label(&trunk.def.name)
            );
            warn(WarningKind::Size, rod_label(&def.name), message)
        })
    }
}

/// Checks all of a definition but what its ends name.
pub(super) fn check_def(def: &RodDef, line: &Polyline) -> Result<(), ModelError> {
    let label = || rod_label(&def.name);
    check_path(&label, &def.path)?;
    check_line(&label, line)?;
    check_directions(&label, def, line)?;
    check_material(&label, def)?;
    check_counts(&label, def, line)
}

fn rod_label(name: &str) -> String {
    if name.is_empty() { "rod".into() } else { format!("rod \"{name}\"") }
}

fn bad(label: Label, field: &'static str, value: f64, remedy: &'static str) -> ModelError {
    ModelError::BadValue { entity: label(), field, value, remedy }
}

fn check_path(label: Label, path: &RodPath) -> Result<(), ModelError> {
    match path {
        RodPath::Helix { radius, pitch, turns, .. } => {
            finite_positive(label, "radius of the helix", *radius)?;
            finite(label, "pitch", &[*pitch])?;
            finite_positive(label, "number of turns", *turns)
        }
        RodPath::Ring { radius, .. } => finite_positive(label, "radius of the ring", *radius),
        RodPath::Spline { points, segment } => {
            finite_positive(label, "segment length", *segment)?;
            let length = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum::<f64>();
            if points.len() > 1 && length < *segment {
                let remedy = "write shorter segments, or points farther apart";
                return Err(bad(label, "length of the spline in segments", length / segment, remedy));
            }
            Ok(())
        }
        RodPath::Closed(points) => {
            let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(()) };
            let length = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum::<f64>();
            let gap = (last - first).norm();
            if gap > CLOSURE * length {
                let remedy = "write the first point again at the end, or leave the rod open";
                return Err(bad(label, "gap of the closed rod", gap, remedy));
            }
            Ok(())
        }
        RodPath::Points(_) | RodPath::Straight { .. } => Ok(()),
    }
}

fn check_line(label: Label, line: &Polyline) -> Result<(), ModelError> {
    let least = if line.closed { 3 } else { 1 };
    if line.count() < least {
        let remedy = "write at least one segment, three for a closed rod";
        return Err(bad(label, "number of segments", line.count() as f64, remedy));
    }
    for p in &line.points {
        finite(label, "points", p.as_slice())?;
    }
    let mean = line.length() / line.count() as f64;
    for i in 0..line.count() {
        let measure = line.edge(i).norm() / mean;
        if !(measure >= LEAST_SEGMENT && mean > 0.0) {
            let entity = format!("{}, segment {}", label(), i + 1);
            let measure = if measure.is_nan() { 0.0 } else { measure };
            let (what, remedy) = ("length", "its two points coincide: leave one out");
            return Err(ModelError::Degenerate { entity, what, measure, limit: LEAST_SEGMENT, remedy });
        }
    }
    Ok(())
}

/// Segments that fold back on each other have no frames that are carried along.
fn check_directions(label: Label, def: &RodDef, line: &Polyline) -> Result<(), ModelError> {
    let along = |i: usize| line.edge(i).normalize();
    for i in 1..line.count() {
        let cosine = along(i - 1).dot(&along(i));
        if cosine < FOLD {
            let entity = format!("{}, segments {i} and {}", label(), i + 1);
            let (field, value) = ("cosine of the angle between them", cosine);
            let remedy = "the rod folds back on itself: round the fold with more points";
            return Err(ModelError::BadValue { entity, field, value, remedy });
        }
    }
    let Some(axis) = def.first_axis else { return Ok(()) };
    finite(label, "first axis", axis.as_slice())?;
    let across = axis.cross(&along(0)).norm();
    if across > LEAST_ACROSS * axis.norm() {
        return Ok(());
    }
    Err(bad(label, "part of the first axis across the rod", across, "point it across the begin of the rod"))
}

fn check_material(label: Label, def: &RodDef) -> Result<(), ModelError> {
    for (field, value) in def.section.numbers() {
        finite_positive(label, field, value)?;
    }
    if !matches!(def.section, RodSection::Direct { .. }) {
        finite_positive(label, "young", def.young)?;
        match def.shear {
            Shear::Modulus(g) => finite_positive(label, "shear modulus", g)?,
            Shear::Poisson(nu) if nu > -1.0 && nu <= 0.5 => {}
            Shear::Poisson(nu) => {
                return Err(bad(label, "Poisson's ratio", nu, "write one above -1, up to 0.5"));
            }
        }
    }
    finite_positive(label, "density", def.density)?;
    finite_not_negative(label, "damping time", def.damping_time)?;
    finite(label, "twist", &[def.twist])
}

fn check_counts(label: Label, def: &RodDef, line: &Polyline) -> Result<(), ModelError> {
    let points = line.points.len();
    let wrong = |what, expected, given| {
        Err(ModelError::WrongCount { entity: label(), kind: "rod", what, expected, given })
    };
    if !def.taper.is_empty() && def.taper.len() != points {
        return wrong("scales of its taper", points, def.taper.len());
    }
    for s in &def.taper {
        finite_positive(label, "scale of the taper", *s)?;
    }
    if let RodRest::PerElement(all) = &def.rest {
        let elements = if line.closed { line.count() } else { line.count() - 1 };
        if all.len() != elements {
            return wrong("rest rotation vectors", elements, all.len());
        }
        for v in all {
            finite(label, "rest rotation vectors", v.as_slice())?;
        }
    }
    if let RodRest::Curved(k) = &def.rest {
        finite(label, "rest curvature", k.as_slice())?;
    }
    let held = def.begin != RodEnd::Free || def.end != RodEnd::Free;
    if line.closed && held {
        let remedy = "a closed rod has no ends: hold one of its bodies by a joint";
        return Err(ModelError::NotApplicable { entity: label(), field: "begin and end", remedy });
    }
    Ok(())
}
