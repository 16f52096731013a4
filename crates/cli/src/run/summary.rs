//! The last lines of a run: failed checks, then everything in one line.

use coact_trace::{InterfaceStatistics, RunStatistics, Verdict};

use crate::figures::six;

/// Share of all energies below which what moves is rounding.
const NO_MOTION: f64 = 1e-9;

/// One line: steps, times, time per solver, coupling, penetration, energy, verdict.
/// `checks` = how many the scene has; `None` = they were left out.
pub fn last_line(s: &RunStatistics, time: f64, verdict: &Verdict, checks: Option<usize>) -> String {
    let mut parts = vec![speed(s, time)];
    parts.push(solvers(s));
    parts.extend(s.interfaces.iter().map(coupling));
    parts.push(penetration(s));
    parts.extend(lag_text(s));
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

/// How far prescribed particles were behind, if any was.
pub fn lag_text(s: &RunStatistics) -> Option<String> {
    let (step, particle) = s.lagging?;
    Some(format!("prescribed particle {particle} was held back by {:.3} mm (step {step})", 1e3 * s.lag))
}

fn energy(s: &RunStatistics) -> Option<String> {
    let drift = s.energy_drift()?;
    let scale = s.kinetic_max;
    // a scene at rest has no motion to compare with, but for rounding
    let whole = [s.energy_first?, s.energy_last?].map(|e| e.kinetic.abs() + e.gravity.abs() + e.stored.abs());
    let share = if scale > NO_MOTION * whole[0].max(whole[1]) {
        format!(", {:.1} % of the most motion", 100.0 * drift / scale)
    } else {
        String::new()
    };
    let sign = if drift > 0.0 { "+" } else { "" };
    Some(format!("energy {sign}{} J{share}", six(drift)))
}

#[cfg(test)]
mod tests {
    use coact_trace::{Energy, EntryStatistics};

    use super::*;

    #[test]
    fn a_scene_at_rest_has_no_motion_to_compare_with() {
        let at = |kinetic, stored| Some(Energy { kinetic, stored, ..Energy::default() });
        let s = RunStatistics {
            energy_first: at(0.0, 2.0),
            energy_last: at(0.0, 2.1),
            kinetic_max: 1e-12,
            lag: 0.0123,
            lagging: Some((4, 17)),
            ..RunStatistics::default()
        };
        let line = last_line(&s, 1.0, &Verdict::ran(), None);
        assert!(line.contains("energy +0.1 J |") && !line.contains("most motion"), "{line}");
        assert!(line.contains("prescribed particle 17 was held back by 12.300 mm (step 4)"), "{line}");
        let moved = RunStatistics { kinetic_max: 0.2, ..s };
        assert!(last_line(&moved, 1.0, &Verdict::ran(), None).contains("50.0 % of the most motion"));
    }

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
