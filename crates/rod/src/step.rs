//! One step: predict, solve, finish. Theory: `docs/theory/rod.md` section 3.

use coact_math::{Pose, Quat, Spatial, Vec3, Vec6, rotation_between};
use coact_model::{BodyId, EntityId, Forces};
use coact_solver::{Residual, SolverError, StepInput, StepReport, check_step_size};
use rayon::prelude::*;

use crate::element::{Element, Side};
use crate::joint::Bond;
use crate::layout::Role;
use crate::newton::Problem;
use crate::node::Iterate;
use crate::rod::{Outcome, Rod};
use crate::solver::SolverRod;
use crate::strain::linear;

/// Segments from which on rods are solved side by side: below, handing over costs more than it saves.
const PARALLEL: usize = 64;

/// Gap over the arm of a segment from which on a start is torn: its forces say nothing of those of the
/// solution.
const TORN: f64 = 0.05;

/// Looks at the end of a solve for what became deep beside the rows that there are, each with a solve
/// after it.
const SECOND_LOOKS: usize = 2;

/// What the begin of a step reads.
struct Begin<'a> {
    forces: &'a Forces,
    /// Generalised forces of joints, and where those of each joint begin.
    joint_f: &'a [f64],
    joint_start: &'a [u32],
    gravity: Vec3,
    /// Body frames of what is prescribed, at the begin.
    bases: &'a [Pose],
    warm_start: bool,
}

impl SolverRod {
    pub(crate) fn advance(
        &mut self,
        input: &StepInput,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), SolverError> {
        check_step_size(h)?;
        self.check_view()?;
        report.clear();
        self.read_model(h);
        self.prescribe(&input.control.body_motion, h);
        self.predict(input, h);
        self.meet(input, h, report);
        self.solve(input, h);
        self.remember(report);
        self.base_q.copy_from_slice(&self.base_end);
        self.last_h = h;
        self.report(report);
        Ok(())
    }

    /// A view that became unusable is named here, as `notify_model_changed` cannot.
    fn check_view(&mut self) -> Result<(), SolverError> {
        if !self.refused {
            return Ok(());
        }
        let view = self.view.clone();
        self.rebuild(&view)?;
        self.refused = false;
        Ok(())
    }

    /// Velocities of kinematic bodies that the control moves, and where they come to.
    fn prescribe(&mut self, motions: &[(BodyId, Spatial)], h: f64) {
        for &(b, velocity) in motions {
            if let Role::Base(k) = self.layout.roles[b.index()]
                && self.layout.bases[k as usize].moves
            {
                self.base_qd[k as usize] = velocity;
            }
        }
        for (k, base) in self.layout.bases.iter().enumerate() {
            let still = !base.moves || self.base_qd[k] == Spatial::zeros();
            let way = self.base_qd[k] * h;
            self.base_end[k] = if still { self.base_q[k] } else { self.base_q[k].displaced(&base.com, &way) };
        }
    }

