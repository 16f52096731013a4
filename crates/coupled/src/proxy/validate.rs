//! What a proxy coupling refuses, before and after its solvers exist.

use coact_model::{EntityId, JointKind, Model};
use coact_solver::{Endpoint, Harvest};

use super::config::{Proxy, ProxyConfig, ProxyMode};
use super::interface::Interface;
use crate::entries::Entries;
use crate::error::{entity_name, proxy_name};
use crate::graph::EntryGraph;
use crate::partition::{Owners, entity_of};
use crate::{Convergence, CouplingError, Entry};

/// A checked proxy, with its entries as indices.
pub(super) struct Mapping {
    pub source: usize,
    pub destination: usize,
    pub proxy: Proxy,
}

/// The checked coupling.
pub(super) struct Plan {
    pub mappings: Vec<Mapping>,
    /// Entries, sources before their destinations where there is no ring.
    pub order: Vec<usize>,
    /// Sets of entries that exchange among themselves only.
    pub islands: Vec<Vec<usize>>,
    /// Their entries in stages, destinations first.
    pub stages: Vec<Vec<Vec<usize>>>,
}

/// Checks names, ownership, settings and the graph.
pub(super) fn check_proxies(
    model: &Model,
    names: &[String],
    owners: &Owners,
    config: &ProxyConfig,
) -> Result<Plan, CouplingError> {
    check_settings(config)?;
    let mut mappings: Vec<Mapping> = Vec::new();
    for proxy in &config.proxies {
        let mapping = resolve(names, proxy)?;
        check_numbers(proxy)?;
        check_endpoints(model, names, owners, &mapping)?;
        check_duplicates(model, &mappings, &mapping)?;
        check_joints(model, owners, &mapping)?;
        mappings.push(mapping);
    }
    let graph = EntryGraph::new(names.len(), mappings.iter().map(|m| (m.source, m.destination)));
    let islands = graph.islands();
    check_modes(&mappings, &islands)?;
    refuse_late_rings(names, &mappings, &graph)?;
    let stages = islands.iter().map(|island| graph.stages(island)).collect();
    Ok(Plan { mappings, order: graph.build_order(), islands, stages })
}

fn text(proxy: &Proxy) -> String {
    proxy_name(&proxy.source, &proxy.destination)
}

fn setting(
    place: String,
    setting: &'static str,
    value: impl ToString,
    remedy: &'static str,
) -> CouplingError {
    CouplingError::Setting { place, setting, value: value.to_string(), remedy }
}

fn check_settings(config: &ProxyConfig) -> Result<(), CouplingError> {
    let place = || "proxy coupling".to_owned();
    if let Err((name, value, remedy)) = config.acceleration.check() {
        return Err(setting(place(), name, value, remedy));
    }
    let Some(convergence) = config.convergence else { return Ok(()) };
    if convergence.max_iterations() == 0 {
        return Err(setting(place(), "iterations", 0, "write 1 or more"));
    }
    let Convergence::Tolerance { primal, dual, .. } = convergence else { return Ok(()) };
    if !(primal > 0.0 && dual > 0.0) {
        let value = format!("{primal}, {dual}");
        let remedy = "write positive numbers, as 1e-6 m and 1e-4; rounding never reaches zero";
        return Err(setting(place(), "tolerance", value, remedy));
    }
    match config.proxies.iter().find(|p| p.mode == ProxyMode::Staggered) {
        Some(p) => {
            let remedy = "a staggered proxy never meets its source; write a fixed count, or Predicted";
            Err(setting(text(p), "convergence", "Tolerance", remedy))
        }
        None => Ok(()),
    }
}

fn resolve(names: &[String], proxy: &Proxy) -> Result<Mapping, CouplingError> {
    let find = |name: &String| {
        names.iter().position(|n| n == name).ok_or_else(|| CouplingError::UnknownEntry {
            proxy: text(proxy),
            name: name.clone(),
            known: names.iter().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", "),
        })
    };
    let (source, destination) = (find(&proxy.source)?, find(&proxy.destination)?);
    if source == destination {
        return Err(CouplingError::SameEntry { proxy: text(proxy) });
    }
    if proxy.bodies.is_empty() && proxy.particles.is_empty() {
        return Err(CouplingError::NoEndpoints { proxy: text(proxy) });
    }
    Ok(Mapping { source, destination, proxy: proxy.clone() })
}

