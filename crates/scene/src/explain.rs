//! What a scene is, without running it: the answer of `coact check`.

mod drives;
mod overlap;
mod rods;
mod text;
mod thin;

use std::collections::BTreeMap;

use coact_model::{GroupKind, Model};

use crate::error::SceneError;
use crate::file::Coupling;
use crate::resolve::{Driven, Scene};
use crate::simulation::RunPlan;

/// A cloth, a soft body, particles, a body or a rod.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityLine {
    /// Its name.
    pub name: String,
    /// "cloth", "soft body", "particles", "body", "kinematic body", "rod".
    pub kind: &'static str,
    /// Mass of everything in it \[kg\].
    pub mass: f64,
    /// Counts and shapes, in words.
    pub detail: String,
}

/// A solver and what it owns.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverLine {
    /// Its name.
    pub name: String,
    /// Its kind, as written in the scene.
    pub kind: &'static str,
    /// Names of what it owns; copies are folded: `box_1 … box_4`.
    pub owns: Vec<String>,
    /// Substeps per step.
    pub substeps: u32,
}

/// What meets what.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceLine {
    /// The solver that owns the things.
    pub source: String,
    /// The solver that sees them.
    pub destination: String,
    /// Names of the things, folded.
    pub things: Vec<String>,
    /// Number of bodies and particles that couple.
    pub endpoints: usize,
    /// The mode, as written in the scene.
    pub mode: String,
}

/// What a scene is.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The scene's own description.
    pub description: String,
    /// Everything that moves.
    pub entities: Vec<EntityLine>,
    /// Names of the static shapes.
    pub static_shapes: Vec<String>,
    /// Joints, as "name (revolute, driven)".
    pub joints: Vec<String>,
    /// What moves by prescription, as "name (3 particles)".
    pub moved: Vec<String>,
    /// What forces from outside act on, likewise.
    pub pushed: Vec<String>,
    /// What bodies hold, likewise.
    pub held: Vec<String>,
    /// The solvers.
    pub solvers: Vec<SolverLine>,
    /// What meets what; empty when nothing is coupled.
    pub interfaces: Vec<InterfaceLine>,
    /// Particles of each color of block descent.
    pub particle_colors: Vec<usize>,
    /// Bytes of the model and of one state.
    pub memory: usize,
    /// How long it runs.
    pub plan: RunPlan,
    /// Number of expectations.
    pub expectations: usize,
    /// What is legal but looks like a slip.
    pub warnings: Vec<String>,
}

impl Scene {
    /// Explains the scene; builds the model, but no solver.
    ///
    /// # Errors
    /// As [`Scene::build_model`].
    pub fn explain(&self) -> Result<Explanation, SceneError> {
        let (model, warnings) = self.build_model()?;
        Ok(Explanation {
            description: self.file.description.clone(),
            entities: groups(&model).chain(self.body_lines(&model)).chain(self.rod_lines(&model)).collect(),
            static_shapes: static_shapes(&model),
            joints: self.joints.iter().filter_map(joint).collect(),
            moved: driven(self.file.motions.iter().map(|m| &*m.of), &self.driving.motions),
            pushed: driven(self.file.forces.iter().map(|f| &*f.of), &self.driving.forces),
            held: driven(self.file.attachments.iter().map(|a| &*a.of), &self.driving.attachments),
            solvers: self.solver_lines(),
            interfaces: self.interface_lines(),
            particle_colors: colors(&model),
            memory: memory(&model),
            plan: self.plan(),
            expectations: self.checks.len(),
            warnings: warnings.iter().map(ToString::to_string).chain(self.own_warnings(&model)).collect(),
        })
    }

    fn body_lines<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = EntityLine> + 'a {
        let own = |b: &usize| self.bodies[*b].rod.is_none();
        (0..model.body_count()).filter(own).map(|b| body_line(model, b))
    }

    fn solver_lines(&self) -> Vec<SolverLine> {
        let line = |(entry, owned): (&crate::file::Entry, &crate::resolve::Owned)| SolverLine {
            name: entry.name().to_owned(),
            kind: entry.kind(),
            owns: self.names(&owned.groups, &owned.bodies),
            substeps: entry.substeps(),
        };
        self.file.solvers.iter().zip(&self.owned).map(line).collect()
    }

    fn interface_lines(&self) -> Vec<InterfaceLine> {
        let Coupling::Proxy(proxy) = &self.file.coupling else { return Vec::new() };
        let line = |(typed, i): (&crate::file::Interface, &crate::resolve::Interface)| InterfaceLine {
            source: typed.source.clone(),
            destination: typed.destination.clone(),
            things: self.names(&i.groups, &i.bodies),
            endpoints: i.bodies.len()
                + i.groups.iter().map(|&g| self.groups[g].particle_count).sum::<usize>(),
            mode: format!("{:?}", typed.mode),
        };
        proxy.interfaces.iter().zip(&self.interfaces).map(line).collect()
    }

    fn names(&self, groups: &[usize], bodies: &[usize]) -> Vec<String> {
        let group = |&g: &usize| self.groups[g].name.clone();
        let mut names: Vec<String> = groups.iter().map(group).collect();
        for run in bodies.chunk_by(|&a, &b| self.bodies[a].origin == self.bodies[b].origin) {
            let (first, last) = (&self.bodies[run[0]].name, &self.bodies[run[run.len() - 1]].name);
            if let Some(rod) = &self.bodies[run[0]].rod {
                names.push(rod.clone());
                continue;
            }
            names.push(if run.len() == 1 { first.clone() } else { format!("{first} … {last}") });
        }
        names
    }

    /// What only the scene knows: several solvers that nothing couples, checks that are missing, a
    /// thickness that the mesh is too fine for, bodies inside each other, drives and load cells in vain.
    fn own_warnings(&self, model: &Model) -> Vec<String> {
        let mut all = self.thickness_warnings(model);
        all.extend(self.overlap_warning(model));
        all.extend(self.drive_warnings());
        all.extend(self.load_warnings());
        all.extend(self.gap_warnings());
        if self.file.solvers.len() > 1 && self.file.coupling == Coupling::Uncoupled {
            all.push("several solvers and no coupling: nothing meets across them".to_owned());
        }
        if self.checks.is_empty() {
            all.push("nothing is expected: `expect: […]` makes the scene its own test".to_owned());
        }
        all
    }
}

