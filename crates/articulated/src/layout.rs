//! Trees of links, compacted from the global ids of a view.
//!
//! Every dynamic body that the view owns, or that stands in for another entry's, is a link; links are ordered so that a parent
//! comes before its children and a tree is contiguous. A body without an incoming joint
//! gets a free joint to the world whose anchors are the world and body frames. All other
//! bodies (kinematic, immovable, of other entries) are bases: they move as prescribed.

use std::ops::Range;

use coact_math::{Mat3, Pose, PrincipalInertia, Quat, Vec3};
use coact_model::{BodyId, JointId, JointKind, ModelView};
use coact_solver::SolverError;

use crate::refuse;

/// A dynamic body and the joint that carries it.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub body: BodyId,
    /// `None`: a synthesised free root.
    pub joint: Option<JointId>,
    pub kind: JointKind,
    /// Parent link; `None`: the tree's base, or the world.
    pub parent: Option<usize>,
    pub tree: usize,
    /// Parent anchor frame in the parent body (or world) frame.
    pub x_p: Pose,
    /// Body frame in the child anchor frame.
    pub x_c_inv: Pose,
    /// Unit axis in the anchor frames (revolute and prismatic).
    pub axis: Vec3,
    /// Rotation between the anchor frames of a fixed joint.
    pub rest: Quat,
    pub com: Vec3,
    pub mass: f64,
    /// About the centre of mass, body axes.
    pub inertia: Mat3,
    pub principal: PrincipalInertia,
    /// Start of its coordinates in the solver's `q`.
    pub coord: usize,
    /// Its freedoms in the solver's `qd`.
    pub dofs: Range<usize>,
}

/// One freedom: where its numbers are in the global arrays, and its passive parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dof {
    pub link: usize,
    /// Row of `joint_qd` and `joint_f`; `None`: freedom of a synthesised root.
    pub global: Option<usize>,
    /// Row of `joint_axis` and of the drive targets.
    pub axis: Option<usize>,
    pub armature: f64,
    pub ke: f64,
    pub kd: f64,
    pub effort: f64,
    pub lower: f64,
    pub upper: f64,
    /// Dry friction \[N or N·m\].
    pub friction: f64,
}

impl Dof {
    /// What an implicit drive adds to the mass of the freedom in a step of `h`.
    pub fn drive_gain(&self, h: f64) -> f64 {
        h * self.kd + h * h * self.ke
    }
}

/// A connected set of links.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub links: Range<usize>,
    pub dofs: Range<usize>,
    /// Start of its dense matrix in the matrix arrays.
    pub matrix: usize,
    /// The base that carries its root; `None`: the world.
    pub base: Option<usize>,
    /// A single body that moves freely relative to the world.
    pub single: bool,
    pub driven: bool,
}

impl Tree {
    /// Number of freedoms.
    pub fn n(&self) -> usize {
        self.dofs.len()
    }

    /// Range of its dense matrix.
    pub fn block(&self) -> Range<usize> {
        self.matrix..self.matrix + self.n() * self.n()
    }
}

/// A body that moves as prescribed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    pub body: BodyId,
    pub com: Vec3,
    /// Kinematic bodies advance by their velocity; bodies of others stand still.
    pub moves: bool,
}

/// What a body is to this solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Link(usize),
    Base(usize),
}

/// The compact structure of everything that the view owns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub links: Vec<Link>,
    pub dofs: Vec<Dof>,
    pub trees: Vec<Tree>,
    pub bases: Vec<Base>,
    /// Shape: \[body_count\].
    pub roles: Vec<Role>,
    pub coord_count: usize,
    pub matrix_len: usize,
}

/// Incoming and outgoing enabled joints of every body.
struct Graph {
    incoming: Vec<Option<JointId>>,
    children: Vec<Vec<JointId>>,
}

fn is_link(view: &ModelView, b: BodyId) -> bool {
    let here = view.owns_body(b) || view.is_proxy_body(b);
    here && !view.body_kinematic[b.index()] && view.body_inv_mass[b.index()] > 0.0
}

impl Layout {
    /// Finds the trees of `view`.
    ///
    /// # Errors
    /// What this solver cannot handle: other joint kinds, loops.
    pub fn build(view: &ModelView) -> Result<Self, SolverError> {
        let graph = Graph::build(view)?;
        let mut layout = Self { roles: vec![Role::Base(0); view.body_count()], ..Self::default() };
        layout.add_bases(view);
        for b in (0..view.body_count()).map(BodyId::new) {
            let carrier = graph.incoming[b.index()].and_then(|j| view.joint_parent[j.index()]);
            let is_root = carrier.is_none_or(|p| !is_link(view, p));
            if is_link(view, b) && is_root {
                layout.add_tree(view, &graph, b);
            }
        }
        let unreached = (0..view.body_count())
            .map(BodyId::new)
            .find(|&b| is_link(view, b) && !matches!(layout.roles[b.index()], Role::Link(_)));
        match unreached {
            Some(b) => Err(refuse::joint_cycle(b)),
            None => Ok(layout),
        }
    }

