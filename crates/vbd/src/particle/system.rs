//! The small system of a span with rows: eq. (44c), (44d) of `docs/theory/vbd.md`.
//!
//! Nodes that rows couple are solved together, by Newton steps that are judged by where they lead.

#![allow(non_snake_case)]

use coact_math::{S3, V3};

use super::equations::{Equations, Forces, Members, Whole};
use super::reduced::{DIM, Lever, NONE, Node, Reduced, add_product};

/// Unknowns of a group beyond which its nodes move as wholes only.
const LARGEST: usize = 160;
/// Share of the first slope at which a search takes its last step: its end is the least to all digits then,
/// whose place is continuous in where things are, and not what some number of evaluations led to.
const FLAT: f64 = 1e-10;
/// Share of the energy that is rounding.
const ROUNDING: f64 = 1e-14;
/// Least and largest share of a step that is kept where it led to something worse.
const BACK: [f64; 2] = [0.1, 0.5];

/// Curvature between two nodes, the first before the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coupling {
    pub(super) nodes: [u32; 2],
    pub(super) A: [[f64; DIM]; DIM],
}

/// Nodes that are solved together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Group {
    /// Its nodes in `order`, and its couplings in `edges`: first and one past the last.
    nodes: [u32; 2],
    edges: [u32; 2],
    /// The least energy so far; the slope along the step from there, and that of the first one.
    energy: f64,
    slope: f64,
    first: f64,
    /// How much of the step is tried, and the slope at its end.
    share: f64,
    end_slope: f64,
    /// Whether a step from its end was tried.
    jumped: bool,
    /// The place of its equations, where it is too large for dense ones.
    whole: Option<u32>,
}

/// All nodes of a span: components, then bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub(super) nodes: Vec<Node>,
    /// What rows give at the place of the search. Parallel to `nodes`.
    pub(super) rows: Vec<Reduced>,
    couplings: Vec<Coupling>,
    /// The same, as they are found.
    coupled: Vec<[u32; 2]>,
    groups: Vec<Group>,
    order: Vec<u32>,
    /// Places of couplings, by group.
    edges: Vec<u32>,
    equations: Equations,
}

impl System {
    /// Takes memory for `nodes` nodes at least, none of them coupled.
    pub(super) fn reserve(&mut self, nodes: usize) {
        hold(&mut self.nodes, nodes);
        hold(&mut self.rows, nodes);
        hold(&mut self.groups, nodes);
        hold(&mut self.order, nodes);
        self.equations.reserve(DIM);
    }

    /// Forgets what couples nodes.
    pub(super) fn forget(&mut self) {
        self.coupled.clear();
    }

    /// Notes that something may act between two nodes.
    pub(super) fn couple(&mut self, a: usize, b: usize) {
        let nodes = [a.min(b) as u32, a.max(b) as u32];
        if a != b && self.coupled.last() != Some(&nodes) {
            self.coupled.push(nodes);
        }
    }

    /// Makes groups of all nodes that take part; of those that are too large, nodes move as wholes.
    pub(super) fn group(&mut self) {
        self.coupled.sort_unstable();
        self.coupled.dedup();
        self.couplings.clear();
        let none = |&nodes: &[u32; 2]| Coupling { nodes, A: [[0.0; DIM]; DIM] };
        self.couplings.extend(self.coupled.iter().map(none));
        self.find_groups();
        let mut wholes = std::mem::take(&mut self.equations.wholes);
        let mut count = 0;
        for g in 0..self.groups.len() {
            if self.members(g).order.len() * DIM > LARGEST {
                if wholes.len() == count {
                    wholes.push(Whole::default());
                }
                wholes[count].connect(self.members(g));
                self.groups[g].whole = Some(count as u32);
                count += 1;
            }
        }
        self.equations.wholes = wholes;
    }

