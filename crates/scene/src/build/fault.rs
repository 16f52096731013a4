//! What a builder, a solver or a coupler refuses, at the place of what it names.

use coact_coupled::CouplingError;
use coact_model::{EntityId, Model, ModelError};
use coact_solver::SolverError;

use crate::error::{Fault, SceneError};
use crate::file::{Coupling, Interface};
use crate::locate::Path;
use crate::resolve::{Scene, place_fault};

/// Sections whose elements have names, and what joins them.
const SECTIONS: [&str; 9] = [
    "cloths",
    "soft_bodies",
    "particles",
    "bodies",
    "rods",
    "joints",
    "static_shapes",
    "materials",
    "solvers",
];

impl Scene {
    /// A fault at a path of this scene.
    pub(crate) fn fault(&self, fault: Fault, path: &Path, message: impl Into<String>) -> SceneError {
        place_fault(&self.source, &self.tree, fault, path, message)
    }

    /// A model error, at the entity that it names.
    pub(crate) fn model_fault(&self, e: &ModelError) -> SceneError {
        let text = e.to_string();
        let (message, help) = split_remedy(&text);
        self.fault(Fault::Build, &self.path_of_named(&text), message).help(help)
    }

    /// A solver error, at the setting or the entity that it names.
    pub(crate) fn solver_fault(&self, model: &Model, solver: usize, e: &SolverError) -> SceneError {
        let entry = Path::root().key("solvers").index(solver);
        match e {
            SolverError::Setting { setting, value, remedy } => {
                let (named, setting) = (self.path_of_named(value), in_scene_settings(setting));
                let path = if named.steps().is_empty() { entry.join(&Path::parse(&setting)) } else { named };
                let message = format!("{setting} = {value} is refused");
                self.fault(Fault::Build, &path, message).help(in_scene_settings(remedy))
            }
            SolverError::Entity { entity, what, remedy } => {
                let (name, path) = self.entity(model, *entity);
                let message = format!("{name}: {}", with_names(what, model));
                self.fault(Fault::Build, &path, message).help(in_scene_words(remedy))
            }
            SolverError::Device(text) => {
                self.fault(Fault::Build, &entry, format!("device: {text}")).help("run with `--device cpu`")
            }
        }
    }

    /// A coupling error, at the entry, the interface or the entity that it names.
    pub(crate) fn coupling_fault(&self, model: &Model, e: &CouplingError) -> SceneError {
        if let CouplingError::Build { entry, source } = e {
            let solver = self.file.solvers.iter().position(|s| s.name() == entry).unwrap_or(0);
            return self.solver_fault(model, solver, source);
        }
        if let CouplingError::Capability { entry, cannot, capability, .. } = e {
            // Its remedy is to implement the hook, which is none for the author of a scene.
            let message = format!("`{entry}` {cannot}: it lacks `{capability}`");
            let path = self.path_to_destination(entry).unwrap_or(Path::root().key("coupling"));
            return self
                .fault(Fault::Build, &path, message)
                .help("turn the interface around: swap `source` and `destination`");
        }
        let text = e.to_string();
        let (message, help) = split_remedy(&text);
        let mut path = self.path_of_interface(&text).unwrap_or_else(|| self.path_of_named(&text));
        if path.steps().is_empty() {
            path = Path::root().key("coupling");
        }
        self.fault(Fault::Build, &path, message).help(help)
    }

    /// The `destination` of the first interface into the solver, or the `source` of one from it.
    fn path_to_destination(&self, solver: &str) -> Option<Path> {
        let Coupling::Proxy(proxy) = &self.file.coupling else { return None };
        let path = |i: usize, field: &str| Path::root().key("coupling").key("interfaces").index(i).key(field);
        let into = proxy.interfaces.iter().position(|i| i.destination == solver);
        let from = || proxy.interfaces.iter().position(|i| i.source == solver);
        into.map(|i| path(i, "destination")).or_else(|| from().map(|i| path(i, "source")))
    }

