//! `CouplingInterface` for [`SolverRod`]: segments as sources and as proxies.
//!
//! Theory: `docs/theory/rod.md` eq. (24), (25): what a force at a segment moves is the whole rod.

use coact_math::{Mat3, Mat6, Spatial, Vec6};
use coact_model::ModelView;
use coact_solver::{CouplingCapabilities, CouplingInterface, Endpoint, EndpointState, MassBlock, Response};

use crate::element::Hessian;
use crate::layout::Role;
use crate::newton::Problem;
use crate::node::Iterate;
use crate::solver::SolverRod;

/// Share of a free segment's mobility that stands for none: a proxy needs a finite inertia about a
/// blocked axis. Larger lets proxies give way, smaller loses digits.
const BLOCKED_MOBILITY: f64 = 1e-9;

impl CouplingInterface for SolverRod {
    fn view(&self) -> &ModelView {
        &self.view
    }

    fn capabilities(&self) -> CouplingCapabilities {
        CouplingCapabilities {
            body_source: true,
            body_proxy: true,
            proxy_joints: true,
            effective_mass: true,
            response: true,
            rewind: true,
            follows_bodies: true,
            ..CouplingCapabilities::default()
        }
    }

    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]) {
        for (endpoint, out) in set.iter().zip(out) {
            if let Endpoint::Body(b) = endpoint {
                let (pose, velocity) = self.body_state(*b);
                *out = EndpointState { pose, velocity };
            }
        }
    }

    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        for (endpoint, state) in set.iter().zip(states) {
            let Endpoint::Body(b) = endpoint else { continue };
            match self.layout.roles[b.index()] {
                Role::Segment(r, n) => {
                    let rod = &mut self.rods[r as usize];
                    (rod.pose[n as usize], rod.velocity[n as usize]) = (state.pose, state.velocity);
                }
                Role::Base(k) => {
                    let k = k as usize;
                    let moves = self.layout.bases[k].moves;
                    self.base_q[k] = state.pose;
                    self.base_qd[k] = if moves { state.velocity } else { Spatial::zeros() };
                }
            }
        }
    }

    /// That of the view for proxies, and before the first step; else what a force over a step as
    /// long as the last one feels: eq. (25).
    fn effective_mass(&mut self, set: &[Endpoint], out: &mut [MassBlock]) {
        for (endpoint, out) in set.iter().zip(out) {
            *out = MassBlock::of(endpoint, &self.view);
            let Endpoint::Body(b) = endpoint else { continue };
            let Role::Segment(r, n) = self.layout.roles[b.index()] else { continue };
            let is_alone = self.rods[r as usize].elements.is_empty();
            if self.last_h == 0.0 || is_alone || endpoint.is_proxy(&self.view) {
                continue;
            }
            let h = self.last_h;
            let mobility = self.compliance(r as usize, n as usize, h) * (1.0 / (h * h));
            *out = self.mass_of(r as usize, n as usize, &mobility);
        }
    }

    /// H⁻¹ of the segment at the present state: eq. (24).
    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        for (endpoint, out) in set.iter().zip(out) {
            *out = Response::default();
            let Endpoint::Body(b) = endpoint else { continue };
            if let Role::Segment(r, n) = self.layout.roles[b.index()] {
                let pose = self.compliance(r as usize, n as usize, dt);
                *out = Response { pose, velocity: pose * (1.0 / dt) };
            }
        }
    }
}

impl SolverRod {
    /// The block of H⁻¹ of a segment, with the rod where it is now and nothing that it touches.
    fn compliance(&mut self, r: usize, n: usize, h: f64) -> Mat6 {
        let touches = std::mem::take(&mut self.rods[r].touches);
        let block = self.compliance_of_rod(r, n, h);
        self.rods[r].touches = touches;
        block
    }

    fn compliance_of_rod(&mut self, r: usize, n: usize, h: f64) -> Mat6 {
        let p = Problem { config: &self.config, bases: &self.base_q, gravity: 0.0, h };
        let rod = &mut self.rods[r];
        for (i, node) in rod.nodes.iter().enumerate() {
            let still = coact_math::Vec3::zeros();
            rod.target[i] = node.free_motion(&rod.pose[i], &Spatial::zeros(), &still, h);
            rod.at[i] = Iterate::at(&rod.target[i], Spatial::zeros());
        }
        rod.elements.iter_mut().for_each(|e| e.strain.phi = e.phi);
        rod.evaluate(p.config.law, p.bases, h);
        if !rod.factor_definite(p.config.law, h, Hessian::Full) {
            return Mat6::zeros();
        }
        let mut block = Mat6::zeros();
        for axis in 0..6 {
            rod.left.fill(Vec6::zeros());
            rod.left[n][axis] = 1.0;
            rod.system.solve(&mut rod.left);
            block.set_column(axis, &rod.left[n]);
        }
        block
    }

    /// eq. (25): mass and inertia of a mobility.
    fn mass_of(&self, r: usize, n: usize, mobility: &Mat6) -> MassBlock {
        let (rod, w) = (&self.rods[r], mobility);
        let (node, axes) = (&rod.nodes[n], rod.pose[n].q.to_rotation_matrix());
        let linear = (w[(0, 0)] + w[(1, 1)] + w[(2, 2)]) / 3.0;
        let angular: Mat3 = w.fixed_view::<3, 3>(3, 3).into_owned();
        let body_axes = axes.matrix().transpose() * angular * axes.matrix();
        let floor = BLOCKED_MOBILITY / node.inertia.moments.max();
        let mass = 1.0 / linear.max(BLOCKED_MOBILITY / node.mass);
        MassBlock { mass, inertia: invert(&body_axes, floor) }
    }
}

/// Inverse of a positive semi-definite matrix whose eigenvalues are at least `floor`.
fn invert(m: &Mat3, floor: f64) -> Mat3 {
    let eigen = ((m + m.transpose()) * 0.5).symmetric_eigen();
    let inverse = eigen.eigenvalues.map(|x| 1.0 / x.max(floor));
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}
