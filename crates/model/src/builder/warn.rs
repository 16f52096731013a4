//! Warnings: legal values that are most often a slip, of units or of shapes.

use coact_math::Vec3;

use super::check_bodies::dimensions;
use super::{BodyMass, ModelBuilder};
use crate::error::{Warning, WarningKind};
use crate::ids::{AttachmentId, BodyId, MaterialId, ParticleId, ShapeId};
use crate::inertia::MassProperties;
use crate::model::Model;
use crate::names::GroupKind;
use crate::shape::{Geometry, TriMesh};

const MASS: f64 = 1.0e6;
const SIZE: std::ops::Range<f64> = 1.0e-4..1.0e3;
const DENSITY: std::ops::RangeInclusive<f64> = 1.0..=30_000.0;
/// Depth of a hollow over the extent of a hull: less is rounding of what is meant to be round.
const DENT: f64 = 1e-3;
/// Springs and contacts beyond this in \[N/m\] are most often a modulus in \[Pa\].
const STIFFNESS: f64 = 1.0e9;
/// Steel has a shear modulus of 8e10 Pa; a solid beyond is stiffer than diamond.
const MODULUS: f64 = 1.0e12;
/// Cloth of 1 mm of rubber has about 1e3 N/m, of steel 1e8 N/m.
const MEMBRANE: f64 = 1.0e9;

pub(super) fn warn(kind: WarningKind, entity: String, message: String) -> Warning {
    Warning { kind, entity, message }
}

impl ModelBuilder {
    /// One warning per kind and entity or group, in the order of the columns.
    pub(super) fn warnings(&self, m: &Model) -> Vec<Warning> {
        let mut out = Vec::new();
        self.warn_groups(m, &mut out);
        self.warn_stiffness(&mut out);
        self.warn_bodies(m, &mut out);
        self.warn_shapes(&mut out);
        self.warn_joints(m, &mut out);
        self.warn_rods(&mut out);
        out
    }

    fn warn_groups(&self, m: &Model, out: &mut Vec<Warning>) {
        for g in &self.names.groups {
            let particles = g.particles.start as usize..g.particles.end as usize;
            let entity = || format!("\"{}\"", g.name);
            let size = extent(&m.particle_q[particles.clone()]);
            warn_size(size, &entity, out);
            let mass: f64 = m.particle_mass[particles].iter().sum();
            warn_mass(mass, &entity, out);
            let tets = g.tets.start as usize..g.tets.end as usize;
            let volume: f64 = m.tet_rest_inv[tets].iter().map(|inv| 1.0 / (6.0 * inv.determinant())).sum();
            if g.kind == GroupKind::Soft && volume > 0.0 {
                warn_density(mass / volume, &entity, out);
            }
        }
        let loose = |i: &usize| !self.names.groups.iter().any(|g| g.particles.contains(&(*i as u32)));
        let heavy = (0..m.particle_count()).filter(|&i| m.particle_mass[i] > MASS).find(loose);
        if let Some(i) = heavy {
            warn_mass(m.particle_mass[i], &|| ParticleId::new(i).to_string(), out);
        }
    }

    /// The stiffest of each kind of element, if it is suspicious.
    fn warn_stiffness(&self, out: &mut Vec<Warning>) {
        let springs = self.springs.iter().map(|s| s.ke);
        let membranes = self.triangles.iter().map(|t| t.material.mu.max(t.material.lambda));
        let solids = self.tets.iter().map(|t| t.material.mu.max(t.material.lambda));
        let n = &self.names;
        let id = |i: usize| i as u32;
        stiffest(springs, STIFFNESS, "N/m", &|i| n.spring_label(crate::ids::SpringId(id(i))), out);
        stiffest(membranes, MEMBRANE, "N/m", &|i| n.triangle_label(crate::ids::TriangleId(id(i))), out);
        stiffest(solids, MODULUS, "Pa", &|i| n.tet_label(crate::ids::TetId(id(i))), out);
        let attachments = self.attachments.iter().map(|a| a.ke);
        stiffest(attachments, STIFFNESS, "N/m", &|i| AttachmentId::new(i).to_string(), out);
        let materials = self.materials.iter().map(|m| m.ke);
        stiffest(materials, STIFFNESS, "N/m", &|i| n.material_label(MaterialId::new(i)), out);
    }

