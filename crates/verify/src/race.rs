//! Hanging cloth against a converged solve, at equal time: what `cargo xtask race` prints and
//! `docs/performance.md` tabulates.
//!
//! A square metre of cloth of 0.2 kg is let go flat with two corners pinned. An error is that of a
//! figure (mean strain of the edges of the grid, lowest point) or of all positions against a run of
//! the same discretisation in which every step is solved to rounding. Other programs are not run here.

use coact_math::Vec3;
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{ClothDef, Model, ModelBuilder, ModelError, ModelView, ParticleId, State};
use coact_vbd::{SolverVbd, VbdConfig};

use crate::validate::{Bench, CaseError};

/// Gravity \[m/s²\].
pub const G: f64 = 9.81;

/// A cloth that hangs from two corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hanging {
    /// Vertices along a side.
    pub side: usize,
    /// Shear and area stiffness of the membrane \[N/m\].
    pub lame: [f64; 2],
    /// Bending stiffness \[N\].
    pub bend: f64,
}

impl Hanging {
    /// E t = 100 N/m at Poisson's ratio 0.3, next to no bending.
    pub fn soft(side: usize) -> Self {
        Self { side, lame: [100.0 / 2.6, 100.0 * 0.3 / 0.91], bend: 1e-6 }
    }

    /// The stiffness that a cloth has by default, E t = 2667 N/m.
    pub fn stiff(side: usize) -> Self {
        let d = ClothDef::default();
        Self { side, lame: [d.mu, d.lambda], bend: 1e-5 }
    }

    /// The model.
    ///
    /// # Errors
    /// None that a side of two vertices or more could cause.
    pub fn model(&self) -> Result<Model, ModelError> {
        let n = self.side;
        let mut b = ModelBuilder::new();
        let mesh = cloth_grid([n - 1, n - 1], [1.0, 1.0], Diagonal::Alternating);
        let [mu, lambda] = self.lame;
        b.add_cloth("cloth", &mesh, &ClothDef { mu, lambda, bend_ke: self.bend, ..ClothDef::default() });
        b.pin_particle(ParticleId::new(0));
        b.pin_particle(ParticleId::new(n * (n - 1)));
        b.finalize()
    }

    /// Mean of |length/rest − 1| over the edges of the grid and both diagonals of its cells.
    pub fn mean_strain(&self, x: &[Vec3]) -> f64 {
        let n = self.side;
        let dx = 1.0 / (n - 1) as f64;
        let (mut sum, mut count) = (0.0, 0_usize);
        let mut edge = |a: usize, b: usize, rest: f64| {
            sum += ((x[a] - x[b]).norm() / rest - 1.0).abs();
            count += 1;
        };
        for k in 0..n * n {
            let (right, up) = (k % n + 1 < n, k / n + 1 < n);
            if right {
                edge(k, k + 1, dx);
            }
            if up {
                edge(k, k + n, dx);
            }
            if right && up {
                edge(k, k + n + 1, dx * 2.0_f64.sqrt());
                edge(k + 1, k + n, dx * 2.0_f64.sqrt());
            }
        }
        sum / count.max(1) as f64
    }
}

/// Height of the lowest particle \[m\].
pub fn lowest(x: &[Vec3]) -> f64 {
    x.iter().fold(f64::INFINITY, |z, x| z.min(x.z))
}

/// What a run of a cloth gave.
#[derive(Clone, Debug)]
pub struct Track {
    /// The state after every step.
    pub states: Vec<State>,
    /// Energy before the first step and after every step: kinetic, elastic, gravitational \[J\].
    pub energy: Vec<f64>,
    /// Largest kinetic energy \[J\].
    pub kinetic: f64,
    /// Processor time of the steps \[ms\], one each.
    pub ms: Vec<f64>,
    /// Largest force residual left after a step, as a share of that before its first sweep.
    pub residual: f64,
}

/// Runs `steps` steps of `dt` from `start`, or from the model's own state.
///
/// # Errors
/// When the solver refuses the settings or fails.
pub fn run(
    model: &Model,
    start: Option<&State>,
    dt: f64,
    steps: usize,
    config: &VbdConfig,
) -> Result<Track, CaseError> {
    let solver = SolverVbd::new(&ModelView::whole(model), config.clone())?;
    let mut b = Bench::new(model.clone(), Box::new(solver));
    if let Some(start) = start {
        b.solver.load(start);
        b.state.clone_from(start);
    }
    let first = energy(&mut b);
    let mut track =
        Track { states: Vec::new(), energy: vec![first.0], kinetic: first.1, ms: Vec::new(), residual: 0.0 };
    for _ in 0..steps {
        let begin = processor_ms();
        b.step(dt)?;
        track.ms.push(processor_ms() - begin);
        let (now, kinetic) = energy(&mut b);
        track.energy.push(now);
        track.kinetic = track.kinetic.max(kinetic);
        track.residual = track.residual.max(b.report.residual_last.max / b.report.residual_first.max);
        track.states.push(b.state.clone());
    }
    Ok(track)
}

impl Track {
    /// Largest rise of energy in one step and above the start, as shares of the largest kinetic energy.
    pub fn rises(&self) -> [f64; 2] {
        let step = self.energy.windows(2).fold(0.0_f64, |r, e| r.max(e[1] - e[0]));
        let above = self.energy.iter().fold(0.0_f64, |r, e| r.max(e - self.energy[0]));
        [step, above].map(|rise| rise / self.kinetic.max(f64::MIN_POSITIVE))
    }

    /// Mean processor time of a step \[ms\], the first left out.
    pub fn ms_per_step(&self) -> f64 {
        let rest = &self.ms[1.min(self.ms.len())..];
        rest.iter().sum::<f64>() / rest.len().max(1) as f64
    }

    /// Root mean square distance of all positions to those of `exact` after so many steps \[m\].
    pub fn distance(&self, exact: &Self, steps: usize) -> f64 {
        distance(&self.states[steps - 1], &exact.states[steps - 1])
    }
}

/// Root mean square distance of the positions of two states \[m\].
pub fn distance(a: &State, b: &State) -> f64 {
    let sum: f64 = a.particle_q.iter().zip(&b.particle_q).map(|(a, b)| (a - b).norm_squared()).sum();
    (sum / a.particle_q.len().max(1) as f64).sqrt()
}

/// All of it, and the kinetic part \[J\].
fn energy(b: &mut Bench) -> (f64, f64) {
    let (m, s) = (&b.model, &b.state);
    let kinetic = |p: usize| 0.5 * m.particle_mass[p] * s.particle_qd[p].norm_squared();
    let height = |p: usize| m.particle_mass[p] * G * s.particle_q[p].z;
    let all = 0..m.particle_count();
    let k: f64 = all.clone().map(kinetic).sum();
    (k + all.map(height).sum::<f64>() + b.solver.stored_energy(), k)
}

/// Time that this thread was on a processor \[ms\]; wall time where the system does not tell.
fn processor_ms() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok());
    ns.map_or_else(wall_ms, |ns| ns * 1e-6)
}

fn wall_ms() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_secs_f64() * 1e3
}