fn check_numbers(proxy: &Proxy) -> Result<(), CouplingError> {
    let (m, w) = (proxy.mass_scale, proxy.proxy_relaxation);
    if !(m.is_finite() && m > 0.0) {
        return Err(setting(text(proxy), "mass_scale", m, "write a positive number; 1 = the effective mass"));
    }
    if proxy.collide_interval == Some(0) {
        let remedy = "write 1 or more coupled steps, or leave it out: the destination detects by itself";
        return Err(setting(text(proxy), "collide_interval", 0, remedy));
    }
    if !(w.is_finite() && w >= 0.0) {
        let remedy = "write a number that is not negative; 1 = no relaxation";
        return Err(setting(text(proxy), "proxy_relaxation", w, remedy));
    }
    Ok(())
}

fn check_endpoints(
    model: &Model,
    names: &[String],
    owners: &Owners,
    m: &Mapping,
) -> Result<(), CouplingError> {
    for e in m.proxy.endpoints() {
        if !owners.knows(&e) {
            let count = match e {
                Endpoint::Body(_) => model.body_count(),
                Endpoint::Particle(_) => model.particle_count(),
            };
            return Err(CouplingError::UnknownEntity { place: text(&m.proxy), entity: entity_of(&e), count });
        }
        if owners.of(&e) != Some(m.source) {
            return Err(CouplingError::NotOwnedBySource {
                proxy: text(&m.proxy),
                entity: entity_name(&model.names, entity_of(&e)),
                source_entry: names[m.source].clone(),
            });
        }
    }
    Ok(())
}

fn check_duplicates(model: &Model, before: &[Mapping], m: &Mapping) -> Result<(), CouplingError> {
    let same_pair = before.iter().filter(|b| (b.source, b.destination) == (m.source, m.destination));
    let mut seen: Vec<Endpoint> = same_pair.flat_map(|b| b.proxy.endpoints()).collect();
    for e in m.proxy.endpoints() {
        if seen.contains(&e) {
            let entity = entity_name(&model.names, entity_of(&e));
            return Err(CouplingError::DuplicateProxy { proxy: text(&m.proxy), entity });
        }
        seen.push(e);
    }
    Ok(())
}

/// A proxy joint must be the source's, between bodies that are proxies of this pair.
fn check_joints(model: &Model, owners: &Owners, m: &Mapping) -> Result<(), CouplingError> {
    for &j in &m.proxy.joints {
        if j.index() >= model.joint_count() {
            let (place, count) = (text(&m.proxy), model.joint_count());
            return Err(CouplingError::UnknownEntity { place, entity: EntityId::Joint(j), count });
        }
        let ends = [model.joint_parent[j.index()], Some(model.joint_child[j.index()])];
        let fits = ends.iter().flatten().all(|b| m.proxy.bodies.contains(b));
        let kind = model.joint_kind[j.index()];
        if !matches!(kind, JointKind::Fixed | JointKind::Prismatic | JointKind::Revolute) {
            let value = format!("{} ({})", entity_name(&model.names, EntityId::Joint(j)), kind.word());
            let remedy =
                "fixed, prismatic and revolute joints can stand between proxies; drop it from the proxy";
            return Err(setting(text(&m.proxy), "joints", value, remedy));
        }
        if owners.joints[j.index()] != Some(m.source) || !fits {
            return Err(CouplingError::ProxyJoint {
                proxy: text(&m.proxy),
                joint: entity_name(&model.names, EntityId::Joint(j)),
                remedy: "list its bodies in the same proxy, or drop the joint".to_owned(),
            });
        }
    }
    Ok(())
}

/// A force that is a step late all around a ring belongs to no step.
fn refuse_late_rings(
    names: &[String],
    mappings: &[Mapping],
    graph: &EntryGraph,
) -> Result<(), CouplingError> {
    for ring in graph.rings() {
        let late = mappings.iter().find(|m| ring.contains(&m.source) && m.proxy.mode != ProxyMode::Predicted);
        if let Some(m) = late {
            let entries = ring.iter().map(|&i| format!("'{}'", names[i])).collect::<Vec<_>>().join(", ");
            return Err(CouplingError::Cycle { entries, mode: m.proxy.mode.word() });
        }
    }
    Ok(())
}