    fn warn_bodies(&self, m: &Model, out: &mut Vec<Warning>) {
        for (i, b) in self.bodies.iter().enumerate() {
            let entity = || self.names.body_label(BodyId::new(i));
            warn_mass(m.body_mass[i], &entity, out);
            let BodyMass::Given { mass, inertia, com } = b.mass else { continue };
            let moments = inertia.symmetric_eigenvalues();
            if 2.0 * moments.max() > (1.0 + 1e-4) * moments.sum() && !b.kinematic {
                let message = format!(
                    "its principal moments {:?} kg·m² are those of no solid: one exceeds the sum of the others",
                    moments.as_slice()
                );
                out.push(warn(WarningKind::Inertia, entity(), message));
            }
            let radius = MassProperties { mass, com, inertia }.gyration_radius();
            if mass > 0.0 && !b.kinematic {
                warn_size(radius, &entity, out);
            }
        }
    }

    fn warn_shapes(&self, out: &mut Vec<Warning>) {
        for (i, s) in self.shapes.iter().enumerate() {
            let entity = || self.names.shape_label(ShapeId::new(i));
            let size = match &s.geometry {
                Geometry::Mesh(mesh) | Geometry::ConvexHull(mesh) => extent(&mesh.vertices),
                g => 2.0 * dimensions(g).iter().map(|d| d.1).fold(0.0, f64::max),
            };
            // Static boxes are often huge on purpose: a ground.
            if size > 0.0 && (s.body.is_some() || size < SIZE.start) {
                warn_size(size, &entity, out);
            }
            if let Geometry::ConvexHull(mesh) = &s.geometry {
                warn_dents(mesh, &entity, out);
            }
            let weighs = s.body.is_some_and(|b| self.bodies[b.index()].mass == BodyMass::FromShapes);
            if weighs && s.density > 0.0 {
                warn_density(s.density, &entity, out);
            }
        }
    }
}

fn warn_size(size: f64, entity: &dyn Fn() -> String, out: &mut Vec<Warning>) {
    if !SIZE.contains(&size) && size > 0.0 {
        let message = format!("its size is {size:.3e} m; lengths are in metres, usual are 0.1 mm to 1 km");
        out.push(warn(WarningKind::Size, entity(), message));
    }
}

/// A hull whose triangles leave hollows that the hull fills.
fn warn_dents(mesh: &TriMesh, entity: &dyn Fn() -> String, out: &mut Vec<Warning>) {
    let Some((triangle, depth)) = mesh.deepest_dent() else { return };
    if depth > DENT * extent(&mesh.vertices) {
        let message = format!(
            "its triangles are not convex: vertices lie up to {depth:.3e} m before triangle {triangle}, and the \
             hull fills the hollow, while mass and inertia are those of the triangles; use a Mesh, or several \
             hulls, or triangles that are convex"
        );
        out.push(warn(WarningKind::Hollow, entity(), message));
    }
}

fn warn_mass(mass: f64, entity: &dyn Fn() -> String, out: &mut Vec<Warning>) {
    if mass > MASS {
        let message = format!("its mass is {mass:.3e} kg; masses are in kilograms, usual are below 1e6 kg");
        out.push(warn(WarningKind::Mass, entity(), message));
    }
}

fn warn_density(density: f64, entity: &dyn Fn() -> String, out: &mut Vec<Warning>) {
    if !DENSITY.contains(&density) {
        let message = format!("its density is {density:.3e} kg/m³; water has 1000, usual are 1 to 30000");
        out.push(warn(WarningKind::Density, entity(), message));
    }
}

fn stiffest(
    values: impl Iterator<Item = f64>,
    usual: f64,
    unit: &str,
    label: &dyn Fn(usize) -> String,
    out: &mut Vec<Warning>,
) {
    let finite = values.enumerate().filter(|(_, k)| k.is_finite());
    if let Some((i, k)) = finite.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, k)| *k > usual) {
        let message = format!("its stiffness is {k:.3e} {unit}; usual are below {usual:.0e} {unit}");
        out.push(warn(WarningKind::Stiffness, label(i), message));
    }
}

/// Longest side of the bounding box \[m\].
fn extent(x: &[Vec3]) -> f64 {
    let Some(first) = x.first() else { return 0.0 };
    let (low, high) = x.iter().fold((*first, *first), |(l, h), v| (l.inf(v), h.sup(v)));
    (high - low).max()
}
