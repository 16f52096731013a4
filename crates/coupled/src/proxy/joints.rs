//! Joints of a source that stay enabled between its proxies.
//! `docs/theory/proxy-coupling.md` section 7, eq. (22)–(24).
//!
//! The proxies of a mechanism answer a push together only if what joins them is there too.
//! Yet the source has its joints already: at the fixed point those of the destination must
//! add nothing. Rows that lock do so by themselves, since the source's end fulfils them. A
//! drive does if its target is where the source came to and its rate the mean rate of the
//! step; then it resists by its gains what the destination moves it off. Dry friction, added
//! inertia and forces of the control act in the source alone.

use coact_model::{Control, JointId, ModelView, joint_coordinates};
use coact_solver::Endpoint;

use super::interface::{Interface, Source};
use super::motion::Substep;
use super::pass::CoupledStep;
use super::validate::Plan;

/// A joint, with the rows of its ends.
struct ProxyJoint {
    joint: JointId,
    /// Its axis in the control; `None` = fixed.
    axis: Option<usize>,
    dofs: std::ops::Range<usize>,
    /// Rows of parent and child; `None` = the world.
    rows: [Option<usize>; 2],
    /// Whether its coordinate is an angle.
    turns: bool,
    /// Coordinate at the begin of the step, turns counted.
    begin: f64,
}

/// The joints of a destination, and the control that they see.
#[derive(Default)]
pub(super) struct ProxyJoints {
    list: Vec<ProxyJoint>,
    control: Control,
}

impl ProxyJoints {
    /// The destination's control; `None` = the caller's.
    pub fn control(&self) -> Option<&Control> {
        (!self.list.is_empty()).then_some(&self.control)
    }

    /// Coordinates at the begin, which persist since turns are counted.
    pub fn save(&self, to: &mut Vec<f64>) {
        to.extend(self.list.iter().map(|j| j.begin));
    }

    /// Takes back what was saved; returns the rest.
    pub fn restore<'a>(&mut self, from: &'a [f64]) -> &'a [f64] {
        let (mine, rest) = from.split_at(self.list.len().min(from.len()));
        self.list.iter_mut().zip(mine).for_each(|(j, q)| j.begin = *q);
        rest
    }
}

impl Interface {
    /// Adds the proxy joints of a plan. Call it when all rows are there.
    pub fn add_joints(&mut self, model: &coact_model::Model, plan: &Plan) {
        for d in 0..self.destinations.len() {
            let entry = self.destinations[d].entry;
            let here = plan.mappings.iter().filter(|m| m.destination == entry);
            for &joint in here.flat_map(|m| &m.proxy.joints) {
                let i = joint.index();
                let ends = [model.joint_parent[i], Some(model.joint_child[i])];
                let rows = ends.map(|b| b.and_then(|b| self.row_of(d, &Endpoint::Body(b))));
                rows.iter().flatten().for_each(|&row| self.jointed[row] = true);
                let (kind, first) = (model.joint_kind[i], model.joint_qd_start[i] as usize);
                let has_axis = kind.axis_count() > 0;
                self.destinations[d].joints.list.push(ProxyJoint {
                    joint,
                    axis: has_axis.then(|| model.joint_axis_start[i] as usize),
                    dofs: first..first + kind.dof_count(),
                    rows,
                    turns: !kind.angle_coordinates().is_empty(),
                    begin: if has_axis { model.joint_q[model.joint_q_start[i] as usize] } else { 0.0 },
                });
            }
        }
    }

    /// Eq. (23): coordinates at the begin of the step.
    pub(super) fn begin_joints(&mut self, d: usize, view: &ModelView) {
        for k in 0..self.destinations[d].joints.list.len() {
            let q = self.coordinate(d, k, view, |s, place| s.begin[place].pose);
            self.destinations[d].joints.list[k].begin = q;
        }
    }

    /// Eq. (23), (24): targets of the drives for one substep of the destination.
    pub(super) fn set_targets(&mut self, d: usize, s: &CoupledStep, substep: Substep) {
        if self.destinations[d].joints.list.is_empty() {
            return;
        }
        copy_control(&mut self.destinations[d].joints.control, s.input.control);
        let view = &s.entries.list[self.destinations[d].entry].view;
        for k in 0..self.destinations[d].joints.list.len() {
            let end = self.coordinate(d, k, view, |s, place| s.end[place].pose);
            let joints = &mut self.destinations[d].joints;
            let j = &joints.list[k];
            joints.control.joint_f[j.dofs.clone()].fill(0.0);
            if let Some(axis) = j.axis {
                let part = (substep.index + 1) as f64 / substep.count as f64;
                joints.control.joint_target_q[axis] = j.begin + (end - j.begin) * part;
                joints.control.joint_target_qd[axis] = (end - j.begin) / s.dt;
            }
        }
    }

    /// Coordinate of a joint, on the turn next to that of the begin.
    fn coordinate(
        &self,
        d: usize,
        k: usize,
        view: &ModelView,
        pose: impl Fn(&Source, usize) -> coact_math::Pose,
    ) -> f64 {
        let j = &self.destinations[d].joints.list[k];
        if j.axis.is_none() {
            return 0.0;
        }
        let at = |row: Option<usize>| row.map(|row| self.slot[row]).map(|(s, p)| pose(&self.sources[s], p));
        let [parent, child] = j.rows.map(at);
        let q = joint_coordinates(view, j.joint, &parent.unwrap_or_default(), &child.unwrap_or_default())[0];
        if !j.turns {
            return q;
        }
        let turn = std::f64::consts::TAU;
        q + turn * ((j.begin - q) / turn).round()
    }
}

/// As `clone_from`, in the memory that is there.
fn copy_control(to: &mut Control, from: &Control) {
    to.joint_target_q.clone_from(&from.joint_target_q);
    to.joint_target_qd.clone_from(&from.joint_target_qd);
    to.joint_f.clone_from(&from.joint_f);
    to.particle_motion.clone_from(&from.particle_motion);
    to.body_motion.clone_from(&from.body_motion);
}
