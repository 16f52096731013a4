//! Rods that contacts connect, solved as one.
//!
//! Theory: `docs/theory/rod-contact.md` section 4. A rod that meets no other one is solved in its place;
//! others are copied into a whole, solved there and copied back.

use coact_collide::ShapeContact;
use coact_math::Pose;
use coact_model::BodyId;
use rayon::prelude::*;

use crate::element::{Element, Side};
use crate::layout::{Layout, Role, find};
use crate::rod::{Outcome, Rod};
use crate::step::each;

/// Rods that are solved together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    pub rods: Vec<u32>,
    /// Number of the first segment of each rod in the whole.
    pub offsets: Vec<u32>,
    pub whole: Rod,
}

/// Islands of more than one rod, in order of their first rods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    pub list: Vec<Island>,
    /// (island, number of its first segment there) of each rod; `None`: it is alone. Shape: \[rods\].
    pub place: Vec<Option<(u32, u32)>>,
    top: Vec<usize>,
    /// (the first of an island, one of its rods), ascending.
    order: Vec<[u32; 2]>,
}

impl Islands {
    /// Finds them anew. Answers whether any has other rods than before.
    pub fn update(&mut self, contacts: &[ShapeContact], layout: &Layout, rods: &[Rod]) -> bool {
        self.unite(contacts, layout, rods.len());
        let count = Self::members(&self.order).count();
        let mut changed = self.list.len() != count;
        self.list.resize_with(count, Island::default);
        self.place.clear();
        self.place.resize(rods.len(), None);
        for (i, (island, members)) in self.list.iter_mut().zip(Self::members(&self.order)).enumerate() {
            if !island.rods.iter().eq(members.iter().map(|m| &m[1])) {
                *island = Island::of(members.iter().map(|m| m[1]).collect(), rods);
                changed = true;
            }
            for (&r, &offset) in island.rods.iter().zip(&island.offsets) {
                self.place[r as usize] = Some((i as u32, offset));
            }
        }
        changed
    }

    /// `f` of all that is solved by itself, side by side where `parallel`.
    pub fn each_whole(&mut self, rods: &mut [Rod], parallel: bool, f: impl Fn(&mut Rod) + Sync + Send) {
        each(&mut self.list, parallel, |island| f(&mut island.whole));
        let alone = |(rod, place): (&mut Rod, &Option<(u32, u32)>)| {
            if place.is_none() {
                f(rod);
            }
        };
        if parallel {
            rods.par_iter_mut().zip(&self.place).for_each(alone);
        } else {
            rods.iter_mut().zip(&self.place).for_each(alone);
        }
    }

    /// The frame that a segment comes to at the iterate.
    pub fn end_pose(&self, rods: &[Rod], rod: u32, segment: u32) -> Pose {
        match self.place[rod as usize] {
            Some((island, offset)) => self.list[island as usize].whole.end_pose((offset + segment) as usize),
            None => rods[rod as usize].end_pose(segment as usize),
        }
    }

    /// All that is solved by itself: islands, then rods; those in islands stand there for order only.
    pub fn wholes<'a>(&'a mut self, rods: &'a mut [Rod]) -> impl Iterator<Item = &'a mut Rod> {
        self.list.iter_mut().map(|i| &mut i.whole).chain(rods)
    }

    /// One of them.
    pub fn whole<'a>(&'a mut self, place: usize, rods: &'a mut [Rod]) -> &'a mut Rod {
        let islands = self.list.len();
        if place < islands { &mut self.list[place].whole } else { &mut rods[place - islands] }
    }

    /// Where a contact goes, in the order of [`Self::wholes`]; `None`: it has no segment.
    pub fn place_of(&self, c: &ShapeContact, layout: &Layout) -> Option<usize> {
        let rod = [c.body0, c.body1].into_iter().flatten().find_map(|b| match layout.roles[b.index()] {
            Role::Segment(r, _) => Some(r as usize),
            Role::Base(_) => None,
        })?;
        Some(self.place_of_rod(rod))
    }

