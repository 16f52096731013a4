//! Mass, centre of mass and inertia of solids of constant density.
//!
//! With C = ∫ρ x xᵀ dV about the centre of mass the inertia is tr(C) 1 − C. Moving a
//! part by d adds m (|d|² 1 − d dᵀ) (parallel axes). A closed triangle surface is the
//! sum of signed tetrahedra (o, a, b, c) with D = det(a, b, c) relative to o:
//!   V += D/6,   ∫x += D/24 s,   ∫x xᵀ += D/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),   s = a + b + c.

use std::f64::consts::PI;

use coact_math::{Mat3, Pose, Vec3};

use crate::shape::{Geometry, TriMesh};

/// A closed surface encloses at least this part of the cube of its extent; less is noise.
const LEAST_RELATIVE_VOLUME: f64 = 1e-9;

/// Mass, centre of mass and inertia of a solid in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub com: Vec3,
    /// Inertia about the centre of mass, axes of the frame \[kg·m²\].
    pub inertia: Mat3,
}

impl Default for MassProperties {
    fn default() -> Self {
        Self { mass: 0.0, com: Vec3::zeros(), inertia: Mat3::zeros() }
    }
}

/// Why a triangle surface encloses no solid.
#[derive(Clone, Debug, PartialEq)]
pub enum SurfaceFault {
    /// An edge has no partner of opposite direction: a hole, or a triangle wound wrongly.
    Open {
        /// Ends of the edge, as indices into the vertices.
        edge: [u32; 2],
    },
    /// The triangles run clockwise seen from outside.
    Inward {
        /// Signed volume \[m³\].
        volume: f64,
    },
    /// The enclosed volume is lost in rounding.
    Flat,
    /// A triangle refers to a vertex that does not exist.
    OutOfRange {
        /// The vertex.
        vertex: u32,
    },
}

impl std::fmt::Display for SurfaceFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Open { edge: [a, b] } => {
                write!(f, "the edge from vertex {a} to {b} has no neighbor that runs back")
            }
            Self::Inward { volume } => write!(f, "its signed volume is {volume:.3e} m³"),
            Self::Flat => write!(f, "it encloses no volume"),
            Self::OutOfRange { vertex } => write!(f, "vertex {vertex} does not exist"),
        }
    }
}

impl MassProperties {
    /// The same solid in the parent frame of `pose`.
    pub fn transformed(&self, pose: &Pose) -> Self {
        let r = pose.q.to_rotation_matrix();
        let inertia = r.matrix() * self.inertia * r.matrix().transpose();
        Self { mass: self.mass, com: pose.point(&self.com), inertia }
    }

    /// √(tr(inertia)/2 mass) \[m\]: the size of a body to which its shapes are unknown; 0 without mass.
    pub fn gyration_radius(&self) -> f64 {
        if self.mass > 0.0 { (0.5 * self.inertia.trace() / self.mass).sqrt() } else { 0.0 }
    }

    /// All parts as one solid; zero if they have no mass.
    pub fn sum(parts: &[Self]) -> Self {
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        if mass <= 0.0 {
            return Self::default();
        }
        let com = parts.iter().map(|p| p.com * p.mass).sum::<Vec3>() / mass;
        let inertia = parts.iter().map(|p| p.inertia + parallel_axes(p.mass, &(p.com - com))).sum();
        Self { mass, com, inertia }
    }

    /// Of a solid inside a closed, outward wound surface. Vertices at equal positions
    /// count as one. Errors: the surface is open, inward, flat or badly indexed.
    pub fn of_mesh(mesh: &TriMesh, density: f64) -> Result<Self, SurfaceFault> {
        check_closed(mesh)?;
        let (volume, first, second, origin) = moments(mesh);
        let extent = mesh.vertices.iter().map(|v| (v - origin).amax()).fold(0.0, f64::max);
        if volume.abs() < LEAST_RELATIVE_VOLUME * extent.powi(3) || extent == 0.0 {
            return Err(SurfaceFault::Flat);
        }
        if volume < 0.0 {
            return Err(SurfaceFault::Inward { volume });
        }
        let c = first / volume;
        let about_com = second - c * c.transpose() * volume;
        let inertia = (Mat3::identity() * about_com.trace() - about_com) * density;
        Ok(Self { mass: density * volume, com: origin + c, inertia })
    }
}

