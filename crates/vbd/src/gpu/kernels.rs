//! The kernels of a step, bound to their buffers, and the ranges that they run over.

use std::sync::Arc;

use coact_compute::{Bound, GpuContext, Params, Pipelines, Reduce, Reduction, Result, Slot};

use super::device::Arrays;
use super::records::RangeParams;
use crate::prepared::Layout;

/// The kernels of a step, each with its buffers.
pub struct Kernels {
    pub predict_particle: Bound,
    pub place_proxy: Bound,
    pub place_body: Bound,
    pub start_angle: Bound,
    pub detect: Bound,
    pub list_body_contacts: Bound,
    pub solve_body: Bound,
    pub solve_particle: Bound,
    pub apply_particle: Bound,
    pub residual_particle: Bound,
    pub residual_body: Bound,
    pub finalize_particle: Bound,
    pub measure_particle: Bound,
    pub name_worst: Bound,
    pub gather_particle: Bound,
    /// Largest and sum of squared residuals, before the first sweep and after the last.
    pub residuals: [[Reduction; 2]; 2],
}

impl Kernels {
    /// Binds every kernel.
    pub fn new(pipelines: &Pipelines, a: &Arrays, layout: &Layout) -> Result<Self> {
        let residual = |kind| Reduction::new(pipelines, kind, &a.residual_sq, layout.block_count);
        let residuals = || -> Result<[Reduction; 2]> { Ok([residual(Reduce::Max)?, residual(Reduce::Sum)?]) };
        let residuals = [residuals()?, residuals()?];
        let largest = residuals[1][0].result();
        let bind = |kernel: &str| {
            let buffer = |name: &'static str| match name {
                "residual_max" => largest.bind(name),
                _ => a.named(name),
            };
            pipelines.bind_named(&format!("vbd/{kernel}"), buffer)
        };
        Ok(Self {
            predict_particle: bind("predict_particle")?,
            place_proxy: bind("place_proxy")?,
            place_body: bind("place_body")?,
            start_angle: bind("start_angle")?,
            detect: bind("detect_particle_shape")?,
            list_body_contacts: bind("list_body_contacts")?,
            solve_body: bind("solve_body")?,
            solve_particle: bind("solve_particle")?,
            apply_particle: bind("apply_particle")?,
            residual_particle: bind("residual_particle")?,
            residual_body: bind("residual_body")?,
            finalize_particle: bind("finalize_particle")?,
            measure_particle: bind("measure_particle")?,
            name_worst: bind("name_worst")?,
            gather_particle: bind("gather_particle")?,
            residuals,
        })
    }
}

/// Ranges of dispatches.
pub struct Ranges {
    pub table: Params<RangeParams>,
    /// One per color.
    pub colors: Vec<(Slot, u32)>,
    pub hinges: Slot,
    pub proxies: Slot,
    pub gather: Slot,
    /// Residuals of free bodies, before the first sweep and after the last.
    pub bodies: [Slot; 2],
}

impl Ranges {
    /// Ranges of a layout.
    pub fn new(ctx: &Arc<GpuContext>, layout: &Layout) -> Result<Self> {
        let mut table = Params::with_capacity(ctx, "vbd ranges", layout.color_count() + 5)?;
        let range = |first: usize, count: usize| RangeParams { first: first as u32, count: count as u32 };
        let colors = (0..layout.color_count()).map(|c| layout.color(c));
        let colors = colors.map(|b| (table.push(&range(b.start, b.len())), b.len() as u32)).collect();
        let hinges = table.push(&range(0, layout.hinge_ids.len()));
        let (proxies, gather) = (table.push(&range(0, 0)), table.push(&range(0, 0)));
        let bodies = [table.push(&range(0, 0)), table.push(&range(0, 0))];
        table.upload()?;
        Ok(Self { table, colors, hinges, proxies, gather, bodies })
    }

    /// As many bodies are free; the next upload takes it over.
    pub fn set_free_bodies(&mut self, count: u32) {
        for (i, slot) in (0..).zip(self.bodies) {
            self.table.set(slot, &RangeParams { first: i * count, count });
        }
    }
}