    /// Where a rod is solved, in the order of [`Self::wholes`].
    pub fn place_of_rod(&self, rod: usize) -> usize {
        self.place[rod].map_or(self.list.len() + rod, |(island, _)| island as usize)
    }

    /// What contacts connect.
    fn unite(&mut self, contacts: &[ShapeContact], layout: &Layout, rods: usize) {
        self.top.clear();
        self.top.extend(0..rods);
        let rod = |b: Option<BodyId>| match b.map(|b| layout.roles[b.index()]) {
            Some(Role::Segment(r, _)) => Some(r as usize),
            _ => None,
        };
        for c in contacts {
            if let (Some(a), Some(b)) = (rod(c.body0), rod(c.body1)) {
                let (a, b) = (find(&mut self.top, a), find(&mut self.top, b));
                self.top[a.max(b)] = a.min(b);
            }
        }
        self.order.clear();
        for r in 0..rods {
            let top = find(&mut self.top, r);
            self.order.push([top as u32, r as u32]);
        }
        self.order.sort_unstable();
    }

    /// Rods of each island, as ranges of `order`.
    fn members(order: &[[u32; 2]]) -> impl Iterator<Item = &[[u32; 2]]> {
        order.chunk_by(|a, b| a[0] == b[0]).filter(|m| m.len() > 1)
    }
}

impl Island {
    fn of(members: Vec<u32>, rods: &[Rod]) -> Self {
        let (mut nodes, mut elements, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
        for rod in members.iter().map(|&r| &rods[r as usize]) {
            let offset = nodes.len() as u32;
            offsets.push(offset);
            elements.extend(rod.elements.iter().map(|e| Element { sides: moved(e, offset), ..*e }));
            nodes.extend_from_slice(&rod.nodes);
        }
        Self { rods: members, offsets, whole: Rod::new(nodes, elements) }
    }

    /// Takes over rods as they are predicted.
    pub fn take(&mut self, rods: &[Rod]) {
        let whole = &mut self.whole;
        let mut element = 0;
        for (&r, &offset) in self.rods.iter().zip(&self.offsets) {
            let (rod, first) = (&rods[r as usize], offset as usize);
            let range = first..first + rod.nodes.len();
            whole.nodes[range.clone()].copy_from_slice(&rod.nodes);
            whole.pose[range.clone()].copy_from_slice(&rod.pose);
            whole.velocity[range.clone()].copy_from_slice(&rod.velocity);
            whole.correction[range.clone()].copy_from_slice(&rod.correction);
            whole.target[range.clone()].copy_from_slice(&rod.target);
            whole.torque[range].copy_from_slice(&rod.torque);
            for e in &rod.elements {
                let edge = whole.elements[element].edge;
                whole.elements[element] = Element { sides: moved(e, offset), edge, ..*e };
                element += 1;
            }
        }
    }

    /// Gives rods the end of the step.
    pub fn give(&self, rods: &mut [Rod]) {
        let whole = &self.whole;
        let mut element = 0;
        for (k, (&r, &offset)) in self.rods.iter().zip(&self.offsets).enumerate() {
            let (rod, first) = (&mut rods[r as usize], offset as usize);
            let range = first..first + rod.nodes.len();
            rod.pose.copy_from_slice(&whole.pose[range.clone()]);
            rod.velocity.copy_from_slice(&whole.velocity[range.clone()]);
            rod.correction.copy_from_slice(&whole.correction[range]);
            for e in &mut rod.elements {
                let (sides, edge) = (e.sides, e.edge);
                *e = Element { sides, edge, ..whole.elements[element] };
                element += 1;
            }
            rod.outcome = if k == 0 { whole.outcome } else { Outcome::default() };
        }
    }
}

/// The sides of an element in a whole where its rod's segments begin at `offset`.
fn moved(e: &Element, offset: u32) -> [Side; 2] {
    e.sides.map(|s| if let Side::Node(n) = s { Side::Node(n + offset) } else { s })
}
