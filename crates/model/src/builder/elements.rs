//! Springs, triangles, hinges and tetrahedra between particles.
//!
//! The plain forms measure rest data on rest positions at `finalize`; the `*_with_rest`
//! forms take it as given, exactly.

use coact_math::Mat3;

use super::{
    HingeRecord, HingeRest, ModelBuilder, SpringDef, TetMaterial, TetRecord, TriangleMaterial,
    TriangleRecord, TriangleRest,
};
use crate::ids::{HingeId, ParticleId, SpringId, TetId, TriangleId};

impl ModelBuilder {
    /// Adds a spring.
    pub fn add_spring(&mut self, def: SpringDef) -> SpringId {
        self.springs.push(def);
        SpringId::new(self.springs.len() - 1)
    }

    /// Adds a membrane triangle.
    pub fn add_triangle(&mut self, v: [ParticleId; 3], material: TriangleMaterial) -> TriangleId {
        self.push_triangle(TriangleRecord { v, material, rest: None })
    }

    /// Adds a membrane triangle with exact rest data.
    pub fn add_triangle_with_rest(
        &mut self,
        v: [ParticleId; 3],
        material: TriangleMaterial,
        rest: TriangleRest,
    ) -> TriangleId {
        self.push_triangle(TriangleRecord { v, material, rest: Some(rest) })
    }

    /// Adds a bending element over the edge `v[2]`–`v[3]` between the opposite vertices
    /// `v[0]` and `v[1]`, with stiffness `ke` \[N\], damping `kd` \[N·s\] and rest angle
    /// \[rad\] (`None` = from the rest positions).
    pub fn add_hinge(&mut self, v: [ParticleId; 4], ke: f64, kd: f64, rest_angle: Option<f64>) -> HingeId {
        self.push_hinge(HingeRecord { v, ke, kd, angle: rest_angle, length: None })
    }

    /// Adds a bending element with exact rest data.
    pub fn add_hinge_with_rest(&mut self, v: [ParticleId; 4], ke: f64, kd: f64, rest: HingeRest) -> HingeId {
        self.push_hinge(HingeRecord { v, ke, kd, angle: Some(rest.angle), length: Some(rest.length) })
    }

    /// Adds a tetrahedron, positively oriented: `v[3]` lies on the side of `v[0] v[1] v[2]`
    /// from which they run counter-clockwise.
    pub fn add_tet(&mut self, v: [ParticleId; 4], material: TetMaterial) -> TetId {
        self.push_tet(TetRecord { v, material, rest: None })
    }

    /// Adds a tetrahedron with exact inverse rest shape Dm⁻¹ \[1/m\].
    pub fn add_tet_with_rest(&mut self, v: [ParticleId; 4], material: TetMaterial, inv: Mat3) -> TetId {
        self.push_tet(TetRecord { v, material, rest: Some(inv) })
    }

    fn push_triangle(&mut self, t: TriangleRecord) -> TriangleId {
        self.triangles.push(t);
        TriangleId::new(self.triangles.len() - 1)
    }

    fn push_hinge(&mut self, h: HingeRecord) -> HingeId {
        self.hinges.push(h);
        HingeId::new(self.hinges.len() - 1)
    }

    fn push_tet(&mut self, t: TetRecord) -> TetId {
        self.tets.push(t);
        TetId::new(self.tets.len() - 1)
    }
}
