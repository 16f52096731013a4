//! Tables of a run as CSV: energies per frame, iterations and interfaces per step.
//!
//! Numbers are written in the shortest form that reads back exactly, very small and very
//! large ones with an exponent. A table appears with its heading when it is created and is
//! complete after each frame. `docs/run-folder.md` describes every column.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use coact_model::ParticleId;
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

/// A number in its shortest form that reads back exactly.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plain = self.0 == 0.0 || (1e-4..1e15).contains(&self.0.abs()) || !self.0.is_finite();
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// Numbers with commas between.
struct Row<'a>(&'a [f64]);

impl std::fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, &x) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            Number(x).fmt(f)?;
        }
        Ok(())
    }
}

/// The number of a particle; empty = none.
struct Id(Option<ParticleId>);

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |p| write!(f, "{}", p.0))
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
        let energies = [time, e.kinetic, e.gravity, e.stored, e.total()];
        self.csv.line(format_args!("{step},{},{}", Row(&energies), Row(&e.momentum)))
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
        let heading = "step,time,solver,solves,iterations,residual_first,residual_last,residual_rms,\
                       worst_particle,contacts,contacts_active,penetration,self_contacts,self_contacts_active,\
                       exempt,truncated,truncated_motion,lagging,lag,lagging_particle,skipped_blocks,\
                       first_skipped,nonfinite,seconds";
        Ok(Self { csv: Csv::create(path, heading)?, at: (0, 0.0) })
    }

    fn row(&mut self, name: &str, solves: usize, seconds: f64, r: &StepReport) -> Result<()> {
        let ((step, time), c, own) = (self.at, &r.contacts, &r.self_contact);
        self.csv.line(format_args!(
            "{step},{},{},{solves},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            Number(time),
            quoted(name),
            r.iterations,
            Row(&[r.residual_first.max, r.residual_last.max, r.residual_last.rms]),
            Id(r.worst_particle),
            c.particle_shape + c.shapes,
            c.particle_shape_active + c.shapes_active,
            Number(r.penetration.depth),
            own.pairs,
            own.active,
            own.exempt,
            own.truncated_particles,
            Number(own.truncated_motion),
            own.lagging_particles,
            Number(own.lag),
            Id(own.lagging),
            r.skipped_blocks,
            Id(r.first_skipped),
            r.nonfinite_count,
            Number(seconds),
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
        let (step, time) = self.at;
        self.csv.line(format_args!(
            "{step},{},{},{},{},{},{},{},{}",
            Number(time),
            quoted(&i.name),
            i.iterations,
            u8::from(i.converged),
            Row(&[i.primal, i.dual, i.force]),
            Row(&i.impulse_source),
            Row(&i.impulse_destination),
            Row(&[i.work_source, i.work_destination]),
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

/// Named numbers, one row each: `step,time,name,value`. The file appears with the first.
pub struct ScalarTable {
    path: PathBuf,
    csv: Option<Csv>,
    at: (u64, f64),
}

impl ScalarTable {
    /// Without a file yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), csv: None, at: (0, 0.0) }
    }
}

impl Sink for ScalarTable {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn scalar(&mut self, name: &str, value: f64) -> Result<()> {
        let (step, time) = self.at;
        let csv = match &mut self.csv {
            Some(csv) => csv,
            None => self.csv.insert(Csv::create(&self.path, "step,time,name,value")?),
        };
        csv.line(format_args!("{step},{},{},{}", Number(time), quoted(name), Number(value)))
    }

    fn end_frame(&mut self) -> Result<()> {
        self.csv.as_mut().map_or(Ok(()), Csv::flush)
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
    fn numbers_are_short_and_read_back_exactly() {
        for (x, text) in
            [(1.3815678495897837e-35, "1.3815678495897837e-35"), (0.25, "0.25"), (-3e20, "-3e20")]
        {
            assert_eq!(Number(x).to_string(), text);
            assert_eq!(Number(x).to_string().parse(), Ok(x));
        }
        assert_eq!(Row(&[0.0, -0.5, 1e-9]).to_string(), "0,-0.5,1e-9");
    }

    #[test]
    fn scalars_have_a_file_when_there_are_some() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.csv");
        let mut table = ScalarTable::new(&path);
        table.end_frame().unwrap();
        assert!(!path.exists());
        table.begin_frame(3, 0.5).unwrap();
        table.scalar("gap", 1e-9).unwrap();
        table.end_frame().unwrap();
        assert_eq!(lines(&path)[1], ["3", "0.5", "gap", "1e-9"]);
    }

    #[test]
    fn awkward_names_are_quoted() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