    fn add_bases(&mut self, view: &ModelView) {
        for b in (0..view.body_count()).map(BodyId::new).filter(|&b| !is_link(view, b)) {
            let i = b.index();
            self.roles[i] = Role::Base(self.bases.len());
            self.bases.push(Base { body: b, com: view.body_com[i], moves: view.body_kinematic[i] });
        }
    }

    fn add_tree(&mut self, view: &ModelView, graph: &Graph, root: BodyId) {
        let (first_link, first_dof) = (self.links.len(), self.dofs.len());
        let joint = graph.incoming[root.index()];
        let base = joint.and_then(|j| view.joint_parent[j.index()]).map(|p| match self.roles[p.index()] {
            Role::Base(k) => k,
            Role::Link(_) => unreachable!("a root is not carried by a link"),
        });
        self.add_link(view, root, joint, None);
        let mut at = first_link;
        while at < self.links.len() {
            let body = self.links[at].body;
            for &j in &graph.children[body.index()] {
                self.add_link(view, view.joint_child[j.index()], Some(j), Some(at));
            }
            at += 1;
        }
        let dofs = first_dof..self.dofs.len();
        let links = first_link..self.links.len();
        let single = links.len() == 1 && self.links[first_link].kind == JointKind::Free && base.is_none();
        let driven = self.dofs[dofs.clone()].iter().any(|d| d.ke > 0.0 || d.kd > 0.0);
        let tree = Tree { links, dofs, matrix: self.matrix_len, base, single, driven };
        self.matrix_len += tree.n() * tree.n();
        self.trees.push(tree);
    }

    fn add_link(&mut self, view: &ModelView, body: BodyId, joint: Option<JointId>, parent: Option<usize>) {
        let (i, k) = (body.index(), self.links.len());
        let kind = joint.map_or(JointKind::Free, |j| view.joint_kind[j.index()]);
        let dofs = self.dofs.len()..self.dofs.len() + kind.dof_count();
        for d in 0..kind.dof_count() {
            self.dofs.push(eval_dof(view, joint, kind, d, k));
        }
        let at = |j: Option<JointId>, x: fn(&ModelView, usize) -> Pose| j.map(|j| x(view, j.index()));
        let axis = joint.and_then(|j| view.axes_of(j).first().map(|a| a.axis));
        let x_p = at(joint, |v, j| v.joint_x_p[j]).unwrap_or_default();
        let x_c = at(joint, |v, j| v.joint_x_c[j]).unwrap_or_default();
        self.links.push(Link {
            body,
            joint,
            kind,
            parent,
            tree: self.trees.len(),
            x_p,
            x_c_inv: x_c.inverse(),
            axis: axis.unwrap_or_else(Vec3::z),
            rest: joint.map_or_else(Quat::identity, |j| view.joint_rest_rotation[j.index()]),
            com: view.body_com[i],
            mass: view.body_mass[i],
            inertia: view.body_inertia[i],
            principal: PrincipalInertia::from_tensor(&view.body_inertia[i]),
            coord: self.coord_count,
            dofs,
        });
        self.coord_count += kind.coord_count();
        self.roles[i] = Role::Link(k);
    }
}

fn eval_dof(view: &ModelView, joint: Option<JointId>, kind: JointKind, d: usize, link: usize) -> Dof {
    let global = joint.map(|j| view.joint_qd_start[j.index()] as usize + d);
    let axis = joint.filter(|_| d < kind.axis_count()).map(|j| view.joint_axis_start[j.index()] as usize + d);
    let a = axis.map(|a| view.joint_axis[a]).unwrap_or_default();
    Dof {
        link,
        global,
        axis,
        armature: a.armature,
        ke: a.target_ke,
        kd: a.target_kd,
        effort: a.effort_limit,
        lower: a.limit_lower,
        upper: a.limit_upper,
        friction: a.friction,
    }
}

impl Graph {
    fn build(view: &ModelView) -> Result<Self, SolverError> {
        let count = view.body_count();
        let mut graph = Self { incoming: vec![None; count], children: vec![Vec::new(); count] };
        for j in (0..view.joint_count()).map(JointId::new) {
            if view.joint_enabled[j.index()] && view.solves_joint(j) {
                graph.add(view, j)?;
            }
        }
        Ok(graph)
    }

    fn add(&mut self, view: &ModelView, j: JointId) -> Result<(), SolverError> {
        use JointKind::{Ball, Fixed, Free, Prismatic, Revolute};
        let kind = view.joint_kind[j.index()];
        if !matches!(kind, Fixed | Revolute | Prismatic | Ball | Free) {
            return Err(refuse::joint_kind(j, kind));
        }
        let (parent, child) = (view.joint_parent[j.index()], view.joint_child[j.index()]);
        if let Some(b) = [Some(child), parent].into_iter().flatten().find(|&b| view.is_proxy_body(b)) {
            return Err(refuse::proxy_joint(j, b));
        }
        if !is_link(view, child) {
            // a free joint constrains nothing: the body moves as prescribed
            return if kind == Free { Ok(()) } else { Err(refuse::immovable_child(j, child)) };
        }
        if let Some(first) = self.incoming[child.index()] {
            return Err(refuse::loop_closure(first, j, child));
        }
        self.incoming[child.index()] = Some(j);
        if let Some(p) = parent {
            self.children[p.index()].push(j);
        }
        Ok(())
    }
}