fn groups(model: &Model) -> impl Iterator<Item = EntityLine> + '_ {
    model.names.groups.iter().map(|g| {
        let range = g.particles.start as usize..g.particles.end as usize;
        let pinned = range.clone().filter(|&i| model.particle_inv_mass[i] == 0.0).count();
        let counts = [
            (range.len(), "particles"),
            (g.triangles.len(), "triangles"),
            (g.hinges.len(), "hinges"),
            (g.tets.len(), "tetrahedra"),
            (g.springs.len(), "springs"),
            (pinned, "pinned"),
        ];
        let detail = counts.iter().filter(|c| c.0 > 0).map(|(n, word)| format!("{n} {word}"));
        EntityLine {
            name: g.name.clone(),
            kind: match g.kind {
                GroupKind::Cloth => "cloth",
                GroupKind::Soft => "soft body",
                GroupKind::Particles => "particles",
            },
            mass: range.map(|i| model.particle_mass[i]).sum(),
            detail: detail.collect::<Vec<_>>().join(", "),
        }
    })
}

fn body_line(model: &Model, b: usize) -> EntityLine {
    let carried = (0..model.shape_count()).filter(|&s| model.shape_body[s].is_some_and(|x| x.index() == b));
    let shapes: Vec<&str> = carried.map(|s| model.shape_geometry[s].kind()).collect();
    EntityLine {
        name: model.names.bodies[b].clone(),
        kind: if model.body_kinematic[b] { "kinematic body" } else { "body" },
        mass: model.body_mass[b],
        detail: shapes.join(", "),
    }
}

fn static_shapes(model: &Model) -> Vec<String> {
    let of = |s: usize| match (model.names.shapes[s].as_str(), model.shape_geometry[s].kind()) {
        (name, kind) if name == kind => name.to_owned(),
        (name, kind) => format!("{name} ({kind})"),
    };
    (0..model.shape_count()).filter(|&s| model.shape_body[s].is_none()).map(of).collect()
}

/// Elements of rods are left to the lines of those.
fn joint(place: &crate::resolve::JointPlace) -> Option<String> {
    use crate::file::JointKind as K;
    let kind = match place.joint.as_ref()?.kind {
        K::Fixed => "fixed",
        K::Revolute(_) => "revolute",
        K::Prismatic(_) => "prismatic",
        K::Ball => "ball",
        K::Free => "free",
        K::Distance(_) => "distance",
        K::D6(_) => "D6",
        K::Rod(_) => "rod",
    };
    let driven = if place.axes().iter().any(|a| a.drive.is_some()) { ", driven" } else { "" };
    Some(format!("{} ({kind}{driven})", place.name))
}

fn driven<'a>(names: impl Iterator<Item = &'a str>, what: &[Driven]) -> Vec<String> {
    let line = |(name, d): (&str, &Driven)| match d.particles.iter().map(Vec::len).sum() {
        0 => name.to_owned(),
        n => format!("{name} ({})", counted(n, "particle")),
    };
    names.zip(what).map(line).collect()
}

fn colors(model: &Model) -> Vec<usize> {
    let mut counts = BTreeMap::new();
    model.particle_color.iter().for_each(|&c| *counts.entry(c).or_insert(0) += 1);
    counts.into_values().collect()
}

/// An estimate from counts: the columns that grow with a scene, and one state.
fn memory(model: &Model) -> usize {
    let per_particle = 2 * 24 + 3 * 8 + 1 + 4 + 4 + 48;
    let per_element = model.tri_indices.len() * (12 + 32 + 4 * 8)
        + model.hinge_indices.len() * (16 + 4 * 8)
        + model.tet_indices.len() * (16 + 72 + 3 * 8)
        + model.spring_indices.len() * (8 + 3 * 8);
    let per_body = 56 + 48 + 2 * 8 + 24 + 2 * 72 + 8 + 104;
    model.particle_count() * per_particle
        + per_element
        + model.body_count() * per_body
        + model.shape_count() * 160
        + model.joint_count() * 320
}

/// `1 frame`, `2 frames`.
fn counted(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
