//! Where the solvers of a scene run.

use std::sync::Arc;

use coact_compute::{DeviceChoice, GpuContext};
use coact_model::ModelView;
use coact_solver::SolverError;
use coact_vbd::SolverVbd;

use crate::error::{Fault, SceneError};
use crate::file::{Entry, Vbd};
use crate::locate::Path;
use crate::resolve::Scene;

use super::vbd::vbd_config;

/// An open device, or the CPU.
#[derive(Clone)]
pub(super) struct Device {
    context: Option<Arc<GpuContext>>,
    /// Whether a solver that the device refuses runs on the CPU instead.
    yields: bool,
}

impl Device {
    /// Opens what was chosen; only `Vbd` uses it.
    pub fn open(scene: &Scene, choice: DeviceChoice) -> Result<Self, SceneError> {
        let yields = choice == DeviceChoice::Auto;
        let Some(i) = scene.file.solvers.iter().position(|s| matches!(s, Entry::Vbd(_))) else {
            return Ok(Self { context: None, yields });
        };
        let path = Path::root().key("solvers").index(i);
        let refuse = |e: &dyn std::fmt::Display| {
            let message = format!("the device `{choice}` cannot be used: {e}");
            scene.fault(Fault::Build, &path, message).help("run with `--device cpu`, or see `coact info`")
        };
        let context = GpuContext::open(choice).map_err(|e| refuse(&e))?;
        Ok(Self { context, yields })
    }

    /// Its name, for the record of a run.
    pub fn name(&self) -> String {
        self.context.as_ref().map_or_else(|| "cpu".to_owned(), |c| c.info().name.clone())
    }

    /// A VBD solver on this device.
    pub fn vbd(&self, view: &ModelView, typed: &Vbd) -> Result<SolverVbd, SolverError> {
        let config = vbd_config(typed, self.context.is_some());
        match SolverVbd::with_device(view, config, self.context.clone()) {
            Err(_) if self.yields => SolverVbd::new(view, vbd_config(typed, false)),
            built => built,
        }
    }
}
