//! `SolverArticulated`: what it holds, how it is built, what is derived from its motion.

use coact_math::{Pose, Spatial, Vec3};
use coact_model::{BodyId, EntityId, ModelView};
use coact_solver::SolverError;

use crate::config::{ArticulatedConfig, StepOrder};
use crate::contact::{Candidates, ContactSet, RowContext};
use crate::coordinates::pose_distance;
use crate::drift::Drift;
use crate::free_body::FreeSpin;
use crate::kick::DriveMatrix;
use crate::kinematics::Kinematics;
use crate::layout::{Layout, Role};
use crate::mass::MassMatrix;
use crate::motion::Motion;
use crate::proxy::Proxies;
use crate::refuse;

/// How far initial body poses may be from the joint coordinates \[m, rad\]: rounding of
/// hand-written scenes passes, another pose does not.
const POSE_TOLERANCE: f64 = 1e-4;

/// Rigid bodies in reduced coordinates: trees of joints, `f64`, on the CPU.
pub struct SolverArticulated {
    pub(crate) config: ArticulatedConfig,
    pub(crate) view: ModelView,
    pub(crate) layout: Layout,
    pub(crate) candidates: Candidates,
    pub(crate) motion: Motion,
    /// Derived from `motion`, always current between steps.
    pub(crate) kin: Kinematics,
    pub(crate) mass: MassMatrix,
    pub(crate) velocity: Vec<Spatial>,
    pub(crate) drives: DriveMatrix,
    pub(crate) drift: Drift,
    pub(crate) contacts: ContactSet,
    /// Rates after the kick and the contacts. Shape: \[dof_count\].
    pub(crate) u: Vec<f64>,
    pub(crate) wrench: Vec<Spatial>,
    /// Torque-free spin of single bodies. Shape: \[tree_count\].
    pub(crate) spin: Vec<FreeSpin>,
    /// What proxies move in a step besides what their rates say. Shape: \[tree_count\].
    pub(crate) offset: Vec<Vec3>,
    /// Wrenches of contacts in the last step. Shape: \[link_count\].
    pub(crate) contact_wrench: Vec<Spatial>,
    /// Columns J A⁻¹ for a mobility. Shape: \[6 · largest tree\].
    pub(crate) columns: Vec<f64>,
    /// Freedoms without mass at the last evaluation.
    pub(crate) massless: usize,
    /// Trees that took the second-order step last. Shape: \[tree_count\].
    pub(crate) smooth: Vec<bool>,
    /// Bodies of others that stand in here.
    pub(crate) proxies: Option<Proxies>,
    /// A changed view was refused: the next step says why.
    pub(crate) refused: bool,
}

impl SolverArticulated {
    /// A solver of what `view` owns, at the initial state of its model.
    ///
    /// # Errors
    /// Settings out of range; loops and joint kinds that are not coordinates;
    /// shape pairs that cannot meet; body poses that contradict the joint coordinates.
    pub fn new(view: &ModelView, config: ArticulatedConfig) -> Result<Self, SolverError> {
        config.validate()?;
        let layout = Layout::build(view)?;
        let candidates = Candidates::build(view, &layout)?;
        let mut solver = Self::with_layout(view.clone(), config, layout, candidates);
        solver.proxies = Proxies::new(view)?;
        let state = solver.view.state();
        solver.motion.load(&solver.layout, &solver.view, &state);
        solver.refresh();
        solver.check_poses(&state.body_q)?;
        Ok(solver)
    }

    fn with_layout(
        view: ModelView,
        config: ArticulatedConfig,
        layout: Layout,
        candidates: Candidates,
    ) -> Self {
        let (links, dofs) = (layout.links.len(), layout.dofs.len());
        let largest = layout.trees.iter().map(|t| t.n()).max().unwrap_or(0);
        Self {
            motion: Motion::new(&layout),
            kin: Kinematics::new(&layout),
            mass: MassMatrix::new(&layout),
            velocity: vec![Spatial::zeros(); links],
            drives: DriveMatrix::new(&layout),
            drift: Drift::new(&layout),
            contacts: ContactSet::new(&layout, &config),
            u: vec![0.0; dofs],
            wrench: vec![Spatial::zeros(); links],
            spin: vec![FreeSpin::default(); layout.trees.len()],
            offset: vec![Vec3::zeros(); layout.trees.len()],
            contact_wrench: vec![Spatial::zeros(); links],
            columns: vec![0.0; 6 * largest],
            massless: 0,
            smooth: vec![config.order == StepOrder::Second; layout.trees.len()],
            proxies: None,
            refused: false,
            config,
            view,
            layout,
            candidates,
        }
    }

