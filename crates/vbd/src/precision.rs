//! In which precision particles are computed where the settings leave it open.
//!
//! Elements in `f32` round strains by ε = 6e-8, and so the forces on a particle by about ε Σ k ℓ over its
//! elements of stiffness k and size ℓ. That is nothing for most cloth and soft bodies. Of a light stiff sheet
//! (15 g/m², 1e5 N/m, edges of 5 cm) it is as much as its weight: it would creep on a slope where friction
//! holds it.

use coact_model::{ModelView, ParticleId};

use crate::config::Precision;

/// Share of its weight by which rounding may change the force on a particle.
const SHARE: f64 = 0.05;

/// What `Auto` stands for.
pub fn resolved(view: &ModelView, precision: Precision) -> Precision {
    match precision {
        Precision::Auto if rounds_too_much(view) => Precision::Double,
        Precision::Auto => Precision::Mixed,
        other => other,
    }
}

fn rounds_too_much(view: &ModelView) -> bool {
    let mut tension = vec![0.0; view.particle_count()];
    let mut add = |of: &[ParticleId], force: f64| of.iter().for_each(|p| tension[p.index()] += force);
    for (i, of) in view.spring_indices.iter().enumerate() {
        add(of, view.spring_ke[i] * view.spring_rest_length[i]);
    }
    for (i, of) in view.tri_indices.iter().enumerate() {
        add(of, (view.tri_mu[i] + view.tri_lambda[i]) * (2.0 * view.tri_rest_area[i]).sqrt());
    }
    for (i, of) in view.tet_indices.iter().enumerate() {
        let size = view.tet_rest_inv[i].determinant().abs().cbrt().recip();
        add(of, (view.tet_mu[i] + view.tet_lambda[i]) * size * size);
    }
    let (weight, round) = (view.gravity.norm() * SHARE, f64::from(f32::EPSILON) * 0.5);
    let moves = |p: &usize| view.owns_particle(ParticleId::new(*p)) && view.particle_mass[*p] > 0.0;
    let too_much = |p: usize| tension[p] * round > view.particle_mass[p] * weight;
    weight > 0.0 && (0..tension.len()).filter(moves).any(too_much)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coact_model::mesh::{Diagonal, cloth_grid};
    use coact_model::{ClothDef, ModelBuilder};

    fn of_sheet(density: f64, stiffness: f64, gravity: f64) -> Precision {
        let mut b = ModelBuilder::new();
        b.gravity *= gravity;
        let mesh = cloth_grid([10, 10], [0.5, 0.5], Diagonal::default());
        b.add_cloth(
            "c",
            &mesh,
            &ClothDef { density, mu: stiffness, lambda: stiffness, ..ClothDef::default() },
        );
        resolved(&ModelView::whole(&b.finalize().unwrap()), Precision::Auto)
    }

    #[test]
    fn light_stiff_sheets_need_double_precision() {
        assert_eq!(of_sheet(0.015, 1e5, 1.0), Precision::Double);
        assert_eq!(of_sheet(0.2, 1e3, 1.0), Precision::Mixed);
        assert_eq!(of_sheet(0.015, 1e5, 0.0), Precision::Mixed);
    }

    #[test]
    fn what_is_asked_for_is_taken() {
        let view = ModelView::whole(&ModelBuilder::new().finalize().unwrap());
        for p in [Precision::Double, Precision::Mixed, Precision::Single] {
            assert_eq!(resolved(&view, p), p);
        }
    }
}