    /// The begin of a step as rods read it, and their problem.
    fn problem<'a>(&'a self, input: &StepInput<'a>, h: f64) -> (Begin<'a>, Problem<'a>) {
        let gravity = self.view.gravity;
        let begin = Begin {
            forces: input.forces,
            joint_f: &input.control.joint_f,
            joint_start: &self.view.joint_qd_start,
            gravity,
            bases: &self.base_q,
            warm_start: self.config.warm_start,
        };
        (begin, Problem { config: &self.config, bases: &self.base_end, gravity: gravity.norm(), h })
    }

    fn is_parallel(&self) -> bool {
        self.rods.len() > 1 && self.rods.iter().map(|r| r.nodes.len()).sum::<usize>() >= PARALLEL
    }

    /// Where each rod would come to by itself.
    fn predict(&mut self, input: &StepInput, h: f64) {
        let parallel = self.is_parallel();
        let mut rods = std::mem::take(&mut self.rods);
        let (begin, problem) = self.problem(input, h);
        each(&mut rods, parallel, |rod| rod.predict(&begin, &problem));
        self.rods = rods;
    }

    /// Each island of rods by itself; what is side by side touches nothing in common.
    fn solve(&mut self, input: &StepInput, h: f64) {
        let parallel = self.is_parallel();
        let (mut rods, mut islands) = (std::mem::take(&mut self.rods), std::mem::take(&mut self.islands));
        let (begin, problem) = self.problem(input, h);
        each(&mut islands.list, parallel, |island| island.take(&rods));
        islands.each_whole(&mut rods, parallel, |rod| {
            rod.start(&begin, &problem);
            rod.outcome = Outcome::default();
            rod.solve(&problem);
        });
        (self.rods, self.islands) = (rods, islands);
        for _ in 0..SECOND_LOOKS {
            if !self.meet_again(h) {
                break;
            }
            let (mut rods, mut islands) = (std::mem::take(&mut self.rods), std::mem::take(&mut self.islands));
            let (_, problem) = self.problem(input, h);
            islands.each_whole(&mut rods, parallel, |rod| {
                if std::mem::take(&mut rod.again) {
                    rod.tie();
                    rod.evaluate(problem.config.law, problem.bases, h);
                    rod.solve(&problem);
                }
            });
            (self.rods, self.islands) = (rods, islands);
        }
        self.islands.each_whole(&mut self.rods, parallel, |rod| rod.finish(h));
        self.islands.list.iter().for_each(|island| island.give(&mut self.rods));
    }

    fn report(&self, report: &mut StepReport) {
        let mut square = [0.0; 2];
        let mut largest = [0.0_f64; 2];
        for rod in &self.rods {
            report.iterations = report.iterations.max(rod.outcome.iterations);
            report.skipped_blocks += rod.outcome.singular;
            for (i, (max, sum)) in rod.outcome.residual.into_iter().enumerate() {
                largest[i] = largest[i].max(max);
                square[i] += sum;
            }
            let bad = |n: &usize| !rod.pose[*n].is_finite() || !rod.velocity[*n].is_finite();
            let bad = (0..rod.nodes.len()).filter(bad);
            bad.for_each(|n| report.note_nonfinite(EntityId::Body(rod.nodes[n].body)));
        }
        let count = self.rods.iter().map(|r| r.nodes.len()).sum::<usize>().max(1) as f64;
        let residual = |i: usize| Residual { max: largest[i], rms: (square[i] / count).sqrt() };
        (report.residual_first, report.residual_last) = (residual(0), residual(1));
    }
}

/// `f` of each, side by side where `parallel`.
pub(crate) fn each<T: Send>(all: &mut [T], parallel: bool, f: impl Fn(&mut T) + Sync + Send) {
    if parallel {
        all.par_iter_mut().for_each(f);
    } else {
        all.iter_mut().for_each(f);
    }
}

impl Rod {
    /// Targets, applied torques, strains at the begin, and where the solve starts: eq. (10), (20).
    fn predict(&mut self, begin: &Begin, p: &Problem) {
        for (n, node) in self.nodes.iter().enumerate() {
            let f = if node.proxy { Spatial::zeros() } else { begin.forces.body_f[node.body.index()] };
            let acceleration = begin.gravity + f.lin / node.mass;
            self.target[n] = node.free_motion(&self.pose[n], &self.velocity[n], &acceleration, p.h);
            self.torque[n] = f.ang;
        }
        for i in 0..self.elements.len() {
            if matches!(self.elements[i].bond, Bond::Ball | Bond::Hinge) {
                let ends = self.elements[i].place(|side| self.begin_pose(side, begin.bases));
                self.elements[i].measure_from(&ends);
                self.push_joint(i, &ends.q[0], begin);
            }
        }
        self.begin_branches();
        for i in 0..self.elements.len() {
            let e = &self.elements[i];
            if e.kd != Vec6::zeros() {
                let ends = e.place(|side| self.begin_pose(side, begin.bases));
                self.elements[i].begin = e.eval_strain(p.config.law, &ends, &e.phi).epsilon;
            }
        }
    }

