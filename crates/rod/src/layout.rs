//! Which bodies and joints make which rod.
//!
//! Every dynamic body of the view, its own or a proxy, is a segment; rod, fixed, ball and revolute joints
//! that the view solves, also those that are switched off just now, make rods of segments. What does not move by force is
//! a base.

use coact_math::Vec3;
use coact_model::{BodyId, JointId, ModelView, ParticleId};
use coact_solver::SolverError;

use crate::element::{Element, Side};
use crate::joint::{self, Bond};
use crate::node::Node;
use crate::refuse;
use crate::rod::Rod;

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// (rod, segment of it).
    Segment(u32, u32),
    /// Moves as prescribed: its index among the bases.
    Base(u32),
}

/// A body that moves as prescribed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    pub body: BodyId,
    /// Centre of mass in the body frame \[m\].
    pub com: Vec3,
    /// It is kinematic; else it belongs to another solver and stands where that one puts it.
    pub moves: bool,
}

/// Rods and bases of a view.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// By body. Shape: \[body_count\].
    pub roles: Vec<Role>,
    pub bases: Vec<Base>,
}

impl Layout {
    /// The layout, and the rods at no particular pose.
    pub fn build(view: &ModelView) -> Result<(Self, Vec<Rod>), SolverError> {
        check(view)?;
        let joints: Vec<JointId> = (0..view.joint_count()).map(JointId::new).collect();
        let rods = joints.into_iter().filter(|&j| is_element(view, j)).collect::<Vec<_>>();
        let mut top: Vec<usize> = (0..view.body_count()).collect();
        for &j in &rods {
            if let (Some(a), b) = (view.joint_parent[j.index()], view.joint_child[j.index()])
                && is_segment(view, a)
                && is_segment(view, b)
            {
                let (a, b) = (find(&mut top, a.index()), find(&mut top, b.index()));
                top[a.max(b)] = a.min(b);
            }
        }
        let mut layout = Self::default();
        let nodes = layout.place_bodies(view, &mut top);
        let mut elements = vec![Vec::new(); nodes.len()];
        for &j in &rods {
            let child = Some(view.joint_child[j.index()]);
            let sides = [view.joint_parent[j.index()], child].map(|b| layout.side(b));
            if let Some(rod) = layout.rod_of(view.joint_parent[j.index()]).or(layout.rod_of(child)) {
                let bond = Bond::of(view.joint_kind[j.index()]).unwrap_or_default();
                elements[rod].push(Element { bond, ..Element::new(j, sides) });
            }
        }
        let rods = nodes.into_iter().zip(elements).map(|(n, e)| Rod::new(n, e)).collect();
        Ok((layout, rods))
    }

    /// Whether a view whose ownership has not changed has the same segments, and nothing that this
    /// solver cannot do.
    pub fn fits(&self, view: &ModelView) -> bool {
        let same =
            |(b, role): (usize, &Role)| matches!(role, Role::Segment(..)) == is_segment(view, BodyId::new(b));
        self.roles.iter().enumerate().all(same) && check(view).is_ok()
    }

    /// Roles of all bodies; the segments of each rod, by body.
    fn place_bodies(&mut self, view: &ModelView, top: &mut [usize]) -> Vec<Vec<Node>> {
        let mut rod_of_top = vec![u32::MAX; top.len()];
        let mut nodes: Vec<Vec<Node>> = Vec::new();
        for b in (0..view.body_count()).map(BodyId::new) {
            if !is_segment(view, b) {
                self.roles.push(Role::Base(self.bases.len() as u32));
                let (com, moves) = (view.body_com[b.index()], view.body_kinematic[b.index()]);
                self.bases.push(Base { body: b, com, moves });
                continue;
            }
            let top = find(top, b.index());
            if rod_of_top[top] == u32::MAX {
                rod_of_top[top] = nodes.len() as u32;
                nodes.push(Vec::new());
            }
            let rod = rod_of_top[top];
            self.roles.push(Role::Segment(rod, nodes[rod as usize].len() as u32));
            nodes[rod as usize].push(Node::new(view, b));
        }
        nodes
    }

    fn side(&self, body: Option<BodyId>) -> Side {
        match body.map(|b| self.roles[b.index()]) {
            None => Side::World,
            Some(Role::Base(k)) => Side::Base(k),
            Some(Role::Segment(_, n)) => Side::Node(n),
        }
    }

    fn rod_of(&self, body: Option<BodyId>) -> Option<usize> {
        match self.roles[body?.index()] {
            Role::Segment(rod, _) => Some(rod as usize),
            Role::Base(_) => None,
        }
    }
}

/// Whether a force moves the body.
fn is_segment(view: &ModelView, b: BodyId) -> bool {
    view.body_inv_mass[b.index()] > 0.0 && !view.body_kinematic[b.index()]
}

fn is_element(view: &ModelView, j: JointId) -> bool {
    Bond::of(view.joint_kind[j.index()]).is_some() && view.solves_joint(j)
}

/// The lowest number of those that `b` is united with.
pub(crate) fn find(top: &mut [usize], b: usize) -> usize {
    let mut b = b;
    while top[b] != b {
        top[b] = top[top[b]];
        b = top[b];
    }
    b
}

/// Refuses what this solver cannot do.
fn check(view: &ModelView) -> Result<(), SolverError> {
    let particles = &view.ownership().particles;
    if let Some(p) = particles.iter().chain(&view.ownership().proxy_particles).next() {
        return Err(refuse::particle(ParticleId::new(p.index())));
    }
    for b in (0..view.body_count()).map(BodyId::new).filter(|&b| is_segment(view, b)) {
        if !Node::new(view, b).inertia.has_dynamics() {
            return Err(refuse::no_inertia(b));
        }
    }
    (0..view.joint_count()).map(JointId::new).try_for_each(|j| check_joint(view, j))
}

fn check_joint(view: &ModelView, j: JointId) -> Result<(), SolverError> {
    let i = j.index();
    let moves = |b: BodyId| is_segment(view, b);
    let acts =
        view.solves_joint(j) && (moves(view.joint_child[i]) || view.joint_parent[i].is_some_and(moves));
    if acts && view.joint_enabled[i] { joint::check(view, j) } else { Ok(()) }
}
