//! Motion between kicks: where the velocities after the kick carry a tree.
//!
//! Theory: `docs/theory/articulated.md` eq. (14)-(20). Between kicks the momentum
//! p = Jᵀ (m v, I ω) + D u of a tree obeys the discrete Euler-Lagrange equations of its
//! kinetic energy. With ξ the rotation vector of a link over δ and Λ = J_l⁻ᵀ(ξ) R I Rᵀ ξ/δ
//! its spatial angular momentum, one microstep finds w such that
//!   J(q)ᵀ (m Δc/δ, Λ) + D w = p,   q⁺ = q ⊕ δ w,   p⁺ = J(q⁺)ᵀ (m Δc/δ, Λ) + D w.
//! It is symplectic, of second order, and keeps linear and angular momentum to the
//! tolerance of the solve, whatever the step: explicit Coriolis forces gain energy.
//! The fixed point w ← w + M⁻¹ r contracts by about the turn per microstep. Drives act
//! inside, on w: taken with the kick, their dampers would also brake what the curvature of
//! the path does to the rates within the step, and shift every turning equilibrium.

use coact_math::{Pose, Spatial, left_jacobian_inverse, log_so3};

use coact_model::Control;

use crate::cholesky;
use crate::coordinates::integrate;
use crate::kick::{DriveMatrix, eval_drive};
use crate::kinematics::Kinematics;
use crate::layout::{Layout, Tree};
use crate::mass::{MassMatrix, multiply};
use crate::motion::Motion;

/// Rounds of the fixed point before the microstep is halved.
const MAX_ROUNDS: usize = 40;
/// Relative change of w at which the fixed point has converged: a few rounding errors.
const TOLERANCE: f64 = 1e-14;
/// A change that no longer falls is rounding when it is below this share of w.
const STALLED: f64 = 1e-11;
/// How often the microstep is halved before the last iterate is taken as it is.
const MAX_HALVINGS: usize = 5;
/// Bound on microsteps, so that an absurd velocity costs time but not for ever.
const MAX_MICROSTEPS: f64 = 256.0;

/// Memory of the drift.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drift {
    begin: Kinematics,
    q_begin: Vec<f64>,
    q_step: Vec<f64>,
    /// Generalised momentum; the rate w; the residual. Shape: \[dof_count\].
    p: Vec<f64>,
    p_step: Vec<f64>,
    w: Vec<f64>,
    r: Vec<f64>,
    /// What the last fixed point left of its equation; goes into the next momentum.
    defect: Vec<f64>,
    /// Drives of this microstep: explicit impulse, gain, the rate it was taken at.
    drive: Vec<[f64; 3]>,
    matrix: DriveMatrix,
    wrench: Vec<Spatial>,
    sums: Vec<Spatial>,
}

/// What the drift of one tree moves.
pub(crate) struct Moving<'a> {
    pub layout: &'a Layout,
    pub motion: &'a mut Motion,
    pub kin: &'a mut Kinematics,
    pub mass: &'a mut MassMatrix,
    /// Velocities of links. Shape: \[link_count\].
    pub velocity: &'a mut [Spatial],
    pub control: &'a Control,
}

impl Drift {
    pub fn new(layout: &Layout) -> Self {
        let (links, dofs) = (layout.links.len(), layout.dofs.len());
        Self {
            begin: Kinematics::new(layout),
            q_begin: vec![0.0; layout.coord_count],
            q_step: vec![0.0; layout.coord_count],
            p: vec![0.0; dofs],
            p_step: vec![0.0; dofs],
            w: vec![0.0; dofs],
            r: vec![0.0; dofs],
            defect: vec![0.0; dofs],
            drive: vec![[0.0; 3]; dofs],
            matrix: DriveMatrix::new(layout),
            wrench: vec![Spatial::zeros(); links],
            sums: vec![Spatial::zeros(); links],
        }
    }

    /// Moves one tree over `dt`, starting with the rates `u`; leaves coordinates, rates,
    /// kinematics and mass matrix at the end. Returns whether the solve converged.
    pub fn advance(&mut self, m: &mut Moving, tree: &Tree, u: &[f64], dt: f64, angle: f64) -> bool {
        let carrier = m.motion.carrier_twist(m.layout, tree, 0.0);
        m.kin.eval_velocities(m.layout, tree, &carrier, u, m.velocity);
        self.eval_momentum(m, tree, u);
        self.take_out_drives(m, tree, u, dt);
        let coords = coords_of(m.layout, tree);
        self.q_begin[coords.clone()].copy_from_slice(&m.motion.q[coords.clone()]);
        let mut count = microsteps(&m.velocity[tree.links.clone()], dt, angle);
        for halving in 0..=MAX_HALVINGS {
            self.w[tree.dofs.clone()].copy_from_slice(&m.motion.qd[tree.dofs.clone()]);
            self.p_step[tree.dofs.clone()].copy_from_slice(&self.p[tree.dofs.clone()]);
            let last = halving == MAX_HALVINGS;
            if self.microsteps(m, tree, u, (count, dt / count as f64), last) || last {
                self.finish(m, tree, dt);
                return !last;
            }
            count *= 2;
            m.motion.q[coords.clone()].copy_from_slice(&self.q_begin[coords.clone()]);
            let base = m.motion.carrier_pose(m.layout, tree, 0.0);
            m.kin.eval(m.layout, tree, &base, &m.motion.q);
            m.mass.eval(m.layout, tree, m.kin);
        }
        false
    }

