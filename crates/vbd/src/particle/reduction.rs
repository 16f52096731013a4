//! Components with rows go to their least over ways and rigid motions, the free bodies that touch them
//! along: eq. (44a)–(44d) of `docs/theory/vbd.md`.
//!
//! What elements and inertia give is quadratic over the unknowns, and known; rows are evaluated
//! where the search is, so that what opens or closes on the way counts, and no end is worse than the begin.
//! Multipliers and limits are held.
//!
//! Left out on purpose: bodies that joints or contacts connect to others; they stay where their own solve
//! put them. Components with a pair of self-contact that presses.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_math::{S3, Scalar, Spatial, V3};

use super::columns::convert;
use super::cpu::CpuParticles;
use super::reduced::{DIM, Lever, Moments, Node, Reduced};
use super::span::SPAN;
use super::system::System;
use crate::body::{Bodies, BodyLoad, Inertial, Iterate};
use crate::contact::WORLD;

/// Evaluations of rows in a search.
const ROUNDS: usize = 24;
/// The free bodies that a span may move.
pub struct Movable<'a> {
    /// All bodies.
    pub bodies: &'a mut Bodies,
    /// Whether one is free of all but particles.
    pub is_free: &'a dyn Fn(usize) -> bool,
    /// Those that were moved.
    pub moved: &'a mut Vec<u32>,
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// eq. (44a)–(44d), over the first `count` ways.
    pub(super) fn go_to_least_with_rows(&mut self, count: usize, movable: &mut Movable) {
        let mut system = std::mem::take(&mut self.directions.system);
        self.begin_search(&mut system, count, movable);
        for _ in 0..ROUNDS {
            if system.is_done() {
                break;
            }
            self.feel_rows(&mut system, count, movable.bodies);
            system.advance();
        }
        system.end();
        self.move_by(&system.nodes, count);
        self.move_bodies(&system.nodes, movable);
        self.directions.system = system;
    }

    /// Takes the rigid motion out of a way of what moves as a whole: modes have it, and what is
    /// left is not the difference of large numbers.
    pub(super) fn take_out_rigid(&mut self, way: usize) {
        let [mut partial, mut totals] = std::mem::take(&mut self.directions.moments);
        let (dir, c) = (&self.directions, &self.columns);
        let spread = self.is_spread(&(0..self.layout.block_count));
        let eval = |run: Range<usize>| {
            run.fold(Moments::default(), |mut sum, s| {
                let p = convert(dir.ways[way].d[s]);
                sum.add(c.inertia_exact[s], self.rho(s), p, std::iter::empty());
                sum
            })
        };
        dir.parts.sum((&mut partial, &mut totals), spread, |c| dir.moves_as_a_whole(c), eval);
        let mut rigid = std::mem::take(&mut self.directions.rigid);
        let dir = &self.directions;
        let of =
            |(c, m): (usize, &Moments)| if dir.moves_as_a_whole(c) { m.rigid() } else { [V3::zero(); 2] };
        rigid.clear();
        rigid.extend(totals.iter().enumerate().map(of));
        let mut p = std::mem::take(&mut self.directions.ways[way]);
        for s in 0..self.layout.block_count {
            let dir = &self.directions;
            let c = dir.parts.of(s);
            if dir.moves_as_a_whole(c) {
                let [t, turn] = rigid[c];
                let whole = t + turn.cross(self.rho(s));
                p.d[s] -= convert(whole);
                p.r[s] += convert(whole * self.columns.inertia_exact[s]);
            }
        }
        self.directions.ways[way] = p;
        self.directions.rigid = rigid;
        self.directions.moments = [partial, totals];
    }

    /// Nodes for components with rows and for free bodies that these act on, and what couples them.
    fn begin_search(&mut self, system: &mut System, count: usize, movable: &Movable) {
        let [mut partial, mut totals] = std::mem::take(&mut self.directions.moments);
        let dir = &self.directions;
        let spread = self.is_spread(&(0..self.layout.block_count));
        let eval = |run| self.moments(run, count);
        dir.parts.sum((&mut partial, &mut totals), spread, |c| dir.moves_as_a_whole(c), eval);
        let components = dir.parts.count();
        system.nodes.clear();
        system.nodes.extend((0..components).map(|c| match dir.takes_part(c) {
            true => {
                let moments = dir.moves_as_a_whole(c).then_some(&totals[c]);
                let held = self.held_curvature(c, count, movable.bodies);
                Node::component(&dir.grams[c], moments, count, &held)
            }
            false => Node::default(),
        }));
        system.nodes.resize(components + movable.bodies.len(), Node::default());
        system.forget();
        for body in 0..movable.bodies.len() {
            self.begin_body(system, body, movable);
        }
        system.group();
        self.directions.moments = [partial, totals];
    }

    /// Curvature over ways that attachments to what no force moves give to a component.
    fn held_curvature(&self, component: usize, count: usize, bodies: &Bodies) -> [[f64; SPAN]; SPAN] {
        let mut A = [[0.0; SPAN]; SPAN];
        for (i, slot, body) in self.attachments.ends() {
            let slot = slot as usize;
            if self.directions.parts.of(slot) != component || bodies.moves(body) || !self.columns.moves(slot)
            {
                continue;
            }
            let (_, k) = self.attachments.eval(i, &self.columns.exact[slot].to_host(0));
            let way = |j: usize| convert::<R, f64>(self.directions.ways[j].d[slot]);
            for (a, row) in A.iter_mut().enumerate().take(count) {
                (0..count).for_each(|b| row[b] += k * way(a).dot(way(b)));
            }
        }
        A
    }

    /// A body joins the search where rows of components in it act on it.
    fn begin_body(&self, system: &mut System, body: usize, movable: &Movable) {
        let b = movable.bodies.get(body);
        if !b.is_free() || !(movable.is_free)(body) {
            return;
        }
        let of = |slot: u32| self.directions.parts.of(slot as usize);
        let node = self.directions.parts.count() + body;
        let mut touched = false;
        for slot in self.slots_at(body) {
            if self.columns.moves(slot as usize) && system.nodes[of(slot)].searches() {
                system.couple(of(slot), node);
                touched = true;
            }
        }
        if touched {
            let mut load = BodyLoad::default();
            Inertial::of(b).add(&Iterate::of(b), self.h, &mut load);
            system.nodes[node] = Node::body(&load);
        }
    }

    /// eq. (44c): what rows give at the place of the search.
    fn feel_rows(&mut self, system: &mut System, count: usize, bodies: &Bodies) {
        let [mut partial, mut totals] = std::mem::take(&mut self.directions.reduced);
        let (parts, spread) = (&self.directions.parts, self.is_spread(&(0..self.layout.block_count)));
        let nodes = &system.nodes;
        let eval = |run: Range<usize>| self.reduce_rows(run, nodes, count, bodies);
        parts.sum((&mut partial, &mut totals), spread, |c| !nodes[c].done, eval);
        system.clear(&totals);
        for body in 0..bodies.len() {
            if !system.nodes[parts.count() + body].done {
                self.feel_body(system, body, count, bodies);
            }
        }
        self.directions.reduced = [partial, totals];
    }

    /// What rows give to the components of a run of slots.
    fn reduce_rows(&self, run: Range<usize>, nodes: &[Node], count: usize, bodies: &Bodies) -> Reduced {
        let mut sum = Reduced::default();
        if !self.has_rows(&run) {
            return sum;
        }
        let node = &nodes[self.directions.parts.of(run.start)];
        for s in run.filter(|&s| self.columns.moves(s) && self.has_rows(&(s..s + 1))) {
            let lever = self.lever(s, node, count);
            let d = self.columns.exact[s] + node.shift(&lever);
            let seen = |body, arm: &coact_math::Vec3| d - self.body_shift(body, arm, nodes, bodies);
            let (f, H) = self.eval_rows(s, seen);
            sum.feel(&lever, f, H);
            sum.energy += self.rows_energy(s, seen);
        }
        sum
    }

    /// How far a body in the search has moved where `arm` (from its centre of mass, body axes) is.
    fn body_shift(&self, body: u32, arm: &coact_math::Vec3, nodes: &[Node], bodies: &Bodies) -> V3<f64> {
        match nodes.get(self.directions.parts.count() + body as usize) {
            Some(n) if body != WORLD && n.searches() => {
                let rho = V3::from_host(&(bodies.rotation_of(body) * arm));
                n.shift(&n.lever(rho, std::iter::empty()))
            }
            _ => V3::zero(),
        }
    }

    /// What the rows of a body give to it, and between it and components.
    fn feel_body(&self, system: &mut System, body: usize, count: usize, bodies: &Bodies) {
        let (of, node) = (&self.directions.parts, self.directions.parts.count() + body);
        let q = bodies.rotation_of(body as u32);
        type Row<'a> = (&'a dyn Fn(V3<f64>) -> (V3<f64>, S3<f64>), &'a dyn Fn(V3<f64>) -> f64);
        let mut feel = |slot: usize, arm: &coact_math::Vec3, (eval, potential): Row| {
            let n = system.nodes[node];
            let mut lever = n.lever(V3::from_host(&(q * arm)), std::iter::empty());
            let shift = n.shift(&lever);
            lever.iter_mut().for_each(|l| *l = -*l);
            let component = system.nodes[of.of(slot)];
            if !component.searches() || !self.columns.moves(slot) {
                let d = self.columns.exact[slot] - shift;
                let (f, H) = eval(d);
                system.rows[node].energy += potential(d);
                return system.feel((node, &lever), f, H);
            }
            let with = self.lever(slot, &component, count);
            let (f, H) = eval(self.columns.exact[slot] + component.shift(&with) - shift);
            // the component has it from its own rows
            system.feel_between((node, &lever), (of.of(slot), &with), f, H);
        };
        for (i, row, arm) in self.rows.of_body(body) {
            let potential = |d| self.rows.energy(i, &self.law, d);
            feel(row.slot as usize, arm, (&|d| self.rows.eval_exactly(i, &self.law, d), &potential));
        }
        for (i, slot, arm) in self.attachments.ends_at(body) {
            let pull = |d: V3<f64>| {
                let (f, k) = self.attachments.eval(i, &d.to_host(0));
                (V3::from_host(&f), S3::diagonal(k))
            };
            feel(slot as usize, &arm, (&pull, &|d| self.attachments.energy(i, &d.to_host(0))));
        }
    }

    /// How a particle moves with the unknowns of its component; one that is not in the search does not.
    fn lever(&self, slot: usize, node: &Node, count: usize) -> Lever {
        if !node.searches() || !self.columns.moves(slot) {
            return [V3::zero(); DIM];
        }
        let rho = if node.modes { self.rho(slot) } else { V3::zero() };
        node.lever(rho, self.directions.ways[..count].iter().map(|way| convert(way.d[slot])))
    }

    fn rho(&self, slot: usize) -> V3<f64> {
        V3::from_host(&self.columns.at[slot].position()) - self.directions.centre(slot)
    }

    fn moments(&self, run: Range<usize>, count: usize) -> Moments {
        let mut sum = Moments::default();
        for s in run {
            let ways = self.directions.ways[..count].iter().map(|way| convert(way.d[s]));
            sum.add(self.columns.inertia_exact[s], self.rho(s), self.columns.exact[s], ways);
        }
        sum
    }

    /// eq. (44d): moves each component with rows to where its search ended.
    fn move_by(&mut self, nodes: &[Node], count: usize) {
        let (n, rule) = (self.layout.block_count, self.options.velocity);
        let spread = self.is_spread(&(0..n));
        let mut to = std::mem::take(&mut self.before);
        let dir = &self.directions;
        let goes = |s: usize| nodes[dir.parts.of(s)].z != [0.0; DIM] && self.columns.inertia_exact[s] > 0.0;
        for s in (0..n).filter(|&s| goes(s)) {
            let node = &nodes[dir.parts.of(s)];
            let ways = dir.ways[..count].iter().zip(&node.z);
            let step = ways.fold(V3::zero(), |d, (way, &g)| d + convert::<R, f64>(way.d[s]) * g);
            let whole = if node.modes { node.moved(self.rho(s)) } else { V3::zero() };
            to[s] = self.columns.exact[s] + (step + whole);
        }
        let goes = |s: usize| nodes[dir.parts.of(s)].z != [0.0; DIM];
        // what does not move is put where it is
        for s in (0..n).filter(|&s| goes(s) && !self.columns.moves(s)) {
            to[s] = self.columns.exact[s];
        }
        self.columns.put_all(0..n, spread, rule, |s, _, _| goes(s).then(|| to[s]));
        self.before = to;
    }

    /// The same of bodies, with their rows.
    fn move_bodies(&mut self, nodes: &[Node], movable: &mut Movable) {
        for (body, node) in nodes[self.directions.parts.count()..].iter().enumerate() {
            if !node.searches() || node.z == [0.0; DIM] {
                continue;
            }
            let b = movable.bodies.get(body);
            let [lin, ang] = node.rigid();
            let motion = movable.bodies.motion();
            let at = Iterate::of(b).stepped(&Inertial::of(b), &Spatial::new(lin, ang), motion);
            movable.bodies.put(body, &at, true);
            movable.moved.push(body as u32);
            let columns = &self.columns;
            self.rows.refresh(body, |slot| columns.target(slot), movable.bodies);
            self.attachments.refresh(body, movable.bodies, |slot| columns.target(slot).0);
        }
    }
}

#[cfg(test)]
#[path = "reduction_tests.rs"]
mod tests;
