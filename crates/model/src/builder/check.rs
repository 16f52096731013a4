//! Checks of names, particles, elements and attachments; the small checks all others use.

use coact_math::Vec3;

use super::rest::{tet_quality, tet_shape, triangle_quality};
use super::{HingeRecord, ModelBuilder, ParticleRecord, SpringDef, TetRecord, TriangleRecord};
use crate::error::ModelError;
use crate::ids::{BodyId, HingeId, MaterialId, ParticleId, SpringId, TetId, TriangleId};

/// Below this relative measure an element is too thin for its inverse rest shape to hold
/// more than rounding of `f32` input: raising it refuses usable slivers.
const LEAST_QUALITY: f64 = 1e-6;

const NOT_NEGATIVE: &str = "write 0 or a positive number";
const POSITIVE: &str = "write a positive number";

/// Names the entity of a check when it fails.
pub(super) type Label<'a> = &'a dyn Fn() -> String;

pub(super) fn finite(label: Label, field: &'static str, values: &[f64]) -> Result<(), ModelError> {
    if values.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    let value = if let [x] = values { x.to_string() } else { format!("{values:?}") };
    Err(ModelError::NotFinite { entity: label(), field, value })
}

/// Infinite is allowed: it means hard, or no bound.
pub(super) fn not_negative(label: Label, field: &'static str, value: f64) -> Result<(), ModelError> {
    if value >= 0.0 {
        return Ok(());
    }
    Err(ModelError::BadValue { entity: label(), field, value, remedy: NOT_NEGATIVE })
}

pub(super) fn finite_not_negative(label: Label, field: &'static str, value: f64) -> Result<(), ModelError> {
    finite(label, field, &[value])?;
    not_negative(label, field, value)
}

pub(super) fn finite_positive(label: Label, field: &'static str, value: f64) -> Result<(), ModelError> {
    finite(label, field, &[value])?;
    if value > 0.0 {
        return Ok(());
    }
    Err(ModelError::BadValue { entity: label(), field, value, remedy: POSITIVE })
}

pub(super) fn in_range(
    label: Label,
    target: impl std::fmt::Display,
    index: usize,
    count: usize,
) -> Result<(), ModelError> {
    if index < count {
        return Ok(());
    }
    Err(ModelError::OutOfRange { entity: label(), target: target.to_string(), count })
}

impl ModelBuilder {
    pub(super) fn check_names(&self) -> Result<(), ModelError> {
        if let Some(g) = &self.open_group {
            return Err(ModelError::GroupNesting { name: g.name.clone(), reason: "has not ended" });
        }
        finite(&|| "the model".into(), "gravity", self.gravity.as_slice())?;
        let groups: Vec<String> = self.names.groups.iter().map(|g| g.name.clone()).collect();
        unique("bodies", &self.names.bodies)?;
        unique("joints", &self.names.joints)?;
        unique("shapes", &self.names.shapes)?;
        unique("materials", &self.names.materials)?;
        unique("groups", &groups)?;
        self.check_materials()
    }

    fn check_materials(&self) -> Result<(), ModelError> {
        for (i, m) in self.materials.iter().enumerate() {
            let label = || self.names.material_label(MaterialId::new(i));
            not_negative(&label, "ke", m.ke)?;
            not_negative(&label, "rigid_ke", m.rigid_ke)?;
            finite_not_negative(&label, "kd", m.kd)?;
            not_negative(&label, "mu", m.mu)?;
            finite_not_negative(&label, "rolling", m.rolling)?;
            finite_not_negative(&label, "torsion", m.torsion)?;
            finite(&label, "restitution", &[m.restitution])?;
            if !(0.0..=1.0).contains(&m.restitution) {
                let (field, value) = ("restitution", m.restitution);
                let remedy = "write a number from 0 to 1";
                return Err(ModelError::BadValue { entity: label(), field, value, remedy });
            }
        }
        Ok(())
    }

    pub(super) fn check_particles(&self) -> Result<(), ModelError> {
        self.particles.iter().enumerate().try_for_each(|(i, p)| self.check_particle(ParticleId::new(i), p))
    }

    fn check_particle(&self, id: ParticleId, p: &ParticleRecord) -> Result<(), ModelError> {
        let label = || self.names.particle_label(id);
        finite(&label, "position", p.def.q.as_slice())?;
        finite(&label, "velocity", p.def.qd.as_slice())?;
        finite(&label, "rest position", p.rest_q().as_slice())?;
        finite_not_negative(&label, "mass", p.def.mass)?;
        finite_not_negative(&label, "radius", p.def.radius)?;
        self.check_material(&label, p.def.material)?;
        if p.def.mass == 0.0 && !p.pinned && p.active {
            let remedy = "give it mass (in a mesh: let an element use it), pin it, or deactivate it";
            return Err(ModelError::BadValue { entity: label(), field: "mass", value: 0.0, remedy });
        }
        Ok(())
    }

    pub(super) fn check_material(&self, label: Label, id: MaterialId) -> Result<(), ModelError> {
        in_range(label, id, id.index(), self.materials.len())
    }

    pub(super) fn check_body_id(&self, label: Label, id: BodyId) -> Result<(), ModelError> {
        in_range(label, id, id.index(), self.bodies.len())
    }

