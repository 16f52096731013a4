//! What each coarse block meets, in lanes: four elements side by side.
//!
//! An element enters by the weights of its vertices in the block: a triangle and a tetrahedron by
//! m_c = Σ w_i m_i, a hinge by the w_i, a spring by their difference. Weights enter as differences
//! to the first vertex: a constant moves no element. Elements on which the weight is constant are
//! left out.

#![allow(non_snake_case)]

use coact_math::{Lanes, M2, M3, Real, Scalar, V3};

use super::level::Shares;
use crate::energy::{Hinge, Membrane, Spring, Tetrahedron, membrane_weights, tetrahedron_weights};
use crate::prepared::{Elements, Record};

/// Elements side by side; the same on every machine, so that sums have one order. No wider: 64 bytes
/// are for machines with AVX-512 alone.
pub const WIDTH: usize = 4;

/// Entries of one kind in a part: what one task sums. Sums of parts are added in order.
pub const PART: usize = 128;

/// Numbers side by side.
pub type Wide<R> = Lanes<R, WIDTH>;

/// Elements of one kind side by side.
#[derive(Clone, Copy, Debug)]
pub struct Entry<E, M, const V: usize> {
    /// Vertices (slots).
    pub v: [[u32; WIDTH]; V],
    /// Rest shape and material; zero in padding lanes.
    pub e: E,
    /// How the block moves it.
    pub m: M,
}

/// Triangles, by m_c.
pub type TriangleEntry<R> = Entry<Membrane<Wide<R>>, [Wide<R>; 2], 3>;
/// Hinges, by the weights of their vertices.
pub type HingeEntry<R> = Entry<Hinge<Wide<R>>, [Wide<R>; 4], 4>;
/// Tetrahedra, by m_c.
pub type TetEntry<R> = Entry<Tetrahedron<Wide<R>>, [Wide<R>; 3], 4>;

/// A list per block.
#[derive(Clone, Debug)]
pub struct Lists<E> {
    start: Vec<u32>,
    entries: Vec<E>,
}

impl<E> Default for Lists<E> {
    fn default() -> Self {
        Self { start: vec![0], entries: Vec::new() }
    }
}

impl<E> Lists<E> {
    /// The entries of a part of a block.
    #[inline(always)]
    pub fn of(&self, (block, part): (usize, usize)) -> &[E] {
        let all = &self.entries[self.start[block] as usize..self.start[block + 1] as usize];
        &all[(part * PART).min(all.len())..((part + 1) * PART).min(all.len())]
    }

    fn fill<const V: usize>(&mut self, shares: &[Vec<Share<V>>], pack: impl Fn(&[Share<V>]) -> E) {
        self.entries.clear();
        self.start.truncate(1);
        for shares in shares {
            self.entries.extend(shares.chunks(WIDTH).map(&pack));
            self.start.push(self.entries.len() as u32);
        }
    }
}

/// An element and the weights of its vertices, less that of the first.
pub type Share<const V: usize> = (u32, [f64; V]);

/// All lists of a level.
#[derive(Clone, Debug, Default)]
pub struct Tables<R: Scalar> {
    /// Springs.
    pub springs: Lists<Entry<Spring<Wide<R>>, Wide<R>, 2>>,
    /// Membrane triangles.
    pub triangles: Lists<TriangleEntry<R>>,
    /// Hinges.
    pub hinges: Lists<HingeEntry<R>>,
    /// Tetrahedra.
    pub tets: Lists<TetEntry<R>>,
    /// Whether any element is damped.
    pub damped: bool,
}

impl<R: Scalar> Tables<R>
where
    Wide<R>: Real<Scalar = R>,
{
    /// Packs the elements of every block, in the memory that is there.
    pub fn read(&mut self, e: &Elements<R>, shares: &Shares) {
        self.springs.fill(&shares.springs, |s| spring_entry(e, s));
        self.triangles.fill(&shares.triangles, |s| triangle_entry(e, s));
        self.hinges.fill(&shares.hinges, |s| hinge_entry(e, s));
        self.tets.fill(&shares.tets, |s| tet_entry(e, s));
        self.damped = any_damped(e);
    }
}

fn any_damped<R: Scalar>(e: &Elements<R>) -> bool {
    let damped = |kd: R| kd.cmp_gt(R::zero());
    e.springs.iter().any(|s| damped(s.e.kd))
        || e.triangles.iter().any(|t| damped(t.e.kd))
        || e.hinges.iter().any(|h| damped(h.e.kd))
        || e.tets.iter().any(|t| damped(t.e.kd))
}

