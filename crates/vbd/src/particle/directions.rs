//! Directions that sweeps have shown: eq. (42)–(46) of `docs/theory/vbd.md`.
//!
//! Between two sweeps the residual is evaluated, and the iterate goes to where the objective is least
//! over the span of the last few ways that it went; so does the end of the step. Every component of
//! the mesh has its own span: what happens in one changes no other.
//!
//! Rows bend where they open or close: ways know of elements and inertia only, and a component that rows act
//! on goes to its least by `reduced.rs`, where they are evaluated exactly.

#![allow(non_snake_case)]

use std::mem::take;
use std::ops::{AddAssign, Range};

use coact_collide::Mobility;
use coact_math::{Scalar, V3};

use super::columns::convert;
use super::cpu::CpuParticles;
use super::parts::Parts;
use super::reduced::{Moments, Reduced};
use super::reduction::Movable;
use super::retreat::Retreat;
use super::rows::Rows;
use super::span::{Gram, SPAN};
use super::system::System;
use crate::body::Bodies;
use crate::coarse::components;
use crate::lanes::{self, BlockRows, Work};
use crate::self_contact::presses;

/// Ways that are kept. Six leave a hundredth less of the error than three and take twice the time.
const KEPT: usize = SPAN - 1;

/// Products that are added up side by side in the precision of blocks before they join a sum in `f64`.
const LANES: usize = 8;

/// A displacement and a residual without rows, or changes of them. Shape of each: \[block_count\].
#[derive(Clone, Debug, Default)]
pub(super) struct Pair<R> {
    pub(super) d: Vec<V3<R>>,
    pub(super) r: Vec<V3<R>>,
}

impl<R: Scalar> Pair<R> {
    fn set(&mut self, d: &[V3<R>], r: &[V3<R>]) {
        self.d.clear();
        self.d.extend_from_slice(d);
        self.r.clear();
        self.r.extend_from_slice(r);
    }

    /// From where it is to the way from there to `to`.
    pub(super) fn turn_to(&mut self, to: &Self) {
        for (from, to) in [(&mut self.d, &to.d), (&mut self.r, &to.r)] {
            from.iter_mut().zip(to).for_each(|(from, &to)| *from = to - *from);
        }
    }

    /// The way from `from` to `d` and `r`.
    fn set_way(&mut self, from: &Self, (d, r): (&[V3<R>], &[V3<R>]), parallel: bool) {
        set_difference(&mut self.d, d, &from.d, parallel);
        set_difference(&mut self.r, r, &from.r, parallel);
    }
}

/// a − b.
fn set_difference<R: Scalar>(out: &mut Vec<V3<R>>, a: &[V3<R>], b: &[V3<R>], parallel: bool) {
    out.resize(a.len(), V3::zero());
    lanes::for_chunks(out, parallel, |first, out| {
        for (out, (a, b)) in out.iter_mut().zip(a[first..].iter().zip(&b[first..])) {
            *out = *a - *b;
        }
    });
}

/// The sums over a run of slots.
struct Sums<'a, R> {
    ways: &'a [Pair<R>],
    r: &'a [V3<R>],
    run: Range<usize>,
    out: &'a mut Gram,
}

impl<R: Scalar> Work for Sums<'_, R> {
    const IS_WIDE: Option<bool> = None;

    #[inline(always)]
    fn run(self) -> usize {
        for (i, p) in self.ways.iter().enumerate() {
            let p = &p.d[self.run.clone()];
            self.out.b[i] = dot(p, &self.r[self.run.clone()]);
            for (j, q) in self.ways.iter().enumerate() {
                self.out.A[i][j] = -dot(p, &q.r[self.run.clone()]);
            }
        }
        0
    }
}

/// Σ a·b.
#[inline(always)]
fn dot<R: Scalar>(a: &[V3<R>], b: &[V3<R>]) -> f64 {
    let mut sums = [V3::<R>::zero(); LANES];
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += V3::new(a.x * b.x, a.y * b.y, a.z * b.z);
        }
    }
    sums.iter().map(|s| s.x.to_f64() + s.y.to_f64() + s.z.to_f64()).sum()
}

/// Mass of a component times where it is, and its mass.
#[derive(Clone, Copy, Debug, Default)]
struct Centre {
    kx: V3<f64>,
    k: f64,
}

