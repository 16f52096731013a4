//! Everything of a solver that lives on the device. Kernels are bound to it in `kernels.rs`.

use std::sync::Arc;

use bytemuck::Pod;
use coact_compute::{Buffer, BufferRef, GpuContext, Result, Uniform};

use super::elements::{DeviceHinge, DeviceSpring, DeviceTet, DeviceTriangle};
use super::records::{
    BodyRecord, BodyState, BodySurface, ContactRecord, Outcome, ParticleEnd, ParticleInfo, ParticleIterate,
    ParticleTarget, ProxyTarget, ShapeRecord, StepRecord,
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
    /// Particles whose target may be set from outside: proxies and pinned ones.
    pub targets: usize,
    /// Contact materials.
    pub materials: usize,
    /// Bodies of the model: as many may be free.
    pub bodies: usize,
    /// Whether blocks of one color share elements.
    pub shared_colors: bool,
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
    /// Iterates of a color whose blocks share elements; else empty.
    pub particle_next: Buffer<ParticleIterate>,
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
    /// Squared force residuals of free bodies, before the first sweep, then after the last.
    pub body_residual: Buffer<f32>,
    pub deepest: Buffer<[u32; 2]>,
    /// One `Outcome`, as words.
    pub outcome: Buffer<u32>,
}

impl Arrays {
    /// Room for a layout; contents follow by `write_*`.
    pub fn new(ctx: &Arc<GpuContext>, layout: &Layout, counts: Counts) -> Result<Self> {
        let n = counts.slots;
        let (corner_start, corners) = corner_table(layout);
        Ok(Self {
            step: Uniform::new(ctx, "step", StepRecord::default())?,
            particle_q: Buffer::zeroed(ctx, "particle_q", n)?,
            particle_qd: Buffer::zeroed(ctx, "particle_qd", n)?,
            particle_f: Buffer::zeroed(ctx, "particle_f", n)?,
            particle_info: Buffer::zeroed(ctx, "particle_info", n)?,
            particle_target: Buffer::zeroed(ctx, "particle_target", n)?,
            particle_iterate: Buffer::zeroed(ctx, "particle_iterate", n)?,
            particle_next: Buffer::zeroed(ctx, "particle_next", if counts.shared_colors { n } else { 0 })?,
            proxy_targets: Buffer::zeroed(ctx, "proxy_targets", counts.targets)?,
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
            body_residual: Buffer::zeroed(ctx, "body_residual", 2 * counts.bodies)?,
            deepest: Buffer::zeroed(ctx, "deepest", n)?,
            outcome: Buffer::from_slice(ctx, "outcome", bytemuck::cast_slice(&[Outcome::default()]))?,
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

impl Arrays {
    /// The buffer of a binding.
    pub fn named(&self, name: &'static str) -> BufferRef<'_> {
        match name {
            "step" => self.step.bind(name),
            "particle_q" => self.particle_q.bind(name),
            "particle_qd" => self.particle_qd.bind(name),
            "particle_f" => self.particle_f.bind(name),
            "particle_info" => self.particle_info.bind(name),
            "particle_target" => self.particle_target.bind(name),
            "particle_iterate" => self.particle_iterate.bind(name),
            "particle_next" => self.particle_next.bind(name),
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
            "body_residual" => self.body_residual.bind(name),
            "deepest" => self.deepest.bind(name),
            // an unknown name is then refused with the kernel that has it
            _ => self.outcome.bind(name),
        }
    }
}
