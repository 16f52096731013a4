//! `cargo xtask time CASE.json`: one line of JSON per run: what a step takes, and which part of the
//! machine's limit that is.
//!
//! Operations are counted from the formulas (`OPERATIONS`), two evaluations for residuals included;
//! a division, a root and a comparison count as one each.

use std::path::PathBuf;

use coact_verify::reference::{Case, Mode, Settings, Timing, Variant, time};

use crate::peak::{self, Peak};

/// Operations per corner of a spring, triangle, hinge and tetrahedron, elastic and damping, as
/// `docs/theory/elasticity.md` writes them.
const OPERATIONS: [usize; 4] = [90, 240, 260, 470];
/// Operations per particle: inertia, the solve of 3 unknowns, the update.
const OPERATIONS_SOLVE: usize = 80;
/// Evaluations per step for the residual before and after.
const RESIDUALS: usize = 2;

/// Where and in which arithmetic a case runs.
#[derive(clap::Args)]
pub struct Choice {
    /// cpu, gpu or auto.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// f64, mixed or f32; when left out, f32 on a gpu, else f64 for a reference run and mixed for the product.
    #[arg(long)]
    precision: Option<String>,
}

impl Choice {
    fn precision(&self, mode: Mode) -> &str {
        let usual = match mode {
            _ if self.device == "gpu" => "f32",
            Mode::Reference => "f64",
            Mode::Product => "mixed",
        };
        self.precision.as_deref().unwrap_or(usual)
    }

    /// As settings of a run; unknown words end the program.
    pub fn settings(&self, mode: Mode) -> Settings {
        let precision = match self.precision(mode) {
            "f64" => coact_verify::Precision::Double,
            "mixed" => coact_verify::Precision::Mixed,
            "f32" => coact_verify::Precision::Single,
            other => refuse("precision", other, "f64, mixed, f32"),
        };
        let device = self.device.parse().unwrap_or_else(|_| refuse("device", &self.device, "auto, cpu, gpu"));
        Settings { mode, precision, device, recorded_contacts: false }
    }
}

fn refuse(what: &str, word: &str, valid: &str) -> ! {
    eprintln!("{what} '{word}' is not known: write one of {valid}");
    std::process::exit(2)
}

/// Arguments of `time`.
#[derive(clap::Args)]
pub struct Args {
    /// The case file.
    case: PathBuf,
    /// Variant; the first one when left out.
    #[arg(long)]
    variant: Option<String>,
    /// product (the defaults of the solver) or reference.
    #[arg(long, default_value = "product")]
    mode: String,
    /// Timed steps; those of the case when left out.
    #[arg(long)]
    steps: Option<usize>,
    /// Untimed steps before.
    #[arg(long, default_value_t = 5)]
    warm_up: usize,
    /// Threads of the pool; when left out, one run with 1 and one with all cores.
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    choice: Choice,
}

/// Times one case; true when it ran.
pub fn run(args: &Args) -> bool {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let peak = peak::measure();
    let threads = args.threads.map_or_else(|| vec![1, all], |n| vec![n]);
    for n in threads {
        match time_case(args, n, peak) {
            Ok(line) => println!("{line}"),
            Err(e) => {
                eprintln!("time: {e}");
                return false;
            }
        }
    }
    true
}

fn time_case(args: &Args, threads: usize, peak: Peak) -> Result<String, String> {
    let mode = match args.mode.as_str() {
        "product" => Mode::Product,
        "reference" => Mode::Reference,
        other => refuse("mode", other, "product, reference"),
    };
    let case = Case::read(&args.case).map_err(|e| e.to_string())?;
    let variants = case.variants();
    let wanted = |name: &str| args.variant.as_deref().is_none_or(|v| v == name);
    let variant = variants.iter().find(|v| wanted(&v.name)).ok_or_else(|| {
        let names: Vec<_> = variants.iter().map(|v| v.name.as_str()).collect();
        format!("{} has no such variant; it has: {}", case.name, names.join(", "))
    })?;
    let steps = args.steps.unwrap_or_else(|| variant.steps());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
    let settings = args.choice.settings(mode);
    let timing = pool.install(|| time(variant, &settings, args.warm_up, steps)).map_err(|e| e.to_string())?;
    Ok(row(args, mode, threads, variant, &timing, peak).to_string())
}

fn row(
    args: &Args,
    mode: Mode,
    threads: usize,
    variant: &Variant,
    t: &Timing,
    peak: Peak,
) -> serde_json::Value {
    let (min, work) = (quantile(t, 0.0), t.work);
    let gflops = operations(t) as f64 / (min * 1e6);
    let round = |x: f64| (x * 1e3).round() / 1e3;
    serde_json::json!({
        "case": variant.title(),
        "mode": args.mode,
        "threads": threads,
        "simd": t.simd,
        "device": if t.adapter.is_some() { "gpu" } else { "cpu" },
        "adapter": t.adapter,
        "precision": args.choice.precision(mode),
        "steps": t.sorted_ms.len(),
        "ms_per_step_mean": round(t.sorted_ms.iter().sum::<f64>() / t.sorted_ms.len().max(1) as f64),
        "ms_per_step_median": round(quantile(t, 0.5)),
        "ms_per_step_min": round(min),
        "ms_per_step_p95": round(quantile(t, 0.95)),
        "ns_per_vertex_sweep_min": round(min * 1e6 / (work.particles * work.sweeps).max(1) as f64),
        "gflops_min": round(gflops),
        "peak_gflops_of_one_core": round(peak.gflops),
        "peak_gbytes_of_one_core": round(peak.gbytes),
        "fraction_of_peak_flops": round(gflops / (peak.gflops * threads as f64)),
        "build_ms": round(t.build_ms),
        "digest": format!("{:016x}", t.digest),
    })
}

/// Operations of one step.
fn operations(t: &Timing) -> usize {
    let corners = t.work.corners.iter().zip(OPERATIONS).map(|(n, ops)| n * ops).sum::<usize>();
    (t.work.sweeps + RESIDUALS) * (corners + OPERATIONS_SOLVE * t.work.particles)
}

fn quantile(t: &Timing, q: f64) -> f64 {
    let last = t.sorted_ms.len().saturating_sub(1);
    t.sorted_ms.get((q * last as f64).round() as usize).copied().unwrap_or(0.0)
}
