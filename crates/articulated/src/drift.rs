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

use coact_math::{Spatial, cholesky};

use coact_model::Control;

use crate::coordinates::integrate;
use crate::drift_solve::Newton;
use crate::kick::{DriveMatrix, eval_drive};
use crate::kinematics::Kinematics;
use crate::layout::{Layout, Tree};
use crate::mass::{MassMatrix, multiply};
use crate::motion::Motion;

/// Bound on microsteps: beyond, a step costs time but gains nothing, and is given up.
const MAX_MICROSTEPS: usize = 512;

/// Memory of the drift.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drift {
    pub(crate) begin: Kinematics,
    q_begin: Vec<f64>,
    pub(crate) q_step: Vec<f64>,
    /// Generalised momentum; the rate w; the residual. Shape: \[dof_count\].
    p: Vec<f64>,
    pub(crate) p_step: Vec<f64>,
    pub(crate) w: Vec<f64>,
    pub(crate) r: Vec<f64>,
    /// What the last fixed point left of its equation; goes into the next momentum.
    pub(crate) defect: Vec<f64>,
    /// Drives of this microstep: explicit impulse, gain, the rate it was taken at.
    pub(crate) drive: Vec<[f64; 3]>,
    pub(crate) matrix: DriveMatrix,
    pub(crate) newton: Newton,
    pub(crate) wrench: Vec<Spatial>,
    pub(crate) sums: Vec<Spatial>,
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
    /// Whether the kick had the drives in it.
    pub drives_kicked: bool,
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
            newton: Newton::new(layout),
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
        if m.drives_kicked {
            self.take_out_drives(m, tree, u, dt);
        }
        let coords = coords_of(m.layout, tree);
        self.q_begin[coords.clone()].copy_from_slice(&m.motion.q[coords.clone()]);
        let mut count = microsteps(&m.velocity[tree.links.clone()], dt, angle);
        while count <= MAX_MICROSTEPS {
            self.w[tree.dofs.clone()].copy_from_slice(&m.motion.qd[tree.dofs.clone()]);
            self.p_step[tree.dofs.clone()].copy_from_slice(&self.p[tree.dofs.clone()]);
            if self.microsteps(m, tree, u, (count, dt / count as f64)) {
                self.finish(m, tree, dt);
                return true;
            }
            count *= 2;
            m.motion.q[coords.clone()].copy_from_slice(&self.q_begin[coords.clone()]);
            derive(m, tree, 0.0);
        }
        self.give_up(m, tree, u, dt);
        false
    }

    /// The last resort of a step that no microstep solves: the rates after the kick carry
    /// the tree straight on and are scaled so that kinetic energy does not grow.
    fn give_up(&mut self, m: &mut Moving, tree: &Tree, u: &[f64], dt: f64) {
        let dofs = tree.dofs.clone();
        let before = self.kinetic(m, tree, &u[dofs.clone()]);
        for i in tree.links.clone() {
            let link = &m.layout.links[i];
            let q = &mut m.motion.q[link.coord..link.coord + link.kind.coord_count()];
            integrate(link, q, &u[link.dofs.clone()], dt);
        }
        derive(m, tree, dt);
        let after = self.kinetic(m, tree, &u[dofs.clone()]);
        let scale = if after > before { (before / after).sqrt() } else { 1.0 };
        for d in dofs {
            m.motion.qd[d] = scale * u[d];
        }
        let twist = m.motion.carrier_twist(m.layout, tree, dt);
        m.kin.eval_velocities(m.layout, tree, &twist, &m.motion.qd, m.velocity);
    }

    /// uᵀ (M + D) u, relative to the carrier.
    fn kinetic(&mut self, m: &Moving, tree: &Tree, u: &[f64]) -> f64 {
        let r = &mut self.r[tree.dofs.clone()];
        multiply(&m.mass.values[tree.block()], u, r);
        r.iter().zip(u).map(|(r, u)| r * u).sum()
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

    fn microsteps(&mut self, m: &mut Moving, tree: &Tree, u: &[f64], (count, delta): (usize, f64)) -> bool {
        for s in 1..=count {
            copy_tree(m.kin, &mut self.begin, tree);
            let coords = coords_of(m.layout, tree);
            self.q_step[coords.clone()].copy_from_slice(&m.motion.q[coords]);
            self.eval_drives(m, tree, delta);
            if s == 1 {
                self.w[tree.dofs.clone()].copy_from_slice(&u[tree.dofs.clone()]);
            }
            let base = m.motion.carrier_pose(m.layout, tree, s as f64 * delta);
            if !self.solve_rates(m, tree, &base, delta) {
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
    (dt * rate / angle).ceil().clamp(1.0, MAX_MICROSTEPS as f64) as usize
}

/// Kinematics and mass matrix at the coordinates, with the carrier after time `t`.
fn derive(m: &mut Moving, tree: &Tree, t: f64) {
    let base = m.motion.carrier_pose(m.layout, tree, t);
    m.kin.eval(m.layout, tree, &base, &m.motion.q);
    m.mass.eval(m.layout, tree, m.kin);
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