    pub(super) fn check_elements(&self) -> Result<(), ModelError> {
        let (springs, triangles) = (self.springs.iter().enumerate(), self.triangles.iter().enumerate());
        let (hinges, tets) = (self.hinges.iter().enumerate(), self.tets.iter().enumerate());
        springs.into_iter().try_for_each(|(i, s)| self.check_spring(SpringId::new(i), s))?;
        triangles.into_iter().try_for_each(|(i, t)| self.check_triangle(TriangleId::new(i), t))?;
        hinges.into_iter().try_for_each(|(i, h)| self.check_hinge(HingeId::new(i), h))?;
        tets.into_iter().try_for_each(|(i, t)| self.check_tet(TetId::new(i), t))
    }

    /// Vertices exist and differ; their rest positions.
    fn vertices<const N: usize>(&self, label: Label, v: [ParticleId; N]) -> Result<[Vec3; N], ModelError> {
        for (k, p) in v.iter().enumerate() {
            in_range(label, p, p.index(), self.particles.len())?;
            if v[..k].contains(p) {
                let vertex = self.names.particle_label(*p);
                return Err(ModelError::DuplicateVertex { entity: label(), vertex });
            }
        }
        Ok(self.rest_of(v))
    }

    fn check_spring(&self, id: SpringId, s: &SpringDef) -> Result<(), ModelError> {
        let label = || self.names.spring_label(id);
        let [a, b] = self.vertices(&label, s.particles)?;
        finite_not_negative(&label, "ke", s.ke)?;
        finite_not_negative(&label, "kd", s.kd)?;
        if let Some(length) = s.rest_length {
            return finite_not_negative(&label, "rest length", length);
        }
        let remedy = "separate its ends, or write its rest length";
        enough(&label, "length", if a == b { 0.0 } else { 1.0 }, remedy)
    }

    fn check_triangle(&self, id: TriangleId, t: &TriangleRecord) -> Result<(), ModelError> {
        let label = || self.names.triangle_label(id);
        let x = self.vertices(&label, t.v)?;
        finite_not_negative(&label, "mu", t.material.mu)?;
        finite_not_negative(&label, "lambda", t.material.lambda)?;
        finite_not_negative(&label, "kd", t.material.kd)?;
        if let Some(rest) = &t.rest {
            finite(&label, "inverse rest shape", rest.inv.as_slice())?;
            finite_positive(&label, "determinant of the inverse rest shape", rest.inv.determinant())?;
            return finite_positive(&label, "rest area", rest.area);
        }
        enough(&label, "area", triangle_quality(x), "separate its vertices")
    }

    fn check_hinge(&self, id: HingeId, h: &HingeRecord) -> Result<(), ModelError> {
        let label = || self.names.hinge_label(id);
        let [o0, o1, a, b] = self.vertices(&label, h.v)?;
        finite_not_negative(&label, "ke", h.ke)?;
        finite_not_negative(&label, "kd", h.kd)?;
        if let Some(angle) = h.angle {
            finite(&label, "rest angle", &[angle])?;
        }
        match h.length {
            Some(length) => finite_positive(&label, "rest length", length)?,
            None => {
                enough(&label, "edge length", if a == b { 0.0 } else { 1.0 }, "separate its edge vertices")?
            }
        }
        if h.angle.is_some() {
            return Ok(());
        }
        let quality = triangle_quality([o0, a, b]).min(triangle_quality([o1, a, b]));
        enough(&label, "area of a side", quality, "separate its vertices, or give its rest angle")
    }

    fn check_tet(&self, id: TetId, t: &TetRecord) -> Result<(), ModelError> {
        let label = || self.names.tet_label(id);
        let x = self.vertices(&label, t.v)?;
        finite_not_negative(&label, "mu", t.material.mu)?;
        finite_not_negative(&label, "lambda", t.material.lambda)?;
        finite_not_negative(&label, "kd", t.material.kd)?;
        if let Some(inv) = &t.rest {
            finite(&label, "inverse rest shape", inv.as_slice())?;
            return finite_positive(&label, "determinant of the inverse rest shape", inv.determinant());
        }
        let quality = tet_quality(x);
        if quality <= -LEAST_QUALITY {
            let volume = tet_shape(x).determinant() / 6.0;
            return Err(ModelError::Inverted { entity: label(), volume });
        }
        enough(&label, "volume", quality, "separate its vertices")
    }

    pub(super) fn check_attachments(&self) -> Result<(), ModelError> {
        for (i, a) in self.attachments.iter().enumerate() {
            let label = || crate::ids::AttachmentId::new(i).to_string();
            in_range(&label, a.particle, a.particle.index(), self.particles.len())?;
            self.check_body_id(&label, a.body)?;
            finite(&label, "point", a.point.as_slice())?;
            not_negative(&label, "ke", a.ke)?;
            finite_not_negative(&label, "kd", a.kd)?;
        }
        Ok(())
    }
}

/// A relative measure that is not next to zero; not-a-number (no extent at all) fails too.
fn enough(label: Label, what: &'static str, measure: f64, remedy: &'static str) -> Result<(), ModelError> {
    if measure >= LEAST_QUALITY {
        return Ok(());
    }
    let (entity, measure) = (label(), if measure.is_nan() { 0.0 } else { measure });
    Err(ModelError::Degenerate { entity, what, measure, limit: LEAST_QUALITY, remedy })
}

/// No name but the empty one twice.
fn unique(kind: &'static str, names: &[String]) -> Result<(), ModelError> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => Err(ModelError::DuplicateName { kind, name: w[0].into() }),
        None => Ok(()),
    }
}
