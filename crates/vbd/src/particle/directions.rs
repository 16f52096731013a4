//! Directions that sweeps have shown: eq. (42)–(46) of `docs/theory/vbd.md`.
//!
//! Between two sweeps the residual is evaluated, and the iterate goes to where the objective is least
//! over the span of the last few ways that it went; so does the end of the step. Every component of
//! the mesh has its own span: what happens in one changes no other.
//!
//! Left out on purpose: components with rows (contacts, attachments, pairs), whose residual bends where a
//! row opens or closes: they are swept alone.

#![allow(non_snake_case)]

use coact_collide::Mobility;
use coact_math::{Scalar, V3};

use super::columns::convert;
use super::cpu::CpuParticles;
use super::retreat::Retreat;
use super::span::{Gram, SPAN};
use super::sweep::Rows;
use crate::coarse::components;
use crate::lanes::BlockRows;

/// Ways that are kept. Six leave a hundredth less of the error than three and take twice the time.
const KEPT: usize = SPAN - 1;

/// A displacement and a residual, or changes of them. Shape of each: \[block_count\].
#[derive(Clone, Debug, Default)]
struct Pair<R> {
    d: Vec<V3<R>>,
    r: Vec<V3<R>>,
}

impl<R: Scalar> Pair<R> {
    fn set(&mut self, d: &[V3<R>], r: &[V3<R>]) {
        self.d.clear();
        self.d.extend_from_slice(d);
        self.r.clear();
        self.r.extend_from_slice(r);
    }

    /// The way from `from` to `to`.
    fn set_way(&mut self, from: &Self, to: &Self) {
        self.d.clear();
        self.d.extend(to.d.iter().zip(&from.d).map(|(&b, &a)| b - a));
        self.r.clear();
        self.r.extend(to.r.iter().zip(&from.r).map(|(&b, &a)| b - a));
    }
}

/// What a step knows of the ways that it went.
#[derive(Clone, Debug, Default)]
pub struct Directions<R> {
    /// Component of each slot. Shape: \[particle_count\].
    component: Vec<u32>,
    /// Components that something immovable holds. Shape: \[component_count\].
    held: Vec<bool>,
    /// Components with rows. Shape: \[component_count\].
    rows: Vec<bool>,
    /// Sums over each component. Shape: \[component_count\].
    grams: Vec<Gram>,
    /// The last ways, the newest last; the first `known` of them. One more for the whole way.
    ways: [Pair<R>; SPAN],
    known: usize,
    /// The first iterate of the step with its residual, and the last one.
    first: Pair<R>,
    last: Pair<R>,
    /// Whether `last` is of this step.
    begun: bool,
    /// What the last step corrected \[m\], by slot, over the square of its size.
    previous: Vec<V3<R>>,
    /// Residual at the iterate \[N\].
    r: Vec<V3<R>>,
    /// Memory of [`CpuParticles::retreat`].
    pub(super) search: Vec<Retreat>,
    pub(super) motion: Vec<V3<f64>>,
}

impl<R: Scalar> Directions<R> {
    /// The correction of the last step over h² \[m/s²\], by slot.
    pub fn previous(&self) -> &[V3<R>] {
        &self.previous
    }

    /// Puts it back; nothing = there was no last step.
    pub fn set_previous(&mut self, previous: &[V3<R>]) {
        self.previous.clear();
        self.previous.extend_from_slice(previous);
    }

    /// Residual at the iterate \[N\], by slot.
    pub(super) fn residual(&self) -> &[V3<R>] {
        &self.r
    }

    /// The component of a slot.
    pub(super) fn component_of(&self, slot: usize) -> usize {
        self.component[slot] as usize
    }

