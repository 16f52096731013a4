//! The words of an explanation.

use std::fmt;

use super::{Explanation, counted};
use crate::resolve::Number;
use crate::simulation::RunPlan;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.description.is_empty() {
            writeln!(f, "{}\n", self.description)?;
        }
        writeln!(f, "what there is")?;
        for e in &self.entities {
            let mass = Number(format!("{:.4e}", e.mass).parse().unwrap_or(e.mass)).to_string();
            writeln!(f, "  {:<16} {:<14} {mass:>9} kg   {}", e.name, e.kind, e.detail)?;
        }
        list(f, "static", &self.static_shapes)?;
        list(f, "joints", &self.joints)?;
        list(f, "moved", &self.moved)?;
        list(f, "pushed", &self.pushed)?;
        list(f, "held", &self.held)?;
        writeln!(f, "\nwho solves it")?;
        for s in &self.solvers {
            let sub = if s.substeps > 1 { format!(", {} substeps", s.substeps) } else { String::new() };
            writeln!(f, "  {:<16} {}{sub}: {}", s.name, s.kind, s.owns.join(", "))?;
        }
        for i in &self.interfaces {
            let things = i.things.join(", ");
            writeln!(
                f,
                "  {} -> {} ({}): {things} ({})",
                i.source,
                i.destination,
                i.mode,
                counted(i.endpoints, "endpoint")
            )?;
        }
        self.fmt_run(f)
    }
}

impl Explanation {
    fn fmt_run(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunPlan { dt, steps, frame_every } = self.plan;
        let (seconds, frames) = (dt * steps as f64, 1 + steps.div_ceil(frame_every));
        writeln!(f, "\nhow it runs")?;
        writeln!(f, "  {steps} steps of {:.4} ms: {seconds:.3} s, {frames} frames", dt * 1e3)?;
        if !self.particle_colors.is_empty() {
            let counts: Vec<String> = self.particle_colors.iter().map(ToString::to_string).collect();
            let colors = counted(counts.len(), "colour");
            writeln!(f, "  {colors} of particles: {}", counts.join(", "))?;
        }
        let (memory, unit) = match self.memory as f64 {
            m if m < 1e6 => (m / 1e3, "kB"),
            m => (m / 1e6, "MB"),
        };
        writeln!(f, "  about {memory:.1} {unit} for the model and a state")?;
        writeln!(f, "  {}", counted(self.expectations, "expectation"))?;
        self.warnings.iter().try_for_each(|w| writeln!(f, "warning: {w}"))
    }
}

fn list(f: &mut fmt::Formatter<'_>, word: &str, items: &[String]) -> fmt::Result {
    if items.is_empty() { Ok(()) } else { writeln!(f, "  {word}: {}", items.join(", ")) }
}
