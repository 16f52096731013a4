//! The solvers of a scene and what couples them.
//!
//! One solver and no coupling: it runs alone on the whole model. Else each solver becomes
//! an entry of a coupler. Adding a kind of solver edits `file/solver.rs` and this file.

use coact_articulated::{ArticulatedConfig, SolverArticulated, StepOrder};
use coact_coupled::{
    Convergence, EntryDef, Proxy, ProxyConfig, ProxyMode, SolverCoupled, SolverCoupledAdmm,
    SolverCoupledProxy,
};
use coact_model::{BodyId, JointId, Model, ModelView, ParticleId};
use coact_rod::{RodConfig, RodLaw, SolverRod};
use coact_solver::{Harvest, Solver};

use crate::error::SceneError;
use crate::file::{self, Articulated, Coupling, Entry, ProxyCoupling, RodSolver};
use crate::resolve::{Interface, Scene};

use super::device::Device;
use super::rows;

/// Builds the solver, or the coupler that holds all of them.
pub(super) fn build(scene: &Scene, model: &Model, device: &Device) -> Result<Box<dyn Solver>, SceneError> {
    match (&scene.file.coupling, scene.file.solvers.as_slice()) {
        (_, [only]) if scene.lone_solver().is_some() => alone(scene, model, only, device),
        (Coupling::Uncoupled, _) => {
            let coupler = SolverCoupled::new(model, entries(scene, device));
            Ok(Box::new(coupler.map_err(|e| scene.coupling_fault(model, &e))?))
        }
        (Coupling::Proxy(proxy), _) => {
            let coupler = SolverCoupledProxy::new(model, entries(scene, device), proxy_config(scene, proxy));
            Ok(Box::new(coupler.map_err(|e| scene.coupling_fault(model, &e))?))
        }
        (Coupling::Admm(rows), _) => {
            let entries = entries(scene, device);
            let config = rows::config(rows, &entries);
            let coupler = SolverCoupledAdmm::new(model, entries, config);
            Ok(Box::new(coupler.map_err(|e| scene.coupling_fault(model, &e))?))
        }
    }
}

impl Scene {
    /// The name of the only solver, when nothing couples or substeps it.
    pub(super) fn lone_solver(&self) -> Option<&str> {
        match (&self.file.coupling, self.file.solvers.as_slice()) {
            (Coupling::Uncoupled, [only]) if only.substeps() == 1 => Some(only.name()),
            _ => None,
        }
    }
}

fn alone(
    scene: &Scene,
    model: &Model,
    entry: &Entry,
    device: &Device,
) -> Result<Box<dyn Solver>, SceneError> {
    let view = ModelView::whole(model);
    let built: Result<Box<dyn Solver>, _> = match entry {
        Entry::Vbd(v) => device.vbd(&view, &v.over(&scene.file.vbd)).map(|s| Box::new(s) as _),
        Entry::Articulated(a) => {
            SolverArticulated::new(&view, articulated_config(a)).map(|s| Box::new(s) as _)
        }
        Entry::Rod(r) => SolverRod::new(&view, rod_config(r)).map(|s| Box::new(s) as _),
    };
    built.map_err(|e| scene.solver_fault(model, 0, &e))
}

fn entries(scene: &Scene, device: &Device) -> Vec<EntryDef> {
    let first = scene.first_particles();
    let of_group = |g: &usize| first[*g]..first[*g] + scene.groups[*g].particle_count;
    let def = |(entry, owned): (&Entry, &crate::resolve::Owned)| {
        let def = match entry.clone() {
            Entry::Vbd(v) => {
                let (device, v) = (device.clone(), v.over(&scene.file.vbd));
                EntryDef::new(v.name.clone(), move |view| device.vbd(view, &v))
            }
            Entry::Articulated(a) => EntryDef::new(a.name.clone(), move |view| {
                SolverArticulated::new(view, articulated_config(&a))
            }),
            Entry::Rod(r) => EntryDef::new(r.name.clone(), move |view| SolverRod::new(view, rod_config(&r))),
        };
        def.bodies(owned.bodies.iter().map(|&b| BodyId::new(b)))
            .particles(owned.groups.iter().flat_map(of_group).map(ParticleId::new))
            .joints(owned.joints.iter().map(|&j| JointId::new(j)))
            .substeps(entry.substeps() as usize)
            .follows_bodies(entry.follows_bodies())
    };
    scene.file.solvers.iter().zip(&scene.owned).map(def).collect()
}

fn articulated_config(a: &Articulated) -> ArticulatedConfig {
    ArticulatedConfig {
        iterations: a.iterations as usize,
        baumgarte: a.baumgarte,
        speculative: a.speculative,
        warm_start: a.warm_start,
        restitution_threshold: a.restitution_threshold,
        microstep_angle: a.microstep_angle,
        limits: a.limits,
        order: match a.order {
            file::StepOrder::First => StepOrder::First,
            file::StepOrder::Second => StepOrder::Second,
        },
    }
}

fn rod_config(r: &RodSolver) -> RodConfig {
    let law = match r.law {
        file::RodLaw::RotationVector => RodLaw::RotationVector,
        file::RodLaw::Shared => RodLaw::Shared,
    };
    RodConfig {
        tolerance: r.tolerance,
        max_iterations: r.max_iterations as usize,
        law,
        ..RodConfig::default()
    }
}

fn proxy_config(scene: &Scene, typed: &ProxyCoupling) -> ProxyConfig {
    let pairs = typed.interfaces.iter().zip(&scene.interfaces);
    let fixed = |n: u32| Convergence::FixedCount(n as usize);
    let convergence = match typed.convergence {
        Some(c) => Some(Convergence::Tolerance {
            primal: c.distance,
            dual: c.force_change,
            max_iterations: typed.iterations.unwrap_or(MOST_PASSES) as usize,
        }),
        None => typed.iterations.map(fixed),
    };
    let acceleration = rows::acceleration(typed.acceleration);
    ProxyConfig { proxies: pairs.map(|(t, r)| proxy(scene, t, r)).collect(), convergence, acceleration }
}

/// Passes at most when only a tolerance is given; more would hide that it does not converge.
const MOST_PASSES: u32 = 20;

fn proxy(scene: &Scene, typed: &file::Interface, resolved: &Interface) -> Proxy {
    let first = scene.first_particles();
    let of_group = |g: &usize| first[*g]..first[*g] + scene.groups[*g].particle_count;
    let mode = match typed.mode {
        file::ProxyMode::Predicted => ProxyMode::Predicted,
        file::ProxyMode::Lagged => ProxyMode::Lagged,
        file::ProxyMode::Staggered => ProxyMode::Staggered,
    };
    let harvest = match typed.harvest {
        file::Harvest::Impulse => Harvest::Impulse,
        file::Harvest::Contacts => Harvest::Contacts,
    };
    let proxy = Proxy::new(&typed.source, &typed.destination)
        .bodies(resolved.bodies.iter().map(|&b| BodyId::new(b)))
        .particles(resolved.groups.iter().flat_map(of_group).map(ParticleId::new))
        .joints(resolved.joints.iter().map(|&j| JointId::new(j)))
        .mass_scale(typed.mass_scale)
        .proxy_relaxation(typed.relaxation)
        .harvest(harvest)
        .passive(typed.passive)
        .mode(mode);
    match typed.collide_interval {
        Some(steps) => proxy.collide_interval(steps as usize),
        None => proxy,
    }
}
