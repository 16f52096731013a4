//! Force, Hessian and descent step of one group of blocks, a block per lane.
//!
//! `docs/theory/vbd.md` eq. (3), (4); elements: `docs/theory/elasticity.md`. Every lane does, in the
//! order of its own lists, what a single number would do, so the number of lanes changes no bit.

#![allow(non_snake_case)]

use std::mem::MaybeUninit;

use coact_math::{Lanes, Mask, Real, S3, V3};

use super::fans::Rays;
use super::gather::{Transpose, Wide, gather, gather_inside, gather_u, gather_u_inside};
use super::tables::{Entry, HINGE, HingeEntry, SPRING, TRIANGLE, Tables, TriangleLane};
use super::tets::StarEdges;
use super::{BlockRows, Out, StepTerms};
use crate::config::{SingularRule, VelocityRule};
use crate::energy::{
    Block, Face, Ray, eval_hinge_angle, eval_hinge_damping, eval_hinge_elastic, eval_sector,
    eval_spring_damping, eval_spring_elastic,
};
use crate::particle::Place;
use crate::prepared::{HingeRecord, MAX_RING, MAX_SECTORS};

/// |det H| at which the absolute rule skips a block; in units of (N/m)³.
pub const SINGULAR_DETERMINANT: f64 = 1e-8;

/// Room for what a group reads several times; kept, since clearing it takes time, a good part of it
/// uninitialised.
pub(super) struct Scratch<R: Transpose, const N: usize>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    rays: Rays<Lanes<R, N>>,
    star: StarEdges<Lanes<R, N>>,
}

impl<R: Transpose, const N: usize> Scratch<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    #[inline(always)]
    pub(super) fn new() -> Self {
        let o = V3::zero();
        Self { rays: [Ray::new(o, o); MAX_SECTORS + 1], star: [[MaybeUninit::uninit(); MAX_RING]; 2] }
    }
}

/// One group at work: where its blocks are.
pub(super) struct Group<'a, R: Transpose, const N: usize> {
    pub(super) step: &'a StepTerms<'a, R>,
    pub(super) inv_h: Lanes<R, N>,
    x: Wide<R, N>,
    u: V3<Lanes<R, N>>,
}

impl<R: Transpose, const N: usize> Tables<R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// eq. (3) without inertia: what elements give to each block of `group`.
    #[inline(always)]
    fn eval_elements(
        &self,
        group: usize,
        slots: &[u32; N],
        step: &StepTerms<R>,
        scratch: &mut Scratch<R, N>,
    ) -> Block<Lanes<R, N>> {
        assert!(self.slots <= step.at.len() && self.slots <= step.u.len(), "other particles");
        let inv_h = Lanes::splat(step.inv_h);
        // SAFETY: blocks are slots
        let (x, u) = unsafe { (gather_inside(step.at, slots), gather_u_inside(step.u, slots)) };
        let own = Group { step, inv_h, x, u };
        let mut sum = own.fan(&self.fans, group, &mut scratch.rays);
        for e in self.springs.of(group) {
            sum += own.spring(e, self.damped[SPRING]);
        }
        for e in self.triangles.of(group) {
            sum += own.triangle(e, self.damped[TRIANGLE]);
        }
        for e in self.hinge_tips.of(group) {
            sum += own.hinge_tip(e, self.damped[HINGE]);
        }
        for e in self.hinge_ends.of(group) {
            sum += own.hinge_end(e, self.damped[HINGE]);
        }
        sum + own.tets(&self.tets, group, &mut scratch.star)
    }

    /// eq. (3): elements, and the rows of those that have any.
    #[inline(always)]
    fn eval_blocks(
        &self,
        group: usize,
        slots: &[u32; N],
        step: &StepTerms<R>,
        rows: &dyn BlockRows<R>,
        scratch: &mut Scratch<R, N>,
    ) -> Block<Lanes<R, N>> {
        let blocks = self.groups.blocks[group].clone();
        let mut sum = self.eval_elements(group, slots, step, scratch);
        if rows.any(&blocks) {
            for (l, slot) in blocks.enumerate() {
                let elements = Block { f: sum.f.lane(l), H: lane_of(&sum.H, l) };
                add_lane(&mut sum, l, &rows.eval_beside(slot, &elements));
            }
        }
        sum
    }

    /// Evaluates a group into its part of `out`, which begins with block `first`; how many systems
    /// were singular.
    #[inline(always)]
    pub(super) fn work_on(
        &self,
        group: usize,
        step: &StepTerms<R>,
        rows: &dyn BlockRows<R>,
        (first, out): (usize, &mut Out<R>),
        scratch: &mut Scratch<R, N>,
    ) -> usize {
        let (slots, inertia, offset) = self.load_blocks(group, step);
        let blocks = &self.groups.blocks[group];
        let part = blocks.start - first..blocks.end - first;
        let block = self.eval_blocks(group, &slots, step, rows, scratch);
        match out {
            Out::Steps(steps) => solve(block, inertia, offset * inertia, step.singular, &mut steps[part]),
            Out::Terms(terms) => {
                for (l, t) in terms[part].iter_mut().enumerate() {
                    *t = Block { f: block.f.lane(l), H: lane_of(&block.H, l) };
                }
                0
            }
            Out::Residuals(residuals) => {
                let r = V3::select(inertia.cmp_gt(Lanes::zero()), block.f - offset * inertia, V3::zero());
                residuals[part].iter_mut().enumerate().for_each(|(l, out)| *out = r.lane(l));
                0
            }
        }
    }

    /// Slots, inertia and what it pulls back, by lane.
    #[inline(always)]
    fn load_blocks(&self, group: usize, step: &StepTerms<R>) -> ([u32; N], Lanes<R, N>, V3<Lanes<R, N>>) {
        let blocks = &self.groups.blocks[group];
        let last = blocks.end - 1;
        let slots: [u32; N] = std::array::from_fn(|l| (blocks.start + l).min(last) as u32);
        let mut inertia = [R::default(); N];
        let (mut x, mut y, mut z) = (inertia, inertia, inertia);
        for l in 0..N {
            let s = slots[l] as usize;
            let o = match step.velocity {
                VelocityRule::Correction => step.d[s],
                VelocityRule::PositionDifference => step.at[s].hi() - step.x_target[s],
            };
            inertia[l] = step.inertia[s];
            (x[l], y[l], z[l]) = (o.x, o.y, o.z);
        }
        (slots, Lanes(inertia), V3::new(Lanes(x), Lanes(y), Lanes(z)))
    }
}

