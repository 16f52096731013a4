//! Rows of contacts: Jacobians and responses in the coordinates of the trees.
//!
//! Theory: `docs/theory/articulated.md` eq. (24)-(26). A contact has three rows (normal,
//! two tangents). For each tree that it touches, J (3×n) and Y = J A⁻¹ (3×n) lie in one
//! buffer; a contact of two links of one tree has one segment, their difference.

use coact_math::{Pose, Spatial, Vec3, cholesky};
use coact_model::{ModelView, ShapeId};

use super::candidates::Candidates;
use super::scalar::ScalarRow;
use crate::config::ArticulatedConfig;
use crate::kick::DriveMatrix;
use crate::kinematics::Kinematics;
use crate::layout::Layout;
use crate::motion::Motion;

/// What detection and rows read.
pub(crate) struct RowContext<'a> {
    pub layout: &'a Layout,
    pub view: &'a ModelView,
    pub candidates: &'a Candidates,
    pub motion: &'a Motion,
    pub kin: &'a Kinematics,
    pub drives: &'a DriveMatrix,
    /// Velocities of links after the kick. Shape: \[link_count\].
    pub velocity: &'a [Spatial],
    /// Rates after the kick. Shape: \[dof_count\].
    pub u: &'a [f64],
    pub h: f64,
}

/// One side of a contact: a point of a link, of a base, or of the world.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End {
    pub link: Option<usize>,
    pub base: Option<usize>,
    pub local: Vec3,
}

/// The part of a contact's rows that belongs to one tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub tree: usize,
    /// Start in the buffers: three rows of n numbers.
    pub start: usize,
}

/// Shapes of both ends and the ordinal of the point.
pub(crate) type Key = (u32, u32, u32);

/// A contact with its three rows. The normal points from end 0 to end 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Contact {
    pub key: Key,
    pub ends: [End; 2],
    pub normal: Vec3,
    pub margin: f64,
    /// Velocity of the surface of end 1 against that of end 0 by their own motion \[m/s\].
    pub carried: Vec3,
    /// Signed distance at the begin of the step \[m\].
    pub gap: f64,
    pub mu: f64,
    pub restitution: f64,
    /// Where the surfaces meet \[m\].
    pub at: Vec3,
    pub segments: [Option<Segment>; 2],
    /// Row directions: normal, two tangents.
    pub axes: [Vec3; 3],
    /// Relative velocity along the rows after the kick \[m/s\].
    pub v0: [f64; 3],
    /// The normal velocity must not be less than this \[m/s\].
    pub target: f64,
    /// Normal: 1/(J A⁻¹ Jᵀ); tangents: 1/largest eigenvalue of their 2×2 block.
    pub inv_diagonal: [f64; 2],
    /// Impulses along the rows \[N·s\].
    pub impulse: [f64; 3],
}

/// The impulse of the last step, by key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Warm {
    pub key: Key,
    /// Impulse on end 1 in the world frame \[N·s\].
    pub impulse: Vec3,
}

/// All rows of a step and the memory they use.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactSet {
    pub contacts: Vec<Contact>,
    pub scalars: Vec<ScalarRow>,
    pub jacobian: Vec<f64>,
    pub response: Vec<f64>,
    /// Change of rates by impulses. Shape: \[dof_count\].
    pub du: Vec<f64>,
    pub warm: Vec<Warm>,
    /// Impulses of limits (lower, upper) and friction. Shape: \[dof_count\].
    pub warm_scalar: Vec<[f64; 3]>,
    /// Whether joint limits act.
    pub limits: bool,
    /// Share of a penetration that is taken back per step.
    pub baumgarte: f64,
}