impl Geometry {
    /// Mass properties at `density` \[kg/m³\]; a plane and a height field have none. Errors: a mesh or hull
    /// whose triangles do not close.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, SurfaceFault> {
        let at_origin = |volume: f64, diagonal: Vec3| MassProperties {
            mass: density * volume,
            com: Vec3::zeros(),
            inertia: Mat3::from_diagonal(&(diagonal * (density * volume))),
        };
        Ok(match self {
            Self::Plane | Self::Heightfield(_) => MassProperties::default(),
            Self::Sphere { radius: r } => at_origin(4.0 / 3.0 * PI * r.powi(3), Vec3::repeat(0.4 * r * r)),
            Self::Box { half_extents: h } => at_origin(8.0 * h.product(), others_squared(h) / 3.0),
            Self::Ellipsoid { radii } => {
                at_origin(4.0 / 3.0 * PI * radii.product(), others_squared(radii) / 5.0)
            }
            Self::Cylinder { radius: r, half_height: h } => {
                let side = r * r / 4.0 + h * h / 3.0;
                at_origin(2.0 * PI * r * r * h, Vec3::new(side, side, r * r / 2.0))
            }
            Self::Capsule { radius, half_height } => capsule(*radius, *half_height, density),
            Self::Cone { radius: r, half_height: h } => {
                let side = 0.15 * r * r + 0.15 * h * h;
                let at_tip = at_origin(2.0 / 3.0 * PI * r * r * h, Vec3::new(side, side, 0.3 * r * r));
                MassProperties { com: Vec3::new(0.0, 0.0, -0.5 * h), ..at_tip }
            }
            Self::ConvexHull(mesh) | Self::Mesh(mesh) => return MassProperties::of_mesh(mesh, density),
        })
    }
}

/// A cylinder and two half balls whose centres of mass lie 3r/8 beyond its ends.
fn capsule(r: f64, h: f64, density: f64) -> MassProperties {
    let (rod, ball) = (density * 2.0 * PI * r * r * h, density * 4.0 / 3.0 * PI * r.powi(3));
    let side = rod * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    let along = rod * r * r / 2.0 + ball * 0.4 * r * r;
    let inertia = Mat3::from_diagonal(&Vec3::new(side, side, along));
    MassProperties { mass: rod + ball, com: Vec3::zeros(), inertia }
}

/// (y² + z², x² + z², x² + y²).
fn others_squared(v: &Vec3) -> Vec3 {
    let s = v.component_mul(v);
    Vec3::repeat(s.sum()) - s
}

fn parallel_axes(mass: f64, d: &Vec3) -> Mat3 {
    (Mat3::identity() * d.norm_squared() - d * d.transpose()) * mass
}

/// Volume, first and second moments about the mean vertex, and that vertex.
fn moments(mesh: &TriMesh) -> (f64, Vec3, Mat3, Vec3) {
    let origin = mesh.vertices.iter().sum::<Vec3>() / mesh.vertices.len().max(1) as f64;
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize] - origin);
        let (det, s) = (a.cross(&b).dot(&c), a + b + c);
        volume += det / 6.0;
        first += s * (det / 24.0);
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
        second += squares * (det / 120.0);
    }
    (volume, first, second, origin)
}

/// Every directed edge must run as often forth as back, over positions.
fn check_closed(mesh: &TriMesh) -> Result<(), SurfaceFault> {
    if let Some(&vertex) = mesh.triangles.iter().flatten().find(|&&v| v as usize >= mesh.vertices.len()) {
        return Err(SurfaceFault::OutOfRange { vertex });
    }
    let place = mesh.welded();
    let mut edges = Vec::with_capacity(3 * mesh.triangles.len());
    for t in &mesh.triangles {
        for k in 0..3 {
            let edge = [t[k], t[(k + 1) % 3]];
            let [a, b] = edge.map(|v| place[v as usize]);
            if a != b {
                edges.push(([a.min(b), a.max(b)], if a < b { 1 } else { -1 }, edge));
            }
        }
    }
    edges.sort_unstable();
    for run in edges.chunk_by(|x, y| x.0 == y.0) {
        let surplus: i32 = run.iter().map(|e| e.1).sum();
        if let Some(e) = run.iter().find(|e| surplus != 0 && e.1 == surplus.signum()) {
            return Err(SurfaceFault::Open { edge: e.2 });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
