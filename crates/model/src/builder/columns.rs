//! From checked records to the columns of a model.

use coact_column::Column;
use coact_math::{Mat3, Quat};

use super::mass::MassProperties;
use super::rest::{hinge_angle, tet_shape, triangle_rest};
use super::{ModelBuilder, TriangleRest};
use crate::ids::ParticleId;
use crate::kinematics::zero_coordinates;
use crate::model::Model;

impl ModelBuilder {
    pub(super) fn fill_particles(&self, m: &mut Model) {
        let p = &self.particles;
        m.particle_q = p.iter().map(|p| p.def.q).collect();
        m.particle_qd = p.iter().map(|p| p.def.qd).collect();
        m.particle_mass = p.iter().map(|p| p.def.mass).collect();
        let inv =
            |p: &super::ParticleRecord| if p.pinned || p.def.mass <= 0.0 { 0.0 } else { 1.0 / p.def.mass };
        m.particle_inv_mass = p.iter().map(inv).collect();
        m.particle_radius = p.iter().map(|p| p.def.radius).collect();
        m.particle_active = p.iter().map(|p| p.active).collect();
        m.particle_material = p.iter().map(|p| p.def.material).collect();
    }

    pub(super) fn fill_elements(&self, m: &mut Model) {
        self.fill_springs(m);
        self.fill_triangles(m);
        self.fill_hinges(m);
        m.tet_indices = self.tets.iter().map(|t| t.v).collect();
        // The checks have made sure that every Dm can be inverted.
        let inv = |t: &super::TetRecord| {
            t.rest.unwrap_or_else(|| tet_shape(self.rest_of(t.v)).try_inverse().unwrap_or_else(Mat3::zeros))
        };
        m.tet_rest_inv = self.tets.iter().map(inv).collect();
        m.tet_mu = self.tets.iter().map(|t| t.material.mu).collect();
        m.tet_lambda = self.tets.iter().map(|t| t.material.lambda).collect();
        m.tet_kd = self.tets.iter().map(|t| t.material.kd).collect();
    }

    fn fill_springs(&self, m: &mut Model) {
        let s = &self.springs;
        m.spring_indices = s.iter().map(|s| s.particles).collect();
        let length = |s: &super::SpringDef| {
            let [a, b] = self.rest_of(s.particles);
            s.rest_length.unwrap_or_else(|| (b - a).norm())
        };
        m.spring_rest_length = s.iter().map(length).collect();
        m.spring_ke = s.iter().map(|s| s.ke).collect();
        m.spring_kd = s.iter().map(|s| s.kd).collect();
    }

    fn fill_triangles(&self, m: &mut Model) {
        let t = &self.triangles;
        let rest = |t: &super::TriangleRecord| {
            let measured = || triangle_rest(self.rest_of(t.v));
            t.rest.or_else(measured).unwrap_or(TriangleRest { inv: coact_math::Mat2::zeros(), area: 0.0 })
        };
        let rests: Vec<TriangleRest> = t.iter().map(rest).collect();
        m.tri_indices = t.iter().map(|t| t.v).collect();
        m.tri_rest_inv = rests.iter().map(|r| r.inv).collect();
        m.tri_rest_area = rests.iter().map(|r| r.area).collect();
        m.tri_mu = t.iter().map(|t| t.material.mu).collect();
        m.tri_lambda = t.iter().map(|t| t.material.lambda).collect();
        m.tri_kd = t.iter().map(|t| t.material.kd).collect();
    }

    fn fill_hinges(&self, m: &mut Model) {
        let h = &self.hinges;
        m.hinge_indices = h.iter().map(|h| h.v).collect();
        let angle = |h: &super::HingeRecord| h.angle.unwrap_or_else(|| hinge_angle(self.rest_of(h.v)));
        m.hinge_rest_angle = h.iter().map(angle).collect();
        let length = |h: &super::HingeRecord| {
            let [_, _, a, b] = self.rest_of(h.v);
            h.length.unwrap_or_else(|| (b - a).norm())
        };
        m.hinge_rest_length = h.iter().map(length).collect();
        m.hinge_ke = h.iter().map(|h| h.ke).collect();
        m.hinge_kd = h.iter().map(|h| h.kd).collect();
    }

