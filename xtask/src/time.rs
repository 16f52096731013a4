//! `cargo xtask time CASE.json`: one line of JSON per run.

use std::path::PathBuf;

use coact_verify::reference::{Case, Settings, Timing, time};

/// Where and in which arithmetic a case runs.
#[derive(clap::Args)]
pub struct Choice {
    /// cpu, gpu or auto.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// f64 or f32; when left out, f32 on a gpu and f64 elsewhere.
    #[arg(long)]
    precision: Option<String>,
}

impl Choice {
    fn precision(&self) -> &str {
        let usual = if self.device == "gpu" { "f32" } else { "f64" };
        self.precision.as_deref().unwrap_or(usual)
    }

    /// As settings of a run; unknown words end the program.
    pub fn settings(&self) -> Settings {
        let refuse = |what: &str, word: &str, valid: &str| -> ! {
            eprintln!("{what} '{word}' is not known: write one of {valid}");
            std::process::exit(2)
        };
        let precision = match self.precision() {
            "f64" => coact_verify::Precision::Double,
            "f32" => coact_verify::Precision::Single,
            other => refuse("precision", other, "f64, f32"),
        };
        let device = self.device.parse().unwrap_or_else(|_| refuse("device", &self.device, "auto, cpu, gpu"));
        Settings { precision, device, recorded_contacts: false }
    }
}

/// Arguments of `time`.
#[derive(clap::Args)]
pub struct Args {
    /// The case file.
    case: PathBuf,
    /// Variant; the first one when left out.
    #[arg(long)]
    variant: Option<String>,
    /// Timed steps; those of the case when left out.
    #[arg(long)]
    steps: Option<usize>,
    /// Untimed steps before.
    #[arg(long, default_value_t = 5)]
    warm_up: usize,
    /// Threads of the pool; all cores when left out.
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    choice: Choice,
}

/// Times one case; true when it ran.
pub fn run(args: &Args) -> bool {
    match time_case(args) {
        Ok(line) => {
            println!("{line}");
            true
        }
        Err(e) => {
            eprintln!("time: {e}");
            false
        }
    }
}

fn time_case(args: &Args) -> Result<String, String> {
    let case = Case::read(&args.case).map_err(|e| e.to_string())?;
    let variants = case.variants();
    let wanted = |name: &str| args.variant.as_deref().is_none_or(|v| v == name);
    let variant = variants.iter().find(|v| wanted(&v.name)).ok_or_else(|| {
        let names: Vec<_> = variants.iter().map(|v| v.name.as_str()).collect();
        format!("{} has no such variant; it has: {}", case.name, names.join(", "))
    })?;
    let steps = args.steps.unwrap_or_else(|| variant.steps());
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
    let settings = args.choice.settings();
    let timing = pool.install(|| time(variant, &settings, args.warm_up, steps)).map_err(|e| e.to_string())?;
    let row = serde_json::json!({
        "case": case.name,
        "variant": variant.name,
        "steps": steps,
        "threads": threads,
        "device": if timing.adapter.is_some() { "gpu" } else { "cpu" },
        "adapter": timing.adapter,
        "precision": args.choice.precision(),
        "ms_per_step_mean": timing.sorted_ms.iter().sum::<f64>() / steps.max(1) as f64,
        "ms_per_step_median": quantile(&timing, 0.5),
        "ms_per_step_min": quantile(&timing, 0.0),
        "ms_per_step_p95": quantile(&timing, 0.95),
        "digest": format!("{:016x}", timing.digest),
    });
    Ok(row.to_string())
}

fn quantile(t: &Timing, q: f64) -> f64 {
    let last = t.sorted_ms.len().saturating_sub(1);
    t.sorted_ms.get((q * last as f64).round() as usize).copied().unwrap_or(0.0)
}
