//! `coact export RUN`: a run as files for other programs.

use coact_trace::RunFolder;
use coact_trace::export::{Export, MAX_MORPH_FRAMES, export_gltf, export_obj, export_vtk};
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::args::{ExportArguments, Format};
use crate::compare::open;
use crate::ending::Ending;
use crate::say;

/// Writes the files and says where.
pub fn export(a: &ExportArguments) -> Result<Ending> {
    let stage = RunFolder::stage(&a.run)
        .into_diagnostic()
        .wrap_err_with(|| format!("`{}` is no run folder of `coact run`", a.run.display()))?;
    let trajectory = open(&a.run)?;
    let word = match a.format {
        Format::Vtk => "vtk",
        Format::Obj => "obj",
        Format::Gltf => "gltf",
    };
    let folder = a.out.clone().unwrap_or_else(|| a.run.join(word));
    let stride = a.every as usize;
    let export = Export { stage: &stage, trajectory: &trajectory, folder, stride };
    let frames = trajectory.frame_count().div_ceil(stride);
    let path = match a.format {
        Format::Vtk => export_vtk(&export).into_diagnostic()?,
        Format::Obj => export_obj(&export).map(|_| export.folder.join("frame_*.obj")).into_diagnostic()?,
        Format::Gltf => export_gltf(&export).into_diagnostic()?,
    };
    say::line(format!("{frames} frames in {}", path.display()));
    if a.format == Format::Gltf && frames > MAX_MORPH_FRAMES && !stage.sheets.is_empty() {
        say::note(format!("deforming surfaces keep {MAX_MORPH_FRAMES} of {frames} key frames"));
    }
    Ok(Ending::Good)
}
