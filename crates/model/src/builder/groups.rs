//! Named groups: cloths, soft bodies, loose particles, and free-form groups.
//!
//! A group is what was added between `begin_group` and `end_group`; the mesh calls are
//! written with the same pair.

use coact_math::{Pose, Vec3};

use super::{
    ClothDef, LooseSpring, ModelBuilder, ParticleDef, SoftDef, SpringDef, TetMaterial, TriangleMaterial,
};
use crate::error::ModelError;
use crate::ids::ParticleId;
use crate::mesh::{TetMesh, boundary_triangles, interior_edges};
use crate::names::{Group, GroupKind};
use crate::shape::TriMesh;

impl ModelBuilder {
    /// Begins a group: what is added until [`ModelBuilder::end_group`] belongs to it.
    /// Returns its index in `names().groups`. Errors at `finalize`: a group is still open.
    pub fn begin_group(&mut self, name: impl Into<String>, kind: GroupKind) -> usize {
        let name = name.into();
        if self.open_group.is_some() {
            self.end_group();
            self.deferred.push(ModelError::GroupNesting {
                name: name.clone(),
                reason: "begins before the previous one has ended",
            });
        }
        let [particles, springs, triangles, hinges, tets] = self.element_counts().map(|n| n..n);
        self.open_group =
            Some(Group { name, kind, particles, springs, triangles, hinges, tets, surface: Vec::new() });
        self.names.groups.len()
    }

    /// Ends the open group and records its ranges and its surface: its triangles, or else
    /// the boundary of its tetrahedra. Errors at `finalize`: no group is open.
    pub fn end_group(&mut self) {
        let Some(mut group) = self.open_group.take() else {
            self.deferred
                .push(ModelError::GroupNesting { name: String::new(), reason: "ends though none has begun" });
            return;
        };
        let ends = self.element_counts();
        let ranges = [
            &mut group.particles,
            &mut group.springs,
            &mut group.triangles,
            &mut group.hinges,
            &mut group.tets,
        ];
        for (range, end) in ranges.into_iter().zip(ends) {
            range.end = end;
        }
        group.surface = self.group_surface(&group);
        self.names.groups.push(group);
    }

    /// Adds a cloth: one particle per vertex (in order) with the mass of a third of its
    /// triangles, one membrane triangle per triangle, one hinge per interior edge when
    /// `bend_ke > 0` or `bend_kd > 0`. Returns the index of its group. Errors at
    /// `finalize`: an edge with more than two triangles or two of opposite winding, a
    /// vertex without triangle.
    pub fn add_cloth(&mut self, name: impl Into<String>, mesh: &TriMesh, def: &ClothDef) -> usize {
        let index = self.begin_group(name, GroupKind::Cloth);
        if !self.mesh_is_indexed(mesh.vertices.len(), &mesh.triangles) {
            self.end_group();
            return index;
        }
        let mass = self.cloth_masses(mesh, def.density);
        let first = self.add_vertices(&mesh.vertices, &mass, &VertexDef::of_cloth(def));
        let id = |v: u32| ParticleId(first + v);
        let material = TriangleMaterial { mu: def.mu, lambda: def.lambda, kd: def.kd };
        for t in &mesh.triangles {
            self.add_triangle(t.map(id), material);
        }
        if def.bend_ke != 0.0 || def.bend_kd != 0.0 {
            self.add_cloth_hinges(mesh, def, first);
        }
        self.end_group();
        index
    }

    /// Adds a soft body: one particle per vertex (in order) with the mass of a quarter of
    /// its tetrahedra, one tetrahedron per tetrahedron. Returns the index of its group.
    /// Errors at `finalize`: an inverted tetrahedron, a vertex without one.
    pub fn add_soft(&mut self, name: impl Into<String>, mesh: &TetMesh, def: &SoftDef) -> usize {
        let index = self.begin_group(name, GroupKind::Soft);
        if !self.mesh_is_indexed(mesh.vertices.len(), &mesh.tets) {
            self.end_group();
            return index;
        }
        let mass = lumped(mesh.vertices.len(), &mesh.tets, |t| def.density * tet_volume(mesh, t));
        let first = self.add_vertices(&mesh.vertices, &mass, &VertexDef::of_soft(def));
        let material = TetMaterial { mu: def.mu, lambda: def.lambda, kd: def.kd };
        for t in &mesh.tets {
            self.add_tet(t.map(|v| ParticleId(first + v)), material);
        }
        self.end_group();
        index
    }