impl RowContext<'_> {
    /// Pose of the body that carries an end.
    pub fn end_pose(&self, end: &End) -> Pose {
        match (end.link, end.base) {
            (Some(i), _) => self.kin.pose[i],
            (None, Some(k)) => self.motion.base_q[k],
            (None, None) => Pose::identity(),
        }
    }

    pub fn world_to_base(&self, base: Option<usize>, x: &Vec3) -> Vec3 {
        base.map_or(*x, |k| self.motion.base_q[k].inverse().point(x))
    }

    /// Velocity of the surface of `shapes[1]` against that of `shapes[0]`, conveyors \[m/s\].
    pub fn carried(&self, ends: &[End; 2], shapes: [ShapeId; 2]) -> Vec3 {
        let own = |i: usize| {
            let v = &self.view.shape_surface_velocity[shapes[i].index()];
            self.end_pose(&ends[i]).vector(v)
        };
        own(1) - own(0)
    }

    fn end_velocity(&self, end: &End, at: &Vec3) -> Vec3 {
        match (end.link, end.base) {
            (Some(i), _) => self.velocity[i].velocity_at(&(at - self.kin.com[i])),
            (None, Some(k)) => {
                let com = self.motion.base_q[k].point(&self.layout.bases[k].com);
                self.motion.base_qd[k].velocity_at(&(at - com))
            }
            (None, None) => Vec3::zeros(),
        }
    }

    /// Velocity of end 1 against end 0 where they meet, after the kick.
    pub fn relative_velocity(&self, c: &Contact) -> Vec3 {
        self.end_velocity(&c.ends[1], &c.at) - self.end_velocity(&c.ends[0], &c.at)
    }
}

impl ContactSet {
    pub fn new(layout: &Layout, config: &ArticulatedConfig) -> Self {
        let n = layout.dofs.len();
        Self {
            du: vec![0.0; n],
            warm_scalar: vec![[0.0; 3]; n],
            limits: config.limits,
            baumgarte: config.baumgarte,
            ..Self::default()
        }
    }

    /// Builds all rows of the detected contacts: eq. (24), (25).
    pub fn assemble(&mut self, cx: &RowContext) {
        self.jacobian.clear();
        self.response.clear();
        let mut contacts = std::mem::take(&mut self.contacts);
        for c in &mut contacts {
            c.axes = row_axes(&c.normal);
            let v = cx.relative_velocity(c);
            let [n, tangents @ ..] = c.axes;
            let [t, u] = tangents.map(|a| a.dot(&(v + c.carried)));
            c.v0 = [n.dot(&v), t, u];
            self.add_segments(cx, c);
            self.eval_diagonal(cx.layout, c);
        }
        self.contacts = contacts;
        self.assemble_scalars(cx);
    }

    fn add_segments(&mut self, cx: &RowContext, c: &mut Contact) {
        c.segments = [None; 2];
        for (end, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(link) = c.ends[end].link else { continue };
            let tree = cx.layout.links[link].tree;
            let shared = c.segments[0].filter(|s| s.tree == tree);
            let n = cx.layout.trees[tree].n();
            let start = shared.map_or(self.jacobian.len(), |s| s.start);
            if shared.is_none() {
                self.jacobian.resize(start + 3 * n, 0.0);
                c.segments[end] = Some(Segment { tree, start });
            }
            let first = cx.layout.trees[tree].dofs.start;
            cx.kin.each_moving(cx.layout, link, |d| {
                let v = cx.kin.column(d, &c.at).lin;
                for (row, a) in c.axes.iter().enumerate() {
                    self.jacobian[start + row * n + d - first] += sign * a.dot(&v);
                }
            });
        }
        self.response.extend_from_slice(&self.jacobian[self.response.len()..]);
        for s in c.segments.iter().flatten() {
            let tree = &cx.layout.trees[s.tree];
            for row in self.response[s.start..s.start + 3 * tree.n()].chunks_exact_mut(tree.n().max(1)) {
                cholesky::solve(&cx.drives.factor[tree.block()], row);
            }
        }
    }

    /// Entry (a, b) of J A⁻¹ Jᵀ of one contact.
    fn delassus(&self, layout: &Layout, c: &Contact, a: usize, b: usize) -> f64 {
        let entry = |s: &Segment| {
            let n = layout.trees[s.tree].n();
            let row = |k: usize| s.start + k * n..s.start + (k + 1) * n;
            dot(&self.jacobian[row(a)], &self.response[row(b)])
        };
        c.segments.iter().flatten().map(entry).sum()
    }

    fn eval_diagonal(&self, layout: &Layout, c: &mut Contact) {
        let w = |a, b| self.delassus(layout, c, a, b);
        let (n, t1, t2, t12) = (w(0, 0), w(1, 1), w(2, 2), w(1, 2));
        let half = 0.5 * (t1 - t2);
        let largest = 0.5 * (t1 + t2) + (half * half + t12 * t12).sqrt();
        c.inv_diagonal = [n, largest].map(|d| if d > 0.0 { 1.0 / d } else { 0.0 });
    }
}

/// Two tangents that depend on the normal alone.
fn row_axes(n: &Vec3) -> [Vec3; 3] {
    let other = if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let t = (other - n * n.dot(&other)).normalize();
    [*n, t, n.cross(&t)]
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
