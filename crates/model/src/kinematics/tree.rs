//! The spanning tree of the enabled joints.

use crate::ids::JointId;
use crate::joint::JointKind;
use crate::model::Model;

/// Which joints carry their child, and which only close loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTree {
    /// Tree joints, parents first.
    pub order: Vec<JointId>,
    /// Joints whose child hangs on another joint already, or whose parent hangs on their child.
    pub loops: Vec<JointId>,
}

/// The tree that keeps, for each body, the first enabled joint of which it is the child
/// and that closes no cycle. Rods are in neither list. Disabled joints are skipped.
pub fn joint_tree(model: &Model) -> JointTree {
    let mut carrier: Vec<Option<JointId>> = vec![None; model.body_count()];
    let mut roots = Roots((0..model.body_count() as u32).collect());
    let mut tree = JointTree::default();
    for i in 0..model.joint_count() {
        if model.joint_kind[i] == JointKind::Rod || !model.joint_enabled[i] {
            continue;
        }
        let (j, child) = (JointId::new(i), model.joint_child[i].index());
        let root = model.joint_parent[i].map(|p| roots.find(p.0));
        if carrier[child].is_some() || root == Some(child as u32) {
            tree.loops.push(j);
            continue;
        }
        carrier[child] = Some(j);
        if let Some(r) = root {
            roots.0[child] = r;
        }
    }
    tree.order = parents_first(model, &carrier);
    tree
}

/// Tree joints such that the carrier of a joint's parent comes before it.
fn parents_first(model: &Model, carrier: &[Option<JointId>]) -> Vec<JointId> {
    let mut order = Vec::new();
    let mut done = vec![false; carrier.len()];
    let mut path = Vec::new();
    for start in 0..carrier.len() {
        let mut body = Some(start);
        while let Some(b) = body.filter(|&b| !done[b]) {
            done[b] = true;
            let Some(j) = carrier[b] else { break };
            path.push(j);
            body = model.joint_parent[j.index()].map(|p| p.index());
        }
        order.extend(path.drain(..).rev());
    }
    order
}

/// Union–find over bodies: the top body of the chain that each one hangs on.
struct Roots(Vec<u32>);

impl Roots {
    fn find(&mut self, b: u32) -> u32 {
        let mut top = b;
        while self.0[top as usize] != top {
            top = self.0[top as usize];
        }
        let mut at = b;
        while self.0[at as usize] != top {
            at = std::mem::replace(&mut self.0[at as usize], top);
        }
        top
    }
}