    /// The interface that a message about "proxy 'a' -> 'b'" speaks of.
    fn path_of_interface(&self, message: &str) -> Option<Path> {
        let Coupling::Proxy(proxy) = &self.file.coupling else { return None };
        let head = |i: &Interface| format!("proxy '{}' -> '{}'", i.source, i.destination);
        let found = proxy.interfaces.iter().position(|i| message.starts_with(&head(i)))?;
        Some(Path::root().key("coupling").key("interfaces").index(found))
    }

    /// The name and the place of an entity.
    fn entity(&self, model: &Model, entity: EntityId) -> (String, Path) {
        match entity {
            EntityId::Body(b) => {
                let path = self.bodies.get(b.index()).map_or_else(Path::root, |c| c.origin.path());
                (model.names.body_label(b), path)
            }
            EntityId::Joint(j) => {
                let path = self.joints.get(j.index()).map_or_else(Path::root, |p| p.origin.path());
                (model.names.joint_label(j), path)
            }
            EntityId::Particle(p) => {
                let label = model.names.particle_label(p);
                let path = self.path_of_named(&label);
                (label, path)
            }
        }
    }

    /// The place of the first quoted name of a message that the scene knows. Copies lead to
    /// the body or joint that they are copies of.
    fn path_of_named(&self, message: &str) -> Path {
        let quoted = message.split(['"', '\'', '`']).skip(1).step_by(2);
        for name in quoted {
            let body = self.bodies.iter().find(|b| b.name == name);
            let joint = self.joints.iter().find(|j| j.name == name);
            if let Some(origin) = body.map(|b| b.origin).or(joint.map(|j| j.origin)) {
                return origin.path();
            }
            for section in SECTIONS {
                let path = Path::root().key(section).key(name);
                if self.tree.find(&path).1 == 2 {
                    return path;
                }
            }
        }
        Path::root()
    }
}

/// Replaces `body 3` and `joint 3` by the names that the scene gave them.
fn with_names(text: &str, model: &Model) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for i in 1..words.len() {
        let number = words[i].trim_end_matches([',', ':', ';', '.']).len();
        let Ok(index) = words[i][..number].parse::<usize>() else { continue };
        let names = match &*words[i - 1] {
            "body" => &model.names.bodies,
            "joint" => &model.names.joints,
            _ => continue,
        };
        if let Some(name) = names.get(index) {
            words[i] = format!("`{name}`{}", &words[i][number..]);
        }
    }
    words.join(" ")
}

/// The remedy of a solver speaks of the library; a scene has other words.
fn in_scene_words(remedy: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        (
            "clear COLLIDE_SHAPES on one of them, filter the pair, or pass detected contacts",
            "or write `meets_shapes: false` on one of the two shapes",
        ),
        ("clear COLLIDE_SHAPES of the shape", "write `meets_shapes: false` on the shape"),
        ("SolverArticulated and couple", "an `Articulated` solver and couple the two"),
        ("disable it", "write `enabled: false`"),
        ("disable the joint", "write `enabled: false` on the joint"),
    ];
    WORDS.iter().fold(remedy.to_owned(), |text, (library, scene)| text.replace(library, scene))
}

/// Settings of solvers that a scene calls otherwise.
fn in_scene_settings(text: &str) -> String {
    const NAMES: [(&str, &str); 6] = [
        ("body_contact_", "contact_"),
        ("joint_linear_ke", "joint_stiffness.linear"),
        ("joint_angular_ke", "joint_stiffness.angular"),
        ("joint_linear_kd", "joint_damping.linear"),
        ("joint_angular_kd", "joint_damping.angular"),
        ("soft_contact_gap", "contact_gap"),
    ];
    NAMES.iter().fold(text.to_owned(), |text, (library, scene)| text.replace(library, scene))
}

/// What is wrong, and what to do: the errors of the builders put the remedy last.
pub(crate) fn split_remedy(text: &str) -> (&str, &str) {
    match text.rfind("; ").or_else(|| text.rfind(": ")) {
        Some(i) => (&text[..i], &text[i + 2..]),
        None => (text, "see docs/scene-format.md"),
    }
}