    /// Momentum at the begin: eq. (14), with the carrier's motion in it.
    fn eval_momentum(&mut self, m: &Moving, tree: &Tree, u: &[f64]) {
        for i in tree.links.clone() {
            let v = m.velocity[i];
            self.wrench[i] = Spatial::new(v.lin * m.layout.links[i].mass, m.kin.inertia[i] * v.ang);
        }
        for d in tree.dofs.clone() {
            self.p[d] = m.layout.dofs[d].armature * u[d];
        }
        m.kin.project(m.layout, tree, &mut self.wrench, &mut self.p);
    }

    /// The kick had the drives in it, for the sake of the contacts; the drift has them anew.
    fn take_out_drives(&mut self, m: &Moving, tree: &Tree, u: &[f64], dt: f64) {
        for d in tree.dofs.clone() {
            let (gain, qd) = (m.layout.dofs[d].drive_gain(dt), &m.motion.qd);
            let explicit = eval_drive(m.layout, d, (&m.motion.q, qd), m.control, dt);
            self.p[d] += gain * (u[d] - qd[d]) - dt * explicit;
        }
    }

    fn microsteps(
        &mut self,
        m: &mut Moving,
        tree: &Tree,
        u: &[f64],
        (count, delta): (usize, f64),
        accept: bool,
    ) -> bool {
        for s in 1..=count {
            copy_tree(m.kin, &mut self.begin, tree);
            let coords = coords_of(m.layout, tree);
            self.q_step[coords.clone()].copy_from_slice(&m.motion.q[coords]);
            self.eval_drives(m, tree, delta);
            if s == 1 {
                self.w[tree.dofs.clone()].copy_from_slice(&u[tree.dofs.clone()]);
            }
            let base = m.motion.carrier_pose(m.layout, tree, s as f64 * delta);
            if !self.solve_rates(m, tree, &base, delta) && !accept {
                return false;
            }
            self.eval_end_momentum(m.layout, tree, m.kin);
            m.mass.eval(m.layout, tree, m.kin);
        }
        true
    }

    /// Drives of a microstep that starts at `q_step` with the rates w: eq. (12), (13).
    fn eval_drives(&mut self, m: &Moving, tree: &Tree, delta: f64) {
        for d in tree.dofs.clone() {
            let explicit = eval_drive(m.layout, d, (&self.q_step, &self.w), m.control, delta);
            self.drive[d] = [delta * explicit, m.layout.dofs[d].drive_gain(delta), self.w[d]];
        }
        self.matrix.eval(m.layout, tree, m.mass, delta);
    }

