//! `coact validate`: the analytic suite as a table.

use std::path::Path;
use std::time::Instant;

use coact_verify::validate::{Case, Measure, cases};
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::{Value, json};

use crate::args::ValidateArguments;
use crate::ending::Ending;
use crate::say::{self, Loudness};

/// Runs the chosen cases, printing each when it is done.
pub fn validate(a: &ValidateArguments, loudness: Loudness) -> Result<Ending> {
    let chosen = choose(a)?;
    if a.list {
        chosen.iter().for_each(|c| say::line(c.name));
        return Ok(Ending::Good);
    }
    if loudness > Loudness::Quiet {
        say::line(row(["case", "what", "measured", "exact", "error", "bound", "verdict"]));
    }
    let (mut records, mut failed) = (Vec::new(), 0);
    for case in &chosen {
        let (record, ok) = run_case(case, loudness);
        records.push(record);
        failed += usize::from(!ok);
    }
    if let Some(path) = &a.json {
        write_json(path, &records)?;
    }
    say::line(format!("{} of {} cases hold", chosen.len() - failed, chosen.len()));
    Ok(if failed == 0 { Ending::Good } else { Ending::Failed })
}

fn choose(a: &ValidateArguments) -> Result<Vec<Case>> {
    let all = cases();
    let wanted = |c: &Case| a.only.as_ref().is_none_or(|p| matches(p, c.name));
    // A long case that is named is meant.
    let exact = |c: &Case| a.only.as_deref() == Some(c.name);
    let chosen: Vec<Case> =
        all.iter().filter(|c| wanted(c) && (!c.long || a.long || exact(c))).copied().collect();
    if chosen.is_empty() {
        return Err(miette::miette!(
            help = "`coact validate --list --long` prints all names",
            "no case matches `{}`",
            a.only.as_deref().unwrap_or("")
        ));
    }
    Ok(chosen)
}

fn run_case(case: &Case, loudness: Loudness) -> (Value, bool) {
    let start = Instant::now();
    let outcome = (case.run)();
    let seconds = start.elapsed().as_secs_f64();
    match outcome {
        Ok(measures) => {
            let ok = !measures.is_empty() && measures.iter().all(Measure::ok);
            for m in measures.iter().filter(|m| loudness > Loudness::Quiet || !m.ok()) {
                say::line(measure_row(case.name, m));
            }
            let list: Vec<Value> = measures.iter().map(measure_json).collect();
            (json!({"case": case.name, "ok": ok, "seconds": seconds, "measures": list}), ok)
        }
        Err(e) => {
            say::line(format!("{:<34} could not run: {e}", case.name));
            (json!({"case": case.name, "ok": false, "seconds": seconds, "error": e.to_string()}), false)
        }
    }
}

fn measure_row(case: &str, m: &Measure) -> String {
    let verdict = if m.ok() { "ok" } else { "FAILS" };
    let (measured, exact) = (format!("{:.6e}", m.measured), format!("{:.6e}", m.exact));
    let (error, bound) = (format!("{:.2e}", m.error()), format!("{:.2e}", m.bound));
    row([case, &m.what, &measured, &exact, &error, &bound, verdict])
}

fn row([case, what, measured, exact, error, bound, verdict]: [&str; 7]) -> String {
    format!("{case:<34} {what:<40} {measured:>14} {exact:>14} {error:>9} {bound:>9}  {verdict}")
}

fn measure_json(m: &Measure) -> Value {
    json!({
        "what": m.what, "measured": m.measured, "exact": m.exact,
        "error": m.error(), "bound": m.bound, "ok": m.ok(),
    })
}

fn write_json(path: &Path, records: &[Value]) -> Result<()> {
    let text = serde_json::to_string_pretty(records).into_diagnostic()?;
    std::fs::write(path, text + "\n")
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write `{}`", path.display()))
}

/// Whether `name` holds the pattern; its parts between `*` must follow each other.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut rest = name.as_str();
    pattern.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_parts_in_order() {
        assert!(matches("spring", "particles/spring_period"));
        assert!(matches("PART*period", "particles/spring_period"));
        assert!(!matches("period*spring", "particles/spring_period"));
        assert!(matches("*", "x"));
    }
}