    fn members(&self, group: usize) -> Members<'_> {
        let (g, range) = (&self.groups[group], |[a, b]: [u32; 2]| a as usize..b as usize);
        Members {
            order: &self.order[range(g.nodes)],
            nodes: &self.nodes,
            rows: &self.rows,
            edges: &self.edges[range(g.edges)],
            couplings: &self.couplings,
        }
    }

    fn find_groups(&mut self) {
        let nodes = &mut self.nodes;
        for i in 0..nodes.len() as u32 {
            let node = &mut nodes[i as usize];
            node.group = if node.searches() { i } else { NONE };
        }
        // the least number of a group spreads until all of it has it
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for [a, b] in self.couplings.iter().map(|c| c.nodes.map(|n| n as usize)) {
                let least = nodes[a].group.min(nodes[b].group);
                changed |= nodes[a].group != least || nodes[b].group != least;
                (nodes[a].group, nodes[b].group) = (least, least);
            }
        }
        self.order.clear();
        self.order.extend((0..nodes.len() as u32).filter(|&i| nodes[i as usize].searches()));
        self.order.sort_unstable_by_key(|&i| (nodes[i as usize].group, i));
        self.edges.clear();
        self.edges.extend(0..self.couplings.len() as u32);
        let (couplings, of) = (&self.couplings, |i: u32| nodes[i as usize].group);
        self.edges.sort_by_key(|&e| of(couplings[e as usize].nodes[0]));
        self.groups.clear();
        let mut edge = 0;
        for same in self.order.chunk_by(|&a, &b| of(a) == of(b)) {
            let node = self.groups.last().map_or(0, |g: &Group| g.nodes[1]);
            let coupled = |e: &&u32| of(couplings[**e as usize].nodes[0]) == of(same[0]);
            let last = edge + self.edges[edge as usize..].iter().take_while(coupled).count() as u32;
            let group =
                Group { nodes: [node, node + same.len() as u32], edges: [edge, last], ..Group::default() };
            self.groups.push(group);
            edge = last;
        }
    }

    /// Starts from what rows give to each component at the present place.
    pub(super) fn clear(&mut self, components: &[Reduced]) {
        self.rows.clear();
        self.rows.extend_from_slice(components);
        self.rows.resize(self.nodes.len(), Reduced::default());
        self.couplings.iter_mut().for_each(|c| c.A = [[0.0; DIM]; DIM]);
    }

    /// eq. (44c): a force `f` with the stiffness `H` where a node moves something.
    pub(super) fn feel(&mut self, (node, lever): (usize, &Lever), f: V3<f64>, H: S3<f64>) {
        self.rows[node].feel(lever, f, H);
    }

    /// The same between a body and a component, which has its share already.
    pub(super) fn feel_between(
        &mut self,
        (body, with): (usize, &Lever),
        (c, lever): (usize, &Lever),
        f: V3<f64>,
        H: S3<f64>,
    ) {
        self.rows[body].feel(with, f, H);
        if let Ok(at) = self.couplings.binary_search_by_key(&[c as u32, body as u32], |c| c.nodes) {
            add_product(&mut self.couplings[at].A, lever, H, with);
        }
    }

    /// Every node goes to the best place that was found.
    pub(super) fn end(&mut self) {
        self.nodes.iter_mut().for_each(Node::end);
    }

    /// Slopes along all unknowns of the first group.
    #[cfg(test)]
    pub(super) fn slopes(&mut self) -> Vec<f64> {
        let mut forces = Forces::default();
        forces.gather(self.members(0));
        forces.b
    }

    /// Whether the search led anywhere.
    pub(super) fn has_moved(&self) -> bool {
        self.nodes.iter().any(|n| n.z != [0.0; DIM])
    }

    /// Whether all groups have come to the least.
    pub(super) fn is_done(&self) -> bool {
        self.nodes.iter().all(|n| n.done)
    }

    /// One step of every group, from what rows give.
    pub(super) fn advance(&mut self) {
        let mut equations = std::mem::take(&mut self.equations);
        for g in 0..self.groups.len() {
            if !self.nodes[self.members(g).order[0] as usize].done {
                self.advance_group(g, &mut equations);
            }
        }
        self.equations = equations;
    }

    /// Takes over what rows give at the place of a group; goes on from there, or back from where it is worse.
    fn advance_group(&mut self, g: usize, equations: &mut Equations) {
        let Equations { forces, .. } = equations;
        forces.gather(self.members(g));
        let mut group = self.groups[g];
        let fresh = group.first == 0.0;
        if fresh || forces.energy <= group.energy + FLAT * group.first {
            self.go_on(g, &mut group, equations);
        } else if group.share == 1.0 && !group.jumped {
            // what closed on the way is known here: from here a step may lead where it should have led
            (group.jumped, group.end_slope) = (true, forces.slope(self.members(g)));
            equations.solve(group.whole, self.members(g));
            self.each(g, &equations.forces, |n, step| (0..DIM).for_each(|k| n.z[k] += step[k]));
        } else {
            let end = if group.share == 1.0 { group.end_slope } else { forces.slope(self.members(g)) };
            group.share *= (group.slope / (group.slope - end)).clamp(BACK[0], BACK[1]);
            let share = group.share;
            self.each(g, forces, |n, _| (0..DIM).for_each(|k| n.z[k] = n.best[k] + share * n.step[k]));
        }
        self.groups[g] = group;
    }

    /// The next step, from a place that is the best so far.
    fn go_on(&mut self, g: usize, group: &mut Group, equations: &mut Equations) {
        equations.solve(group.whole, self.members(g));
        self.each(g, &equations.forces, |n, step| n.step.copy_from_slice(step));
        let (slope, energy) = (equations.forces.slope(self.members(g)), equations.forces.energy);
        group.first = if group.first == 0.0 { slope } else { group.first };
        (group.slope, group.energy) = (slope, energy);
        let (lost, last) = (!slope.is_finite(), slope <= FLAT * group.first + ROUNDING * energy.abs());
        self.each(g, &equations.forces, |n, _| {
            (n.best, n.done) = (n.z, lost || last);
            (0..DIM).filter(|_| !lost).for_each(|k| n.z[k] += n.step[k]);
            // the last step needs no look at where it leads, and ends at the least to all digits
            if last {
                n.best = n.z;
            }
        });
        (group.share, group.jumped) = (1.0, false);
    }

    /// Every node of a group, with its part of the step.
    fn each(&mut self, g: usize, forces: &Forces, mut f: impl FnMut(&mut Node, &[f64])) {
        let [start, end] = self.groups[g].nodes.map(|n| n as usize);
        let nodes = self.order[start..end].iter().zip(forces.step.chunks(DIM));
        nodes.for_each(|(&i, step)| f(&mut self.nodes[i as usize], step));
    }
}

/// Takes memory for `n` entries in all.
pub(super) fn hold<T>(v: &mut Vec<T>, n: usize) {
    v.reserve(n.saturating_sub(v.len()));
}
