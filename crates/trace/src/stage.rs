//! What there is to see: surfaces of shapes and particle groups, without physics.
//!
//! Made once from a model; together with a state it is enough for pictures and exports.
//! It is stored as `stage.json` in the run folder. Ids are the model's.

use std::fs;
use std::ops::Range;
use std::path::Path;

use coact_math::{Pose, Vec3};
use coact_model::{EntityId, Geometry, Model, ShapeFlags, State, TriMesh};
use serde::{Deserialize, Serialize};

use crate::error::{Result, TraceError};

/// Segments around a round shape.
const RESOLUTION: usize = 32;

/// A rigid surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Solid {
    /// Name of the shape, or of its body and kind.
    pub name: String,
    /// The body that carries it; `None` = static.
    pub body: Option<usize>,
    /// Vertices in the body (or world) frame \[m\].
    pub vertices: Vec<[f64; 3]>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A deforming group of particles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// Name of the group.
    pub name: String,
    /// Range of its particles.
    pub particles: Range<u32>,
    /// Surface triangles (global particle indices).
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra (global particle indices).
    pub tets: Vec<[u32; 4]>,
    /// Springs (global particle indices).
    pub springs: Vec<[u32; 2]>,
    /// Radius to draw loose particles with \[m\]; 0 where there is a surface.
    pub radius: f64,
}

/// An infinite plane, or one half space: pose (position, quaternion x, y, z, w) of its
/// frame; the normal is local z.
pub type PlanePose = [f64; 7];

/// Everything visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Unit vector against gravity.
    pub up: [f64; 3],
    /// Names of bodies, for reports. Shape: \[body_count\].
    pub bodies: Vec<String>,
    /// Rigid surfaces.
    pub solids: Vec<Solid>,
    /// Deforming surfaces, and loose particles.
    pub sheets: Vec<Sheet>,
    /// Static planes.
    pub planes: Vec<PlanePose>,
}

impl Stage {
    /// What of `model` is visible.
    pub fn of(model: &Model) -> Self {
        let up = (-model.gravity).try_normalize(1e-9).unwrap_or_else(Vec3::z);
        let mut stage = Self { up: up.into(), ..Self::default() };
        stage.bodies = (0..model.body_count()).map(|b| body_name(model, b)).collect();
        for s in 0..model.shape_count() {
            if model.shape_flags[s].contains(ShapeFlags::VISIBLE) {
                stage.add_shape(model, s);
            }
        }
        stage.sheets = model.names.groups.iter().map(|g| sheet(model, g)).collect();
        stage
    }

    fn add_shape(&mut self, model: &Model, s: usize) {
        let body = model.shape_body[s].map(|b| b.index());
        let x = &model.shape_x[s];
        let geometry = &model.shape_geometry[s];
        match (geometry, body) {
            (Geometry::Plane, None) => self.planes.push(x.to_array()),
            (Geometry::Plane, Some(_)) => {}
            _ => {
                let mesh = geometry.surface_mesh(RESOLUTION);
                self.solids.push(solid(shape_name(model, s), body, x, &mesh));
            }
        }
    }

    /// Reads `stage.json`.
    ///
    /// # Errors
    /// When the file is missing or malformed.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(TraceError::io(path))?;
        serde_json::from_str(&text).map_err(|e| TraceError::format(path, e.to_string()))
    }

    /// Writes `stage.json`.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|e| TraceError::format(path, e.to_string()))?;
        fs::write(path, text).map_err(TraceError::io(path))
    }

    /// The name of an entity, for people: `body 3 "lid"`, `particle 17 of "cloth" (its 5th)`.
    pub fn name_of(&self, entity: EntityId) -> String {
        match entity {
            EntityId::Body(b) => match self.bodies.get(b.index()) {
                Some(name) if !name.is_empty() => format!("{entity} \"{name}\""),
                _ => entity.to_string(),
            },
            EntityId::Particle(p) => match self.sheets.iter().find(|s| s.particles.contains(&p.0)) {
                Some(s) => format!("{entity} (number {} of \"{}\")", p.0 - s.particles.start, s.name),
                None => entity.to_string(),
            },
            EntityId::Joint(_) => entity.to_string(),
        }
    }
}

impl Solid {
    /// Its vertices in the world.
    pub fn world(&self, state: &State) -> Vec<Vec3> {
        let x = self.body.map_or_else(Pose::identity, |b| state.body_q[b]);
        self.vertices.iter().map(|v| x.point(&Vec3::from(*v))).collect()
    }
}

fn solid(name: String, body: Option<usize>, x: &Pose, mesh: &TriMesh) -> Solid {
    let vertices = mesh.vertices.iter().map(|v| x.point(v).into()).collect();
    Solid { name, body, vertices, triangles: mesh.triangles.clone() }
}

fn sheet(model: &Model, group: &coact_model::Group) -> Sheet {
    let range = |r: &Range<u32>| r.start as usize..r.end as usize;
    let tets = &model.tet_indices[range(&group.tets)];
    let springs = &model.spring_indices[range(&group.springs)];
    let loose = group.surface.is_empty();
    Sheet {
        name: group.name.clone(),
        particles: group.particles.clone(),
        triangles: group.surface.clone(),
        tets: tets.iter().map(|t| t.map(|p| p.0)).collect(),
        springs: if loose { springs.iter().map(|s| s.map(|p| p.0)).collect() } else { Vec::new() },
        radius: if loose { drawn_radius(model, &group.particles) } else { 0.0 },
    }
}

fn drawn_radius(model: &Model, particles: &Range<u32>) -> f64 {
    particles.clone().map(|p| model.particle_radius[p as usize]).fold(0.0, f64::max)
}

fn body_name(model: &Model, b: usize) -> String {
    model.names.bodies.get(b).cloned().unwrap_or_default()
}

fn shape_name(model: &Model, s: usize) -> String {
    let own = model.names.shapes.get(s).map_or("", String::as_str);
    if !own.is_empty() {
        return own.to_owned();
    }
    let kind = model.shape_geometry[s].kind();
    match model.shape_body[s] {
        Some(b) if !body_name(model, b.index()).is_empty() => {
            format!("{} {kind}", body_name(model, b.index()))
        }
        _ => format!("{kind} {s}"),
    }
}
