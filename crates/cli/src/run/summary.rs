//! The last lines of a run: failed checks, then everything in one line.

use coact_trace::{InterfaceStatistics, RunStatistics, Verdict};

use crate::figures::six;

/// One line: steps, times, time per solver, coupling, penetration, energy, verdict.
/// `checks` = how many the scene has; `None` = they were left out.
pub fn last_line(s: &RunStatistics, time: f64, verdict: &Verdict, checks: Option<usize>) -> String {
    let mut parts = vec![speed(s, time)];
    parts.push(solvers(s));
    parts.extend(s.interfaces.iter().map(coupling));
    parts.push(penetration(s));
    parts.extend(energy(s));
    parts.push(match (verdict.is_good(), checks) {
        (true, Some(n)) if n > 0 => format!("{verdict}: {n} of {n} checks hold"),
        (true, None) => format!("{verdict}, checks left out"),
        _ => verdict.to_string(),
    });
    parts.join(" | ")
}

fn speed(s: &RunStatistics, time: f64) -> String {
    let factor = if s.seconds > 0.0 { time / s.seconds } else { 0.0 };
    format!("{} steps, {time:.4} s simulated in {:.2} s ({factor:.2} x real time)", s.steps, s.seconds)
}

fn solvers(s: &RunStatistics) -> String {
    let per_step = |seconds: f64| 1e3 * seconds / s.steps.max(1) as f64;
    let mut text = format!("{:.3} ms/step", per_step(s.seconds));
    let named: Vec<String> =
        s.entries.iter().map(|e| format!("{} {:.3}", e.name, per_step(e.seconds))).collect();
    if !named.is_empty() {
        text += &format!(" ({})", named.join(", "));
    }
    text
}

fn coupling(i: &InterfaceStatistics) -> String {
    let mean = i.iterations as f64 / i.steps.max(1) as f64;
    let mut text = format!("{}: {mean:.1} passes, at most {}", i.name, i.iterations_max);
    if i.unconverged > 0 {
        text += &format!(", {} steps not converged", i.unconverged);
    }
    text
}

fn penetration(s: &RunStatistics) -> String {
    if s.penetration > 0.0 {
        format!("worst penetration {:.3} mm (step {})", 1e3 * s.penetration, s.penetration_step)
    } else {
        "no penetration".to_owned()
    }
}

fn energy(s: &RunStatistics) -> Option<String> {
    let drift = s.energy_drift()?;
    let scale = s.kinetic_max;
    let share = if scale > 0.0 {
        format!(", {:.1} % of the most motion", 100.0 * drift / scale)
    } else {
        String::new()
    };
    let sign = if drift > 0.0 { "+" } else { "" };
    Some(format!("energy {sign}{} J{share}", six(drift)))
}

#[cfg(test)]
mod tests {
    use coact_trace::EntryStatistics;

    use super::*;

    #[test]
    fn everything_is_in_one_line() {
        let s = RunStatistics {
            steps: 100,
            seconds: 0.5,
            penetration: 0.0012,
            penetration_step: 7,
            entries: vec![EntryStatistics { name: "soft".into(), solves: 200, seconds: 0.3 }],
            interfaces: vec![InterfaceStatistics {
                name: "rigid -> soft".into(),
                steps: 100,
                iterations: 150,
                iterations_max: 2,
                unconverged: 1,
                ..InterfaceStatistics::default()
            }],
            ..RunStatistics::default()
        };
        let line = last_line(&s, 1.0, &Verdict::ran(), Some(3));
        for part in [
            "100 steps",
            "2.00 x real time",
            "5.000 ms/step (soft 3.000)",
            "1.5 passes, at most 2",
            "1 steps not converged",
            "1.200 mm (step 7)",
            "ok: 3 of 3 checks hold",
        ] {
            assert!(line.contains(part), "`{part}` in `{line}`");
        }
        assert!(!line.contains('\n'));
    }
}
