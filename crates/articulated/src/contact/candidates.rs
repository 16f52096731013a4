//! Which points of which links can meet which planes; found once per layout.

use coact_math::{Pose, Vec3};
use coact_model::{Geometry, ModelView, ShapeFlags, ShapeId};
use coact_solver::SolverError;

use crate::layout::{Layout, Role};
use crate::proxy::is_proxy;
use crate::refuse;

/// A sphere of a link shape; radius 0 for corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// In the body frame \[m\].
    pub local: Vec3,
    pub radius: f64,
    /// Distinguishes the points of one shape.
    pub ordinal: u32,
}

/// A link shape and a plane that it can meet.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub link: usize,
    pub shape: ShapeId,
    pub points: std::ops::Range<usize>,
    pub plane: ShapeId,
    /// What carries the plane; `None`: the world.
    pub base: Option<usize>,
    /// The plane in the frame of its base.
    pub x: Pose,
    /// Sum of margins \[m\].
    pub margin: f64,
    /// Sum of gaps \[m\].
    pub gap: f64,
    pub mu: f64,
    pub restitution: f64,
}

/// All pairs of a layout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub points: Vec<Point>,
    pub pairs: Vec<Pair>,
}

impl Candidates {
    /// Finds the pairs.
    ///
    /// # Errors
    /// A colliding link shape and a colliding shape of the world that cannot be handled.
    pub fn build(view: &ModelView, layout: &Layout) -> Result<Self, SolverError> {
        let mut found = Self::default();
        let collides = |s: &ShapeId| view.shape_flags[s.index()].contains(ShapeFlags::COLLIDE_SHAPES);
        let shapes = || (0..view.shape_count()).map(ShapeId::new).filter(collides);
        for shape in shapes() {
            let Some(link) = link_of(view, layout, shape) else { continue };
            if is_proxy(view, layout, link) {
                continue;
            }
            let first = found.points.len();
            let known = found.add_points(view, shape);
            let points = first..found.points.len();
            for other in shapes().filter(|&o| link_of(view, layout, o).is_none()) {
                if !may_meet(view, layout, shape, other) {
                    continue;
                }
                let plane = matches!(view.shape_geometry[other.index()], Geometry::Plane);
                if !known || !plane {
                    return Err(refused_pair(view, layout.links[link].body, shape, other));
                }
                found.pairs.push(pair(view, layout, link, (shape, other), points.clone()));
            }
        }
        Ok(found)
    }

    /// Adds the points of a shape; false when its geometry has none.
    fn add_points(&mut self, view: &ModelView, shape: ShapeId) -> bool {
        let x = view.shape_x[shape.index()];
        let mut push = |p: Vec3, radius: f64, ordinal: usize| {
            self.points.push(Point { local: x.point(&p), radius, ordinal: ordinal as u32 });
        };
        match &view.shape_geometry[shape.index()] {
            Geometry::Sphere { radius } => push(Vec3::zeros(), *radius, 0),
            Geometry::Box { half_extents: e } => {
                for k in 0..8 {
                    let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                    push(e.component_mul(&Vec3::new(sign(1), sign(2), sign(4))), 0.0, k);
                }
            }
            Geometry::Capsule { radius, half_height } => {
                push(Vec3::new(0.0, 0.0, -half_height), *radius, 0);
                push(Vec3::new(0.0, 0.0, *half_height), *radius, 1);
            }
            Geometry::ConvexHull(mesh) | Geometry::Mesh(mesh) => {
                mesh.vertices.iter().enumerate().for_each(|(k, v)| push(*v, 0.0, k));
            }
            _ => return false,
        }
        true
    }
}

fn link_of(view: &ModelView, layout: &Layout, shape: ShapeId) -> Option<usize> {
    match layout.roles[view.shape_body[shape.index()]?.index()] {
        Role::Link(i) => Some(i),
        Role::Base(_) => None,
    }
}

/// Not filtered, and not shapes of two bodies that a joint connects.
fn may_meet(view: &ModelView, layout: &Layout, a: ShapeId, b: ShapeId) -> bool {
    let (group_a, group_b) = (view.shape_group[a.index()], view.shape_group[b.index()]);
    let groups = match (group_a, group_b) {
        (0, _) | (_, 0) => false,
        (x, y) if x > 0 && y > 0 => x == y,
        (x, y) if x < 0 && y < 0 => x != y,
        _ => true,
    };
    let listed = view.shape_filter_pairs.contains(&(a.min(b), a.max(b)));
    let base = view.shape_body[b.index()].map(|b| layout.roles[b.index()]);
    let jointed = link_of(view, layout, a).is_some_and(|i| {
        let link = &layout.links[i];
        let carrier = layout.trees[link.tree].base.map(Role::Base);
        link.parent.is_none() && base.is_some() && base == carrier
    });
    groups && !listed && !jointed
}

fn refused_pair(view: &ModelView, body: coact_model::BodyId, own: ShapeId, other: ShapeId) -> SolverError {
    let kind = |s: ShapeId| view.shape_geometry[s.index()].kind();
    refuse::shape_pair(body, kind(own), kind(other))
}

fn pair(
    view: &ModelView,
    layout: &Layout,
    link: usize,
    (shape, plane): (ShapeId, ShapeId),
    points: std::ops::Range<usize>,
) -> Pair {
    let (s, p) = (shape.index(), plane.index());
    let (a, b) = (view.material_of_shape(shape), view.material_of_shape(plane));
    let material = coact_model::Material::mix(a, b);
    let base = view.shape_body[p].and_then(|b| match layout.roles[b.index()] {
        Role::Base(k) => Some(k),
        Role::Link(_) => None,
    });
    Pair {
        link,
        shape,
        points,
        plane,
        base,
        x: view.shape_x[p],
        margin: view.shape_margin[s] + view.shape_margin[p],
        gap: view.shape_gap[s] + view.shape_gap[p],
        mu: material.mu,
        restitution: material.restitution,
    }
}