impl<R: Transpose, const N: usize> Group<'_, R, N>
where
    Lanes<R, N>: Real<Scalar = R>,
{
    /// From the blocks to the particles in `slots`, which are those of a table: eq. (36b).
    #[inline(always)]
    pub(super) fn edge(&self, slots: &[u32; N]) -> V3<Lanes<R, N>> {
        // SAFETY: slots are those of the tables, which are below the number of particles
        let places = unsafe { gather_inside(self.step.at, slots) };
        places.minus(&self.x)
    }

    /// How these changed since the begin of the step.
    #[inline(always)]
    pub(super) fn edge_u(&self, slots: &[u32; N]) -> V3<Lanes<R, N>> {
        // SAFETY: as above
        let moves = unsafe { gather_u_inside(self.step.u, slots) };
        moves - self.u
    }

    /// The edges to all vertices of an element.
    #[inline(always)]
    pub(super) fn edges<const V: usize>(&self, v: &[[u32; N]; V]) -> [V3<Lanes<R, N>>; V] {
        let mut x = [V3::zero(); V];
        for i in 0..V {
            x[i] = self.edge(&v[i]);
        }
        x
    }

    #[inline(always)]
    pub(super) fn edges_u<const V: usize>(&self, v: &[[u32; N]; V]) -> [V3<Lanes<R, N>>; V] {
        let mut x = [V3::zero(); V];
        for i in 0..V {
            x[i] = self.edge_u(&v[i]);
        }
        x
    }

    #[inline(always)]
    fn spring(
        &self,
        s: &Entry<crate::energy::Spring<Lanes<R, N>>, 1, N>,
        damped: bool,
    ) -> Block<Lanes<R, N>> {
        let d = -self.edge(&s.v[0]);
        let mut block = eval_spring_elastic(&s.e, d, self.step.spring_hessian);
        if damped {
            block += eval_spring_damping(&s.e, d, -self.edge_u(&s.v[0]), self.inv_h);
        }
        block
    }

    #[inline(always)]
    fn triangle(&self, t: &Entry<TriangleLane<Lanes<R, N>>, 2, N>, damped: bool) -> Block<Lanes<R, N>> {
        let du = if damped { self.edges_u(&t.v) } else { [V3::zero(); 2] };
        let [p, q] = self.edges(&t.v);
        let (a, b) = (Ray::new(p, du[0]), Ray::new(q, du[1]));
        let face = Face::new(&a, &b, t.e.sector.det);
        let damped = damped.then_some((&t.e.damping, self.inv_h));
        eval_sector(&t.e.sector, [&a, &b], &face, self.step.membrane_hessian, damped)
    }

    #[inline(always)]
    fn hinge_tip(&self, h: &HingeEntry<Lanes<R, N>, N>, damped: bool) -> Block<Lanes<R, N>> {
        let [tip, a, b] = self.edges(&h.entry.v);
        self.hinge(h, [V3::zero(), tip, a, b], 0, damped)
    }

    #[inline(always)]
    fn hinge_end(&self, h: &HingeEntry<Lanes<R, N>, N>, damped: bool) -> Block<Lanes<R, N>> {
        let [p, q, b] = self.edges(&h.entry.v);
        self.hinge(h, [p, q, V3::zero(), b], 2, damped)
    }

    #[inline(always)]
    fn hinge(
        &self,
        h: &HingeEntry<Lanes<R, N>, N>,
        x: [V3<Lanes<R, N>>; 4],
        corner: usize,
        damped: bool,
    ) -> Block<Lanes<R, N>> {
        let e = &h.entry.e;
        let angle = eval_hinge_angle(&x);
        let g = angle.gradient(corner);
        let mut block = eval_hinge_elastic(&e.hinge, angle.theta, g);
        if damped {
            let start = (e.start, e.start.cmp_eq(e.start));
            block += eval_hinge_damping(&e.hinge, angle.theta, start, g, self.inv_h);
        }
        block
    }
}

