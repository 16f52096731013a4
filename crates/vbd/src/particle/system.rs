//! The small system of a span with rows: eq. (44c), (44d) of `docs/theory/vbd.md`.
//!
//! Nodes that rows couple are solved together, by Newton steps that are judged by where they lead.

#![allow(non_snake_case)]

use coact_math::{S3, V3};

use super::reduced::{DIM, Lever, NONE, Node, Reduced, add_product};
use super::span::{Room, SPAN, least};

/// Unknowns of a group beyond which its nodes are left to sweeps.
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
struct Coupling {
    nodes: [u32; 2],
    A: [[f64; DIM]; DIM],
}

/// Nodes that are solved together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Group {
    /// Its nodes in `order`.
    start: u32,
    end: u32,
    /// The least energy so far; the slope along the step from there, and that of the first one.
    energy: f64,
    slope: f64,
    first: f64,
    /// How much of the step is tried, and the slope at its end.
    share: f64,
    end_slope: f64,
    /// Whether a step from its end was tried.
    jumped: bool,
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
    dense: Dense,
}

impl System {
    /// Takes memory for `nodes` nodes at least, none of them coupled.
    pub(super) fn reserve(&mut self, nodes: usize) {
        hold(&mut self.nodes, nodes);
        hold(&mut self.rows, nodes);
        hold(&mut self.groups, nodes);
        hold(&mut self.order, nodes);
        self.dense.reserve(DIM);
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

    /// Makes groups of all nodes that take part; those of one too large do not, since what is moved alone
    /// would not give to others what it takes.
    pub(super) fn group(&mut self) {
        self.coupled.sort_unstable();
        self.coupled.dedup();
        self.couplings.clear();
        let none = |&nodes: &[u32; 2]| Coupling { nodes, A: [[0.0; DIM]; DIM] };
        self.couplings.extend(self.coupled.iter().map(none));
        self.find_groups();
        let too_large = |g: &Group| (g.end - g.start) as usize * DIM > LARGEST;
        if !self.groups.iter().any(too_large) {
            return;
        }
        for g in self.groups.iter().filter(|g| too_large(g)) {
            for &i in &self.order[g.start as usize..g.end as usize] {
                self.nodes[i as usize] = Node::default();
            }
        }
        let nodes = &self.nodes;
        self.couplings.retain(|c| nodes[c.nodes[0] as usize].searches());
        self.find_groups();
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
        self.groups.clear();
        for (k, &i) in self.order.iter().enumerate() {
            let of = nodes[i as usize].group;
            let k = k as u32;
            match self.groups.last_mut() {
                Some(g) if nodes[self.order[g.start as usize] as usize].group == of => g.end = k + 1,
                _ => self.groups.push(Group { start: k, end: k + 1, ..Group::default() }),
            }
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
        let order = &self.order[self.groups[0].start as usize..self.groups[0].end as usize];
        self.dense.fill(order, &self.nodes, &self.rows, &self.couplings);
        self.dense.b.clone()
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
        for g in 0..self.groups.len() {
            let mut group = self.groups[g];
            let order = &self.order[group.start as usize..group.end as usize];
            if !self.nodes[order[0] as usize].done {
                advance(&mut group, order, &mut self.nodes, &self.rows, &self.couplings, &mut self.dense);
            }
            self.groups[g] = group;
        }
    }
}

/// Takes memory for `n` entries in all.
fn hold<T>(v: &mut Vec<T>, n: usize) {
    v.reserve(n.saturating_sub(v.len()));
}

/// Takes over what rows give at the place of a group; goes on from there, or back from where it is worse.
fn advance(
    group: &mut Group,
    order: &[u32],
    nodes: &mut [Node],
    rows: &[Reduced],
    couplings: &[Coupling],
    dense: &mut Dense,
) {
    dense.fill(order, nodes, rows, couplings);
    let fresh = group.first == 0.0;
    if fresh || dense.energy <= group.energy + FLAT * group.first {
        group.energy = dense.energy;
        dense.solve();
        dense.z.chunks(DIM).zip(order).for_each(|(step, &i)| nodes[i as usize].step.copy_from_slice(step));
        group.slope = dense.slope(order, nodes);
        group.first = if fresh { group.slope } else { group.first };
        let least = FLAT * group.first + ROUNDING * dense.energy.abs();
        let (lost, last) = (!group.slope.is_finite(), group.slope <= least);
        for &i in order {
            let n = &mut nodes[i as usize];
            (n.best, n.done) = (n.z, lost || last);
            (0..DIM).filter(|_| !lost).for_each(|k| n.z[k] += n.step[k]);
            // the last step needs no look at where it leads, and ends at the least to all digits
            if last {
                n.best = n.z;
            }
        }
        (group.share, group.jumped) = (1.0, false);
        return;
    }
    let slope = dense.slope(order, nodes);
    if group.share == 1.0 && !group.jumped {
        // what closed on the way is known here: from here a step may lead where it should have led
        (group.jumped, group.end_slope) = (true, slope);
        dense.solve();
        for (step, &i) in dense.z.chunks(DIM).zip(order) {
            nodes[i as usize].z.iter_mut().zip(step).for_each(|(z, s)| *z += s);
        }
        return;
    }
    let end = if group.share == 1.0 { group.end_slope } else { slope };
    group.share *= (group.slope / (group.slope - end)).clamp(BACK[0], BACK[1]);
    for &i in order {
        let n = &mut nodes[i as usize];
        (0..DIM).for_each(|k| n.z[k] = n.best[k] + group.share * n.step[k]);
    }
}

/// The system of a group.
#[derive(Clone, Debug, Default)]
struct Dense {
    energy: f64,
    A: Vec<f64>,
    b: Vec<f64>,
    z: Vec<f64>,
    /// Unknowns that the search uses, modes before ways.
    order: Vec<usize>,
    L: Vec<f64>,
    y: Vec<f64>,
    kept: Vec<usize>,
}

impl Dense {
    fn reserve(&mut self, n: usize) {
        [&mut self.A, &mut self.L].into_iter().for_each(|v| hold(v, n * n));
        [&mut self.b, &mut self.z, &mut self.y].into_iter().for_each(|v| hold(v, n));
        [&mut self.order, &mut self.kept].into_iter().for_each(|v| hold(v, n));
    }

    fn fill(&mut self, order: &[u32], nodes: &[Node], rows: &[Reduced], couplings: &[Coupling]) {
        let n = order.len() * DIM;
        for (v, len) in [(&mut self.A, n * n), (&mut self.b, n), (&mut self.z, n)] {
            v.clear();
            v.resize(len, 0.0);
        }
        self.energy = 0.0;
        let place = |node: u32| order.binary_search(&node).ok();
        for (k, &i) in order.iter().enumerate() {
            let (node, r) = (&nodes[i as usize], &rows[i as usize]);
            self.energy += r.energy;
            for a in 0..DIM {
                let smooth = &node.smooth.A[a];
                let along: f64 = smooth.iter().zip(&node.z).map(|(s, z)| s * z).sum();
                self.b[k * DIM + a] = node.smooth.b[a] + r.b[a] - along;
                self.energy += node.z[a] * (0.5 * along - node.smooth.b[a]);
                let row = &mut self.A[(k * DIM + a) * n + k * DIM..][..DIM];
                row.iter_mut().zip(smooth.iter().zip(&r.A[a])).for_each(|(x, (s, r))| *x = s + r);
            }
        }
        for c in couplings {
            let (Some(i), Some(j)) = (place(c.nodes[0]), place(c.nodes[1])) else { continue };
            for a in 0..DIM {
                for b in 0..DIM {
                    self.A[(i * DIM + a) * n + j * DIM + b] = c.A[a][b];
                    self.A[(j * DIM + b) * n + i * DIM + a] = c.A[a][b];
                }
            }
        }
    }

    /// The slope along the steps of all nodes.
    fn slope(&self, order: &[u32], nodes: &[Node]) -> f64 {
        let steps = order.iter().flat_map(|&i| &nodes[i as usize].step);
        self.b.iter().zip(steps).map(|(b, s)| b * s).sum()
    }

    fn solve(&mut self) {
        let n = self.b.len();
        self.order.clear();
        let all = |part: std::ops::Range<usize>| (0..n).filter(move |i| part.contains(&(i % DIM)));
        self.order.extend(all(SPAN..DIM).chain(all(0..SPAN).rev()));
        self.L.resize(n * n, 0.0);
        self.y.resize(n, 0.0);
        self.kept.resize(n, 0);
        let mut room = Room { L: &mut self.L, y: &mut self.y, kept: &mut self.kept };
        least(&self.A, &self.b, &self.order, &mut room, &mut self.z);
    }
}
