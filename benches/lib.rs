//! Scenes that the criterion suites step.

use coact_math::{Pose, Vec3};
use coact_model::mesh::{CellSplit, Diagonal, cloth_grid, tet_box};
use coact_model::{ClothDef, Model, ModelBuilder, ModelError, SoftDef};

/// A cloth of `n` × `n` cells and 1 m, hung at two corners.
///
/// # Errors
/// Never, unless the builder refuses the scene.
pub fn hanging_cloth(n: usize) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let def = ClothDef { bend_ke: 1e-3, kd: 1e-4, radius: 0.2 / n as f64, ..Default::default() };
    let group = b.add_cloth("cloth", &cloth_grid([n, n], [1.0, 1.0], Diagonal::Alternating), &def);
    let particles: Vec<_> = b.group_particles(group).collect();
    b.pin_particle(particles[0]);
    b.pin_particle(particles[n]);
    b.finalize()
}

/// A block of about `5 n³` tetrahedra, clamped on its left.
///
/// # Errors
/// Never, unless the builder refuses the scene.
pub fn clamped_block(n: usize) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new();
    let def = SoftDef { pose: Pose::translation(Vec3::z()), mu: 1e5, lambda: 2e5, ..Default::default() };
    let mesh = tet_box([n; 3], Vec3::repeat(0.05 * n as f64), CellSplit::default());
    let left: Vec<usize> = (0..mesh.vertices.len()).filter(|&i| mesh.vertices[i].x.abs() < 1e-9).collect();
    let group = b.add_soft("block", &mesh, &def);
    let particles: Vec<_> = b.group_particles(group).collect();
    left.into_iter().for_each(|i| b.pin_particle(particles[i]));
    b.finalize()
}