    /// The fixed point of eq. (18). At the end q, kinematics and link momenta are at w.
    fn solve_rates(&mut self, m: &mut Moving, tree: &Tree, base: &Pose, delta: f64) -> bool {
        let mut before = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            self.eval_end(m, tree, base, delta);
            self.r[tree.dofs.clone()].copy_from_slice(&self.p_step[tree.dofs.clone()]);
            self.eval_residual(m.layout, tree);
            let r = &mut self.r[tree.dofs.clone()];
            self.defect[tree.dofs.clone()].copy_from_slice(r);
            cholesky::solve(&self.matrix.factor[tree.block()], r);
            let change = r.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
            let size = self.w[tree.dofs.clone()].iter().fold(1e-9, |a: f64, x| a.max(x.abs()));
            if change <= TOLERANCE * size || (change <= STALLED * size && change >= 0.5 * before) {
                return true;
            }
            if change.is_nan() || change >= 4.0 * before {
                return false;
            }
            before = change;
            for d in tree.dofs.clone() {
                self.w[d] += self.r[d];
            }
        }
        false
    }

    /// Kinematics and link momenta (m Δc/δ, Λ) at q ⊕ δ w: eq. (15), (17).
    fn eval_end(&mut self, m: &mut Moving, tree: &Tree, base: &Pose, delta: f64) {
        for i in tree.links.clone() {
            let link = &m.layout.links[i];
            let coords = link.coord..link.coord + link.kind.coord_count();
            let q = &mut m.motion.q[coords.clone()];
            q.copy_from_slice(&self.q_step[coords]);
            integrate(link, q, &self.w[link.dofs.clone()], delta);
        }
        m.kin.eval(m.layout, tree, base, &m.motion.q);
        for i in tree.links.clone() {
            let lin = (m.kin.com[i] - self.begin.com[i]) * (m.layout.links[i].mass / delta);
            let xi = log_so3(&(m.kin.pose[i].q * self.begin.pose[i].q.inverse()));
            let ang = left_jacobian_inverse(&xi).tr_mul(&(self.begin.inertia[i] * xi)) / delta;
            self.wrench[i] = Spatial::new(lin, ang);
        }
    }

    /// r = p + drives - J(q)ᵀ (m Δc/δ, Λ) - D w: eq. (16).
    fn eval_residual(&mut self, layout: &Layout, tree: &Tree) {
        for i in tree.links.clone() {
            self.sums[i] = -self.wrench[i];
        }
        for d in tree.dofs.clone() {
            let [explicit, gain, at] = self.drive[d];
            self.r[d] += explicit - gain * (self.w[d] - at) - layout.dofs[d].armature * self.w[d];
        }
        self.begin.project(layout, tree, &mut self.sums, &mut self.r);
    }

    /// p⁺ = J(q⁺)ᵀ (m Δc/δ, Λ) + D w: eq. (19). The defect is rounding of Δc/δ: handed on,
    /// it does not add up.
    fn eval_end_momentum(&mut self, layout: &Layout, tree: &Tree, kin: &Kinematics) {
        let links = tree.links.clone();
        self.sums[links.clone()].copy_from_slice(&self.wrench[links]);
        for d in tree.dofs.clone() {
            self.p_step[d] = layout.dofs[d].armature * self.w[d] + self.defect[d];
        }
        kin.project(layout, tree, &mut self.sums, &mut self.p_step);
    }

    /// End rates from the end momentum: (M⁺ + D) qd = p⁺ - J⁺ᵀ M v_carrier, eq. (20).
    fn finish(&mut self, m: &mut Moving, tree: &Tree, dt: f64) {
        let twist = m.motion.carrier_twist(m.layout, tree, dt);
        if tree.base.is_some() {
            m.motion.qd[tree.dofs.clone()].fill(0.0);
            m.kin.eval_velocities(m.layout, tree, &twist, &m.motion.qd, m.velocity);
            for i in tree.links.clone() {
                let v = m.velocity[i];
                self.sums[i] = -Spatial::new(v.lin * m.layout.links[i].mass, m.kin.inertia[i] * v.ang);
            }
            m.kin.project(m.layout, tree, &mut self.sums, &mut self.p_step);
        }
        let qd = &mut m.motion.qd[tree.dofs.clone()];
        qd.copy_from_slice(&self.p_step[tree.dofs.clone()]);
        cholesky::solve(&m.mass.factor[tree.block()], qd);
        self.correct_rates(m, tree);
        m.kin.eval_velocities(m.layout, tree, &twist, &m.motion.qd, m.velocity);
    }

    /// One refinement, so that the momentum is kept to rounding on ill-conditioned trees.
    fn correct_rates(&mut self, m: &mut Moving, tree: &Tree) {
        let qd = &mut m.motion.qd[tree.dofs.clone()];
        let r = &mut self.r[tree.dofs.clone()];
        multiply(&m.mass.values[tree.block()], qd, r);
        for (r, p) in r.iter_mut().zip(&self.p_step[tree.dofs.clone()]) {
            *r = p - *r;
        }
        cholesky::solve(&m.mass.factor[tree.block()], r);
        for (v, r) in qd.iter_mut().zip(r) {
            *v += *r;
        }
    }
}

fn coords_of(layout: &Layout, tree: &Tree) -> std::ops::Range<usize> {
    let (first, last) = (&layout.links[tree.links.start], &layout.links[tree.links.end - 1]);
    first.coord..last.coord + last.kind.coord_count()
}

/// How many microsteps keep the turn of every link below `angle`.
fn microsteps(velocity: &[Spatial], dt: f64, angle: f64) -> usize {
    let rate = velocity.iter().fold(0.0, |a: f64, v| a.max(v.ang.norm()));
    (dt * rate / angle).ceil().clamp(1.0, MAX_MICROSTEPS) as usize
}

fn copy_tree(from: &Kinematics, to: &mut Kinematics, tree: &Tree) {
    let (links, dofs) = (tree.links.clone(), tree.dofs.clone());
    to.pose[links.clone()].copy_from_slice(&from.pose[links.clone()]);
    to.com[links.clone()].copy_from_slice(&from.com[links.clone()]);
    to.inertia[links.clone()].copy_from_slice(&from.inertia[links]);
    to.axis[dofs.clone()].copy_from_slice(&from.axis[dofs.clone()]);
    to.point[dofs.clone()].copy_from_slice(&from.point[dofs.clone()]);
    to.angular[dofs.clone()].copy_from_slice(&from.angular[dofs]);
}
