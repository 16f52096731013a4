//! The hooks of `SolverVbd` for couplers. Theory: `docs/theory/vbd.md` section 5. Bodies of another solver
//! (`external.rs`) are written with the pose at the end of the coming step.

use coact_math::{Pose, Spatial, Vec3};
use coact_model::{BodyId, ModelView};
use coact_solver::{
    CouplingCapabilities, CouplingInterface, Endpoint, EndpointState, Harvest, ProxyMotion, Response,
    free_response,
};

use crate::body::FreeEnd;
use crate::proxy::at;
use crate::solver::SolverVbd;

impl CouplingInterface for SolverVbd {
    fn view(&self) -> &ModelView {
        &self.view
    }

    fn capabilities(&self) -> CouplingCapabilities {
        CouplingCapabilities {
            body_source: self.external.is_none(),
            particle_source: true,
            body_proxy: self.external.is_none(),
            particle_proxy: true,
            follows_bodies: self.external.is_some(),
            contact_harvest: self.device.is_none(),
            proxy_joints: self.device.is_none() && self.external.is_none(),
            given_contacts: self.device.is_none(),
            effective_mass: true,
            response: self.device.is_none(),
            rewind: true,
            ..CouplingCapabilities::default()
        }
    }

    fn read_interface(&mut self, set: &[Endpoint], out: &mut [EndpointState]) {
        self.particles.fetch(&mut set.iter().filter_map(|e| match *e {
            Endpoint::Particle(p) => Some(p),
            Endpoint::Body(_) => None,
        }));
        for (e, out) in set.iter().zip(out) {
            *out = match *e {
                Endpoint::Body(b) => {
                    let body = self.bodies.get(b.index());
                    EndpointState { pose: body.frame(), velocity: body.velocity }
                }
                Endpoint::Particle(p) => {
                    let (q, qd) = self.particles.get(p);
                    EndpointState::particle(q, qd)
                }
            };
        }
    }

    fn write_interface(&mut self, set: &[Endpoint], states: &[EndpointState]) {
        for (e, s) in set.iter().zip(states) {
            self.write(*e, s);
        }
    }

    fn begin_proxies(&mut self, set: &[Endpoint], motions: &[ProxyMotion], dt: f64) {
        for (e, m) in set.iter().zip(motions) {
            self.write(*e, &m.begin);
            let (begin, free) = (&m.begin.pose, &m.free);
            match *e {
                Endpoint::Body(b) => {
                    let com = self.bodies.com(b.index());
                    let centre = |x: &Pose| Pose::new(x.point(&com), x.q);
                    if let Some(track) = self.proxies.body_mut(b) {
                        let free = FreeEnd { pose: centre(&free.pose), velocity: free.velocity };
                        track.arm(centre(begin), free, dt);
                    }
                }
                Endpoint::Particle(p) => {
                    if let Some(track) = self.proxies.particle_mut(p) {
                        let velocity = Spatial::new(free.velocity.lin, Vec3::zeros());
                        track.arm(at(begin.p), FreeEnd { pose: at(free.pose.p), velocity }, dt);
                    }
                }
            }
        }
    }

    /// eq. (23a): the block of a particle; a body as if it were free.
    fn response(&mut self, set: &[Endpoint], dt: f64, out: &mut [Response]) {
        free_response(self, set, dt, out);
        if !set.iter().any(|e| matches!(e, Endpoint::Particle(_))) || !self.particles.begin_compliances(dt) {
            return;
        }
        for (e, out) in set.iter().zip(out) {
            let Endpoint::Particle(p) = *e else { continue };
            let block = self.particles.compliance(p);
            *out = Response::default();
            out.pose.fixed_view_mut::<3, 3>(0, 0).copy_from(&block);
            out.velocity.fixed_view_mut::<3, 3>(0, 0).copy_from(&(block / dt));
        }
    }

    fn harvest_proxies(
        &mut self,
        set: &[Endpoint],
        _motions: &[ProxyMotion],
        kind: Harvest,
        dt: f64,
        out: &mut [Spatial],
    ) {
        for (e, out) in set.iter().zip(out) {
            *out = match kind {
                Harvest::Impulse => self.received(*e, dt),
                Harvest::Contacts => self.acting(*e),
            };
        }
    }
}

impl SolverVbd {
    fn write(&mut self, e: Endpoint, s: &EndpointState) {
        match (e, &mut self.external) {
            (Endpoint::Body(b), Some(external)) => external.put(b, &s.pose, &s.velocity),
            _ => self.overwrite(e, s),
        }
    }

    fn overwrite(&mut self, e: Endpoint, s: &EndpointState) {
        match e {
            Endpoint::Body(b) => {
                let body = self.bodies.get_mut(b.index());
                body.set_frame(&s.pose);
                body.velocity = s.velocity;
            }
            Endpoint::Particle(p) => self.particles.set(p, s.pose.p, s.velocity.lin),
        }
    }

    /// eq. (23): what the block of a proxy received, constant over `dt`, without what joints
    /// between proxies gave it: those are the source's own.
    fn received(&self, e: Endpoint, dt: f64) -> Spatial {
        let track = match e {
            Endpoint::Body(b) => self.proxies.body(b),
            Endpoint::Particle(p) => self.proxies.particle(p),
        };
        let all = track.map_or_else(Spatial::zeros, |t| t.harvest(dt));
        match e {
            Endpoint::Body(b) if !self.view.ownership().proxy_joints.is_empty() => all - self.joined(b),
            _ => all,
        }
    }

    /// Wrench of the proxy joints on a body about its centre of mass, at the end of the last step.
    fn joined(&self, body: BodyId) -> Spatial {
        let centre = self.bodies.get(body.index()).now.p;
        let mut sum = Spatial::zeros();
        for &id in &self.view.ownership().proxy_joints {
            let (parent, child) = (self.view.joint_parent[id.index()], self.view.joint_child[id.index()]);
            if child != body && parent != Some(body) {
                continue;
            }
            let Some(load) = self.rigid.joint(id) else { continue };
            let (sign, at) = if child == body { (1.0, load.point) } else { (-1.0, load.reaction_point) };
            let (f, torque) = (load.wrench.lin, load.wrench.ang);
            sum += Spatial::new(f, torque + (at - centre).cross(&f)) * sign;
        }
        sum
    }

    /// What rows and elements do to an endpoint at the end of the last substep.
    fn acting(&self, e: Endpoint) -> Spatial {
        match e {
            Endpoint::Body(b) => self.particles.interface_wrench(b.index(), &self.bodies),
            Endpoint::Particle(p) => Spatial::new(self.particles.interface_force(p), Vec3::zeros()),
        }
    }
}
