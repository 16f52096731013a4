//! Cloths, soft bodies and loose particles of a model.

use coact_model::{ClothDef, LooseSpring, Model, ModelBuilder, ParticleDef, SoftDef};

use crate::file::{Cloth, Membrane, Particles, SoftBody, Solid};
use crate::resolve::{Group, GroupMesh, Scene};

use super::model::Materials;

/// Adds all groups, in order, and pins.
pub(super) fn add_groups(b: &mut ModelBuilder, scene: &Scene, materials: &Materials) {
    for group in &scene.groups {
        let i = group.section_index;
        let index = match &group.mesh {
            GroupMesh::Cloth(mesh) => {
                b.add_cloth(&group.name, mesh, &cloth_def(&scene.file.cloths[i], group, materials))
            }
            GroupMesh::Soft(mesh) => {
                b.add_soft(&group.name, mesh, &soft_def(&scene.file.soft_bodies[i], group, materials))
            }
            GroupMesh::Loose => add_loose(b, &scene.file.particles[i], materials),
        };
        let ids: Vec<_> = b.group_particles(index).collect();
        group.pins.iter().for_each(|&p| b.pin_particle(ids[p as usize]));
    }
}

fn cloth_def(c: &Cloth, group: &Group, materials: &Materials) -> ClothDef {
    let (mu, lambda) = membrane(&c.membrane);
    ClothDef {
        pose: group.pose,
        velocity: c.velocity.into(),
        density: c.density,
        mu,
        lambda,
        kd: c.damping,
        bend_ke: c.bending,
        bend_kd: c.bending_damping,
        radius: c.radius,
        material: materials.get(c.material.as_deref()),
    }
}

fn soft_def(s: &SoftBody, group: &Group, materials: &Materials) -> SoftDef {
    let (mu, lambda) = solid(&s.solid);
    SoftDef {
        pose: group.pose,
        velocity: s.velocity.into(),
        density: s.density,
        mu,
        lambda,
        kd: s.damping,
        radius: s.radius,
        material: materials.get(s.material.as_deref()),
    }
}

/// Plane stress: mu = E t / (2 (1 + nu)), lambda = E t nu / (1 − nu²).
fn membrane(m: &Membrane) -> (f64, f64) {
    match *m {
        Membrane::Lame { mu, lambda } => (mu, lambda),
        Membrane::Young { modulus, poisson, thickness } => {
            let k = modulus * thickness;
            (k / (2.0 * (1.0 + poisson)), k * poisson / (1.0 - poisson * poisson))
        }
    }
}

/// mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu)(1 − 2 nu)).
fn solid(s: &Solid) -> (f64, f64) {
    match *s {
        Solid::Lame { mu, lambda } => (mu, lambda),
        Solid::Young { modulus, poisson } => {
            let mu = modulus / (2.0 * (1.0 + poisson));
            (mu, modulus * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)))
        }
    }
}

fn add_loose(b: &mut ModelBuilder, p: &Particles, materials: &Materials) -> usize {
    let particle = |q: &[f64; 3]| ParticleDef {
        q: (*q).into(),
        qd: p.velocity.into(),
        mass: p.mass,
        radius: p.radius,
        material: materials.get(p.material.as_deref()),
    };
    let spring = |s: &crate::file::Spring| LooseSpring {
        ends: s.between,
        ke: s.stiffness,
        kd: s.damping,
        rest_length: s.rest_length,
    };
    let particles: Vec<_> = p.positions.iter().map(particle).collect();
    let springs: Vec<_> = p.springs.iter().map(spring).collect();
    b.add_particles(&p.name, &particles, &springs)
}

/// Cloths whose particles all weigh the same.
pub(super) fn set_particle_masses(scene: &Scene, model: &mut Model) {
    for (group, first) in scene.groups.iter().zip(scene.first_particles()) {
        let GroupMesh::Cloth(_) = group.mesh else { continue };
        let Some(mass) = scene.file.cloths[group.section_index].particle_mass else { continue };
        for i in first..first + group.particle_count {
            model.particle_mass.make_mut()[i] = mass;
            if model.particle_inv_mass[i] > 0.0 {
                model.particle_inv_mass.make_mut()[i] = 1.0 / mass;
            }
        }
    }
}