/// One number of each share; zero beyond.
fn pack<R: Scalar, const V: usize>(shares: &[Share<V>], of: impl Fn(&Share<V>) -> R) -> Wide<R> {
    Lanes(std::array::from_fn(|l| shares.get(l).map_or(R::default(), &of)))
}

/// Vertices by lane; padding lanes repeat the first element.
fn vertices<E, const V: usize>(records: &[Record<E, V>], shares: &[Share<V>]) -> [[u32; WIDTH]; V] {
    let of = |l: usize| records[shares.get(l).unwrap_or(&shares[0]).0 as usize].v;
    std::array::from_fn(|k| std::array::from_fn(|l| of(l)[k]))
}

fn spring_entry<R: Scalar>(e: &Elements<R>, s: &[Share<2>]) -> Entry<Spring<Wide<R>>, Wide<R>, 2> {
    let r = |s: &Share<2>| e.springs[s.0 as usize].e;
    let spring = Spring { l0: pack(s, |s| r(s).l0), ke: pack(s, |s| r(s).ke), kd: pack(s, |s| r(s).kd) };
    Entry { v: vertices(&e.springs, s), e: spring, m: pack(s, |s| R::from_f64(-s.1[1])) }
}

fn triangle_entry<R: Scalar>(e: &Elements<R>, s: &[Share<3>]) -> TriangleEntry<R>
where
    Wide<R>: Real<Scalar = R>,
{
    let r = |s: &Share<3>| e.triangles[s.0 as usize].e;
    let D = |of: fn(&M2<R>) -> R| pack(s, |s| of(&r(s).Dm_inv));
    let Dm_inv = M2::new(D(|d| d.xx), D(|d| d.xy), D(|d| d.yx), D(|d| d.yy));
    let e_wide = Membrane {
        Dm_inv,
        A: pack(s, |s| r(s).A),
        mu: pack(s, |s| r(s).mu),
        lambda: pack(s, |s| r(s).lambda),
        kd: pack(s, |s| r(s).kd),
    };
    let m = |s: &Share<3>, k: usize| {
        let m = |i| membrane_weights(&r(s).Dm_inv, i)[k].to_f64();
        R::from_f64(s.1[1] * m(1) + s.1[2] * m(2))
    };
    Entry { v: vertices(&e.triangles, s), e: e_wide, m: [0, 1].map(|k| pack(s, |s| m(s, k))) }
}

fn hinge_entry<R: Scalar>(e: &Elements<R>, s: &[Share<4>]) -> HingeEntry<R> {
    let r = |s: &Share<4>| e.hinges[s.0 as usize].e;
    let hinge = Hinge {
        L0: pack(s, |s| r(s).L0),
        theta0: pack(s, |s| r(s).theta0),
        ke: pack(s, |s| r(s).ke),
        kd: pack(s, |s| r(s).kd),
    };
    let m = [0, 1, 2, 3].map(|k| pack(s, |s| R::from_f64(s.1[k])));
    Entry { v: vertices(&e.hinges, s), e: hinge, m }
}

fn tet_entry<R: Scalar>(e: &Elements<R>, s: &[Share<4>]) -> TetEntry<R>
where
    Wide<R>: Real<Scalar = R>,
{
    let r = |s: &Share<4>| e.tets[s.0 as usize].e;
    let column = |c: fn(&M3<R>) -> V3<R>| {
        let D = |of: fn(V3<R>) -> R| pack(s, |s| of(c(&r(s).Dm_inv)));
        V3::new(D(|v| v.x), D(|v| v.y), D(|v| v.z))
    };
    let tet = Tetrahedron {
        Dm_inv: M3::from_columns(column(|m| m.x), column(|m| m.y), column(|m| m.z)),
        V: pack(s, |s| r(s).V),
        mu: pack(s, |s| r(s).mu),
        lambda: pack(s, |s| r(s).lambda),
        kd: pack(s, |s| r(s).kd),
    };
    let m = |s: &Share<4>, k: usize| {
        let m = |i: usize| s.1[i] * tetrahedron_weights(&r(s).Dm_inv, i)[k].to_f64();
        R::from_f64(m(1) + m(2) + m(3))
    };
    Entry { v: vertices(&e.tets, s), e: tet, m: [0, 1, 2].map(|k| pack(s, |s| m(s, k))) }
}
