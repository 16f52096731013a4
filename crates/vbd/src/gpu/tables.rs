//! From the prepared layout and the view to the tables of the device.

use coact_collide::{Mobility, Sdf, body_mobility};
use coact_math::Pose;
use coact_model::{BodyId, Material, Model, ModelView, ParticleId, ShapeFlags, ShapeId};

use super::records::{BodyRecord, ParticleInfo, ShapeRecord, quat, vec3};
use crate::body::{Bodies, Body};
use crate::particle::particle_mobility;
use crate::prepared::{Corner, Incidence, Layout};

/// Marks the static world in place of a body record.
const WORLD: u32 = u32::MAX;

/// The mobility as kernels know it.
pub fn mobility_code(m: Mobility) -> u32 {
    match m {
        Mobility::Static => 0,
        Mobility::Prescribed => 1,
        Mobility::Dynamic => 2,
        Mobility::Proxy => 3,
    }
}

/// Particles by slot.
pub fn particle_infos(view: &ModelView, layout: &Layout) -> Vec<ParticleInfo> {
    let info = |&p: &u32| {
        let (i, id) = (p as usize, ParticleId(p));
        ParticleInfo {
            mass: view.particle_mass[i] as f32,
            radius: view.particle_radius[i] as f32,
            mobility: mobility_code(particle_mobility(view, id)),
            material: view.particle_material[i].index() as u32,
        }
    };
    layout.particle_of.iter().map(info).collect()
}

/// The four lists of corners in one array, with the start of each block's part per kind.
pub fn corner_table(layout: &Layout) -> (Vec<[u32; 4]>, Vec<u32>) {
    let kinds: [&Incidence; 4] = [&layout.springs, &layout.triangles, &layout.hinges, &layout.tets];
    let mut entries: Vec<u32> = Vec::new();
    let mut start = vec![[0; 4]; layout.block_count + 1];
    for (k, incidence) in kinds.into_iter().enumerate() {
        let base = entries.len() as u32;
        start.iter_mut().zip(&incidence.start).for_each(|(to, from)| to[k] = base + from);
        entries.extend(incidence.entries.iter().map(|&Corner(packed)| packed));
    }
    (start, entries)
}

/// Whether two blocks of one color share an element: written in place, they would race.
pub fn shared_colors(layout: &Layout, view: &ModelView) -> bool {
    let color = |p: ParticleId| {
        let slot = layout.slot_of[p.index()] as usize;
        let color = |s: usize| layout.color_start.partition_point(|&start| start as usize <= s);
        (slot < layout.block_count).then(|| color(slot))
    };
    let clash = |vs: &[ParticleId]| {
        let mut pairs = vs.iter().enumerate().flat_map(|(i, &a)| vs[i + 1..].iter().map(move |&b| (a, b)));
        pairs.any(|(a, b)| color(a).is_some() && color(a) == color(b))
    };
    layout.spring_ids.iter().any(|&e| clash(&view.spring_indices[e as usize]))
        || layout.triangle_ids.iter().any(|&e| clash(&view.tri_indices[e as usize]))
        || layout.hinge_ids.iter().any(|&e| clash(&view.hinge_indices[e as usize]))
        || layout.tet_ids.iter().any(|&e| clash(&view.tet_indices[e as usize]))
}

/// Bodies that the device knows, free ones first, and its shapes.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Model index of each body record.
    pub body_ids: Vec<usize>,
    /// How many of them have a block.
    pub free: usize,
    /// Model index of each shape record.
    pub shape_ids: Vec<ShapeId>,
    /// Shape records, in order of ids.
    pub shapes: Vec<ShapeRecord>,
    /// Visible shapes of each body record.
    pub shapes_of: Vec<u32>,
}

impl Surroundings {
    /// What particles of `view` may meet. `gap` replaces the gaps of the shapes.
    pub fn new(view: &ModelView, gap: Option<f64>) -> Self {
        let mobility = |b: usize| {
            let id = BodyId::new(b);
            let ours = view.owns_body(id) || view.is_proxy_body(id);
            if ours { body_mobility(view, id) } else { Mobility::Static }
        };
        let is_free = |b: &usize| matches!(mobility(*b), Mobility::Dynamic | Mobility::Proxy);
        let (mut body_ids, held): (Vec<_>, Vec<_>) = (0..view.body_count()).partition(is_free);
        let free = body_ids.len();
        let visible = |s: &usize| view.shape_flags[*s].contains(ShapeFlags::COLLIDE_PARTICLES);
        let shape_of = |b: usize| (0..view.shape_count()).any(|s| visible(&s) && carries(view, s, b));
        body_ids.extend(held.into_iter().filter(|&b| shape_of(b)));
        let mut made = Self { shapes_of: vec![0; body_ids.len()], body_ids, free, ..Self::default() };
        for s in (0..view.shape_count()).filter(visible) {
            made.add_shape(view, ShapeId::new(s), gap);
        }
        made
    }

