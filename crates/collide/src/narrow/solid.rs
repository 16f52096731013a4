//! The shapes of the narrow phase: support points, faces and skeletons in their own frame.
//! Theory: `docs/theory/contact-detection.md` eq. (1), (2).

use std::sync::Arc;

use coact_math::Vec3;
use coact_model::{Geometry, TriMesh};

use super::hull::Hull;
use super::surface::Surface;
use crate::sdf::{MeshFault, Sdf};

/// A body of revolution touches with its side where its outward normal is at least this far
/// (sine) from its axis; nearer to it, it stands on its cap and does not roll.
const SIDE: f64 = 0.02;

/// A shape of the narrow phase.
#[derive(Clone, Debug)]
pub(crate) enum Solid {
    /// One of the simple shapes.
    Formula(Sdf),
    /// A convex hull.
    Hull(Arc<Hull>),
    /// A triangle surface: no core of its own, it is met triangle by triangle.
    Surface(Arc<Surface>),
    /// A triangle of a surface, counter-clockwise from outside.
    Triangle([Vec3; 3]),
}

impl Solid {
    /// Stands for what is not met.
    pub const NOTHING: Self = Self::Formula(Sdf::Sphere { radius: 0.0 });

    /// Of a geometry; `known` are asked first for one of the same mesh.
    ///
    /// # Errors
    /// What keeps a mesh or a hull from being met.
    pub fn of<'a>(geometry: &Geometry, mut known: impl Iterator<Item = &'a Self>) -> Result<Self, MeshFault> {
        match geometry {
            Geometry::ConvexHull(m) => {
                let same = known.find(|k| matches!(k, Self::Hull(h) if h.is_made_from(m)));
                same.cloned().map_or_else(|| Ok(Self::Hull(Arc::new(Hull::new(m)?))), Ok)
            }
            Geometry::Mesh(m) => Self::of_surface(m, known),
            Geometry::Heightfield(h) => Self::of_surface(h.solid(), known),
            other => Sdf::of(other).map(Self::Formula).ok_or(MeshFault::Empty),
        }
    }

    fn of_surface<'a>(
        m: &Arc<TriMesh>,
        mut known: impl Iterator<Item = &'a Self>,
    ) -> Result<Self, MeshFault> {
        let same = known.find(|k| matches!(k, Self::Surface(s) if s.is_made_from(m)));
        same.cloned().map_or_else(|| Ok(Self::Surface(Arc::new(Surface::new(m)?))), Ok)
    }

    /// Lower and upper corner \[m\] of the box that holds it; `None` for a plane.
    pub fn bounds(&self) -> Option<[Vec3; 2]> {
        match self {
            Self::Formula(sdf) => sdf.half_extents().map(|e| [-e, e]),
            Self::Hull(h) => Some([h.lower, h.upper]),
            Self::Surface(s) => Some(s.bounds()),
            Self::Triangle([a, b, c]) => Some([a.inf(b).inf(c), a.sup(b).sup(c)]),
        }
    }

    /// The middle of that box; the origin for a plane.
    pub fn centre(&self) -> Vec3 {
        match self {
            Self::Formula(_) => Vec3::zeros(),
            _ => self.bounds().map_or_else(Vec3::zeros, |[l, u]| (l + u) * 0.5),
        }
    }

    /// Radius by which the solid is larger than its core, on all sides \[m\].
    pub fn radius(&self) -> f64 {
        match *self {
            Self::Formula(Sdf::Sphere { radius } | Sdf::Capsule { radius, .. }) => radius,
            _ => 0.0,
        }
    }

    /// Radius of the ball about the origin that holds the solid \[m\]; infinite for a plane.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Formula(sdf) => sdf.bounding_radius(),
            Self::Hull(h) => h.radius(),
            Self::Surface(s) => s.radius(),
            Self::Triangle(t) => t.iter().map(Vec3::norm).fold(0.0, f64::max),
        }
    }

    /// Half the diagonal of its box \[m\], or its bounding radius: what is small is small against
    /// this.
    pub fn size(&self) -> f64 {
        match self {
            Self::Formula(sdf) => sdf.bounding_radius(),
            _ => self.bounds().map_or(f64::INFINITY, |[l, u]| (u - l).norm() * 0.5),
        }
    }

    /// Calls `f` with the normals of the faces that look along `d`, or across it.
    pub fn normals(&self, d: &Vec3, mut f: impl FnMut(Vec3)) {
        let toward = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        match self {
            Self::Formula(Sdf::Box { .. }) => {
                f(Vec3::new(toward(d.x), 0.0, 0.0));
                f(Vec3::new(0.0, toward(d.y), 0.0));
                f(Vec3::new(0.0, 0.0, toward(d.z)));
            }
            Self::Formula(Sdf::Cylinder { .. }) => f(Vec3::new(0.0, 0.0, toward(d.z))),
            Self::Formula(Sdf::Cone { .. }) if d.z < 0.0 => f(-Vec3::z()),
            Self::Hull(h) => h.normals(d, f),
            Self::Triangle(_) => f(self.face(d).normal),
            Self::Formula(_) | Self::Surface(_) => {}
        }
    }

    /// The point of the core that is farthest along `d`. A plane has none, and answers its origin.
    pub fn support(&self, d: &Vec3) -> Vec3 {
        match self {
            Self::Formula(sdf) => support_of(sdf, d),
            Self::Hull(h) => h.support(d),
            Self::Surface(s) => farthest(s.points.iter(), d),
            Self::Triangle(t) => farthest(t.iter(), d),
        }
    }

    /// Whether every surface point is its own skeleton point.
    pub fn is_own_skeleton(&self) -> bool {
        use Sdf::{Capsule, Cone, Cylinder, Sphere};
        !matches!(self, Self::Formula(Sphere { .. } | Capsule { .. } | Cylinder { .. } | Cone { .. }))
    }

    /// eq. (1): the skeleton point under the surface point `x` with outward normal `n`.
    pub fn skeleton(&self, n: &Vec3, x: &Vec3) -> Vec3 {
        match *self {
            Self::Formula(Sdf::Sphere { .. }) => Vec3::zeros(),
            Self::Formula(Sdf::Capsule { radius, half_height: h }) => {
                Vec3::new(0.0, 0.0, (x.z - radius * n.z).clamp(-h, h))
            }
            Self::Formula(Sdf::Cylinder { .. } | Sdf::Cone { .. }) => under_side(n, x).unwrap_or(*x),
            _ => *x,
        }
    }
}