    fn check_poses(&self, body_q: &[Pose]) -> Result<(), SolverError> {
        for (link, pose) in self.layout.links.iter().zip(&self.kin.pose) {
            let (distance, turn) = pose_distance(pose, &body_q[link.body.index()]);
            let tolerance = POSE_TOLERANCE * (1.0 + pose.p.norm());
            if !(distance <= tolerance && turn <= POSE_TOLERANCE) {
                return Err(refuse::inconsistent_pose(link.body, distance, turn));
            }
        }
        Ok(())
    }

    /// Everything that follows from `motion`: kinematics, mass matrices, velocities.
    pub(crate) fn refresh(&mut self) {
        self.massless = 0;
        for tree in 0..self.layout.trees.len() {
            self.refresh_tree(tree);
        }
    }

    pub(crate) fn refresh_tree(&mut self, tree: usize) {
        let tree = &self.layout.trees[tree];
        let base = self.motion.carrier_pose(&self.layout, tree, 0.0);
        self.kin.eval(&self.layout, tree, &base, &self.motion.q);
        self.massless += self.mass.eval(&self.layout, tree, &self.kin);
        let twist = self.motion.carrier_twist(&self.layout, tree, 0.0);
        self.kin.eval_velocities(&self.layout, tree, &twist, &self.motion.qd, &mut self.velocity);
    }

    /// The view changed: new layout, same motion.
    pub(crate) fn rebuild(&mut self, view: &ModelView) -> Result<(), SolverError> {
        let layout = Layout::build(view)?;
        let candidates = Candidates::build(view, &layout)?;
        let mut next = Self::with_layout(view.clone(), self.config.clone(), layout, candidates);
        next.motion.take_over(&next.layout, &self.layout, &self.motion, &self.kin, &self.velocity);
        next.contacts.warm.clone_from(&self.contacts.warm);
        if next.layout.dofs.len() == self.layout.dofs.len() {
            next.contacts.warm_scalar.clone_from(&self.contacts.warm_scalar);
        }
        next.proxies = self.proxies.take();
        if let Some(proxies) = &mut next.proxies {
            proxies.update(view);
        }
        next.refresh();
        *self = next;
        Ok(())
    }

    /// What detection and rows read, over a step of `h`.
    pub(crate) fn row_context(&self, h: f64) -> RowContext<'_> {
        RowContext {
            layout: &self.layout,
            view: &self.view,
            candidates: &self.candidates,
            motion: &self.motion,
            kin: &self.kin,
            drives: &self.drives,
            velocity: &self.velocity,
            u: &self.u,
            h,
        }
    }

    /// Wrench of contacts on a body in the last step \[N, N·m\], about its centre of mass
    /// where the step began; zero for bodies that are not links.
    pub fn contact_wrench(&self, body: BodyId) -> Spatial {
        match self.layout.roles[body.index()] {
            Role::Link(i) => self.contact_wrench[i],
            Role::Base(_) => Spatial::zeros(),
        }
    }

    /// Kinetic energy of the links \[J\], armature aside.
    pub fn kinetic_energy(&self) -> f64 {
        let of = |i: usize| {
            let (v, m) = (&self.velocity[i], self.layout.links[i].mass);
            0.5 * (m * v.lin.norm_squared() + v.ang.dot(&(self.kin.inertia[i] * v.ang)))
        };
        (0..self.layout.links.len()).map(of).sum()
    }

    /// Potential energy of the links in the model's gravity \[J\], zero at the origin.
    pub fn gravity_energy(&self) -> f64 {
        let of = |i: usize| -self.layout.links[i].mass * self.view.gravity.dot(&self.kin.com[i]);
        (0..self.layout.links.len()).map(of).sum()
    }

    /// Links with a number that is not finite.
    pub(crate) fn bad_links(&self) -> impl Iterator<Item = EntityId> + '_ {
        (0..self.layout.links.len())
            .filter(|&i| !self.kin.pose[i].is_finite() || !self.velocity[i].is_finite())
            .map(|i| EntityId::Body(self.layout.links[i].body))
    }

    /// Pose and velocity of a body as this solver has them.
    pub(crate) fn body_state(&self, body: BodyId) -> (Pose, Spatial) {
        match self.layout.roles[body.index()] {
            Role::Link(i) => (self.kin.pose[i], self.velocity[i]),
            Role::Base(k) => (self.motion.base_q[k], self.motion.base_qd[k]),
        }
    }
}