    fn add_shape(&mut self, view: &ModelView, id: ShapeId, gap: Option<f64>) {
        let i = id.index();
        let Some(sdf) = Sdf::of(&view.shape_geometry[i]) else { return };
        let Some((kind, dims)) = kind_and_dims(&sdf) else { return };
        let body = view.shape_body[i];
        let local = view.shape_x[i];
        let com = body.map_or_else(Default::default, |b| view.body_com[b.index()]);
        let at = body.and_then(|b| self.body_ids.iter().position(|&k| k == b.index()));
        if let Some(at) = at {
            self.shapes_of[at] += 1;
        }
        let far = local.p.norm() + sdf.bounding_radius();
        self.shape_ids.push(id);
        self.shapes.push(ShapeRecord {
            q: quat(&local.q),
            p: vec3(&(local.p - com)),
            kind,
            dims,
            margin: view.shape_margin[i] as f32,
            gap: gap.unwrap_or(view.shape_gap[i]) as f32,
            // a plane has no bound: a number that any distance is below, and finite on a device
            bounding: sdf.bounding_radius().min(1e30) as f32,
            far: if far.is_finite() { far as f32 } else { -1.0 },
            body: at.map_or(WORLD, |at| at as u32),
        });
    }

    /// Entries that all lists of contacts of bodies may need.
    pub fn list_capacity(&self, slots: usize) -> usize {
        self.shapes_of[..self.free].iter().map(|&n| n as usize * slots).sum()
    }

    /// Body records of a step, in the memory that is there.
    pub fn body_records(&self, bodies: &Bodies, slots: usize, speculative: bool, out: &mut Vec<BodyRecord>) {
        out.clear();
        let mut list_start = 0;
        for (i, &b) in self.body_ids.iter().enumerate() {
            out.push(BodyRecord { list_start, ..body_record(bodies.get(b), speculative) });
            list_start += if i < self.free { self.shapes_of[i] * slots as u32 } else { 0 };
        }
    }

    /// (ke, kd, mu, 0) of each pair of shape and particle material, in the memory that is there.
    pub fn pair_materials(&self, model: &Model, out: &mut Vec<[f32; 4]>) {
        out.clear();
        for &s in &self.shape_ids {
            let surface = model.material_of_shape(s);
            out.extend(model.materials.iter().map(|p| {
                let pair = Material::mix(p, surface);
                [pair.ke as f32, pair.kd as f32, pair.mu as f32, 0.0]
            }));
        }
    }
}

fn carries(view: &ModelView, shape: usize, body: usize) -> bool {
    view.shape_body[shape].is_some_and(|b| b.index() == body)
}

/// The code of a shape and its lengths; `None` if kernels do not know it.
fn kind_and_dims(sdf: &Sdf) -> Option<(u32, [f32; 3])> {
    let f = |x: f64| x as f32;
    Some(match *sdf {
        Sdf::Plane => (0, [0.0; 3]),
        Sdf::Sphere { radius } => (1, [f(radius), 0.0, 0.0]),
        Sdf::Box { half_extents } => (2, half_extents.map(f)),
        Sdf::Capsule { radius, half_height } => (3, [f(radius), f(half_height), 0.0]),
        Sdf::Cylinder { radius, half_height } => (4, [f(radius), f(half_height), 0.0]),
        Sdf::Cone { .. } | Sdf::Ellipsoid { .. } => return None,
    })
}

/// The first shape that particles may meet and that kernels do not know.
pub fn unknown_shape(view: &ModelView) -> Option<ShapeId> {
    let known =
        |s: ShapeId| Sdf::of(&view.shape_geometry[s.index()]).is_some_and(|d| kind_and_dims(&d).is_some());
    let visible = |s: &ShapeId| view.shape_flags[s.index()].contains(ShapeFlags::COLLIDE_PARTICLES);
    (0..view.shape_count()).map(ShapeId::new).filter(visible).find(|&s| !known(s))
}

/// The record of a body: differences are taken in `f64`, before rounding.
fn body_record(b: &Body, speculative: bool) -> BodyRecord {
    let turn = b.target.q * b.begin.q.inverse();
    let (far, near) = (b.motion_bound(1.0), b.motion_bound(0.0));
    let (reach, reach_turn) = if speculative { (near, far - near) } else { (0.0, 0.0) };
    let i = &b.inertia;
    BodyRecord {
        q_begin: quat(&b.begin.q),
        q_target: quat(&b.target.q),
        turn_step: quat(&turn),
        c_begin: vec3(&b.begin.p),
        mobility: mobility_code(b.mobility),
        c_target: vec3(&b.target.p),
        mass: b.mass as f32,
        c_step: vec3(&(b.target.p - b.begin.p)),
        reach: reach as f32,
        torque: vec3(&b.torque),
        reach_turn: reach_turn as f32,
        inertia_d: [i.m11 as f32, i.m22 as f32, i.m33 as f32],
        list_start: 0,
        inertia_o: [i.m12 as f32, i.m13 as f32, i.m23 as f32],
        unused: 0.0,
    }
}

/// Takes over what a step found for a body: eq. (18) in `f64`.
pub fn place(b: &mut Body, turn: &[f32; 4], dx: &[f32; 3]) {
    let [x, y, z, w] = turn.map(f64::from);
    let turn = coact_math::Quat::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
    let mut q = turn * b.target.q;
    q.renormalize();
    b.dx = super::records::host(dx);
    b.now = Pose::new(b.target.p + b.dx, q);
}
