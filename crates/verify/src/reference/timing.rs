//! Times a variant, and says what its steps sweep over.

use std::time::Instant;

use coact_model::{State, StateFields};
use coact_solver::Solver;

use super::ReferenceError;
use super::case::Variant;
use super::run::{Settings, prepare};

/// Milliseconds per step, detection included, and a digest of the end state.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Each timed step \[ms\], sorted.
    pub sorted_ms: Vec<f64>,
    /// Digest of the end positions.
    pub digest: u64,
    /// Building the solver \[ms\].
    pub build_ms: f64,
    /// Vector instructions of the sweep.
    pub simd: String,
    /// What was swept.
    pub work: SweepWork,
    /// Name of the adapter, if it ran on a device.
    pub adapter: Option<String>,
}

/// What one step of a case sweeps over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepWork {
    /// Particles.
    pub particles: usize,
    /// Corners of springs, triangles, hinges and tetrahedra at particles.
    pub corners: [usize; 4],
    /// Sweeps per step.
    pub sweeps: usize,
}

/// Times `steps` steps of `variant` after `warm_up` untimed ones.
///
/// # Errors
/// As [`compare`](super::compare).
pub fn time(
    variant: &Variant,
    settings: &Settings,
    warm_up: usize,
    steps: usize,
) -> Result<Timing, ReferenceError> {
    let start = Instant::now();
    let mut run = prepare(variant, settings)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut ms = Vec::with_capacity(steps);
    for step in 1..=warm_up + steps {
        let start = Instant::now();
        run.step(step)?;
        if step > warm_up {
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let mut state = run.model.state();
    run.solver.store(StateFields::all(), &mut state);
    ms.sort_by(f64::total_cmp);
    let m = &run.model;
    let work = SweepWork {
        particles: m.particle_count(),
        corners: [
            2 * m.spring_indices.len(),
            3 * m.tri_indices.len(),
            4 * m.hinge_indices.len(),
            4 * m.tet_indices.len(),
        ],
        sweeps: run.solver.config().iterations,
    };
    let simd = format!("{:?}", run.solver.config().simd.resolved());
    Ok(Timing { sorted_ms: ms, digest: digest(&state), build_ms, simd, work, adapter: run.adapter })
}

/// FNV-1a over the bits of all positions.
fn digest(state: &State) -> u64 {
    let particles = state.particle_q.iter().flat_map(|v| v.iter().copied());
    let bodies = state.body_q.iter().flat_map(|p| p.to_array());
    let words = particles.chain(bodies).flat_map(|x| x.to_bits().to_le_bytes());
    words.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
