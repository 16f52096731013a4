//! Reading a trajectory back: a folder of columns, a `.npz`, or a run folder with either.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use coact_math::{Pose, Spatial, Vec3};
use coact_model::State;

use super::{FOLDER, PACKED, STATE_COLUMNS};
use crate::error::{Result, TraceError};
use crate::npy::NpyArray;

/// A recorded run, in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    columns: BTreeMap<String, NpyArray>,
    frames: usize,
}

impl Trajectory {
    /// Opens a run folder, a folder of `.npy` columns, or a `.npz` file. After a kill, frames
    /// that not all columns hold are left out.
    ///
    /// # Errors
    /// When nothing is there, or a file is malformed, with its path.
    pub fn open(path: &Path) -> Result<Self> {
        let (packed, folder) = (path.join(PACKED), path.join(FOLDER));
        let columns = if packed.is_file() {
            read_packed(&packed)?
        } else if folder.is_dir() {
            read_folder(&folder)?
        } else if path.is_dir() {
            read_folder(path)?
        } else {
            read_packed(path)?
        };
        if !columns.contains_key("time") {
            let what = "no trajectory here; expected a run folder, a folder of .npy columns, or a .npz file";
            return Err(TraceError::format(path, what));
        }
        let frames = columns.values().map(NpyArray::rows).min().unwrap_or(0);
        Ok(Self { columns, frames })
    }

    /// Number of complete frames.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// End time of a frame \[s\].
    pub fn time(&self, frame: usize) -> f64 {
        self.columns.get("time").map_or(0.0, |c| c.data[frame])
    }

    /// Step number of a frame.
    pub fn step(&self, frame: usize) -> u64 {
        self.columns.get("step").map_or(frame as u64, |c| c.data[frame] as u64)
    }

    /// A column as it was stored.
    pub fn column(&self, name: &str) -> Option<&NpyArray> {
        self.columns.get(name)
    }

    /// The state of a frame. Velocities that were not recorded are zero, other columns that
    /// were not are empty.
    pub fn state(&self, frame: usize) -> State {
        let row = |name: &str| self.columns.get(name).map_or(&[][..], |c| c.row(frame));
        let [pq, pqd, bq, bqd, jq, jqd] = STATE_COLUMNS;
        let mut state = State {
            particle_q: triples(row(pq)),
            particle_qd: triples(row(pqd)),
            body_q: poses(row(bq)),
            body_qd: triples(row(bqd)).chunks_exact(2).map(|v| Spatial::new(v[0], v[1])).collect(),
            joint_q: row(jq).to_vec(),
            joint_qd: row(jqd).to_vec(),
        };
        state.particle_qd.resize(state.particle_q.len(), Vec3::zeros());
        state.body_qd.resize(state.body_q.len(), Spatial::zeros());
        state
    }

    /// `count` frames spread evenly over the run, first and last included, without repeats.
    pub fn spread(&self, count: usize) -> Vec<usize> {
        let last = self.frames.saturating_sub(1);
        let count = count.min(self.frames);
        let steps = count.saturating_sub(1).max(1);
        (0..count).map(|k| (k * last + steps / 2) / steps).collect()
    }
}

fn triples(row: &[f64]) -> Vec<Vec3> {
    row.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect()
}

fn poses(row: &[f64]) -> Vec<Pose> {
    let pose = |c: &[f64]| Pose::from_array([c[0], c[1], c[2], c[3], c[4], c[5], c[6]]);
    row.chunks_exact(7).map(pose).collect()
}

