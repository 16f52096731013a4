//! `CouplingInterface` for [`SolverArticulated`]: bodies as sources and as proxies.
//!
//! Theory: `docs/theory/articulated.md` eq. (32)-(38). Proxies are in `proxy.rs`.

use coact_math::{Mat6, Spatial, cholesky};
use coact_model::ModelView;
use coact_solver::{
    CouplingCapabilities, CouplingInterface, Endpoint, EndpointState, Harvest, MassBlock, ProxyMotion,
    Response,
};

use crate::coordinates::coordinates_of_pose;
use crate::layout::Role;
use crate::solver::SolverArticulated;

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
            impulses: true,
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

    /// Eq. (34), (37).
    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        for (endpoint, out) in set.iter().zip(out) {
            *out = self.cross_response(endpoint, endpoint, dt).unwrap_or_default();
        }
    }

    /// Eq. (34), (37) of two links of one tree: a wrench on `b` moves `a`.
    fn cross_response(&mut self, a: &Endpoint, b: &Endpoint, dt: f64) -> Option<Response> {
        let link = |e: &Endpoint| match *e {
            Endpoint::Body(b) => match self.layout.roles[b.index()] {
                Role::Link(i) => Some(i),
                Role::Base(_) => None,
            },
            Endpoint::Particle(_) => None,
        };
        let (a, b) = (link(a)?, link(b)?);
        let t = self.layout.links[a].tree;
        if self.layout.links[b].tree != t {
            return None;
        }
        self.drives.eval(&self.layout, &self.layout.trees[t], &self.mass, dt);
        let driven = self.mobility(a, b, true) * dt;
        if !self.smooth[t] {
            return Some(Response { pose: driven * dt, velocity: driven });
        }
        let free = if self.layout.trees[t].driven { self.mobility(a, b, false) * dt } else { driven };
        Some(Response { pose: driven * (0.5 * dt), velocity: (driven + free) * 0.5 })
    }

    /// Eq. (38).
    fn apply_impulses(&mut self, set: &[Endpoint], impulses: &[Spatial]) {
        for (e, p) in set.iter().zip(impulses) {
            let Endpoint::Body(b) = e else { continue };
            let Role::Link(i) = self.layout.roles[b.index()] else { continue };
            let t = self.layout.links[i].tree;
            let tree = &self.layout.trees[t];
            self.wrench[tree.links.clone()].fill(Spatial::zeros());
            self.wrench[i] = *p;
            let du = &mut self.columns[..tree.n()];
            self.kin.project_into(&self.layout, tree, &mut self.wrench, du);
            cholesky::solve(&self.mass.factor[tree.block()], du);
            self.motion.qd[tree.dofs.clone()].iter_mut().zip(du).for_each(|(qd, du)| *qd += *du);
            self.refresh_velocities(t);
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

    /// W = J_a A⁻¹ J_bᵀ of two links of a tree about their centres of mass, order (linear, angular):
    /// eq. (32). `driven`: with the drive terms that were evaluated last.
    pub(crate) fn mobility(&mut self, a: usize, b: usize, driven: bool) -> Mat6 {
        let tree = &self.layout.trees[self.layout.links[b].tree];
        let (n, first) = (tree.n(), tree.dofs.start);
        let factor = if driven { &self.drives.factor } else { &self.mass.factor };
        let rows = &mut self.columns[..6 * n];
        rows.fill(0.0);
        self.kin.each_moving(&self.layout, b, |d| {
            let column = self.kin.column(d, &self.kin.com[b]).to_vec6();
            (0..6).for_each(|r| rows[r * n + d - first] = column[r]);
        });
        let mut w = Mat6::zeros();
        if n == 0 {
            return w;
        }
        for (r, y) in rows.chunks_exact_mut(n).enumerate() {
            cholesky::solve(&factor[tree.block()], y);
            self.kin.each_moving(&self.layout, a, |d| {
                let column = self.kin.column(d, &self.kin.com[a]).to_vec6();
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
        let w = self.mobility(i, i, false);
        let own = (mass, self.layout.links[i].principal.moments.max());
        MassBlock::of_mobility(&w, &self.kin.pose[i].q, own)
    }
}
