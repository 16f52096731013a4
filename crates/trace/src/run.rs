//! The folder that a run leaves.
//!
//! | file | what |
//! |---|---|
//! | `run.json` | versions, device, settings as resolved, sums over the run, verdict |
//! | `stage.json` | what there is to draw |
//! | `trajectory.npz` | states ([`crate::trajectory`]); `trajectory/` while the run lives |
//! | `energy.csv`, `iterations.csv`, `convergence.csv` | tables ([`crate::tables`]) |
//! | `joints.csv`, `contacts.csv` | loads ([`crate::LoadCells`]), only when asked for |
//! | `scalars.csv` | named numbers, only when there are some |
//! | `picture.png`, `strip.png` | written by the program, not here |
//!
//! A folder of this name that holds a `run.json` is an earlier run: its files are replaced,
//! whatever else lies in it stays. Anything else is refused. A new folder is prepared under
//! a temporary name beside its place, so that it appears whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use coact_collide::Contacts;
use coact_model::State;
use coact_solver::{Loads, StepReport};
use serde::Serialize;
use serde_json::Value;

use crate::energy::Energy;
use crate::error::{Result, TraceError};
use crate::loads::{ContactTable, JointTable, LoadCells};
use crate::sink::{Sink, Tee};
use crate::stage::Stage;
use crate::statistics::RunStatistics;
use crate::tables::{ConvergenceTable, EnergyTable, IterationTable, ScalarTable};
use crate::trajectory::{self, Recording, TrajectorySink};
use crate::verdict::{Outcome, Verdict};

const RECORD: &str = "run.json";
const STAGE: &str = "stage.json";
const TABLES: [&str; 4] = ["energy.csv", "iterations.csv", "convergence.csv", "scalars.csv"];
const LOADS: [&str; 2] = ["joints.csv", "contacts.csv"];
const STRIP: &str = "strip.png";
/// Written by the program.
const REPORT: &str = "report.json";

/// What `run.json` says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRecord {
    /// Version of the program.
    pub coact: String,
    /// Operating system and processor family.
    pub platform: String,
    /// Start of the run, seconds since 1970.
    pub started: u64,
    /// The scene file, as it was given.
    pub scene: String,
    /// The device, in words.
    pub device: String,
    /// Threads of the CPU pool.
    pub threads: usize,
    /// How the run ended.
    pub verdict: Verdict,
    /// Simulated time \[s\].
    pub time: f64,
    /// Wall time of the whole run \[s\].
    pub wall: f64,
    /// Sums over all steps.
    pub statistics: RunStatistics,
    /// Checks of the scene and their results.
    pub checks: Value,
    /// The scene's settings as resolved.
    pub settings: Value,
}

impl RunRecord {
    /// The record of a run that begins now.
    pub fn begin(scene: &str, device: &str, threads: usize, settings: Value) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        Self {
            coact: env!("CARGO_PKG_VERSION").to_owned(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            started: now,
            scene: scene.to_owned(),
            device: device.to_owned(),
            threads,
            verdict: Verdict { outcome: Outcome::Running, reasons: Vec::new() },
            time: 0.0,
            wall: 0.0,
            statistics: RunStatistics::default(),
            checks: Value::Null,
            settings,
        }
    }

    fn write(&self, folder: &Path) -> Result<()> {
        let (path, part) = (folder.join(RECORD), folder.join("run.json.part"));
        let text =
            serde_json::to_string_pretty(self).map_err(|e| TraceError::format(&path, e.to_string()))?;
        fs::write(&part, text + "\n").map_err(TraceError::io(&part))?;
        fs::rename(&part, &path).map_err(TraceError::io(&path))
    }
}

/// The sink that leaves a run folder.
pub struct RunFolder {
    path: PathBuf,
    /// What `run.json` will say; written when the run begins and when it finishes.
    pub record: RunRecord,
    sinks: Tee<'static>,
}

impl RunFolder {
    /// Whether a run may write to `path`: nothing is there, or an earlier run.
    ///
    /// # Errors
    /// When something else is there.
    pub fn check(path: &Path) -> Result<()> {
        let empty = || fs::read_dir(path).is_ok_and(|mut files| files.next().is_none());
        if !path.exists() || path.join(RECORD).is_file() || empty() {
            return Ok(());
        }
        if path.is_file() {
            return Err(TraceError::NotAFolder { path: path.to_owned() });
        }
        Err(TraceError::Occupied { path: path.to_owned() })
    }

    /// Makes the folder, with `run.json` and `stage.json`, and opens its tables.
    ///
    /// # Errors
    /// As [`Self::check`], or when the file system refuses.
    pub fn create(path: &Path, record: RunRecord, stage: &Stage, recording: Recording) -> Result<Self> {
        Self::check(path)?;
        if path.is_dir() {
            record.write(path)?;
            remove_earlier(path)?;
            stage.write(&path.join(STAGE))?;
        } else {
            appear_whole(path, |folder| {
                record.write(folder)?;
                stage.write(&folder.join(STAGE))
            })?;
        }
        let [energy, iterations, convergence, scalars] = TABLES.map(|name| path.join(name));
        let sinks = Tee::new()
            .with(TrajectorySink::new(path, recording))
            .with(EnergyTable::create(&energy)?)
            .with(IterationTable::create(&iterations)?)
            .with(ConvergenceTable::create(&convergence)?)
            .with(ScalarTable::new(&scalars));
        Ok(Self { path: path.to_owned(), record, sinks })
    }

