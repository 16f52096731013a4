//! From what was typed to what is meant: names to indices, files to meshes, copies
//! counted out, every range and owner checked. The last page on which a fault still knows
//! its line.

mod bodies;
mod checks;
mod context;
mod copies;
mod deformables;
mod driving;
mod entries;
mod glob;
mod joints;
mod lines;
mod load_cells;
mod meshes;
mod names;
mod rods;
mod selection;
mod values;

use std::borrow::Cow;
use std::path::PathBuf;

use coact_math::{Pose, Vec3};
use coact_model::{TetMesh, TriMesh};

use crate::error::SceneError;
use crate::expect::Check;
use crate::file::SceneFile;
use crate::locate::{Node, Path};
use crate::source::SourceText;

pub use bodies::{BodyCopy, ShapePlace};
pub(crate) use context::{Context, Number, place_fault};
pub use driving::{Driven, Driving};
pub use entries::{Interface, Owned};
pub use joints::JointPlace;
pub use load_cells::Measured;
pub use rods::RodPlace;

/// Where a body or a joint stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its section: `bodies`, `joints`, or `rods` for what a rod is made of.
    pub section: &'static str,
    /// Its index there.
    pub index: usize,
}

impl Origin {
    /// Its place.
    pub(crate) fn path(self) -> Path {
        Path::root().key(self.section).index(self.index)
    }
}

/// The mesh of a cloth or soft body, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupMesh {
    /// A cloth's.
    Cloth(TriMesh),
    /// A soft body's.
    Soft(TetMesh),
    /// Loose particles have none.
    Loose,
}

/// A cloth, a soft body or loose particles, ready to be built.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its index in its section of the file.
    pub section_index: usize,
    /// Its mesh.
    pub mesh: GroupMesh,
    /// Pose of the mesh in the world.
    pub pose: Pose,
    /// Number of particles.
    pub particle_count: usize,
    /// Numbers of the pinned particles, within the group, in order.
    pub pins: Vec<u32>,
}

impl Group {
    /// Its particles in the frame of its mesh \[m\].
    pub fn vertices(&self, file: &SceneFile) -> Cow<'_, [Vec3]> {
        match &self.mesh {
            GroupMesh::Cloth(mesh) => Cow::Borrowed(&mesh.vertices),
            GroupMesh::Soft(mesh) => Cow::Borrowed(&mesh.vertices),
            GroupMesh::Loose => {
                let positions = &file.particles[self.section_index].positions;
                Cow::Owned(positions.iter().map(|&x| x.into()).collect())
            }
        }
    }
}

/// A scene that is known to make sense: ready to be explained or built.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What was typed, overrides applied.
    pub file: SceneFile,
    /// The text, for places of later faults.
    pub source: SourceText,
    /// Cloths, then soft bodies, then loose particles: the order of their particles.
    pub groups: Vec<Group>,
    /// Bodies, copies counted out, then the segments of the rods.
    pub bodies: Vec<BodyCopy>,
    /// Rods.
    pub rods: Vec<RodPlace>,
    /// Joints with their bodies: those of the rods, then those of the file.
    pub joints: Vec<JointPlace>,
    /// Shapes of the bodies, then static ones, then those of the rods.
    pub shapes: Vec<ShapePlace>,
    /// What motions, forces and attachments act on.
    pub driving: Driving,
    /// What each solver owns, in the order of `solvers`.
    pub owned: Vec<Owned>,
    /// What meets what, when there is a coupling.
    pub interfaces: Vec<Interface>,
    /// The expectations with their names resolved.
    pub checks: Vec<Check>,
    /// Whose loads are written.
    pub measured: Measured,
    pub(crate) tree: Node,
}

impl Scene {
    /// Resolves what was typed; `folder` is that of the scene file.
    pub(crate) fn resolve(file: SceneFile, source: SourceText, folder: PathBuf) -> Result<Self, SceneError> {
        let cx = Context::new(source, folder);
        values::check(&cx, &file)?;
        names::check(&cx, &file)?;
        let mut groups = deformables::resolve(&cx, &file)?;
        let mut bodies = bodies::copies(&cx, &file)?;
        let rods = rods::resolve(&cx, &file, &mut bodies)?;
        let driving = driving::resolve(&cx, &file, &mut groups, &bodies)?;
        let joints = joints::resolve(&cx, &file, &bodies, rods::joints(&rods))?;
        let mut shapes = bodies::shapes(&cx, &file, &bodies)?;
        shapes.extend(rods::shapes(&rods));
        let owned = entries::owned(&cx, &file, &groups, &bodies, &joints)?;
        let interfaces = entries::interfaces(&cx, &file, &groups, &bodies, &joints, &owned)?;
        let checks = checks::resolve(&cx, &file, &groups, &bodies)?;
        let measured = load_cells::resolve(&cx, &file, &groups, &bodies, &joints, &shapes)?;
        let Context { source, tree, .. } = cx;
        Ok(Self {
            file,
            source,
            groups,
            bodies,
            rods,
            joints,
            shapes,
            driving,
            owned,
            interfaces,
            checks,
            measured,
            tree,
        })
    }

    /// The first particle of each group.
    pub fn first_particles(&self) -> Vec<usize> {
        first_particles(&self.groups)
    }
}

/// The first particle of each group, when groups are built in order.
fn first_particles(groups: &[Group]) -> Vec<usize> {
    groups
        .iter()
        .scan(0, |next, g| {
            let first = *next;
            *next += g.particle_count;
            Some(first)
        })
        .collect()
}
