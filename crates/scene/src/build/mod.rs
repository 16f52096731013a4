//! From a resolved scene to a model, its solvers, and the simulation that runs them.

mod device;
mod driving;
mod fault;
mod groups;
mod model;
mod rods;
mod rows;
mod solvers;
mod vbd;

pub(crate) use fault::split_remedy;

use coact_compute::DeviceChoice;
use coact_model::{Model, Warning};
use coact_vbd::VbdConfig;

use crate::error::SceneError;
use crate::file::Entry;
use crate::resolve::Scene;
use crate::simulation::{RunPlan, Simulation};

impl Scene {
    /// The model alone, with what looks like a slip of units in it.
    ///
    /// # Errors
    /// What the model builder refuses, at the place of the entity it names.
    pub fn build_model(&self) -> Result<(Model, Vec<Warning>), SceneError> {
        model::build(self)
    }

    /// The model and the solvers, ready to step.
    ///
    /// # Errors
    /// What the model builder, a solver or the coupler refuses, at the place of what it names.
    pub fn build(&self, device: DeviceChoice) -> Result<Simulation, SceneError> {
        let (model, _) = self.build_model()?;
        let drives = model::drives(self, &model);
        let device = device::Device::open(self, device)?;
        let solver = solvers::build(self, &model, &device)?;
        let mut simulation = Simulation::new(model, solver, drives, self.plan());
        simulation.description.clone_from(&self.file.description);
        simulation.device = device.name();
        simulation.lone_solver = self.lone_solver().map(str::to_owned);
        simulation.motions = driving::motions(self, &simulation.model);
        simulation.loads = driving::loads(self);
        simulation.output = self.file.output.clone();
        simulation.measured.clone_from(&self.measured);
        simulation.checks.clone_from(&self.checks);
        simulation.apply_drives(0.0);
        Ok(simulation)
    }

    /// The settings of a VBD solver on the host, by its name: its own, then the scene's, then the defaults.
    pub fn vbd_config(&self, solver: &str) -> Option<VbdConfig> {
        self.file.solvers.iter().find_map(|s| match s {
            Entry::Vbd(v) if v.name == solver => Some(vbd::vbd_config(&v.over(&self.file.vbd), false)),
            _ => None,
        })
    }

    /// Step size, count of steps, and when frames are written.
    pub fn plan(&self) -> RunPlan {
        let run = &self.file.run;
        let dt = run.step_size();
        let frame_every = (1.0 / (self.file.output.frame_rate * dt)).round().max(1.0);
        RunPlan { dt, steps: run.step_count(), frame_every: frame_every as u64 }
    }
}
