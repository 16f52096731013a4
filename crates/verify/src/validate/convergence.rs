//! Convergence of `SolverVbd` with coarse blocks, the error of one step against a converged one by sweeps,
//! and the energy of scenes that nothing drives, at default settings.
//! `docs/tuning.md` reads these tables.

use coact_math::Vec3;
use coact_model::{Model, ModelBuilder, ModelError, ModelView, ParticleId, SoftDef, TetMesh};
use coact_solver::Snapshot;
use coact_vbd::{CoarseCorrection, SolverVbd, VbdConfig};

use super::bench::Bench;
use super::{Case, CaseError, Measure};
use crate::race::Hanging;

const G: f64 = 9.81;

/// The cases of this area.
pub const CASES: [Case; 4] = [
    Case {
        name: "convergence/hanging-cloth",
        long: false,
        run: || by_sweeps(&Hanging::stiff(32).model()?, 0.005, &with_coarse(), &CLOTH),
    },
    Case {
        name: "convergence/clamped-block",
        long: false,
        run: || by_sweeps(&block(6)?, 1.0 / 60.0, &with_coarse(), &BLOCK),
    },
    Case {
        name: "convergence/energy-hanging-cloth",
        long: false,
        run: || undriven(&Hanging::stiff(20).model()?, 1.0 / 240.0, VbdConfig::default()),
    },
    Case {
        name: "convergence/energy-clamped-block",
        long: false,
        run: || undriven(&block(4)?, 1.0 / 240.0, VbdConfig::default()),
    },
];

/// Sweeps and the largest allowed error, as a share of that before the first sweep.
type Bounds = [(usize, f64); 6];
const CLOTH: Bounds = [(1, 0.15), (2, 0.14), (5, 0.1), (10, 0.04), (20, 0.01), (40, 0.001)];
const BLOCK: Bounds = [(1, 0.3), (2, 0.25), (5, 0.2), (10, 0.06), (20, 0.02), (40, 0.002)];

fn with_coarse() -> VbdConfig {
    VbdConfig { coarse: CoarseCorrection::Auto, ..VbdConfig::default() }
}

/// A soft cube of 1 m clamped on one side.
fn block(n: usize) -> Result<Model, ModelError> {
    let mut mesh = TetMesh::default();
    let side = 0..=n;
    for k in side.clone() {
        for j in side.clone() {
            let at = |i: usize| Vec3::new(i as f64, j as f64, k as f64) / n as f64;
            mesh.vertices.extend(side.clone().map(at));
        }
    }
    let id = |i: usize, j: usize, k: usize| ((k * (n + 1) + j) * (n + 1) + i) as u32;
    for cell in 0..n * n * n {
        let (i, j, k) = (cell % n, cell / n % n, cell / (n * n));
        let c = |a, b, c| id(i + a, j + b, k + c);
        // six tetrahedra around the diagonal of the cell
        let ring = [c(1, 0, 0), c(1, 1, 0), c(0, 1, 0), c(0, 1, 1), c(0, 0, 1), c(1, 0, 1)];
        mesh.tets.extend((0..6).map(|t| [c(0, 0, 0), ring[t], ring[(t + 1) % 6], c(1, 1, 1)]));
    }
    let mut b = ModelBuilder::new();
    b.add_soft("block", &mesh, &SoftDef { density: 500.0, mu: 1e5, lambda: 2e5, ..SoftDef::default() });
    for (p, _) in mesh.vertices.iter().enumerate().filter(|(_, x)| x.x == 0.0) {
        b.pin_particle(ParticleId::new(p));
    }
    b.finalize()
}

fn bench(model: &Model, config: VbdConfig) -> Result<Bench, CaseError> {
    let solver = SolverVbd::new(&ModelView::whole(model), config)?;
    Ok(Bench::new(model.clone(), Box::new(solver)))
}

/// Positions after one step of `dt` from `start`.
fn one_step(model: &Model, start: &Snapshot, dt: f64, config: VbdConfig) -> Result<Vec<Vec3>, CaseError> {
    let mut b = bench(model, config)?;
    b.solver.restore(start);
    Ok(b.step(dt)?.particle_q.to_vec())
}

/// One step from a moving state, by sweeps, against 800 of them.
fn by_sweeps(model: &Model, dt: f64, base: &VbdConfig, bounds: &Bounds) -> Result<Vec<Measure>, CaseError> {
    let config = |iterations| VbdConfig { iterations, ..base.clone() };
    let mut b = bench(model, config(40))?;
    let start = b.run(20, dt)?.clone();
    let mut snapshot = Snapshot::new();
    b.solver.save_into(&mut snapshot);
    let exact = one_step(model, &snapshot, dt, config(800))?;
    let error = |x: &dyn Fn(usize) -> Vec3| {
        let of = |p: usize| model.particle_mass[p] * (x(p) - exact[p]).norm_squared();
        (0..exact.len()).filter(|&p| model.particle_inv_mass[p] > 0.0).map(of).sum::<f64>().sqrt()
    };
    let free = |p: usize| start.particle_q[p] + (start.particle_qd[p] - Vec3::z() * (G * dt)) * dt;
    let before = error(&free);
    let mut measures = Vec::new();
    for &(sweeps, bound) in bounds {
        let x = one_step(model, &snapshot, dt, config(sweeps))?;
        let share = error(&|p| x[p]) / before;
        measures.push(Measure::absolute(
            format!("share of the error left after {sweeps} sweeps"),
            share,
            0.0,
            bound,
        ));
    }
    Ok(measures)
}

/// Kinetic, elastic and gravitational energy \[J\].
fn energy(b: &mut Bench) -> f64 {
    let (m, s) = (&b.model, &b.state);
    let of = |p: usize| m.particle_mass[p] * (0.5 * s.particle_qd[p].norm_squared() + G * s.particle_q[p].z);
    (0..m.particle_count()).map(of).sum::<f64>() + b.solver.stored_energy()
}

/// 2 s of a scene that starts flat and falls into its pins. Rises count as shares of the largest
/// kinetic energy.
fn undriven(model: &Model, dt: f64, config: VbdConfig) -> Result<Vec<Measure>, CaseError> {
    let mut b = bench(model, config)?;
    let first = energy(&mut b);
    let (mut last, mut kinetic, mut rise, mut step_rise) = (first, 0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..(2.0 / dt).round() as usize {
        b.step(dt)?;
        let now = energy(&mut b);
        let masses = b.model.particle_mass.iter();
        let k: f64 = masses.zip(&b.state.particle_qd).map(|(m, v)| 0.5 * m * v.norm_squared()).sum();
        kinetic = kinetic.max(k);
        (rise, step_rise, last) = (rise.max(now - first), step_rise.max(now - last), now);
    }
    Ok(vec![
        Measure::absolute("largest rise above the start, share", rise / kinetic, 0.0, 1e-3),
        Measure::absolute("largest rise in one step, share", step_rise / kinetic, 0.0, 1e-3),
    ])
}
