//! `CouplingInterface` for [`SolverArticulated`]: bodies as sources and as proxies.
//!
//! Theory: `docs/theory/articulated.md` eq. (32)-(37). Proxies are in `proxy.rs`.

use coact_math::{Mat3, Mat6, Spatial};
use coact_model::ModelView;
use coact_solver::{
    CouplingCapabilities, CouplingInterface, Endpoint, EndpointState, Harvest, MassBlock, ProxyMotion,
    Response,
};

use crate::cholesky;
use crate::coordinates::coordinates_of_pose;
use crate::layout::Role;
use crate::solver::SolverArticulated;

/// Share of a free body's angular mobility that stands for none: a proxy needs a finite
/// inertia about a blocked axis. Larger lets proxies give way, smaller loses digits.
const BLOCKED_MOBILITY: f64 = 1e-9;

impl CouplingInterface for SolverArticulated {
    fn view(&self) -> &ModelView {
        &self.view
    }

    fn capabilities(&self) -> CouplingCapabilities {
        CouplingCapabilities {
            body_source: true,
            body_proxy: true,
            given_contacts: true,
            effective_mass: true,
            response: true,
            rewind: true,
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

    /// Sets roots and bases exactly; a jointed link gets the nearest coordinates of its
    /// own joint, with the rates of its joint unchanged.
    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        for (endpoint, state) in set.iter().zip(states) {
            let Endpoint::Body(b) = endpoint else { continue };
            match self.layout.roles[b.index()] {
                Role::Base(k) => self.motion.set_base(k, &self.layout.bases[k], state.pose, state.velocity),
                Role::Link(i) => self.write_link(i, state),
            }
        }
        self.refresh();
    }

    fn begin_proxies(&mut self, set: &[Endpoint], motions: &[ProxyMotion], _dt: f64) {
        for (endpoint, motion) in set.iter().zip(motions) {
            if let Endpoint::Body(b) = endpoint {
                self.begin_proxy(*b, motion);
            }
        }
    }

    /// What contacts gave a proxy: eq. (37).
    fn harvest_proxies(
        &mut self,
        set: &[Endpoint],
        _motions: &[ProxyMotion],
        _kind: Harvest,
        _dt: f64,
        out: &mut [Spatial],
    ) {
        for (endpoint, out) in set.iter().zip(out) {
            *out = match endpoint {
                Endpoint::Body(b) => self.contact_wrench(*b),
                Endpoint::Particle(_) => Spatial::zeros(),
            };
        }
    }

    fn effective_mass(&mut self, set: &[Endpoint], out: &mut [MassBlock]) {
        for (endpoint, out) in set.iter().zip(out) {
            let role = match endpoint {
                Endpoint::Body(b) => self.layout.roles[b.index()],
                Endpoint::Particle(_) => continue,
            };
            *out = match role {
                Role::Base(_) => MassBlock::immovable(),
                Role::Link(i) => self.link_mass(i),
            };
        }
    }

    /// h J A⁻¹ Jᵀ for velocities and h² J A⁻¹ Jᵀ for poses, drives included: eq. (34).
    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        for (endpoint, out) in set.iter().zip(out) {
            *out = Response::default();
            let Endpoint::Body(b) = endpoint else { continue };
            if let Role::Link(i) = self.layout.roles[b.index()] {
                let tree = &self.layout.trees[self.layout.links[i].tree];
                self.drives.eval(&self.layout, tree, &self.mass, dt);
                let velocity = self.mobility(i, true) * dt;
                *out = Response { pose: velocity * dt, velocity };
            }
        }
    }
}

impl SolverArticulated {
    fn write_link(&mut self, i: usize, state: &EndpointState) {
        let link = &self.layout.links[i];
        if link.joint.is_none() {
            return self.motion.set_free(link, &state.pose, &state.velocity);
        }
        let tree = &self.layout.trees[link.tree];
        let carrier = match link.parent {
            Some(p) => self.kin.pose[p],
            None => self.motion.carrier_pose(&self.layout, tree, 0.0),
        };
        let across = (carrier * link.x_p).inverse() * state.pose * link.x_c_inv.inverse();
        coordinates_of_pose(link, &across, &mut self.motion.q[link.coord..]);
    }

    /// W = J A⁻¹ Jᵀ of a link about its centre of mass, order (linear, angular): eq. (32).
    /// `driven`: with the drive terms that were evaluated last.
    pub(crate) fn mobility(&mut self, i: usize, driven: bool) -> Mat6 {
        let tree = &self.layout.trees[self.layout.links[i].tree];
        let (n, first) = (tree.n(), tree.dofs.start);
        let factor = if driven { &self.drives.factor } else { &self.mass.factor };
        let rows = &mut self.columns[..6 * n];
        rows.fill(0.0);
        self.kin.each_moving(&self.layout, i, |d| {
            let column = self.kin.column(d, &self.kin.com[i]).to_vec6();
            (0..6).for_each(|r| rows[r * n + d - first] = column[r]);
        });
        let mut w = Mat6::zeros();
        if n == 0 {
            return w;
        }
        for (r, y) in rows.chunks_exact_mut(n).enumerate() {
            cholesky::solve(&factor[tree.block()], y);
            self.kin.each_moving(&self.layout, i, |d| {
                let column = self.kin.column(d, &self.kin.com[i]).to_vec6();
                (0..6).for_each(|s| w[(s, r)] += column[s] * y[d - first]);
            });
        }
        w
    }

    /// Articulated mass of a link: eq. (33).
    fn link_mass(&mut self, i: usize) -> MassBlock {
        let (tree, mass) = (self.layout.links[i].tree, self.layout.links[i].mass);
        if self.layout.trees[tree].single {
            return MassBlock { mass, inertia: self.layout.links[i].inertia };
        }
        let w = self.mobility(i, false);
        let linear = (w[(0, 0)] + w[(1, 1)] + w[(2, 2)]) / 3.0;
        let r = self.kin.pose[i].q.to_rotation_matrix();
        let angular: Mat3 = w.fixed_view::<3, 3>(3, 3).into_owned();
        let body_axes = r.matrix().transpose() * angular * r.matrix();
        let own = self.layout.links[i].principal.moments;
        let floor = BLOCKED_MOBILITY / own.max();
        let moves = linear > BLOCKED_MOBILITY / mass || body_axes.trace() > floor;
        if !moves {
            return MassBlock::immovable();
        }
        let least = BLOCKED_MOBILITY / mass;
        MassBlock { mass: 1.0 / linear.max(least), inertia: invert(&body_axes, floor) }
    }
}

/// Inverse of a positive semi-definite matrix whose eigenvalues are at least `floor`.
fn invert(m: &Mat3, floor: f64) -> Mat3 {
    let eigen = ((m + m.transpose()) * 0.5).symmetric_eigen();
    let inverse = eigen.eigenvalues.map(|x| 1.0 / x.max(floor));
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}