/// The point of the axis beside `x`, if the surface there runs round the axis.
fn under_side(n: &Vec3, x: &Vec3) -> Option<Vec3> {
    let (across, out) = (n.xy().norm(), x.xy().norm());
    // the surface point lies in the half plane of the normal
    let aligned = n.xy().dot(&x.xy()) > 0.999 * across * out;
    (across > SIDE && aligned).then(|| Vec3::new(0.0, 0.0, x.z))
}

/// The farthest of `points` along `d`, the first of equals.
pub(super) fn farthest<'a>(mut points: impl Iterator<Item = &'a Vec3>, d: &Vec3) -> Vec3 {
    let first = points.next().copied().unwrap_or_default();
    let pick = |best: (Vec3, f64), x: &Vec3| {
        let along = x.dot(d);
        if along > best.1 { (*x, along) } else { best }
    };
    points.fold((first, first.dot(d)), pick).0
}

fn support_of(sdf: &Sdf, d: &Vec3) -> Vec3 {
    let z = |h: f64| if d.z < 0.0 { -h } else { h };
    match *sdf {
        Sdf::Plane | Sdf::Sphere { .. } => Vec3::zeros(),
        Sdf::Capsule { half_height, .. } => Vec3::new(0.0, 0.0, z(half_height)),
        Sdf::Box { half_extents: [x, y, h] } => {
            Vec3::new(if d.x < 0.0 { -x } else { x }, if d.y < 0.0 { -y } else { y }, z(h))
        }
        Sdf::Cylinder { radius, half_height } => rim(d, radius, z(half_height)),
        Sdf::Cone { radius, half_height } => {
            let (tip, base) = (Vec3::new(0.0, 0.0, half_height), rim(d, radius, -half_height));
            if tip.dot(d) > base.dot(d) { tip } else { base }
        }
        Sdf::Ellipsoid { radii } => {
            let e = Vec3::from(radii);
            let scaled = e.component_mul(d);
            let length = scaled.norm();
            if length > 0.0 { e.component_mul(&scaled) / length } else { Vec3::new(0.0, 0.0, e.z) }
        }
    }
}

/// The farthest point of a circle about the axis; +x where the direction is along the axis.
pub(super) fn rim(d: &Vec3, radius: f64, z: f64) -> Vec3 {
    let across = d.xy().norm();
    if across > 0.0 {
        Vec3::new(radius * d.x / across, radius * d.y / across, z)
    } else {
        Vec3::new(radius, 0.0, z)
    }
}