    /// Generalised forces of a ball joint or hinge act as torques; `frame`: of its first side.
    fn push_joint(&mut self, element: usize, frame: &Quat, begin: &Begin) {
        let e = &self.elements[element];
        let first = begin.joint_start[e.joint.index()] as usize;
        let f = |i: usize| begin.joint_f.get(first + i).copied().unwrap_or(0.0);
        let torque = if e.bond == Bond::Hinge { Vec3::z() * f(0) } else { Vec3::new(f(0), f(1), f(2)) };
        let torque = frame * torque;
        for (n, sign) in e.nodes().into_iter().zip([-1.0, 1.0]) {
            if let Some(n) = n {
                self.torque[n] += torque * sign;
            }
        }
    }

    /// The branches of φ that the last step ended on.
    fn begin_branches(&mut self) {
        self.elements.iter_mut().for_each(|e| e.strain.phi = e.phi);
    }

    /// Where the solve starts, eq. (20): the target and what the last step corrected; where that tears
    /// segments apart, the begin of the step.
    fn start(&mut self, begin: &Begin, p: &Problem) {
        self.arm = self.mean_arm();
        for n in 0..self.nodes.len() {
            let from = if begin.warm_start { self.correction[n] * (p.h * p.h) } else { Spatial::zeros() };
            self.at[n] = Iterate::at(&self.target[n], from);
        }
        if !self.touches.is_empty() || self.is_tied() {
            self.choose_rows();
        }
        self.evaluate(p.config.law, p.bases, p.h);
        let gap = self.largest_gap();
        if gap <= TORN * self.arm {
            return;
        }
        self.kept.copy_from_slice(&self.at);
        self.begin_branches();
        for (n, node) in self.nodes.iter().enumerate() {
            let target = &self.target[n];
            let way = self.pose[n].point(&node.com) - target.com;
            let turn = rotation_between(&target.q, &self.pose[n].q);
            self.at[n] = Iterate::at(target, Spatial::new(way, turn));
        }
        self.evaluate(p.config.law, p.bases, p.h);
        if self.largest_gap() > gap {
            self.at.copy_from_slice(&self.kept);
            self.begin_branches();
            self.evaluate(p.config.law, p.bases, p.h);
        }
    }

    fn largest_gap(&self) -> f64 {
        let gap = |e: &Element| linear(&e.strain.epsilon).norm();
        self.elements.iter().filter(|e| e.on).map(gap).fold(0.0, f64::max)
    }

    /// Pose of (centre of mass, rotation) of a segment, body frame of what is prescribed.
    pub(crate) fn begin_pose(&self, side: Side, bases: &[Pose]) -> Pose {
        match side {
            Side::Node(n) => {
                let pose = &self.pose[n as usize];
                Pose::new(pose.point(&self.nodes[n as usize].com), pose.q)
            }
            Side::Base(k) => bases[k as usize],
            Side::World => Pose::identity(),
        }
    }

    /// The body frame of a segment at the iterate.
    pub(crate) fn end_pose(&self, n: usize) -> Pose {
        let at = self.at[n].pose(&self.target[n]);
        Pose::new(at.p - at.q * self.nodes[n].com, at.q)
    }

    /// Poses and velocities of the end of the step: eq. (21).
    fn finish(&mut self, h: f64) {
        for n in 0..self.nodes.len() {
            self.velocity[n] = self.target[n].velocity + self.at[n].d * (1.0 / h);
            self.correction[n] = self.at[n].d * (1.0 / (h * h));
        }
        self.keep_momentum(h);
        for n in 0..self.nodes.len() {
            self.pose[n] = self.end_pose(n);
        }
        for e in self.elements.iter_mut().filter(|e| e.on) {
            e.phi = e.strain.phi;
            e.stress = e.eval_stress(h);
        }
    }
}
