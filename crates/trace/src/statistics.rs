//! Sums over a run, for its record and its last line.

use coact_solver::{InterfaceReport, StepReport};
use serde::Serialize;

use crate::energy::Energy;

/// Time of one solver over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EntryStatistics {
    /// Name of the entry, `outer/inner` when nested.
    pub name: String,
    /// Solves taken: substeps, passes and trial steps included.
    pub solves: usize,
    /// Wall time inside it \[s\].
    pub seconds: f64,
}

/// Passes of one interface over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InterfaceStatistics {
    /// Name, as "rigid -> soft".
    pub name: String,
    /// Steps counted.
    pub steps: u64,
    /// Sum of passes.
    pub iterations: usize,
    /// Most passes in one step.
    pub iterations_max: usize,
    /// Steps that did not meet the tolerance.
    pub unconverged: usize,
    /// Largest primal residual \[m\].
    pub primal_max: f64,
    /// The step of it, and between which endpoint and its proxy it was.
    pub primal_step: u64,
    /// By kind and number, as "body 3".
    pub worst: Option<String>,
    /// Largest dual residual \[N\].
    pub dual_max: f64,
    /// Largest exchanged force \[N\].
    pub force_max: f64,
    /// Largest momentum that one side got more than the other gave in a step \[N·s\].
    pub momentum_defect_max: f64,
    /// Energy that the interface made over the run \[J\]; negative: that was lost in it.
    pub energy_made: f64,
    /// Largest share of a force that was held back so that late feedback feeds no energy.
    pub withheld_max: f64,
}

/// Sums over all steps of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunStatistics {
    /// Steps taken.
    pub steps: u64,
    /// Wall time inside steps \[s\].
    pub seconds: f64,
    /// By solver.
    pub entries: Vec<EntryStatistics>,
    /// By interface.
    pub interfaces: Vec<InterfaceStatistics>,
    /// Deepest penetration \[m\].
    pub penetration: f64,
    /// The step of it.
    pub penetration_step: u64,
    /// What it was between, by number: the particle if there is one, then the shapes.
    pub penetration_of: (Option<u32>, Vec<u32>),
    /// Largest distance of anchors that a joint holds together \[m\].
    pub joint_gap: f64,
    /// The step of it, and the number of the joint.
    pub worst_joint: Option<(u64, u32)>,
    /// Lists that grew.
    pub growth: usize,
    /// Blocks that were singular and left alone.
    pub skipped_blocks: usize,
    /// The first step in which one was, and the number of its particle.
    pub first_skipped: Option<(u64, u32)>,
    /// Farthest that a prescribed particle was behind where it should be \[m\].
    pub lag: f64,
    /// The step of it, and the number of the particle.
    pub lagging: Option<(u64, u32)>,
    /// Bytes moved between host and device.
    pub bytes_moved: u64,
    /// First energy.
    pub energy_first: Option<Energy>,
    /// Last energy.
    pub energy_last: Option<Energy>,
    /// Largest kinetic energy \[J\].
    pub kinetic_max: f64,
}

impl RunStatistics {
    /// Adds a step that took `seconds` of wall time.
    pub fn add_step(&mut self, report: &StepReport, seconds: f64) {
        self.steps += 1;
        self.seconds += seconds;
        self.bytes_moved += report.bytes_moved;
        self.add_solver(report);
        self.add_nested("", report);
    }

    /// Adds an energy.
    pub fn add_energy(&mut self, energy: &Energy) {
        self.energy_first.get_or_insert(*energy);
        self.energy_last = Some(*energy);
        self.kinetic_max = self.kinetic_max.max(energy.kinetic);
    }

    /// Change of the total energy since the first frame \[J\].
    pub fn energy_drift(&self) -> Option<f64> {
        Some(self.energy_last?.total() - self.energy_first?.total())
    }

    fn add_nested(&mut self, outer: &str, report: &StepReport) {
        for i in &report.interfaces {
            self.add_interface(outer, i);
        }
        for e in &report.entries {
            let name = if outer.is_empty() { e.name.clone() } else { format!("{outer}/{}", e.name) };
            let sum = find(
                &mut self.entries,
                |s| s.name == name,
                || EntryStatistics { name: name.clone(), ..EntryStatistics::default() },
            );
            sum.solves += e.solves;
            sum.seconds += e.seconds;
            self.add_solver(&e.report);
            self.add_nested(&name, &e.report);
        }
    }

