//! Tables of a run as CSV: energies per frame, iterations and interfaces per step.
//!
//! A table appears with its heading when it is created and is
//! complete after each frame. `docs/run-folder.md` describes every column.

use std::path::{Path, PathBuf};

use coact_model::EntityId;
use coact_solver::{InterfaceReport, StepReport};

use crate::csv::{Csv, Number, Row, quoted};
use crate::energy::Energy;
use crate::error::Result;
use crate::sink::Sink;

/// The number of an entity; empty = none.
struct Id(Option<u32>);

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |id| write!(f, "{id}"))
    }
}

/// An entity by kind and number; empty = none.
struct Name(Option<EntityId>);

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |id| write!(f, "{id}"))
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
                       worst_particle,contacts,contacts_active,penetration,deepest_particle,deepest_shape,deepest_other,\
                       joint_gap,worst_joint,self_contacts,self_contacts_active,\
                       exempt,truncated,truncated_motion,lagging,lag,lagging_particle,skipped_blocks,\
                       first_skipped,nonfinite,seconds";
        Ok(Self { csv: Csv::create(path, heading)?, at: (0, 0.0) })
    }

    fn row(&mut self, name: &str, solves: usize, seconds: f64, r: &StepReport) -> Result<()> {
        let ((step, time), c, own) = (self.at, &r.contacts, &r.self_contact);
        let deepest = &r.penetration;
        self.csv.line(format_args!(
            "{step},{},{},{solves},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            Number(time),
            quoted(name),
            r.iterations,
            Row(&[r.residual_first.max, r.residual_last.max, r.residual_last.rms]),
            Id(r.worst_particle.map(|p| p.0)),
            c.particle_shape + c.shapes,
            c.particle_shape_active + c.shapes_active,
            Number(deepest.depth),
            Id(deepest.particle.map(|p| p.0)),
            Id(deepest.shape.map(|s| s.0)),
            Id(deepest.other.map(|s| s.0)),
            Number(r.worst_joint.map_or(0.0, |(_, gap)| gap)),
            Id(r.worst_joint.map(|(joint, _)| joint.0)),
            own.pairs,
            own.active,
            own.exempt,
            own.truncated_particles,
            Number(own.truncated_motion),
            own.lagging_particles,
            Number(own.lag),
            Id(own.lagging.map(|p| p.0)),
            r.skipped_blocks,
            Id(r.first_skipped.map(|p| p.0)),
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
                       work_source,work_destination,momentum_defect,energy_made,withheld,worst";
        Ok(Self { csv: Csv::create(path, heading)?, at: (0, 0.0) })
    }

    fn row(&mut self, i: &InterfaceReport) -> Result<()> {
        let (step, time) = self.at;
        self.csv.line(format_args!(
            "{step},{},{},{},{},{},{},{},{},{}",
            Number(time),
            quoted(&i.name),
            i.iterations,
            u8::from(i.converged),
            Row(&[i.primal, i.dual, i.force]),
            Row(&i.impulse_source),
            Row(&i.impulse_destination),
            Row(&[i.work_source, i.work_destination, i.momentum_defect(), i.energy_made(), i.withheld]),
            Name(i.worst),
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
            impulse_destination: [1.0, 2.0, 5.0],
            work_source: -0.5,
            work_destination: 0.25,
            worst: Some(EntityId::Body(coact_model::BodyId(7))),
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
        assert_eq!(c[1][c[1].len() - 4..], ["2", "-0.25", "0", "body 7"]);
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
}
