//! Tables of a run as CSV: energies per frame, iterations and interfaces per step.
//!
//! Numbers are written in Rust's shortest form that reads back exactly. A table appears
//! with its heading when it is created and is complete after each frame.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use coact_solver::{InterfaceReport, StepReport};

use crate::energy::Energy;
use crate::error::{Result, TraceError};
use crate::sink::Sink;

/// A file of comma separated rows.
struct Csv {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Csv {
    fn create(path: &Path, heading: &str) -> Result<Self> {
        let file = File::create(path).map_err(TraceError::io(path))?;
        let mut csv = Self { path: path.to_owned(), file: BufWriter::new(file) };
        csv.line(format_args!("{heading}"))?;
        csv.flush()?;
        Ok(csv)
    }

    fn line(&mut self, row: std::fmt::Arguments) -> Result<()> {
        writeln!(self.file, "{row}").map_err(TraceError::io(&self.path))
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(TraceError::io(&self.path))
    }
}

/// Quotes a name that holds what CSV gives a meaning.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// `energy.csv`: one row per recorded energy.
pub struct EnergyTable {
    csv: Csv,
    at: (u64, f64),
}

impl EnergyTable {
    /// With its heading.
    ///
    /// # Errors
    /// When the file cannot be created, as for all tables.
    pub fn create(path: &Path) -> Result<Self> {
        let heading = "step,time,kinetic,gravity,stored,total,px,py,pz,lx,ly,lz";
        Ok(Self { csv: Csv::create(path, heading)?, at: (0, 0.0) })
    }
}

impl Sink for EnergyTable {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn energy(&mut self, e: &Energy) -> Result<()> {
        let (step, time) = self.at;
        let [px, py, pz, lx, ly, lz] = e.momentum;
        let (kinetic, gravity, stored, total) = (e.kinetic, e.gravity, e.stored, e.total());
        self.csv.line(format_args!(
            "{step},{time},{kinetic},{gravity},{stored},{total},{px},{py},{pz},{lx},{ly},{lz}"
        ))
    }

    fn end_frame(&mut self) -> Result<()> {
        self.csv.flush()
    }
}

/// `iterations.csv`: one row per step and solver; a coupler's entries have rows of their
/// own, named `entry` or `outer/inner`, with the report of their last solve.
pub struct IterationTable {
    csv: Csv,
    at: (u64, f64),
}

impl IterationTable {
    /// With its heading.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        let heading = "step,time,solver,solves,iterations,residual_first,residual_last,contacts,\
                       contacts_active,penetration,skipped_blocks,nonfinite,seconds";
        Ok(Self { csv: Csv::create(path, heading)?, at: (0, 0.0) })
    }

    fn row(&mut self, name: &str, solves: usize, seconds: f64, r: &StepReport) -> Result<()> {
        let ((step, time), c) = (self.at, &r.contacts);
        self.csv.line(format_args!(
            "{step},{time},{},{solves},{},{},{},{},{},{},{},{},{seconds}",
            quoted(name),
            r.iterations,
            r.residual_first.max,
            r.residual_last.max,
            c.particle_shape + c.shapes,
            c.particle_shape_active + c.shapes_active,
            r.penetration.depth,
            r.skipped_blocks,
            r.nonfinite_count,
        ))
    }

    fn entries(&mut self, outer: &str, r: &StepReport) -> Result<()> {
        for e in &r.entries {
            let name = if outer.is_empty() { e.name.clone() } else { format!("{outer}/{}", e.name) };
            self.row(&name, e.solves, e.seconds, &e.report)?;
            self.entries(&name, &e.report)?;
        }
        Ok(())
    }
}

impl Sink for IterationTable {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn report(&mut self, report: &StepReport) -> Result<()> {
        if report.entries.is_empty() {
            return self.row("solver", 1, 0.0, report);
        }
        self.entries("", report)
    }

    fn end_frame(&mut self) -> Result<()> {
        self.csv.flush()
    }
}

/// `convergence.csv`: one row per step and interface, of nested couplers too.
pub struct ConvergenceTable {
    csv: Csv,
    at: (u64, f64),
}