    /// Whether something holds each component, and whether it has rows.
    pub(super) fn free_of_rows(&self) -> impl Iterator<Item = (bool, bool)> + '_ {
        self.held.iter().copied().zip(self.rows.iter().copied())
    }

    /// Takes note of the iterate `d` with its residual, and of the way to it.
    fn note(&mut self, d: &[V3<R>]) {
        let mut now = std::mem::take(&mut self.ways[KEPT]);
        now.set(d, &self.r);
        if !self.begun {
            self.first.set(d, &self.r);
            self.begun = true;
        } else {
            if self.known == KEPT {
                self.ways[..KEPT].rotate_left(1);
                self.known -= 1;
            }
            self.ways[self.known].set_way(&self.last, &now);
            self.known += 1;
        }
        std::mem::swap(&mut self.last, &mut now);
        self.ways[KEPT] = now;
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Finds components, and which of them are held.
    pub(super) fn read_directions(&mut self) {
        let dir = &mut self.directions;
        let count;
        (dir.component, count) = components(self.columns.mobility.len(), &self.elements);
        dir.held.clear();
        dir.held.resize(count, false);
        dir.rows.resize(count, false);
        dir.grams.resize(count, Gram::default());
        for (s, m) in self.columns.mobility.iter().enumerate() {
            dir.held[dir.component[s] as usize] |= !matches!(m, Mobility::Dynamic | Mobility::Proxy);
        }
    }

    /// Before the first sweep: eq. (45). `fresh`: terms were evaluated at the iterate.
    pub(super) fn begin_ways(&mut self, fresh: bool) {
        (self.directions.known, self.directions.begun) = (0, false);
        self.directions.rows.fill(false);
        self.find_rows();
        self.read_residual(fresh);
        let n = self.layout.block_count;
        self.directions.note(&self.columns.d[..n]);
        if self.directions.previous.len() != n {
            return;
        }
        let h2 = R::from_f64(self.h * self.h);
        for s in 0..n {
            let c = self.directions.component[s] as usize;
            if self.directions.held[c] && !self.directions.rows[c] && self.columns.moves(s) {
                self.columns.put(s, convert(self.directions.previous[s] * h2), self.options.velocity);
            }
        }
        self.span();
    }

    /// Between two sweeps: eq. (42)–(44).
    pub(super) fn span(&mut self) {
        self.find_rows();
        self.read_residual(false);
        let n = self.layout.block_count;
        self.directions.note(&self.columns.d[..n]);
        self.go_to_least(self.directions.known);
    }

    /// After the last sweep: as between two, with the whole way of the step; what raised the objective
    /// is taken back. Terms are those of the end then.
    pub(super) fn end_ways(&mut self) {
        self.find_rows();
        self.read_residual(false);
        let n = self.layout.block_count;
        let dir = &mut self.directions;
        dir.note(&self.columns.d[..n]);
        let known = dir.known;
        if known > 1 {
            let mut whole = std::mem::take(&mut dir.ways[KEPT]);
            whole.set_way(&dir.first, &dir.last);
            dir.ways[KEPT] = whole;
            if known < KEPT {
                dir.ways.swap(known, KEPT);
            }
            self.go_to_least(known + 1);
        } else {
            self.go_to_least(known);
        }
        self.read_residual(false);
        let back = self.take_back();
        self.terms_are_current = (self.retreat() || !back) && self.self_contact.is_none();
        let (h2, dir) = (R::from_f64(1.0 / (self.h * self.h)), &mut self.directions);
        dir.previous.clear();
        dir.previous.extend(self.columns.d[..n].iter().map(|&d| d * h2));
    }

    /// Marks components with rows, until the end of the step.
    fn find_rows(&mut self) {
        let n = self.layout.block_count;
        let mut marks = std::mem::take(&mut self.directions.rows);
        let rows = Rows(self);
        if rows.any(&(0..n)) {
            for s in (0..n).filter(|&s| rows.any(&(s..s + 1))) {
                marks[self.directions.component[s] as usize] = true;
            }
        }
        self.directions.rows = marks;
    }

    /// r = f − m/h² d of every block; `fresh`: terms were evaluated at the iterate.
    pub(super) fn read_residual(&mut self, fresh: bool) {
        let mut terms = std::mem::take(&mut self.terms);
        if !fresh || terms.len() != self.layout.block_count {
            terms.resize(self.layout.block_count, Default::default());
            self.eval_all(&mut terms);
        }
        let r = &mut self.directions.r;
        r.clear();
        r.extend(
            terms
                .iter()
                .zip(&self.columns.inertia)
                .map(|(t, &m)| if m.cmp_gt(R::zero()) { t.f - t.inertia } else { V3::zero() }),
        );
        self.terms = terms;
    }

    /// eq. (43), (44): the least of the objective over the span of the first `count` ways.
    fn go_to_least(&mut self, count: usize) {
        let dir = &mut self.directions;
        dir.grams.fill(Gram::default());
        let ways = &dir.ways[..count];
        for (s, &r) in dir.r.iter().enumerate() {
            let gram = &mut dir.grams[dir.component[s] as usize];
            for (i, p) in ways.iter().enumerate() {
                gram.b[i] += p.d[s].dot(r).to_f64();
                for (j, q) in ways.iter().enumerate() {
                    gram.A[i][j] -= p.d[s].dot(q.r[s]).to_f64();
                }
            }
        }
        for (gram, &rows) in dir.grams.iter_mut().zip(&dir.rows) {
            gram.b = if rows { [0.0; SPAN] } else { gram.solve(count) };
        }
        for s in 0..self.layout.block_count {
            let dir = &self.directions;
            let share = dir.grams[dir.component[s] as usize].b;
            if share == [0.0; SPAN] || !self.columns.moves(s) {
                continue;
            }
            let ways = dir.ways[..count].iter().zip(share);
            let step = ways.fold(V3::zero(), |d, (way, g)| d + way.d[s] * R::from_f64(g));
            self.columns.shift(s, step, self.options.velocity);
        }
    }

    /// eq. (46): whether some component went too far since the last note; it is put back there.
    fn take_back(&mut self) -> bool {
        let dir = &mut self.directions;
        dir.grams.fill(Gram::default());
        for (s, (&d, &r)) in self.columns.d.iter().zip(&dir.r).enumerate() {
            let way = d - dir.last.d[s];
            dir.grams[dir.component[s] as usize].b[0] += way.dot(r + dir.last.r[s]).to_f64();
        }
        let mut any = false;
        for s in 0..self.layout.block_count {
            let dir = &self.directions;
            if dir.grams[dir.component[s] as usize].b[0] < 0.0 && self.columns.moves(s) {
                any = true;
                self.columns.put(s, convert(dir.last.d[s]), self.options.velocity);
                self.directions.r[s] = self.directions.last.r[s];
            }
        }
        any
    }
}
