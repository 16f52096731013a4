//! What keeps two particles or two bodies out of one color: elements and joints.

use super::Adjacency;
use crate::error::ModelError;
use crate::ids::{HingeId, JointId, SpringId, TetId, TriangleId};
use crate::model::Model;
use crate::names::Names;

/// Pairs of nodes that conflict, and what each pair shares.
pub(crate) struct Conflicts {
    /// Number of nodes.
    pub count: usize,
    /// Pairs, in the order of the elements.
    pub edges: Vec<[u32; 2]>,
    /// First pair of each kind of element, with pairs per element and the name of one.
    sources: Vec<Source>,
    /// Names a node.
    label: fn(&Names, u32) -> String,
}

struct Source {
    first: usize,
    per_element: usize,
    label: fn(&Names, u32) -> String,
}

impl Conflicts {
    /// The graph of the conflicts.
    pub fn graph(&self) -> Adjacency {
        Adjacency::from_edges(self.count, &self.edges)
    }

    fn element(&self, names: &Names, edge: usize) -> String {
        // The first source starts at 0, so there is always one before the edge.
        let at = self.sources.partition_point(|s| s.first <= edge) - 1;
        let s = &self.sources[at];
        (s.label)(names, ((edge - s.first) / s.per_element) as u32)
    }

    fn add<const N: usize>(
        &mut self,
        elements: impl Iterator<Item = [[u32; 2]; N]>,
        label: fn(&Names, u32) -> String,
    ) {
        let first = self.edges.len();
        self.edges.extend(elements.flatten());
        if self.edges.len() > first {
            self.sources.push(Source { first, per_element: N, label });
        }
    }
}

/// Conflicts of particles: every pair inside an element; of a hinge the two opposite
/// vertices only if `bending`.
pub(crate) fn particle_conflicts(m: &Model, bending: bool) -> Conflicts {
    let label = |n: &Names, i| n.particle_label(crate::ids::ParticleId(i));
    let mut c = Conflicts { count: m.particle_count(), edges: Vec::new(), sources: Vec::new(), label };
    c.add(m.spring_indices.iter().map(|s| [s.map(|p| p.0)]), |n, i| n.spring_label(SpringId(i)));
    let triangle = |t: [u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    c.add(m.tri_indices.iter().map(|t| triangle(t.map(|p| p.0))), |n, i| n.triangle_label(TriangleId(i)));
    let hinge = |h: [u32; 4]| {
        let opposite = if bending { [h[0], h[1]] } else { [h[2], h[3]] };
        [[h[2], h[3]], [h[0], h[2]], [h[0], h[3]], [h[1], h[2]], [h[1], h[3]], opposite]
    };
    c.add(m.hinge_indices.iter().map(|h| hinge(h.map(|p| p.0))), |n, i| n.hinge_label(HingeId(i)));
    let tet =
        |t: [u32; 4]| [[t[0], t[1]], [t[0], t[2]], [t[0], t[3]], [t[1], t[2]], [t[1], t[3]], [t[2], t[3]]];
    c.add(m.tet_indices.iter().map(|t| tet(t.map(|p| p.0))), |n, i| n.tet_label(TetId(i)));
    c
}

/// Conflicts of bodies: the two bodies of a joint, whether it is enabled or not, since
/// that may change while the colors stay.
pub(crate) fn body_conflicts(m: &Model) -> Conflicts {
    let label = |n: &Names, i| n.body_label(crate::ids::BodyId(i));
    let mut c = Conflicts { count: m.body_count(), edges: Vec::new(), sources: Vec::new(), label };
    // A joint to the world becomes a loop, which the graph drops.
    let pair = |j: usize| [m.joint_parent[j].unwrap_or(m.joint_child[j]).0, m.joint_child[j].0];
    c.add((0..m.joint_count()).map(|j| [pair(j)]), |n, i| n.joint_label(JointId(i)));
    c
}

/// Checks explicit groups and turns them into colors. Errors: a node that no group or
/// more than one place lists, a node that does not exist, two of one group in conflict.
pub(crate) fn check_groups(
    c: &Conflicts,
    names: &Names,
    groups: &[Vec<u32>],
) -> Result<Vec<u32>, ModelError> {
    let mut times = vec![0; c.count];
    let mut color = vec![0; c.count];
    for (g, members) in groups.iter().enumerate() {
        for &i in members {
            let Some(t) = times.get_mut(i as usize) else {
                let (entity, target) = (format!("color group {g}"), (c.label)(names, i));
                return Err(ModelError::OutOfRange { entity, target, count: c.count });
            };
            *t += 1;
            color[i as usize] = g as u32;
        }
    }
    if let Some(i) = times.iter().position(|&t| t != 1) {
        return Err(ModelError::ColorCount { entity: (c.label)(names, i as u32), times: times[i] });
    }
    for (k, &[a, b]) in c.edges.iter().enumerate() {
        if a != b && color[a as usize] == color[b as usize] {
            return Err(ModelError::ColorConflict {
                group: color[a as usize] as usize,
                a: (c.label)(names, a),
                b: (c.label)(names, b),
                element: c.element(names, k),
            });
        }
    }
    Ok(color)
}