    fn add_solver(&mut self, report: &StepReport) {
        self.growth += report.growth;
        self.skipped_blocks += report.skipped_blocks;
        self.first_skipped = self.first_skipped.or(report.first_skipped.map(|p| (self.steps, p.0)));
        let own = &report.self_contact;
        if own.lag > self.lag {
            (self.lag, self.lagging) = (own.lag, own.lagging.map(|p| (self.steps, p.0)));
        }
        if report.penetration.depth > self.penetration {
            let deepest = &report.penetration;
            (self.penetration, self.penetration_step) = (deepest.depth, self.steps);
            let shapes = [deepest.shape, deepest.other].iter().flatten().map(|s| s.0).collect();
            self.penetration_of = (deepest.particle.map(|p| p.0), shapes);
        }
        if let Some((joint, gap)) = report.worst_joint.filter(|(_, gap)| *gap > self.joint_gap) {
            (self.joint_gap, self.worst_joint) = (gap, Some((self.steps, joint.0)));
        }
    }

    fn add_interface(&mut self, outer: &str, i: &InterfaceReport) {
        let name = if outer.is_empty() { i.name.clone() } else { format!("{outer}/{}", i.name) };
        let step = self.steps;
        let sum = find(
            &mut self.interfaces,
            |s| s.name == name,
            || InterfaceStatistics { name: name.clone(), ..InterfaceStatistics::default() },
        );
        sum.steps += 1;
        sum.iterations += i.iterations;
        sum.iterations_max = sum.iterations_max.max(i.iterations);
        sum.unconverged += usize::from(!i.converged);
        if i.primal > sum.primal_max || sum.worst.is_none() {
            (sum.primal_step, sum.worst) = (step, i.worst.map(|e| e.to_string()));
        }
        sum.primal_max = sum.primal_max.max(i.primal);
        sum.dual_max = sum.dual_max.max(i.dual);
        sum.force_max = sum.force_max.max(i.force);
        sum.momentum_defect_max = sum.momentum_defect_max.max(i.momentum_defect());
        sum.energy_made += i.energy_made();
        sum.withheld_max = sum.withheld_max.max(i.withheld);
    }
}

fn find<T>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &mut T {
    let at = list.iter().position(is).unwrap_or_else(|| {
        list.push(make());
        list.len() - 1
    });
    &mut list[at]
}

#[cfg(test)]
mod tests {
    use coact_solver::EntryReport;

    use super::*;

    #[test]
    fn nested_entries_and_interfaces_add_up() {
        let inner = StepReport {
            entries: vec![EntryReport {
                name: "b".into(),
                solves: 1,
                seconds: 0.25,
                ..EntryReport::default()
            }],
            ..StepReport::default()
        };
        let mut outer = StepReport {
            entries: vec![EntryReport { name: "a".into(), solves: 2, seconds: 1.0, report: inner }],
            interfaces: vec![InterfaceReport {
                name: "x".into(),
                iterations: 2,
                ..InterfaceReport::default()
            }],
            ..StepReport::default()
        };
        outer.penetration.depth = 0.1;
        let mut sum = RunStatistics::default();
        sum.add_step(&outer, 2.0);
        outer.interfaces[0].iterations = 5;
        outer.penetration.depth = 0.05;
        sum.add_step(&outer, 2.0);
        let names: Vec<_> = sum.entries.iter().map(|e| (e.name.as_str(), e.solves, e.seconds)).collect();
        assert_eq!(names, [("a", 4, 2.0), ("a/b", 2, 0.5)]);
        assert_eq!((sum.interfaces[0].iterations, sum.interfaces[0].iterations_max), (7, 5));
        assert_eq!((sum.penetration, sum.penetration_step), (0.1, 1));
        assert_eq!((sum.steps, sum.seconds), (2, 4.0));
    }

    #[test]
    fn drift_is_last_minus_first() {
        let mut sum = RunStatistics::default();
        assert_eq!(sum.energy_drift(), None);
        sum.add_energy(&Energy { kinetic: 3.0, ..Energy::default() });
        sum.add_energy(&Energy { gravity: 1.0, ..Energy::default() });
        assert_eq!((sum.energy_drift(), sum.kinetic_max), (Some(-2.0), 3.0));
    }
}