impl ConvergenceTable {
    /// With its heading.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        let heading = "step,time,interface,iterations,converged,primal,dual,force,\
                       impulse_source_x,impulse_source_y,impulse_source_z,\
                       impulse_destination_x,impulse_destination_y,impulse_destination_z,\
                       work_source,work_destination";
        Ok(Self { csv: Csv::create(path, heading)?, at: (0, 0.0) })
    }

    fn row(&mut self, i: &InterfaceReport) -> Result<()> {
        let ((step, time), [sx, sy, sz], [dx, dy, dz]) = (self.at, i.impulse_source, i.impulse_destination);
        self.csv.line(format_args!(
            "{step},{time},{},{},{},{},{},{},{sx},{sy},{sz},{dx},{dy},{dz},{},{}",
            quoted(&i.name),
            i.iterations,
            u8::from(i.converged),
            i.primal,
            i.dual,
            i.force,
            i.work_source,
            i.work_destination,
        ))
    }
}

impl Sink for ConvergenceTable {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn report(&mut self, report: &StepReport) -> Result<()> {
        for i in &report.interfaces {
            self.row(i)?;
        }
        report.entries.iter().try_for_each(|e| self.report(&e.report))
    }

    fn end_frame(&mut self) -> Result<()> {
        self.csv.flush()
    }
}

/// Named numbers, one row each: `step,time,name,value`.
pub struct ScalarTable {
    csv: Csv,
    at: (u64, f64),
}

impl ScalarTable {
    /// With its heading.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self { csv: Csv::create(path, "step,time,name,value")?, at: (0, 0.0) })
    }
}

impl Sink for ScalarTable {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn scalar(&mut self, name: &str, value: f64) -> Result<()> {
        let (step, time) = self.at;
        self.csv.line(format_args!("{step},{time},{},{value}", quoted(name)))
    }

    fn end_frame(&mut self) -> Result<()> {
        self.csv.flush()
    }
}

#[cfg(test)]
mod tests {
    use coact_solver::EntryReport;

    use super::*;

    fn report() -> StepReport {
        let inner = StepReport { iterations: 7, ..StepReport::default() };
        let entry = EntryReport { name: "soft".into(), solves: 2, seconds: 0.5, report: inner };
        let interface = InterfaceReport {
            name: "rigid -> soft".into(),
            iterations: 3,
            primal: 1e-3,
            impulse_source: [1.0, 2.0, 3.0],
            ..InterfaceReport::default()
        };
        StepReport { entries: vec![entry], interfaces: vec![interface], ..StepReport::default() }
    }

    fn lines(path: &Path) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn rows_name_entries_and_interfaces_and_match_their_heading() {
        let dir = tempfile::tempdir().unwrap();
        let (i, c) = (dir.path().join("i.csv"), dir.path().join("c.csv"));
        let mut iterations = IterationTable::create(&i).unwrap();
        let mut convergence = ConvergenceTable::create(&c).unwrap();
        for table in [&mut iterations as &mut dyn Sink, &mut convergence] {
            table.begin_frame(4, 0.25).unwrap();
            table.report(&report()).unwrap();
            table.end_frame().unwrap();
        }
        let (i, c) = (lines(&i), lines(&c));
        assert_eq!(i[1][..5], ["4", "0.25", "soft", "2", "7"]);
        assert_eq!(c[1][..6], ["4", "0.25", "rigid -> soft", "3", "0", "0.001"]);
        assert_eq!((i[0].len(), c[0].len()), (i[1].len(), c[1].len()));
    }

    #[test]
    fn energy_row_matches_its_heading() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("e.csv");
        let e = Energy { kinetic: 1.0, gravity: 2.0, stored: 3.0, momentum: [1.5; 6] };
        let mut table = EnergyTable::create(&path).unwrap();
        table.energy(&e).unwrap();
        table.end_frame().unwrap();
        let rows = lines(&path);
        assert_eq!(rows[1].len(), rows[0].len());
        assert_eq!(rows[1][5], "6");
    }

    #[test]
    fn awkward_names_are_quoted() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
