//! Everything of a solver that lives on the device: buffers, and kernels bound to them.

use std::sync::Arc;

use bytemuck::Pod;
use coact_compute::{Bound, Buffer, GpuContext, Params, Pipelines, Reduce, Reduction, Result, Slot, Uniform};

use super::elements::{DeviceHinge, DeviceSpring, DeviceTet, DeviceTriangle};
use super::records::{
    BodyRecord, BodyState, BodySurface, ContactRecord, ParticleEnd, ParticleInfo, ParticleIterate,
    ParticleTarget, ProxyTarget, RangeParams, ShapeRecord, StepRecord,
};
use super::tables::{Surroundings, corner_table};
use crate::prepared::{Elements, Layout};

/// How many of each thing there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Particles.
    pub slots: usize,
    /// Proxy particles.
    pub proxies: usize,
    /// Contact materials.
    pub materials: usize,
}

/// Arrays on the device. Names are those of the bindings.
pub struct Arrays {
    pub step: Uniform<StepRecord>,
    pub particle_q: Buffer<[f32; 4]>,
    pub particle_qd: Buffer<[f32; 4]>,
    pub particle_f: Buffer<[f32; 4]>,
    pub particle_info: Buffer<ParticleInfo>,
    pub particle_target: Buffer<ParticleTarget>,
    pub particle_iterate: Buffer<ParticleIterate>,
    pub proxy_targets: Buffer<ProxyTarget>,
    pub corner_start: Buffer<[u32; 4]>,
    pub corners: Buffer<u32>,
    pub springs: Buffer<DeviceSpring>,
    pub triangles: Buffer<DeviceTriangle>,
    pub hinges: Buffer<DeviceHinge>,
    pub tets: Buffer<DeviceTet>,
    pub hinge_start: Buffer<[f32; 2]>,
    pub shapes: Buffer<ShapeRecord>,
    pub pair_material: Buffer<[f32; 4]>,
    pub contact_records: Buffer<ContactRecord>,
    pub contact_count: Buffer<u32>,
    pub bodies: Buffer<BodyRecord>,
    pub body_state: Buffer<BodyState>,
    pub body_surface: Buffer<BodySurface>,
    pub body_contacts: Buffer<u32>,
    pub body_contact_count: Buffer<u32>,
    pub wanted: Buffer<u32>,
    pub ends: Buffer<ParticleEnd>,
    pub residual_sq: Buffer<f32>,
    /// rows, active rows, depth, skipped, nonfinite: see `measure_particle`.
    pub measures: [Buffer<f32>; 5],
}

impl Arrays {
    /// Room for a layout; contents follow by `write_*`.
    pub fn new(ctx: &Arc<GpuContext>, layout: &Layout, counts: Counts) -> Result<Self> {
        let n = counts.slots;
        let (corner_start, corners) = corner_table(layout);
        let measure = |name: &str| Buffer::zeroed(ctx, name, n);
        Ok(Self {
            step: Uniform::new(ctx, "step", StepRecord::default())?,
            particle_q: Buffer::zeroed(ctx, "particle_q", n)?,
            particle_qd: Buffer::zeroed(ctx, "particle_qd", n)?,
            particle_f: Buffer::zeroed(ctx, "particle_f", n)?,
            particle_info: Buffer::zeroed(ctx, "particle_info", n)?,
            particle_target: Buffer::zeroed(ctx, "particle_target", n)?,
            particle_iterate: Buffer::zeroed(ctx, "particle_iterate", n)?,
            proxy_targets: Buffer::zeroed(ctx, "proxy_targets", counts.proxies)?,
            corner_start: Buffer::from_slice(ctx, "corner_start", &corner_start)?,
            corners: Buffer::from_slice(ctx, "corners", &corners)?,
            springs: Buffer::zeroed(ctx, "springs", layout.spring_ids.len())?,
            triangles: Buffer::zeroed(ctx, "triangles", layout.triangle_ids.len())?,
            hinges: Buffer::zeroed(ctx, "hinges", layout.hinge_ids.len())?,
            tets: Buffer::zeroed(ctx, "tets", layout.tet_ids.len())?,
            hinge_start: Buffer::zeroed(ctx, "hinge_start", layout.hinge_ids.len())?,
            shapes: Buffer::zeroed(ctx, "shapes", 0)?,
            pair_material: Buffer::zeroed(ctx, "pair_material", 0)?,
            contact_records: Buffer::zeroed(ctx, "contact_records", 0)?,
            contact_count: Buffer::zeroed(ctx, "contact_count", n)?,
            bodies: Buffer::zeroed(ctx, "bodies", 0)?,
            body_state: Buffer::zeroed(ctx, "body_state", 0)?,
            body_surface: Buffer::zeroed(ctx, "body_surface", 0)?,
            body_contacts: Buffer::zeroed(ctx, "body_contacts", 0)?,
            body_contact_count: Buffer::zeroed(ctx, "body_contact_count", 0)?,
            wanted: Buffer::zeroed(ctx, "wanted", counts.proxies)?,
            ends: Buffer::zeroed(ctx, "ends", counts.proxies)?,
            residual_sq: Buffer::zeroed(ctx, "residual_sq", layout.block_count)?,
            measures: [
                measure("rows")?,
                measure("active_rows")?,
                measure("depth")?,
                measure("skipped")?,
                measure("nonfinite")?,
            ],
        })
    }

