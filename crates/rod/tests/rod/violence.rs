//! No start makes a rod run away: the objective falls in every step, whatever that began with.

use coact_math::{Spatial, Vec3};
use coact_model::{RodDef, RodEnd};
use coact_rod::{RodConfig, RodLaw};
use coact_solver::Solver;
use coact_testkit::Random;

use crate::support::{Run, model, straight};

/// Segments at random places, turned at random, at 10 m/s and 30 rad/s, without gravity: nearly all energy
/// is lost in the end, and no step gains any but for what turning inertia makes of fast spin.
#[test]
fn torn_rods_come_together_without_a_gain_of_energy() {
    let mut random = Random::new(7);
    for law in [RodLaw::RotationVector, RodLaw::Shared] {
        for (young, h) in [(1e6, 1.0 / 60.0), (1e9, 1.0 / 240.0), (2e11, 0.1)] {
            let def = RodDef { young, begin: RodEnd::Clamped(None), ..straight(0.5, 12) };
            let mut run = Run::new(model(def, Vec3::zeros()), RodConfig { law, ..RodConfig::default() });
            for (q, v) in run.state.body_q.iter_mut().zip(&mut run.state.body_qd) {
                q.p += random.vector(0.05);
                q.q = random.rotation();
                *v = Spatial::new(random.vector(10.0), random.vector(30.0));
            }
            run.load();
            let mut energy = run.solver.kinetic_energy() + run.solver.stored_energy();
            let (begin, mut worst, mut most) = (energy, 0.0_f64, 0);
            for _ in 0..300 {
                run.step(h);
                let next = run.solver.kinetic_energy() + run.solver.stored_energy();
                (worst, most) = (worst.max((next - energy) / begin), most.max(run.report.iterations));
                energy = next;
            }
            println!(
                "{law:?} E {young:.0e}: {begin:.1e} J to {energy:.1e} J, gain {worst:.1e}, {most} Newton steps"
            );
            assert!(worst < 1e-4, "{law:?} E {young:.0e}: a step gained {worst} of the energy at the begin");
            assert!(energy < 1e-2 * begin);
        }
    }
}
