//! Writing a trajectory while a run lives, and packing it at the end.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use coact_model::State;

use super::{FOLDER, PACKED, STATE_COLUMNS};
use crate::error::{Result, TraceError};
use crate::npy::{Dtype, NpyWriter};
use crate::sink::Sink;
use crate::verdict::Verdict;

/// Streams every state into `.npy` columns.
pub struct TrajectorySink {
    run: PathBuf,
    dtype: Dtype,
    columns: Option<Columns>,
    at: (u64, f64),
    dirty: bool,
}

struct Columns {
    step: NpyWriter,
    time: NpyWriter,
    state: [NpyWriter; 6],
}

impl TrajectorySink {
    /// A recording in run folder `run`, which exists. Files appear with the first state.
    pub fn new(run: &Path, dtype: Dtype) -> Self {
        Self { run: run.to_owned(), dtype, columns: None, at: (0, 0.0), dirty: false }
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
    fn create(folder: &Path, dtype: Dtype, state: &State) -> Result<Self> {
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
        let column = |i: usize| NpyWriter::create(&file(STATE_COLUMNS[i]), dtype, shapes[i]);
        Ok(Self {
            step: NpyWriter::create(&file("step"), Dtype::I64, &[])?,
            time: NpyWriter::create(&file("time"), Dtype::F64, &[])?,
            state: [column(0)?, column(1)?, column(2)?, column(3)?, column(4)?, column(5)?],
        })
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
            if writer.row_len() != found[i] {
                let (column, expected) = (STATE_COLUMNS[i], writer.row_len());
                return Err(TraceError::Shape { column, expected, found: found[i] });
            }
        }
        Ok(())
    }

    fn push(&mut self, (step, time): (u64, f64), state: &State) -> Result<()> {
        self.check(state)?;
        self.step.push(std::iter::once(step as f64))?;
        self.time.push(std::iter::once(time))?;
        let [pq, pqd, bq, bqd, jq, jqd] = &mut self.state;
        pq.push(state.particle_q.iter().flat_map(|v| v.iter().copied()))?;
        pqd.push(state.particle_qd.iter().flat_map(|v| v.iter().copied()))?;
        bq.push(state.body_q.iter().flat_map(|p| p.to_array()))?;
        bqd.push(state.body_qd.iter().flat_map(|s| [s.lin, s.ang]).flat_map(<[f64; 3]>::from))?;
        jq.push(state.joint_q.iter().copied())?;
        jqd.push(state.joint_qd.iter().copied())
    }

    /// State columns first: a reader trusts the shortest column.
    fn flush(&mut self) -> Result<()> {
        self.state.iter_mut().try_for_each(NpyWriter::flush)?;
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
            self.columns = Some(Columns::create(&self.run.join(FOLDER), self.dtype, state)?);
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
        let mut column = File::open(&from).map_err(TraceError::io(&from))?;
        zip.start_file(name, options).map_err(io::Error::from).map_err(TraceError::io(packed))?;
        io::copy(&mut column, &mut zip).map_err(TraceError::io(packed))?;
    }
    let out = zip.finish().map_err(io::Error::from).map_err(TraceError::io(packed))?;
    out.into_inner().map_err(io::IntoInnerError::into_error).map_err(TraceError::io(packed))?;
    Ok(())
}