impl AddAssign for Centre {
    fn add_assign(&mut self, o: Self) {
        (self.kx, self.k) = (self.kx + o.kx, self.k + o.k);
    }
}

/// What a step knows of the ways that it went.
#[derive(Clone, Debug, Default)]
pub struct Directions<R> {
    pub(super) parts: Parts,
    /// Components that something immovable holds. Shape: \[component_count\].
    pub(super) held: Vec<bool>,
    /// Whether the step ends, and what is free is balanced too.
    pub(super) ending: bool,
    /// Components with rows of shapes and bodies. Shape: \[component_count\].
    pub(super) rows: Vec<bool>,
    /// Those with rows of contacts. Shape: \[component_count\].
    touching: Vec<bool>,
    /// Those with pairs that press, which are swept alone.
    paired: Vec<bool>,
    /// Those whose last way raised the objective.
    pub(super) worse: Vec<bool>,
    /// Those whose rows act on bodies that forces move.
    carried: Vec<bool>,
    /// Where the mass of each component was before the first sweep, from the origin of places \[m\].
    centres: Vec<Centre>,
    partial_centres: Vec<Centre>,
    /// Sums over each component, and over each part. Shape: \[component_count\].
    pub(super) grams: Vec<Gram>,
    pub(super) partial: Vec<Gram>,
    /// The last ways, the newest last; the first `known` of them. In place of one more the whole way, which
    /// takes the memory of `first`.
    pub(super) ways: [Pair<R>; SPAN],
    pub(super) known: usize,
    /// The first iterate of the step with its residual, and the last one.
    pub(super) first: Pair<R>,
    pub(super) last: Pair<R>,
    /// The one before.
    former: Pair<R>,
    /// Whether `last` is of this step.
    pub(super) begun: bool,
    /// What the last step corrected \[m\], by slot, over the square of its size.
    pub(super) previous: Vec<V3<R>>,
    /// Memory of [`CpuParticles::go_to_least_with_rows`].
    pub(super) system: System,
    pub(super) moments: [Vec<Moments>; 2],
    /// Translation and rotation vector in a way. Shape: \[component_count\].
    pub(super) rigid: Vec<[V3<f64>; 2]>,
    pub(super) reduced: [Vec<Reduced>; 2],
    /// Memory of [`CpuParticles::retreat`].
    pub(super) search: Vec<Retreat>,
    pub(super) gains: [Vec<super::retreat::Gain>; 2],
}

impl<R: Scalar> Directions<R> {
    /// The correction of the last step over h² \[m/s²\], by slot.
    pub fn previous(&self) -> &[V3<R>] {
        &self.previous
    }

    /// Forgets it of some slots.
    pub fn forget(&mut self, is_chosen: impl Fn(u32) -> bool) {
        let chosen = self.previous.iter_mut().enumerate().filter(|(slot, _)| is_chosen(*slot as u32));
        chosen.for_each(|(_, d)| *d = V3::zero());
    }

    /// Puts it back; nothing = there was no last step.
    pub fn set_previous(&mut self, previous: &[V3<R>]) {
        self.previous.clear();
        self.previous.extend_from_slice(previous);
    }

    /// Takes all memory at the first step that needs some.
    fn reserve(&mut self, blocks: usize, bodies: usize) {
        let pairs = self.ways[..KEPT].iter_mut().chain([&mut self.first, &mut self.last, &mut self.former]);
        for pair in pairs.filter(|p| p.d.capacity() == 0) {
            pair.d.reserve_exact(blocks);
            pair.r.reserve_exact(blocks);
        }
        if self.previous.capacity() == 0 {
            self.previous.reserve_exact(blocks);
        }
        self.search.reserve(self.parts.count());
        self.worse.reserve(self.parts.count());
        self.system.reserve(self.parts.count() + bodies);
        self.rigid.reserve(self.parts.count());
        let [partial, totals] = &mut self.moments;
        self.parts.reserve((partial, totals));
        let [partial, totals] = &mut self.reduced;
        self.parts.reserve((partial, totals));
        self.parts.reserve((&mut self.partial, &mut self.grams));
        let [partial, totals] = &mut self.gains;
        self.parts.reserve((partial, totals));
    }

    /// Whether a component ends where it cannot gain energy: something holds it and no pair presses.
    pub(super) fn is_bounded(&self, component: usize) -> bool {
        self.held[component] && !self.paired[component]
    }

