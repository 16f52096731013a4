//! Writing a trajectory while a run lives, and packing it at the end.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use coact_model::{State, StateFields};

use super::{FOLDER, PACKED, STATE_COLUMNS};
use crate::error::{Result, TraceError};
use crate::npy::{Dtype, NpyWriter};
use crate::sink::Sink;
use crate::verdict::Verdict;

/// What of each state is stored, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Columns.
    pub fields: StateFields,
    /// Type of their numbers; `time` is always `f64`.
    pub dtype: Dtype,
}

impl Default for Recording {
    fn default() -> Self {
        Self { fields: StateFields::all(), dtype: Dtype::F64 }
    }
}

/// Streams every state into `.npy` columns.
pub struct TrajectorySink {
    run: PathBuf,
    recording: Recording,
    columns: Option<Columns>,
    at: (u64, f64),
    dirty: bool,
}

struct Columns {
    step: NpyWriter,
    time: NpyWriter,
    state: [Option<NpyWriter>; 6],
}

/// The fields, in the order of [`STATE_COLUMNS`].
const FIELDS: [StateFields; 6] = [
    StateFields::PARTICLE_Q,
    StateFields::PARTICLE_QD,
    StateFields::BODY_Q,
    StateFields::BODY_QD,
    StateFields::JOINT_Q,
    StateFields::JOINT_QD,
];

impl TrajectorySink {
    /// A recording in run folder `run`, which exists. Files appear with the first state.
    pub fn new(run: &Path, recording: Recording) -> Self {
        Self { run: run.to_owned(), recording, columns: None, at: (0, 0.0), dirty: false }
    }

    fn pack(&self) -> Result<()> {
        let (folder, packed) = (self.run.join(FOLDER), self.run.join(PACKED));
        let unfinished = self.run.join("trajectory.npz.part");
        pack(&folder, &unfinished)?;
        fs::rename(&unfinished, &packed).map_err(TraceError::io(&packed))?;
        fs::remove_dir_all(&folder).map_err(TraceError::io(&folder))
    }
}

impl Columns {
    fn create(folder: &Path, recording: Recording, state: &State) -> Result<Self> {
        fs::create_dir_all(folder).map_err(TraceError::io(folder))?;
        let file = |name: &str| folder.join(format!("{name}.npy"));
        let shapes: [&[usize]; 6] = [
            &[state.particle_q.len(), 3],
            &[state.particle_qd.len(), 3],
            &[state.body_q.len(), 7],
            &[state.body_qd.len(), 6],
            &[state.joint_q.len()],
            &[state.joint_qd.len()],
        ];
        let mut columns = Self {
            step: NpyWriter::create(&file("step"), Dtype::I64, &[])?,
            time: NpyWriter::create(&file("time"), Dtype::F64, &[])?,
            state: [const { None }; 6],
        };
        for i in (0..6).filter(|&i| recording.fields.contains(FIELDS[i])) {
            let writer = NpyWriter::create(&file(STATE_COLUMNS[i]), recording.dtype, shapes[i])?;
            columns.state[i] = Some(writer);
        }
        Ok(columns)
    }

    fn check(&self, state: &State) -> Result<()> {
        let found = [
            state.particle_q.len() * 3,
            state.particle_qd.len() * 3,
            state.body_q.len() * 7,
            state.body_qd.len() * 6,
            state.joint_q.len(),
            state.joint_qd.len(),
        ];
        for (i, writer) in self.state.iter().enumerate() {
            let expected = writer.as_ref().map_or(found[i], NpyWriter::row_len);
            if expected != found[i] {
                return Err(TraceError::Shape { column: STATE_COLUMNS[i], expected, found: found[i] });
            }
        }
        Ok(())
    }

    fn push(&mut self, (step, time): (u64, f64), state: &State) -> Result<()> {
        self.check(state)?;
        self.step.push(std::iter::once(step as f64))?;
        self.time.push(std::iter::once(time))?;
        let [pq, pqd, bq, bqd, jq, jqd] = &mut self.state;
        push(pq, state.particle_q.iter().flat_map(|v| v.iter().copied()))?;
        push(pqd, state.particle_qd.iter().flat_map(|v| v.iter().copied()))?;
        push(bq, state.body_q.iter().flat_map(|p| p.to_array()))?;
        push(bqd, state.body_qd.iter().flat_map(|s| [s.lin, s.ang]).flat_map(<[f64; 3]>::from))?;
        push(jq, state.joint_q.iter().copied())?;
        push(jqd, state.joint_qd.iter().copied())
    }

    /// State columns first: a reader trusts the shortest column.
    fn flush(&mut self) -> Result<()> {
        self.state.iter_mut().flatten().try_for_each(NpyWriter::flush)?;
        self.time.flush()?;
        self.step.flush()
    }
}

impl Sink for TrajectorySink {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn state(&mut self, state: &State) -> Result<()> {
        if self.columns.is_none() {
            self.columns = Some(Columns::create(&self.run.join(FOLDER), self.recording, state)?);
        }
        if let Some(columns) = &mut self.columns {
            columns.push(self.at, state)?;
            self.dirty = true;
        }
        Ok(())
    }

    fn end_frame(&mut self) -> Result<()> {
        match &mut self.columns {
            Some(columns) if self.dirty => {
                self.dirty = false;
                columns.flush()
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self, _verdict: &Verdict) -> Result<()> {
        let Some(mut columns) = self.columns.take() else { return Ok(()) };
        columns.flush()?;
        drop(columns);
        self.pack()
    }
}

fn push(column: &mut Option<NpyWriter>, numbers: impl Iterator<Item = f64>) -> Result<()> {
    column.as_mut().map_or(Ok(()), |writer| writer.push(numbers))
}

/// Zips the columns of `folder`, stored, as NumPy's `savez` does.
fn pack(folder: &Path, packed: &Path) -> Result<()> {
    let out = File::create(packed).map_err(TraceError::io(packed))?;
    let mut zip = zip::ZipWriter::new(io::BufWriter::new(out));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .large_file(true);
    for name in ["step", "time"].into_iter().chain(STATE_COLUMNS) {
        let name = format!("{name}.npy");
        let from = folder.join(&name);
        if !from.is_file() {
            continue;
        }
        let mut column = File::open(&from).map_err(TraceError::io(&from))?;
        zip.start_file(name, options).map_err(io::Error::from).map_err(TraceError::io(packed))?;
        io::copy(&mut column, &mut zip).map_err(TraceError::io(packed))?;
    }
    let out = zip.finish().map_err(io::Error::from).map_err(TraceError::io(packed))?;
    out.into_inner().map_err(io::IntoInnerError::into_error).map_err(TraceError::io(packed))?;
    Ok(())
}
