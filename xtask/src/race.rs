//! `cargo xtask race cloth64`: hanging cloth by setting, one line of JSON each: what a step costs and how
//! far from a converged run it ends. Scene and figures: `crates/verify/src/race.rs`.

use coact_vbd::{Acceleration, CoarseCorrection, MembraneHessian, Precision, VbdConfig};
use coact_verify::race::{Hanging, Track, lowest, run as run_cloth};
use coact_verify::validate::CaseError;

/// Arguments of `race`.
#[derive(clap::Args)]
pub struct Args {
    /// cloth32, cloth64, cloth128 (E t = 100 N/m) or stiff32, stiff64, stiff128 (the default stiffness).
    scene: String,
    /// Step \[s\].
    #[arg(long, default_value_t = 0.005)]
    dt: f64,
    /// Steps; when left out, those of 0.5 s, of 0.2 s for 128 and more vertices along a side.
    #[arg(long)]
    steps: Option<usize>,
    /// Sweeps per step of the runs to be compared.
    #[arg(long, value_delimiter = ',', default_value = "5,10,20,40")]
    sweeps: Vec<usize>,
    /// Sweeps per step of the converged run.
    #[arg(long, default_value_t = 100)]
    converged: usize,
    /// Sweeps between two visits of the coarse blocks, 0 = none.
    #[arg(long, value_delimiter = ',', default_value = "0")]
    coarse: Vec<usize>,
    /// Sweeps without and with acceleration.
    #[arg(long, value_delimiter = ',', default_value = "false,true")]
    accelerate: Vec<bool>,
    /// Blocks in f64 instead of f32.
    #[arg(long)]
    double: bool,
}

/// Runs all settings; true when none failed.
pub fn run(args: &Args) -> bool {
    match race(args) {
        Ok(()) => true,
        Err(e) => {
            eprintln!("race: {e}");
            false
        }
    }
}

fn scene(name: &str) -> Result<Hanging, CaseError> {
    let side = |digits: &str| digits.parse().ok().filter(|n: &usize| *n >= 2);
    let cloth = name.strip_prefix("cloth").and_then(side).map(Hanging::soft);
    let unknown =
        || CaseError(format!("'{name}' is no scene: write cloth or stiff and the vertices along a side"));
    cloth.or_else(|| name.strip_prefix("stiff").and_then(side).map(Hanging::stiff)).ok_or_else(unknown)
}

fn config(iterations: usize, coarse: usize, accelerate: bool, double: bool) -> VbdConfig {
    VbdConfig {
        iterations,
        coarse: if coarse == 0 { CoarseCorrection::Off } else { CoarseCorrection::Every(coarse) },
        acceleration: if accelerate { Acceleration::Always } else { Acceleration::Off },
        membrane_hessian: MembraneHessian::Bounded,
        precision: if double { Precision::Double } else { Precision::Mixed },
        threads: Some(1),
        ..VbdConfig::default()
    }
}

fn race(args: &Args) -> Result<(), CaseError> {
    let cloth = scene(&args.scene)?;
    let time = if cloth.side >= 128 { 0.2 } else { 0.5 };
    let steps = args.steps.unwrap_or((time / args.dt).round() as usize);
    let model = cloth.model()?;
    let exact = run_cloth(&model, None, args.dt, steps, &config(args.converged, 5, true, true))?;
    println!("{}", row(&cloth, "converged", &exact, &exact));
    for (&coarse, &accelerate) in args.coarse.iter().flat_map(|c| args.accelerate.iter().map(move |a| (c, a)))
    {
        for &sweeps in &args.sweeps {
            let config = config(sweeps, coarse, accelerate, args.double);
            let track = run_cloth(&model, None, args.dt, steps, &config)?;
            let setting = format!("{sweeps} sweeps, coarse {coarse}, accelerated {accelerate}");
            println!("{}", row(&cloth, &setting, &track, &exact));
        }
    }
    Ok(())
}

fn row(cloth: &Hanging, setting: &str, track: &Track, exact: &Track) -> serde_json::Value {
    let last = track.states.len();
    let figures = |t: &Track| {
        let x = t.states.last().map_or(&[][..], |s| &s.particle_q[..]);
        (cloth.mean_strain(x), lowest(x))
    };
    let ((strain, low), (strain0, low0)) = (figures(track), figures(exact));
    let [rise, above] = track.rises();
    let short = |x: f64| format!("{x:.3e}").parse::<f64>().unwrap_or(x);
    let at = |n: usize| short(track.distance(exact, n.min(last)));
    serde_json::json!({
        "setting": setting,
        "cpu_ms_step": short(track.ms_per_step()),
        "mean_strain": short(strain),
        "lowest": (low * 1e5).round() / 1e5,
        "strain_error": short(strain / strain0 - 1.0),
        "lowest_error_m": short(low - low0),
        "distance_m": [at(1), at(10), at(60), at(last)],
        "rise_in_step": short(rise),
        "rise_above_start": short(above),
        "residual": short(track.residual),
    })
}
