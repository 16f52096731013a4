//! `cargo xtask reference DIR`: every case and variant against its record.

use std::path::PathBuf;

use coact_verify::reference::{Case, Comparison, Mode, Outcome, Settings, Variant, compare, find_cases};

use crate::time::Choice;

/// Arguments of `reference`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of cases; the records lie in DIR/../out/CASE/.
    dir: PathBuf,
    /// Only cases whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    /// Do not fail for kinds of case that are not supported yet.
    #[arg(long)]
    allow_unsupported: bool,
    /// Let the solver detect its own contacts even where rows were recorded.
    #[arg(long)]
    own_contacts: bool,
    #[command(flatten)]
    choice: Choice,
}

#[derive(Default)]
struct Tally {
    within: usize,
    exceeded: usize,
    unsupported: usize,
    failed: usize,
}

/// Runs all cases; true when all are within their tolerances.
pub fn run(args: &Args) -> bool {
    let settings =
        Settings { recorded_contacts: !args.own_contacts, ..args.choice.settings(Mode::Reference) };
    let paths = match find_cases(&args.dir) {
        Ok(paths) => paths,
        Err(e) => {
            eprintln!("reference: {e}");
            return false;
        }
    };
    let mut tally = Tally::default();
    for path in paths {
        match Case::read(&path) {
            Ok(case) if case.name.contains(&args.only) => {
                case.variants().iter().for_each(|v| run_variant(v, &settings, &mut tally));
            }
            Ok(_) => {}
            Err(e) => {
                eprintln!("{}: {e}", path.display());
                tally.failed += 1;
            }
        }
    }
    println!(
        "{} within tolerance, {} exceeded, {} failed, {} unsupported",
        tally.within, tally.exceeded, tally.failed, tally.unsupported
    );
    let known = args.allow_unsupported || tally.unsupported == 0;
    tally.exceeded == 0 && tally.failed == 0 && known && tally.within > 0
}

fn run_variant(variant: &Variant, settings: &Settings, tally: &mut Tally) {
    match compare(variant, settings) {
        Ok(Outcome::Unsupported(what)) => {
            println!("{:32} unsupported: {}", variant.title(), what.join(", "));
            tally.unsupported += 1;
        }
        Ok(Outcome::Compared(comparison)) => {
            let ok = comparison.records.iter().all(|r| r.ok()) && !comparison.records.is_empty();
            print_comparison(&comparison, ok);
            if ok { tally.within += 1 } else { tally.exceeded += 1 }
        }
        Err(e) => {
            println!("{:32} failed: {e}", variant.title());
            tally.failed += 1;
        }
    }
}

fn print_comparison(c: &Comparison, ok: bool) {
    let verdict = if ok { "within" } else { "EXCEEDED" };
    let place = c.adapter.as_ref().map_or(String::new(), |a| format!(" on {a}"));
    println!("{:32} {verdict}{place}", c.title);
    if c.own_contacts {
        println!("    recorded contact rows are not fed to a device: it detected its own");
    }
    for r in &c.records {
        let measures = || r.measures.map_or(String::new(), |m| format!(", measures off by {:.2} %", 1e2 * m));
        let allowed = r.allowed.map_or_else(|| format!("not judged{}", measures()), |a| format!("{a:.1e}"));
        let mark = if r.ok() { "" } else { "  <-- exceeds" };
        println!("    step {:5}  difference {:.3e} m  allowed {allowed}{mark}", r.step, r.difference);
    }
}