    pub(super) fn fill_bodies(&self, m: &mut Model, mass: &[MassProperties]) {
        let b = &self.bodies;
        m.body_q = b.iter().map(|b| b.pose).collect();
        m.body_qd = b.iter().map(|b| b.velocity).collect();
        m.body_mass = mass.iter().map(|p| p.mass).collect();
        m.body_com = mass.iter().map(|p| p.com).collect();
        m.body_inertia = mass.iter().map(|p| p.inertia).collect();
        m.body_kinematic = b.iter().map(|b| b.kinematic).collect();
        let moves = |i: usize| !b[i].kinematic && mass[i].mass > 0.0;
        m.body_inv_mass = (0..b.len()).map(|i| if moves(i) { 1.0 / mass[i].mass } else { 0.0 }).collect();
        let inverse = |i: usize| mass[i].inertia.try_inverse().filter(|_| moves(i));
        m.body_inv_inertia = (0..b.len()).map(|i| inverse(i).unwrap_or_else(Mat3::zeros)).collect();
    }

    pub(super) fn fill_shapes(&self, m: &mut Model) {
        let s = &self.shapes;
        m.shape_body = s.iter().map(|s| s.body).collect();
        m.shape_x = s.iter().map(|s| s.pose).collect();
        m.shape_geometry = s.iter().map(|s| s.geometry.clone()).collect();
        m.shape_material = s.iter().map(|s| s.material).collect();
        m.shape_margin = s.iter().map(|s| s.margin).collect();
        m.shape_gap = s.iter().map(|s| s.gap).collect();
        m.shape_surface_velocity = s.iter().map(|s| s.surface_velocity).collect();
        m.shape_flags = s.iter().map(|s| s.flags).collect();
        m.shape_group = s.iter().map(|s| s.group).collect();
    }

    pub(super) fn fill_attachments(&self, m: &mut Model) {
        let a = &self.attachments;
        m.attachment_particle = a.iter().map(|a| a.particle).collect();
        m.attachment_body = a.iter().map(|a| a.body).collect();
        m.attachment_point = a.iter().map(|a| a.point).collect();
        m.attachment_ke = a.iter().map(|a| a.ke).collect();
        m.attachment_kd = a.iter().map(|a| a.kd).collect();
        m.attachment_enabled = a.iter().map(|a| a.enabled).collect();
    }

    /// Everything of joints; coordinates that are not given stay 0.
    pub(super) fn fill_joints(&self, m: &mut Model) {
        let j = &self.joints;
        m.joint_kind = j.iter().map(|j| j.kind).collect();
        m.joint_parent = j.iter().map(|j| j.parent).collect();
        m.joint_child = j.iter().map(|j| j.child).collect();
        m.joint_x_p = j.iter().map(|j| j.x_p).collect();
        m.joint_x_c = j.iter().map(|j| j.x_c).collect();
        m.joint_enabled = j.iter().map(|j| j.enabled).collect();
        m.joint_q_start = starts(j.iter().map(|j| j.kind.coord_count()));
        m.joint_qd_start = starts(j.iter().map(|j| j.kind.dof_count()));
        m.joint_axis_start = starts(j.iter().map(|j| j.kind.axis_count()));
        m.joint_axis = j.iter().flat_map(|j| j.axes.iter().copied()).collect();
        m.joint_rest_rotation = j.iter().map(|j| j.rest_rotation.unwrap_or_else(Quat::identity)).collect();
        let padded = |v: &[f64], n: usize| {
            let mut v = v.to_vec();
            v.resize(n, 0.0);
            v
        };
        m.joint_target_q = j.iter().flat_map(|j| padded(&j.target_q, j.kind.axis_count())).collect();
        m.joint_target_qd = j.iter().flat_map(|j| padded(&j.target_qd, j.kind.axis_count())).collect();
        let q = |j: &super::JointDef| j.q.clone().unwrap_or_else(|| zero_coordinates(j.kind).to_vec());
        m.joint_q = j.iter().flat_map(q).collect();
        let qd = |j: &super::JointDef| j.qd.clone().unwrap_or_else(|| vec![0.0; j.kind.dof_count()]);
        m.joint_qd = j.iter().flat_map(qd).collect();
    }

    /// Rest positions of the vertices of an element; ids must be in range.
    pub(super) fn rest_of<const N: usize>(&self, v: [ParticleId; N]) -> [coact_math::Vec3; N] {
        v.map(|p| self.particles[p.index()].rest_q())
    }
}

fn starts(counts: impl Iterator<Item = usize>) -> Column<u32> {
    let mut sum = 0;
    let ends = counts.map(|n| {
        sum += n as u32;
        sum
    });
    std::iter::once(0).chain(ends).collect::<Vec<u32>>().into()
}
