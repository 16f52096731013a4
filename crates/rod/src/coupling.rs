//! `CouplingInterface` for [`SolverRod`]: segments as sources and as proxies.
//!
//! Theory: `docs/theory/rod.md` eq. (24), (25): what a force at a segment moves is the whole rod.

use coact_math::{Mat6, Spatial, Vec6};
use coact_model::ModelView;
use coact_solver::{CouplingCapabilities, CouplingInterface, Endpoint, EndpointState, MassBlock, Response};

use crate::element::Hessian;
use crate::layout::Role;
use crate::newton::Problem;
use crate::node::Iterate;
use crate::solver::SolverRod;

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
            let (rod, n) = (&self.rods[r as usize], n as usize);
            let own = (rod.nodes[n].mass, rod.nodes[n].inertia.moments.max());
            *out = MassBlock::of_mobility(&mobility, &rod.pose[n].q, own);
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
}