    /// Takes over element records.
    pub fn write_elements(&mut self, e: &Elements<f32>) -> Result<()> {
        write(&mut self.springs, &e.springs)?;
        write(&mut self.triangles, &e.triangles)?;
        write(&mut self.hinges, &e.hinges)?;
        write(&mut self.tets, &e.tets)
    }

    /// Makes room for shapes and bodies; the dense table of contacts takes every record
    /// that there can be.
    pub fn write_surroundings(&mut self, s: &Surroundings, counts: Counts) -> Result<()> {
        let (n, bodies) = (counts.slots, s.body_ids.len());
        self.shapes.write(&s.shapes)?;
        self.pair_material.resize(s.shapes.len() * counts.materials)?;
        self.contact_records.resize(s.shapes.len() * n)?;
        self.bodies.resize(bodies)?;
        self.body_state.resize(bodies)?;
        self.body_surface.resize(bodies)?;
        self.body_contact_count.resize(s.free)?;
        self.body_contacts.resize(s.list_capacity(n))
    }
}

fn write<H, D: Pod + for<'a> From<&'a H>>(to: &mut Buffer<D>, from: &[H]) -> Result<()> {
    let packed: Vec<D> = from.iter().map(D::from).collect();
    to.write(&packed)
}

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
    pub residual_particle: Bound,
    pub finalize_particle: Bound,
    pub measure_particle: Bound,
    pub gather_particle: Bound,
    /// Largest and sum of squared residuals, before the first sweep and after the last.
    pub residuals: [[Reduction; 2]; 2],
    /// Reductions of the measures.
    pub measures: [Reduction; 5],
}

impl Kernels {
    /// Binds every kernel.
    pub fn new(pipelines: &Pipelines, a: &Arrays, layout: &Layout) -> Result<Self> {
        let residual = |kind| Reduction::new(pipelines, kind, &a.residual_sq, layout.block_count);
        let residuals = || -> Result<[Reduction; 2]> { Ok([residual(Reduce::Max)?, residual(Reduce::Sum)?]) };
        let measure = |i: usize, kind| Reduction::new(pipelines, kind, &a.measures[i], a.measures[i].len());
        let sum = |i| measure(i, Reduce::Sum);
        let bind = |stem: &str, names: &[&str]| a.bind(pipelines, stem, names);
        Ok(Self {
            predict_particle: bind("predict_particle", PREDICT)?,
            place_proxy: bind("place_proxy", PLACE_PROXY)?,
            place_body: bind("place_body", &["step", "bodies", "body_state", "body_surface"])?,
            start_angle: bind("start_angle", &["particle_q", "hinges", "hinge_start"])?,
            detect: bind("detect_particle_shape", DETECT)?,
            list_body_contacts: bind("list_body_contacts", LIST)?,
            solve_body: bind("solve_body", SOLVE_BODY)?,
            solve_particle: bind("solve_particle", BLOCK)?,
            residual_particle: bind("residual_particle", &[BLOCK, &["residual_sq"]].concat())?,
            finalize_particle: bind("finalize_particle", FINALIZE)?,
            measure_particle: bind("measure_particle", MEASURE)?,
            gather_particle: bind("gather_particle", GATHER)?,
            residuals: [residuals()?, residuals()?],
            measures: [sum(0)?, sum(1)?, measure(2, Reduce::Max)?, sum(3)?, sum(4)?],
        })
    }
}