    /// Opens the tables of loads that are asked for.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn measure(&mut self, cells: LoadCells) -> Result<()> {
        let [joints, contacts] = LOADS.map(|name| self.path.join(name));
        if cells.has_joints() {
            self.sinks.push(JointTable::create(&joints, &cells)?);
        }
        if cells.has_contacts() {
            self.sinks.push(ContactTable::create(&contacts, cells)?);
        }
        Ok(())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where picture number `k` of the run goes: `picture.png`, `picture_2.png`, ….
    pub fn picture(&self, k: usize) -> PathBuf {
        picture_path(&self.path, k)
    }

    /// Where the pictures of several times go, side by side.
    pub fn strip(&self) -> PathBuf {
        self.path.join(STRIP)
    }

    /// What a run folder says there is to draw.
    ///
    /// # Errors
    /// When `stage.json` is missing or malformed.
    pub fn stage(path: &Path) -> Result<Stage> {
        Stage::read(&path.join(STAGE))
    }
}

/// Prepares a folder under a temporary name and renames it to `path`.
fn appear_whole(path: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let name = path.file_name().map_or_else(|| "run".into(), |n| n.to_string_lossy().into_owned());
    let part = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let refuse = |error| TraceError::NoFolder { path: path.to_owned(), error };
    fs::create_dir_all(&part).map_err(refuse)?;
    let filled = fill(&part).and_then(|()| fs::rename(&part, path).map_err(refuse));
    if filled.is_err() {
        // The error that is reported is the first one; a leftover folder is only untidy.
        let _ = fs::remove_dir_all(&part);
    }
    filled
}

fn picture_path(folder: &Path, k: usize) -> PathBuf {
    folder.join(if k == 0 { "picture.png".to_owned() } else { format!("picture_{}.png", k + 1) })
}

/// Removes the files of an earlier run but its record, which is replaced in place: a folder
/// without one would not be taken for a run again.
fn remove_earlier(path: &Path) -> Result<()> {
    let folder = path.join(trajectory::FOLDER);
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(TraceError::io(&folder))?;
    }
    let files = [STAGE, STRIP, REPORT, trajectory::PACKED].into_iter().chain(TABLES).chain(LOADS);
    let files = files.map(|name| path.join(name));
    let pictures = (0..).map(|k| picture_path(path, k)).take_while(|f| f.is_file());
    for file in files.filter(|f| f.is_file()).chain(pictures) {
        fs::remove_file(&file).map_err(TraceError::io(&file))?;
    }
    Ok(())
}

impl Sink for RunFolder {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.record.time = time;
        self.sinks.begin_frame(step, time)
    }

    fn state(&mut self, state: &State) -> Result<()> {
        self.sinks.state(state)
    }

    fn contacts(&mut self, contacts: &Contacts) -> Result<()> {
        self.sinks.contacts(contacts)
    }

    fn report(&mut self, report: &StepReport) -> Result<()> {
        self.sinks.report(report)
    }

    fn loads(&mut self, loads: &Loads) -> Result<()> {
        self.sinks.loads(loads)
    }

    fn energy(&mut self, energy: &Energy) -> Result<()> {
        self.sinks.energy(energy)
    }

    fn scalar(&mut self, name: &str, value: f64) -> Result<()> {
        self.sinks.scalar(name, value)
    }

    fn end_frame(&mut self) -> Result<()> {
        self.sinks.end_frame()
    }

    /// Packs the trajectory and writes the record with the verdict; both are tried.
    fn finish(&mut self, verdict: &Verdict) -> Result<()> {
        self.record.verdict = verdict.clone();
        let packed = self.sinks.finish(verdict);
        self.record.write(&self.path).and(packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::Trajectory;

    fn create(path: &Path) -> Result<RunFolder> {
        let record = RunRecord::begin("a.ron", "cpu", 2, serde_json::json!({"dt": 0.01}));
        RunFolder::create(path, record, &Stage::default(), Recording::default())
    }

    #[test]
    fn run_leaves_every_file_and_can_be_repeated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/run");
        for _ in 0..2 {
            let mut run = create(&path).unwrap();
            run.begin_frame(0, 0.0).unwrap();
            run.state(&State::default()).unwrap();
            run.end_frame().unwrap();
            run.finish(&Verdict::because(Outcome::ChecksFailed, "too low")).unwrap();
            fs::write(path.join("notes.txt"), "mine").unwrap();
            fs::write(run.picture(1), "").unwrap();
            assert!(!run.picture(0).is_file());
            fs::write(run.picture(0), "").unwrap();
        }
        assert_eq!(Trajectory::open(&path).unwrap().frame_count(), 1);
        let text = fs::read_to_string(path.join(RECORD)).unwrap();
        let record: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(record["verdict"]["outcome"], "checks-failed");
        assert_eq!(record["settings"]["dt"], 0.01);
        assert!(TABLES[..3].iter().all(|t| path.join(t).is_file()));
        assert!(!path.join(TABLES[3]).exists(), "no scalars, no table");
        assert!(path.join("notes.txt").is_file(), "what is not ours stays");
        assert_eq!(RunFolder::stage(&path).unwrap(), Stage::default());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary folder stays");
    }

    #[test]
    fn folder_of_somebody_else_is_refused_with_the_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        fs::write(&file, "").unwrap();
        let told = |path: &Path| create(path).err().unwrap().to_string();
        assert!(told(&file).contains("is a file"));
        let below = told(&file.join("run"));
        assert!(below.contains("--out") && !below.contains(".part"), "{below}");
        fs::remove_file(&file).unwrap();
        fs::write(dir.path().join("thesis.tex"), "").unwrap();
        let text = create(dir.path()).err().unwrap().to_string();
        assert!(text.contains("--out"), "{text}");
        assert!(!dir.path().join(RECORD).exists());
    }
}