fn read_folder(folder: &Path) -> Result<BTreeMap<String, NpyArray>> {
    let mut columns = BTreeMap::new();
    for name in ["step", "time"].into_iter().chain(STATE_COLUMNS) {
        let path = folder.join(format!("{name}.npy"));
        match File::open(&path) {
            Ok(file) => drop(columns.insert(name.to_owned(), NpyArray::read(BufReader::new(file), &path)?)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(TraceError::io(&path)(e)),
        }
    }
    Ok(columns)
}

fn read_packed(path: &Path) -> Result<BTreeMap<String, NpyArray>> {
    let file = File::open(path).map_err(TraceError::io(path))?;
    let mut zip = zip::ZipArchive::new(BufReader::new(file))
        .map_err(|e| TraceError::format(path, format!("{e}; expected a .npz file")))?;
    let mut columns = BTreeMap::new();
    for i in 0..zip.len() {
        let entry = zip.by_index(i).map_err(|e| TraceError::format(path, e.to_string()))?;
        let name = entry.name().trim_end_matches(".npy").to_owned();
        let inside: PathBuf = path.join(entry.name());
        columns.insert(name, NpyArray::read(entry, &inside)?);
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use coact_model::StateFields;

    use super::*;
    use crate::sink::Sink;
    use crate::trajectory::{Recording, TrajectorySink};
    use crate::verdict::Verdict;

    fn state(k: f64) -> State {
        State {
            particle_q: vec![Vec3::new(k, 1.0, 2.0), Vec3::new(3.0, 4.0, k)],
            particle_qd: vec![Vec3::new(k, 0.0, 0.5); 2],
            body_q: vec![Pose::translation(Vec3::new(0.0, k, 0.0))],
            body_qd: vec![Spatial::new(Vec3::new(1.0, 2.0, k), Vec3::new(4.0, 5.0, 6.0))],
            joint_q: vec![k],
            joint_qd: vec![-k, k],
        }
    }

    fn record(run: &Path, frames: u32) -> TrajectorySink {
        let mut sink = TrajectorySink::new(run, Recording::default());
        for k in 0..frames {
            sink.begin_frame(u64::from(10 * k), 0.5 * f64::from(k)).unwrap();
            sink.state(&state(f64::from(k))).unwrap();
            sink.end_frame().unwrap();
        }
        sink
    }

    #[test]
    fn recording_comes_back_from_npz_bit_for_bit() {
        let dir = tempfile::tempdir().unwrap();
        record(dir.path(), 3).finish(&Verdict::ran()).unwrap();
        assert!(!dir.path().join(FOLDER).exists());
        for path in [dir.path().to_owned(), dir.path().join(PACKED)] {
            let t = Trajectory::open(&path).unwrap();
            assert_eq!(t.frame_count(), 3);
            assert_eq!((t.step(2), t.time(2)), (20, 1.0));
            for k in 0..3 {
                assert_eq!(t.state(k), state(k as f64));
            }
        }
    }

    #[test]
    fn killed_run_is_readable_up_to_its_last_frame() {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = record(dir.path(), 4);
        sink.begin_frame(99, 9.0).unwrap();
        sink.state(&state(9.0)).unwrap();
        std::mem::forget(sink); // as a kill does: nothing is flushed or finished
        let t = Trajectory::open(dir.path()).unwrap();
        assert_eq!(t.frame_count(), 4);
        assert_eq!(t.state(3), state(3.0));
    }

    #[test]
    fn kill_between_two_columns_drops_the_incomplete_frame() {
        let dir = tempfile::tempdir().unwrap();
        drop(record(dir.path(), 2));
        let path = dir.path().join(FOLDER).join("particle_q.npy");
        let before = fs::read(&path).unwrap();
        drop(record(dir.path(), 3));
        fs::write(&path, before).unwrap();
        assert_eq!(Trajectory::open(dir.path()).unwrap().frame_count(), 2);
    }

    #[test]
    fn changed_count_is_refused_by_column() {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = record(dir.path(), 1);
        let mut wrong = state(1.0);
        wrong.body_q.clear();
        let text = sink.state(&wrong).unwrap_err().to_string();
        assert!(text.contains("`body_q`"), "{text}");
    }

    #[test]
    fn columns_that_nobody_asked_for_are_not_stored() {
        let dir = tempfile::tempdir().unwrap();
        let fields = StateFields::PARTICLE_Q | StateFields::BODY_Q;
        let mut sink = TrajectorySink::new(dir.path(), Recording { fields, ..Recording::default() });
        sink.state(&state(1.0)).unwrap();
        sink.finish(&Verdict::ran()).unwrap();
        let t = Trajectory::open(dir.path()).unwrap();
        assert!(t.column("particle_qd").is_none() && t.column("joint_q").is_none());
        assert_eq!(t.state(0).particle_qd, [Vec3::zeros(); 2]);
        assert_eq!(t.state(0).body_q, state(1.0).body_q);
    }

    #[test]
    fn missing_trajectory_says_what_was_expected() {
        let dir = tempfile::tempdir().unwrap();
        let text = Trajectory::open(dir.path()).unwrap_err().to_string();
        assert!(text.contains("expected a run folder"), "{text}");
    }

    /// Runs where a Python with NumPy is found, and says so where not.
    #[test]
    fn numpy_reads_both_forms() {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = record(dir.path(), 3);
        let script = "import sys, numpy as n\n\
                      a = n.load(sys.argv[1])\n\
                      a = a if isinstance(a, n.ndarray) else a['body_q']\n\
                      assert a.shape == (3, 1, 7) and a.dtype == n.float64 and a[2, 0, 1] == 2.0";
        let python =
            |file: &Path| std::process::Command::new("python3").args(["-c", script]).arg(file).output();
        if !std::process::Command::new("python3")
            .args(["-c", "import numpy"])
            .output()
            .is_ok_and(|o| o.status.success())
        {
            eprintln!("skipped: no python3 with numpy here");
            return;
        }
        let streamed = python(&dir.path().join(FOLDER).join("body_q.npy")).unwrap();
        assert!(streamed.status.success(), "{}", String::from_utf8_lossy(&streamed.stderr));
        sink.finish(&Verdict::ran()).unwrap();
        let packed = python(&dir.path().join(PACKED)).unwrap();
        assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    }

    #[test]
    fn spread_takes_first_and_last() {
        let t = Trajectory { frames: 11, ..Trajectory::default() };
        assert_eq!(t.spread(3), [0, 5, 10]);
        assert_eq!(t.spread(1), [0]);
        assert_eq!(t.spread(99).len(), 11);
        assert!(Trajectory::default().spread(4).is_empty());
    }
}