    /// Adds loose particles and springs between them. Returns the index of the group.
    pub fn add_particles(
        &mut self,
        name: impl Into<String>,
        particles: &[ParticleDef],
        springs: &[LooseSpring],
    ) -> usize {
        let index = self.begin_group(name, GroupKind::Particles);
        let first = self.particles.len() as u32;
        for p in particles {
            self.add_particle(p.clone());
        }
        let ends: Vec<_> = springs.iter().map(|s| s.ends).collect();
        let springs = if self.mesh_is_indexed(particles.len(), &ends) { springs } else { &[] };
        for s in springs {
            let particles = s.ends.map(|e| ParticleId(first + e));
            self.add_spring(SpringDef { particles, ke: s.ke, kd: s.kd, rest_length: s.rest_length });
        }
        self.end_group();
        index
    }

    /// The particles of a group, by its index, in the order of its vertices. Panics if
    /// there is no such group.
    pub fn group_particles(&self, group: usize) -> impl Iterator<Item = ParticleId> + use<> {
        self.names.groups[group].particles.clone().map(ParticleId)
    }

    /// Whether all elements of the open group's mesh refer to its vertices; defers an error if not.
    fn mesh_is_indexed<const N: usize>(&mut self, count: usize, elements: &[[u32; N]]) -> bool {
        let Some(bad) = elements.iter().flatten().find(|&&v| v as usize >= count) else { return true };
        let name = self.open_group.as_ref().map_or("", |g| g.name.as_str());
        let (entity, target) = (format!("the mesh of \"{name}\""), format!("vertex {bad}"));
        self.deferred.push(ModelError::OutOfRange { entity, target, count });
        false
    }

    fn element_counts(&self) -> [u32; 5] {
        [self.particles.len(), self.springs.len(), self.triangles.len(), self.hinges.len(), self.tets.len()]
            .map(|n| n as u32)
    }

    fn group_surface(&self, g: &Group) -> Vec<[u32; 3]> {
        let range = |r: &std::ops::Range<u32>| r.start as usize..r.end as usize;
        if !g.triangles.is_empty() {
            return self.triangles[range(&g.triangles)].iter().map(|t| t.v.map(|p| p.0)).collect();
        }
        let tets: Vec<_> = self.tets[range(&g.tets)].iter().map(|t| t.v.map(|p| p.0)).collect();
        boundary_triangles(&tets)
    }

    fn add_vertices(&mut self, vertices: &[Vec3], mass: &[f64], def: &VertexDef) -> u32 {
        let first = self.particles.len() as u32;
        for (x, &mass) in vertices.iter().zip(mass) {
            let q = def.pose.point(x);
            self.add_particle(ParticleDef { q, mass, ..def.particle.clone() });
        }
        first
    }

    fn cloth_masses(&self, mesh: &TriMesh, density: f64) -> Vec<f64> {
        lumped(mesh.vertices.len(), &mesh.triangles, |t| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            density * 0.5 * (b - a).cross(&(c - a)).norm()
        })
    }

    fn add_cloth_hinges(&mut self, mesh: &TriMesh, def: &ClothDef, first: u32) {
        match interior_edges(mesh) {
            Ok(edges) => {
                for e in edges {
                    self.add_hinge(e.map(|v| ParticleId(first + v)), def.bend_ke, def.bend_kd, None);
                }
            }
            Err(fault) => {
                let name = self.open_group.as_ref().map_or("", |g| g.name.as_str());
                let entity = format!("cloth \"{name}\"");
                self.deferred.push(fault.into_error(entity));
            }
        }
    }
}

/// What all vertices of a mesh have in common.
struct VertexDef {
    pose: Pose,
    particle: ParticleDef,
}

impl VertexDef {
    fn of_cloth(d: &ClothDef) -> Self {
        let particle = ParticleDef {
            q: Vec3::zeros(),
            qd: d.velocity,
            mass: 0.0,
            radius: d.radius,
            material: d.material,
        };
        Self { pose: d.pose, particle }
    }

    fn of_soft(d: &SoftDef) -> Self {
        let particle = ParticleDef {
            q: Vec3::zeros(),
            qd: d.velocity,
            mass: 0.0,
            radius: d.radius,
            material: d.material,
        };
        Self { pose: d.pose, particle }
    }
}

/// Spreads the mass of each element evenly over its vertices.
fn lumped<const N: usize>(
    count: usize,
    elements: &[[u32; N]],
    mass_of: impl Fn(&[u32; N]) -> f64,
) -> Vec<f64> {
    let mut mass = vec![0.0; count];
    for e in elements {
        let share = mass_of(e) / N as f64;
        for &v in e {
            mass[v as usize] += share;
        }
    }
    mass
}

fn tet_volume(mesh: &TetMesh, t: &[u32; 4]) -> f64 {
    let [a, b, c, d] = t.map(|v| mesh.vertices[v as usize]);
    ((b - a).cross(&(c - a)).dot(&(d - a)) / 6.0).abs()
}