    /// Whether rows act on a component.
    pub(super) fn has_rows(&self, component: usize) -> bool {
        self.rows[component]
    }

    /// Whether a component takes part in the search with rows: at the end of a step also what is free.
    pub(super) fn takes_part(&self, component: usize) -> bool {
        !self.paired[component] && self.rows[component] || self.moves_as_a_whole(component)
    }

    /// Whether a component goes to its least as a whole as well: nothing immovable holds it.
    pub(super) fn moves_as_a_whole(&self, component: usize) -> bool {
        !self.paired[component] && !self.held[component] && (self.rows[component] || self.ending)
    }

    /// Whether any component does.
    pub(super) fn any_whole(&self) -> bool {
        (0..self.rows.len()).any(|c| self.moves_as_a_whole(c))
    }

    /// What the component of a slot turns about, from the origin of places \[m\].
    pub(super) fn centre(&self, slot: usize) -> V3<f64> {
        let c = &self.centres[self.parts.of(slot)];
        c.kx * c.k.recip()
    }

    /// Takes note of the iterate `d` with its residual `r`, and of the way to it.
    fn note(&mut self, d: &[V3<R>], r: &[V3<R>], parallel: bool) {
        if !self.begun {
            self.first.set(d, r);
            self.begun = true;
        } else {
            if self.known == KEPT {
                self.ways[..KEPT].rotate_left(1);
                self.known -= 1;
            }
            self.ways[self.known].set_way(&self.last, (d, r), parallel);
            self.known += 1;
        }
        std::mem::swap(&mut self.former, &mut self.last);
        self.last.set(d, r);
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Finds components once, since connectivity stays, and which of them are held.
    pub(super) fn read_directions(&mut self) {
        let dir = &mut self.directions;
        if dir.parts.count() == 0 {
            let (component, count) = components(self.columns.mobility.len(), &self.elements);
            dir.parts = Parts::new(component, count, self.layout.block_count);
            dir.rows.resize(count, false);
            dir.touching.resize(count, false);
            dir.paired.resize(count, false);
            dir.carried.resize(count, false);
        }
        dir.held.clear();
        dir.held.resize(dir.parts.count(), false);
        for (s, m) in self.columns.mobility.iter().enumerate() {
            dir.held[dir.parts.of(s)] |= !matches!(m, Mobility::Dynamic | Mobility::Proxy);
        }
    }

    /// Before the first sweep: eq. (45). `fresh`: the residual was evaluated at the iterate.
    pub(super) fn begin_ways(&mut self, fresh: bool, movable: &mut Movable) {
        self.directions.reserve(self.layout.block_count, movable.bodies.len());
        (self.directions.known, self.directions.begun) = (0, false);
        self.directions.rows.fill(false);
        self.directions.touching.fill(false);
        self.find_rows();
        self.find_carried(movable.bodies);
        self.find_centres();
        let n = self.layout.block_count;
        if !fresh || self.residual.len() != n || Rows(self).any(&(0..n)) {
            self.eval_smooth();
        }
        self.note();
        let (dir, rows) = (&self.directions, &self.rows);
        let starts = |c: usize| !dir.paired[c] && (dir.held[c] || dir.rows[c] && !dir.carried[c]);
        if dir.previous.len() != n || !(0..dir.parts.count()).any(starts) {
            return self.go_to_least(0, movable);
        }
        let (h2, spread) = (R::from_f64(self.h * self.h), self.is_spread(&(0..n)));
        self.columns.put_all(0..n, spread, self.options.velocity, |s, _, _| {
            (starts(dir.parts.of(s)) && rows.of_slot(s).is_empty()).then(|| convert(dir.previous[s] * h2))
        });
        self.span(movable);
    }

    /// Centres of what may turn as a whole.
    pub(super) fn find_centres(&mut self) {
        let mut partial = take(&mut self.directions.partial_centres);
        let mut totals = take(&mut self.directions.centres);
        let (dir, c) = (&self.directions, &self.columns);
        let sum = |run: Range<usize>| {
            run.fold(Centre::default(), |mut sum, s| {
                let k = c.inertia_exact[s];
                sum += Centre { kx: V3::from_host(&c.at[s].position()) * k, k };
                sum
            })
        };
        dir.parts.sum((&mut partial, &mut totals), false, |c| !dir.held[c], sum);
        (self.directions.partial_centres, self.directions.centres) = (partial, totals);
    }

    /// Between two sweeps: eq. (42)–(44).
    pub(super) fn span(&mut self, movable: &mut Movable) {
        if !self.directions.begun {
            return;
        }
        self.find_rows();
        self.eval_smooth();
        self.find_worse(|dir, c| dir.touching[c]);
        self.note();
        self.take_back_touching();
        self.go_to_least(self.directions.known, movable);
    }

    /// eq. (46) between two sweeps: components that touch something and are worse off than before the last way go
    /// back there; what the way has shown is kept.
    fn take_back_touching(&mut self) {
        let dir = &mut self.directions;
        if !dir.worse.contains(&true) {
            return;
        }
        for s in (0..self.layout.block_count).filter(|&s| dir.worse[dir.parts.of(s)]) {
            (dir.last.d[s], dir.last.r[s]) = (dir.former.d[s], dir.former.r[s]);
        }
        self.go_to_last();
    }

    pub(super) fn note(&mut self) {
        let n = self.layout.block_count;
        let spread = self.is_spread(&(0..n));
        self.directions.note(&self.columns.d[..n], &self.residual, spread);
        if self.directions.known > 0 && self.directions.any_whole() {
            self.take_out_rigid(self.directions.known - 1);
        }
    }

    /// Marks components with rows of shapes and bodies, until the end of the step, and those with pairs that
    /// press now.
    pub(super) fn find_rows(&mut self) {
        let n = self.layout.block_count;
        let (mut rows, mut paired) = (take(&mut self.directions.rows), take(&mut self.directions.paired));
        paired.fill(false);
        let of = |s: usize| self.directions.parts.of(s);
        let mut touching = take(&mut self.directions.touching);
        if self.has_rows(&(0..n)) {
            for s in (0..n).filter(|&s| self.has_rows(&(s..s + 1))) {
                rows[of(s)] = true;
                touching[of(s)] |= self.rows.any(&(s..s + 1));
            }
        }
        for row in self.self_contact.iter().flat_map(|sc| sc.pairs.pressing()) {
            if presses(row, &self.columns.x_of(&row.v), &self.pair_law) {
                row.v.iter().for_each(|&s| paired[of(s as usize)] = true);
            }
        }
        self.directions.touching = touching;
        (self.directions.rows, self.directions.paired) = (rows, paired);
    }

    /// Marks components whose rows act on bodies that forces move.
    fn find_carried(&mut self, bodies: &Bodies) {
        let mut carried = take(&mut self.directions.carried);
        carried.fill(false);
        for body in (0..bodies.len()).filter(|&b| bodies.get(b).is_free()) {
            for slot in self.slots_at(body) {
                carried[self.directions.parts.of(slot as usize)] = true;
            }
        }
        self.directions.carried = carried;
    }

    /// eq. (43), (44): the least of the objective over the span of the first `count` ways.
    pub(super) fn go_to_least(&mut self, count: usize, movable: &mut Movable) {
        let (n, rule) = (self.layout.block_count, self.options.velocity);
        let spread = self.is_spread(&(0..n));
        let dir = &mut self.directions;
        let mut sums = (take(&mut dir.partial), take(&mut dir.grams));
        let (ways, r, simd) = (&dir.ways[..count], &dir.last.r[..], self.options.simd.resolved());
        let eval = |run: Range<usize>| {
            let mut gram = Gram::default();
            lanes::run(simd, Sums { ways, r, run, out: &mut gram });
            gram
        };
        dir.parts.sum((&mut sums.0, &mut sums.1), spread, |_| true, eval);
        (dir.partial, dir.grams) = sums;
        self.go_to_least_with_rows(count, movable);
        let dir = &mut self.directions;
        for ((gram, &rows), &paired) in dir.grams.iter_mut().zip(&dir.rows).zip(&dir.paired) {
            gram.b = if rows || paired { [0.0; SPAN] } else { gram.solve(count) };
        }
        let (ways, dir) = (&self.directions.ways[..count], &self.directions);
        self.columns.shift_where(0..n, spread, rule, |s| {
            let share = &dir.grams[dir.parts.of(s)].b;
            let step = |d, (way, &g): (&Pair<R>, &f64)| d + way.d[s] * R::from_f64(g);
            (share != &[0.0; SPAN]).then(|| ways.iter().zip(share).fold(V3::zero(), step))
        });
    }
}
