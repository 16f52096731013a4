//! Exports of a recorded run for other programs: VTK series, OBJ sequence, glTF.
//!
//! All read a [`Stage`] and a [`Trajectory`]; none needs the scene or the solver. Infinite
//! planes are left out. Springs and loose particles appear in VTK only.

mod gltf;
mod obj;
mod vtk;

pub use gltf::{MAX_MORPH_FRAMES, export_gltf};
pub(crate) use obj::compact;
pub use obj::export_obj;
pub use vtk::export_vtk;

use std::path::PathBuf;

use crate::stage::Stage;
use crate::trajectory::Trajectory;

/// What to export and where to.
#[derive(Clone, Debug)]
pub struct Export<'a> {
    /// What there is to see.
    pub stage: &'a Stage,
    /// Its motion.
    pub trajectory: &'a Trajectory,
    /// The folder for the files; it is made when missing.
    pub folder: PathBuf,
    /// Every how many frames; 1 = all.
    pub stride: usize,
}

impl Export<'_> {
    fn frames(&self) -> impl Iterator<Item = usize> {
        (0..self.trajectory.frame_count()).step_by(self.stride.max(1))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use coact_math::{Pose, Quat, Spatial, Vec3};
    use coact_model::State;

    use crate::sink::Sink;
    use crate::stage::{Sheet, Solid, Stage};
    use crate::trajectory::{Recording, Trajectory, TrajectorySink};
    use crate::verdict::Verdict;

    /// A tetrahedral body that rises and turns, a static triangle, and a square sheet.
    pub fn stage() -> Stage {
        let solid = Solid {
            name: "wedge".into(),
            body: Some(0),
            vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        };
        let wall = Solid { name: "wall".into(), body: None, ..solid.clone() };
        let cloth = Sheet {
            name: "cloth".into(),
            particles: 0..4,
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..Sheet::default()
        };
        let soft = Sheet {
            name: "soft".into(),
            particles: 4..8,
            triangles: vec![[4, 6, 5], [4, 5, 7], [4, 7, 6], [5, 6, 7]],
            tets: vec![[4, 5, 6, 7]],
            ..Sheet::default()
        };
        let chain = Sheet {
            name: "chain".into(),
            particles: 8..10,
            springs: vec![[8, 9]],
            radius: 0.1,
            ..Sheet::default()
        };
        Stage {
            up: [0.0, 0.0, 1.0],
            bodies: vec!["wedge".into()],
            solids: vec![solid, wall],
            sheets: vec![cloth, soft, chain],
            planes: vec![Pose::identity().to_array()],
        }
    }

    pub fn state(t: f64) -> State {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let mut q: Vec<_> = square.map(|(x, y)| Vec3::new(x - 2.0, y, 1.0 - t * x)).into();
        q.extend([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 0.0, 1.0]].map(Vec3::from));
        q.extend([Vec3::new(0.0, 3.0, 1.0), Vec3::new(0.0, 3.0, 0.5)]);
        State {
            particle_qd: vec![Vec3::new(0.0, 0.0, -1.0); q.len()],
            particle_q: q,
            body_q: vec![Pose::new(Vec3::new(0.0, 0.0, 1.0 + t), Quat::from_scaled_axis(Vec3::z() * t))],
            body_qd: vec![Spatial::zeros()],
            ..State::default()
        }
    }

    pub fn trajectory(frames: u32) -> Trajectory {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = TrajectorySink::new(dir.path(), Recording::default());
        for k in 0..frames {
            sink.begin_frame(u64::from(k), 0.1 * f64::from(k)).unwrap();
            sink.state(&state(0.1 * f64::from(k))).unwrap();
            sink.end_frame().unwrap();
        }
        sink.finish(&Verdict::ran()).unwrap();
        Trajectory::open(dir.path()).unwrap()
    }
}
