//! What was recorded for a variant: positions per record step, and the contact rows used.

use std::path::Path;

use coact_collide::{Contacts, ParticleShapeContact, ShapeContact};
use coact_math::Vec3;
use coact_model::{Model, ParticleId, ShapeId};
use serde_json::Value;

use super::ReferenceError;
use super::case::Variant;

/// Recorded positions. Shapes: records × particles × 3, records × bodies × 7.
#[derive(Default)]
pub struct Recorded {
    /// Particle positions, flattened.
    pub particle_q: Vec<f64>,
    /// Body poses, flattened.
    pub body_q: Vec<f64>,
}

impl Recorded {
    /// Particle positions of a record.
    pub fn particles(&self, record: usize, count: usize) -> Vec<Vec3> {
        let flat = &self.particle_q[3 * record * count..3 * (record + 1) * count];
        flat.chunks_exact(3).map(|x| Vec3::new(x[0], x[1], x[2])).collect()
    }
}

/// Reads what was recorded for `variant`.
pub fn read(variant: &Variant, model: &Model) -> Result<Recorded, ReferenceError> {
    let tag = if variant.name.is_empty() { String::new() } else { format!(".{}", variant.name) };
    let dir = variant.recorded_dir();
    let column = |name: &str, wanted: bool| {
        if wanted { read_npy(&dir.join(format!("{name}{tag}.npy"))) } else { Ok(Vec::new()) }
    };
    Ok(Recorded {
        particle_q: column("particle_q", model.particle_count() > 0)?,
        body_q: column("body_q", model.body_count() > 0)?,
    })
}

/// The recorded contact rows of particles, by step; `None` when none were recorded.
pub fn read_contacts(variant: &Variant) -> Result<Option<Value>, ReferenceError> {
    let tag = if variant.name.is_empty() { String::new() } else { format!(".{}", variant.name) };
    let path = variant.recorded_dir().join(format!("contacts{tag}.json"));
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(|e| ReferenceError::file(&path, e))?;
    let value = serde_json::from_str(&text);
    value.map(Some).map_err(|e| ReferenceError::Format(format!("{}: {e}", path.display())))
}

/// The rows that were used in `step` (from 1), if they were recorded.
pub fn contacts_of_step(rows: &Value, step: usize, model: &Model) -> Option<Contacts> {
    let rows = rows.get(step.to_string())?;
    let particle_shape = rows.get("soft").and_then(|soft| soft_rows(soft, model)).unwrap_or_default();
    let shapes = rows.get("rigid").and_then(|rigid| rigid_rows(rigid, model)).unwrap_or_default();
    Some(Contacts { particle_shape, shapes, ..Contacts::default() })
}

fn vector(v: &Value) -> Option<Vec3> {
    Some(Vec3::new(v[0].as_f64()?, v[1].as_f64()?, v[2].as_f64()?))
}

fn soft_rows(soft: &Value, model: &Model) -> Option<Vec<ParticleShapeContact>> {
    let (particle, shape) = (soft["particle"].as_array()?, soft["shape"].as_array()?);
    let row = |i: usize| {
        let shape = ShapeId::new(shape[i].as_u64()? as usize);
        Some(ParticleShapeContact {
            particle: ParticleId::new(particle[i].as_u64()? as usize),
            shape,
            body: model.shape_body[shape.index()],
            point: vector(&soft["body_pos"][i])?,
            normal: vector(&soft["normal"][i])?,
            margin: model.shape_margin[shape.index()],
        })
    };
    (0..particle.len()).map(row).collect()
}

fn rigid_rows(rigid: &Value, model: &Model) -> Option<Vec<ShapeContact>> {
    let count = rigid["shape0"].as_array()?.len();
    let row = |i: usize| {
        let shape = |key: &str| Some(ShapeId::new(rigid[key][i].as_u64()? as usize));
        let (shape0, shape1) = (shape("shape0")?, shape("shape1")?);
        Some(ShapeContact {
            shape0,
            shape1,
            body0: model.shape_body[shape0.index()],
            body1: model.shape_body[shape1.index()],
            point0: vector(&rigid["point0"][i])?,
            point1: vector(&rigid["point1"][i])?,
            offset0: vector(&rigid["offset0"][i])?,
            offset1: vector(&rigid["offset1"][i])?,
            margin0: rigid["margin0"][i].as_f64()?,
            margin1: rigid["margin1"][i].as_f64()?,
            normal: vector(&rigid["normal"][i])?,
            // rows are known again by their points
            feature: 0,
        })
    };
    (0..count).map(row).collect()
}

/// Reads a little-endian `f4` or `f8` array in C order, flattened.
fn read_npy(path: &Path) -> Result<Vec<f64>, ReferenceError> {
    let bytes = std::fs::read(path).map_err(|e| ReferenceError::file(path, e))?;
    let bad = |what: &str| ReferenceError::Format(format!("{}: {what}", path.display()));
    if bytes.get(..6) != Some(b"\x93NUMPY") {
        return Err(bad("no npy file"));
    }
    let header_len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8_lossy(bytes.get(10..10 + header_len).ok_or_else(|| bad("cut short"))?);
    let data = &bytes[10 + header_len..];
    if header.contains("'<f4'") {
        Ok(data.chunks_exact(4).map(|c| f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]]))).collect())
    } else if header.contains("'<f8'") {
        Ok(data.chunks_exact(8).map(|c| f64::from_le_bytes(std::array::from_fn(|i| c[i]))).collect())
    } else {
        Err(bad("neither f4 nor f8"))
    }
}