/// Angles at the begin of the step, x − u, of up to N hinges; not a number where there is none.
#[inline(always)]
pub(super) fn start_angles<R: Transpose, const N: usize>(
    hinges: &[HingeRecord<R>],
    (at, u): (&[Place<R>], &[[R; 4]]),
    out: &mut [R],
) where
    Lanes<R, N>: Real<Scalar = R>,
{
    let slots = |i: usize| std::array::from_fn(|l| hinges[l.min(hinges.len() - 1)].v[i]);
    let (first, first_u) = (gather(at, &slots(0)), gather_u(u, &slots(0)));
    let mut x = [V3::<Lanes<R, N>>::zero(); 4];
    for (i, x) in x.iter_mut().enumerate().skip(1) {
        *x = gather(at, &slots(i)).minus(&first) - (gather_u(u, &slots(i)) - first_u);
    }
    let angle = eval_hinge_angle(&x);
    let none = Lanes::from_f64(f64::NAN);
    let theta = Lanes::select(angle.regular, angle.theta, none);
    out.copy_from_slice(&theta.0[..out.len()]);
}

/// eq. (4): the descent step of each block.
#[inline(always)]
fn solve<R: Transpose, const N: usize>(
    Block { f, mut H }: Block<Lanes<R, N>>,
    inertia: Lanes<R, N>,
    pull: V3<Lanes<R, N>>,
    singular: SingularRule,
    out: &mut [V3<R>],
) -> usize
where
    Lanes<R, N>: Real<Scalar = R>,
{
    H.add_diagonal(inertia);
    let (d, regular) = H.solve(f - pull);
    let keep = match singular {
        SingularRule::Relative => regular,
        SingularRule::AbsoluteDeterminant => H.det().abs().cmp_gt(Lanes::from_f64(SINGULAR_DETERMINANT)),
    };
    let movable = inertia.cmp_gt(Lanes::zero());
    let d = V3::select(keep & movable, d, V3::zero());
    // what overflowed must not pass for singular: the end of the step names it
    let (size, nan) = (H.trace().abs(), Lanes::from_f64(f64::NAN));
    let known = size.cmp_lt(Lanes::from_f64(f64::INFINITY));
    let d = V3::select(movable & !known, V3::new(nan, nan, nan), d);
    for (l, o) in out.iter_mut().enumerate() {
        *o = d.lane(l);
    }
    (0..out.len()).filter(|&l| (movable & !keep).lane(l)).count()
}

#[inline(always)]
fn lane_of<R: Transpose, const N: usize>(H: &S3<Lanes<R, N>>, l: usize) -> S3<R> {
    S3 { xx: H.xx.0[l], xy: H.xy.0[l], xz: H.xz.0[l], yy: H.yy.0[l], yz: H.yz.0[l], zz: H.zz.0[l] }
}

/// Adds the block of one lane.
#[inline(always)]
fn add_lane<R: Transpose, const N: usize>(sum: &mut Block<Lanes<R, N>>, l: usize, b: &Block<R>) {
    sum.f.x.0[l] += b.f.x;
    sum.f.y.0[l] += b.f.y;
    sum.f.z.0[l] += b.f.z;
    sum.H.xx.0[l] += b.H.xx;
    sum.H.xy.0[l] += b.H.xy;
    sum.H.xz.0[l] += b.H.xz;
    sum.H.yy.0[l] += b.H.yy;
    sum.H.yz.0[l] += b.H.yz;
    sum.H.zz.0[l] += b.H.zz;
}