fn check_modes(mappings: &[Mapping], islands: &[Vec<usize>]) -> Result<(), CouplingError> {
    for island in islands {
        let mut inside = mappings.iter().filter(|m| island.contains(&m.source));
        let Some(first) = inside.next() else { continue };
        if let Some(second) = inside.find(|m| m.proxy.mode != first.proxy.mode) {
            return Err(CouplingError::MixedModes {
                first: text(&first.proxy),
                first_mode: first.proxy.mode.word(),
                second: text(&second.proxy),
                second_mode: second.proxy.mode.word(),
            });
        }
    }
    Ok(())
}

/// Asks every solver once whether it can play its role.
pub(super) fn check_capabilities(entries: &Entries, x: &Interface, plan: &Plan) -> Result<(), CouplingError> {
    for m in &plan.mappings {
        let (source, destination) = (&entries.list[m.source], &entries.list[m.destination]);
        check_source(source, m)?;
        check_destination(destination, m)?;
        let passes = x.passes_of(m.destination);
        if m.proxy.collide_interval.is_some() && !destination.capabilities.given_contacts {
            let remedy = "leave `collide_interval` out, or use a solver that takes contacts of the caller";
            let cannot = "cannot take contacts that the coupler finds".to_owned();
            return Err(lacks(destination, cannot, "given_contacts", remedy));
        }
        if (m.proxy.mode == ProxyMode::Predicted || passes > 1) && !source.capabilities.rewind {
            let remedy = "implement exact `save_into` and `restore`, or use Lagged with FixedCount(1)";
            return Err(lacks(source, "cannot take a trial step and go back".to_owned(), "rewind", remedy));
        }
        let tried =
            x.sources.iter().any(|s| s.entry == m.destination) && m.proxy.mode == ProxyMode::Predicted;
        if tried && !destination.capabilities.rewind {
            let remedy =
                "implement exact `save_into` and `restore`, or let another entry own what it hands on";
            return Err(lacks(
                destination,
                "cannot take a trial step and go back".to_owned(),
                "rewind",
                remedy,
            ));
        }
        if passes > 1 && !destination.capabilities.rewind {
            let remedy = "implement exact `save_into` and `restore`, or use FixedCount(1)";
            return Err(lacks(destination, format!("cannot take {passes} passes"), "rewind", remedy));
        }
    }
    Ok(())
}

fn check_source(source: &Entry, m: &Mapping) -> Result<(), CouplingError> {
    let (c, to) = (&source.capabilities, &m.proxy.destination);
    if !m.proxy.bodies.is_empty() && !c.body_source {
        let remedy = "turn the proxy around, or use a solver whose bodies can be sources";
        return Err(lacks(source, format!("cannot hand bodies over to '{to}'"), "body_source", remedy));
    }
    if !m.proxy.particles.is_empty() && !c.particle_source {
        let remedy = "turn the proxy around, or use a solver whose particles can be sources";
        return Err(lacks(
            source,
            format!("cannot hand particles over to '{to}'"),
            "particle_source",
            remedy,
        ));
    }
    Ok(())
}

fn check_destination(destination: &Entry, m: &Mapping) -> Result<(), CouplingError> {
    let (c, from) = (&destination.capabilities, &m.proxy.source);
    if !m.proxy.bodies.is_empty() && !c.body_proxy {
        let remedy = "turn the proxy around, or implement `begin_proxies` for bodies";
        return Err(lacks(
            destination,
            format!("cannot take bodies of '{from}' as proxies"),
            "body_proxy",
            remedy,
        ));
    }
    if !m.proxy.particles.is_empty() && !c.particle_proxy {
        let remedy = "turn the proxy around, or implement `begin_proxies` for particles";
        let role = format!("cannot take particles of '{from}' as proxies");
        return Err(lacks(destination, role, "particle_proxy", remedy));
    }
    if !m.proxy.joints.is_empty() && !c.proxy_joints {
        let remedy = "drop the proxy's joints, or use a solver that keeps joints between proxies";
        return Err(lacks(
            destination,
            "cannot keep joints between proxies".to_owned(),
            "proxy_joints",
            remedy,
        ));
    }
    if m.proxy.harvest == Harvest::Contacts && !c.contact_harvest {
        let remedy = "use Harvest::Impulse, or report contact forces in `harvest_proxies`";
        return Err(lacks(destination, "cannot report contact forces".to_owned(), "contact_harvest", remedy));
    }
    Ok(())
}

fn lacks(entry: &Entry, cannot: String, capability: &'static str, remedy: &str) -> CouplingError {
    CouplingError::Capability {
        entry: entry.name.clone(),
        kind: entry.solver.kind(),
        cannot,
        capability,
        remedy: remedy.to_owned(),
    }
}