const PREDICT: &[&str] = &[
    "step",
    "particle_q",
    "particle_info",
    "particle_f",
    "particle_qd",
    "particle_target",
    "particle_iterate",
];
const PLACE_PROXY: &[&str] =
    &["particle_q", "proxy_targets", "particle_qd", "particle_target", "particle_iterate"];
const DETECT: &[&str] = &[
    "step",
    "particle_q",
    "particle_info",
    "particle_target",
    "shapes",
    "bodies",
    "pair_material",
    "contact_records",
    "contact_count",
];
const LIST: &[&str] =
    &["step", "bodies", "contact_records", "contact_count", "body_contacts", "body_contact_count"];
const SOLVE_BODY: &[&str] = &[
    "step",
    "particle_target",
    "particle_iterate",
    "bodies",
    "contact_records",
    "body_contacts",
    "body_contact_count",
    "body_state",
    "body_surface",
];
const BLOCK: &[&str] = &[
    "step",
    "particle_target",
    "body_surface",
    "contact_records",
    "contact_count",
    "corner_start",
    "corners",
    "springs",
    "triangles",
    "hinges",
    "tets",
    "hinge_start",
    "particle_iterate",
];
const FINALIZE: &[&str] = &["step", "particle_target", "particle_iterate", "particle_q", "particle_qd"];
const MEASURE: &[&str] = &[
    "step",
    "particle_target",
    "particle_iterate",
    "body_surface",
    "contact_records",
    "contact_count",
    "rows",
    "active_rows",
    "depth",
    "skipped",
    "nonfinite",
];
const GATHER: &[&str] = &["wanted", "particle_q", "particle_qd", "particle_iterate", "ends"];

impl Arrays {
    fn bind(&self, pipelines: &Pipelines, kernel: &str, names: &[&str]) -> Result<Bound> {
        let buffers: Vec<_> = names.iter().map(|n| self.named(n)).collect();
        pipelines.bind(&format!("vbd/{kernel}"), &buffers)
    }

    /// The buffer of a binding.
    fn named<'a>(&'a self, name: &'a str) -> coact_compute::BufferRef<'a> {
        match name {
            "step" => self.step.bind(name),
            "particle_q" => self.particle_q.bind(name),
            "particle_qd" => self.particle_qd.bind(name),
            "particle_f" => self.particle_f.bind(name),
            "particle_info" => self.particle_info.bind(name),
            "particle_target" => self.particle_target.bind(name),
            "particle_iterate" => self.particle_iterate.bind(name),
            "proxy_targets" => self.proxy_targets.bind(name),
            "corner_start" => self.corner_start.bind(name),
            "corners" => self.corners.bind(name),
            "springs" => self.springs.bind(name),
            "triangles" => self.triangles.bind(name),
            "hinges" => self.hinges.bind(name),
            "tets" => self.tets.bind(name),
            "hinge_start" => self.hinge_start.bind(name),
            "shapes" => self.shapes.bind(name),
            "pair_material" => self.pair_material.bind(name),
            "contact_records" => self.contact_records.bind(name),
            "contact_count" => self.contact_count.bind(name),
            "bodies" => self.bodies.bind(name),
            "body_state" => self.body_state.bind(name),
            "body_surface" => self.body_surface.bind(name),
            "body_contacts" => self.body_contacts.bind(name),
            "body_contact_count" => self.body_contact_count.bind(name),
            "wanted" => self.wanted.bind(name),
            "ends" => self.ends.bind(name),
            "residual_sq" => self.residual_sq.bind(name),
            "rows" => self.measures[0].bind(name),
            "active_rows" => self.measures[1].bind(name),
            "depth" => self.measures[2].bind(name),
            "skipped" => self.measures[3].bind(name),
            // the binding is then refused with its name
            _ => self.measures[4].bind(name),
        }
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
}

impl Ranges {
    /// Ranges of a layout.
    pub fn new(ctx: &Arc<GpuContext>, layout: &Layout) -> Result<Self> {
        let mut table = Params::with_capacity(ctx, "vbd ranges", layout.color_count() + 3)?;
        let range = |first: usize, count: usize| RangeParams { first: first as u32, count: count as u32 };
        let colors = (0..layout.color_count()).map(|c| layout.color(c));
        let colors = colors.map(|b| (table.push(&range(b.start, b.len())), b.len() as u32)).collect();
        let hinges = table.push(&range(0, layout.hinge_ids.len()));
        let (proxies, gather) = (table.push(&range(0, 0)), table.push(&range(0, 0)));
        table.upload()?;
        Ok(Self { table, colors, hinges, proxies, gather })
    }
}
