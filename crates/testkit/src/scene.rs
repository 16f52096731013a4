//! Models of loose bodies and particles, column by column: what coupling tests need.

use coact_math::{Mat3, Pose, Spatial, Vec3};
use coact_model::{BodyId, MaterialId, Model, Names, ParticleId};

/// A model without any entity under gravity `g` along −z; fill it with [`body`] and
/// [`particle`].
pub fn points(g: f64) -> Model {
    Model { gravity: Vec3::new(0.0, 0.0, -g), ..Model::default() }
}

/// Adds a ball of mass `mass` \[kg\] and radius 0.1 m at rest at `p`; mass 0 = immovable.
pub fn body(m: &mut Model, name: &str, mass: f64, p: Vec3) -> BodyId {
    let id = BodyId::new(m.body_count());
    let inertia = Mat3::identity() * (0.4 * mass * 0.01);
    m.body_q.make_mut().push(Pose::translation(p));
    m.body_qd.make_mut().push(Spatial::zeros());
    m.body_mass.make_mut().push(mass);
    m.body_inv_mass.make_mut().push(if mass > 0.0 { 1.0 / mass } else { 0.0 });
    m.body_com.make_mut().push(Vec3::zeros());
    m.body_inertia.make_mut().push(inertia);
    m.body_inv_inertia.make_mut().push(inertia.try_inverse().unwrap_or_else(Mat3::zeros));
    m.body_kinematic.make_mut().push(false);
    m.body_color.make_mut().push(0);
    let mut names = Names::clone(&m.names);
    names.bodies.push(name.to_owned());
    m.names = names.into();
    id
}

/// Adds a particle of mass `mass` \[kg\] at rest at `p`; mass 0 = immovable.
pub fn particle(m: &mut Model, mass: f64, p: Vec3) -> ParticleId {
    let id = ParticleId::new(m.particle_count());
    m.particle_q.make_mut().push(p);
    m.particle_qd.make_mut().push(Vec3::zeros());
    m.particle_mass.make_mut().push(mass);
    m.particle_inv_mass.make_mut().push(if mass > 0.0 { 1.0 / mass } else { 0.0 });
    m.particle_radius.make_mut().push(0.01);
    m.particle_active.make_mut().push(true);
    m.particle_material.make_mut().push(MaterialId(0));
    m.particle_color.make_mut().push(0);
    id
}
