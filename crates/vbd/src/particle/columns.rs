//! The columns of particles, by slot: `P` is the precision of positions and velocities,
//! `R` that of blocks.

use std::ops::Range;

use coact_collide::Mobility;
use coact_math::{Real, Scalar, V3, Vec3};
use coact_model::{ModelView, ParticleId};
use rayon::prelude::*;

use super::backend::ParticleForces;
use super::place::{Place, grid_of, row, snapped};
use crate::config::VelocityRule;
use crate::prepared::Layout;

/// Positions, velocities, targets and displacements. Shape of each: \[particle_count\].
#[derive(Clone, Debug, Default)]
pub struct Columns<P, R> {
    /// What positions of blocks are measured from in this step \[m\]: the middle of all blocks, so
    /// that a low precision has its digits for the shape and not for the place.
    pub origin: V3<P>,
    /// What the first part of a place is a multiple of in this step \[m\]: eq. (36a).
    pub grid: f64,
    /// How each particle moves; `Static` does not take part.
    pub mobility: Vec<Mobility>,
    /// Mass \[kg\].
    pub mass: Vec<f64>,
    /// Contact radius \[m\].
    pub radius: Vec<f64>,
    /// Position at the begin of the step; between steps the position \[m\].
    pub x0: Vec<V3<P>>,
    /// Velocity \[m/s\].
    pub v: Vec<V3<P>>,
    /// Inertial target \[m\].
    pub y: Vec<V3<P>>,
    /// Velocity at the end of the free motion \[m/s\].
    pub v_free: Vec<V3<P>>,
    /// Displacement from begin to target \[m\].
    pub dy: Vec<V3<P>>,
    /// m/h² \[N/m\]; 0 = immovable in this step.
    pub inertia: Vec<R>,
    /// It with all digits.
    pub inertia_exact: Vec<f64>,
    /// The target from the origin, rounded.
    pub x_target: Vec<V3<R>>,
    /// Displacement from begin to target, rounded.
    pub u_target: Vec<V3<R>>,
    /// Displacement from the target: the unknown \[m\].
    pub d: Vec<V3<R>>,
    /// It with all digits \[m\]: steps far below its rounding add up.
    pub exact: Vec<V3<f64>>,
    /// Where d leads, for gathers.
    pub at: Vec<Place<R>>,
    /// Displacement since the begin of the step \[m\], and 0, for gathers.
    pub u: Vec<[R; 4]>,
}

/// From one precision to another.
#[inline(always)]
pub fn convert<A: Scalar, B: Real>(v: V3<A>) -> V3<B> {
    V3::new(B::from_f64(v.x.to_f64()), B::from_f64(v.y.to_f64()), B::from_f64(v.z.to_f64()))
}

/// The displacement, given rounded and with all digits, moved by `step`.
#[inline(always)]
fn shifted<R: Scalar>((d, exact): (V3<R>, V3<f64>), step: V3<R>, rule: VelocityRule) -> V3<f64> {
    match rule {
        VelocityRule::Correction => exact + convert(step),
        VelocityRule::PositionDifference => convert(d + step),
    }
}

/// Particles per task of [`Columns::put_all`].
const CHUNK: usize = 1024;

impl<P: Scalar, R: Scalar> Columns<P, R> {
    /// Zeros for `n` particles.
    pub fn new(n: usize) -> Self {
        let (p, r) = (vec![V3::zero(); n], vec![V3::zero(); n]);
        Self {
            origin: V3::zero(),
            grid: 1.0,
            mobility: vec![Mobility::Static; n],
            mass: vec![0.0; n],
            radius: vec![0.0; n],
            inertia: vec![R::zero(); n],
            x0: p.clone(),
            v: p.clone(),
            y: p.clone(),
            v_free: p.clone(),
            dy: p,
            x_target: r.clone(),
            u_target: r.clone(),
            d: r,
            exact: vec![V3::zero(); n],
            inertia_exact: vec![0.0; n],
            at: vec![Place::default(); n],
            u: vec![[R::zero(); 4]; n],
        }
    }

    /// Takes over masses, radii and activity.
    pub fn read_masses(&mut self, view: &ModelView, layout: &Layout) {
        for (slot, &p) in layout.particle_of.iter().enumerate() {
            let p = p as usize;
            self.mass[slot] = view.particle_mass[p];
            self.radius[slot] = view.particle_radius[p];
            self.mobility[slot] = mobility(view, ParticleId::new(p));
        }
    }

    /// Position of the iterate in the world \[m\].
    pub fn position(&self, slot: usize) -> Vec3 {
        self.origin.to_host(0) + self.at[slot].position()
    }

    /// Positions of the iterates of some slots, from the first of them \[m\].
    #[inline(always)]
    pub fn x_of<const N: usize>(&self, slots: &[u32; N]) -> [V3<R>; N] {
        let first = self.at[slots[0] as usize];
        slots.map(|s| self.at[s as usize].minus(&first))
    }

    /// Their displacements since the begin of the step \[m\].
    #[inline(always)]
    pub fn u_of<const N: usize>(&self, slots: &[u32; N]) -> [V3<R>; N] {
        slots.map(|s| {
            let [x, y, z, _] = self.u[s as usize];
            V3::new(x, y, z)
        })
    }

    /// Displacement of the iterate since the begin of the step \[m\].
    pub fn motion(&self, slot: usize) -> V3<f64> {
        convert::<P, f64>(self.dy[slot]) + self.exact[slot]
    }

    /// Moves the iterate by `step`.
    #[inline(always)]
    pub fn shift(&mut self, slot: usize, step: V3<R>, rule: VelocityRule) {
        self.put(slot, shifted((self.d[slot], self.exact[slot]), step, rule), rule);
    }

    /// Puts the iterate at `d` from the target. The two forms of the position differ by rounding
    /// only: the target of `PositionDifference` is itself a rounded position.
    #[inline(always)]
    pub fn put(&mut self, slot: usize, d: V3<f64>, rule: VelocityRule) {
        (self.d[slot], self.at[slot], self.u[slot]) = self.placed(slot, d, rule);
        self.exact[slot] = d;
    }

    /// What `put` writes: `d` rounded, the place and the displacement since the begin of the step.
    #[inline(always)]
    fn placed(&self, slot: usize, d: V3<f64>, rule: VelocityRule) -> (V3<R>, Place<R>, [R; 4]) {
        let rounded: V3<R> = convert(d);
        let u = if Place::<R>::SPLIT && rule == VelocityRule::Correction {
            convert(snapped(convert::<P, f64>(self.dy[slot]) + d, self.grid))
        } else {
            self.u_target[slot] + rounded
        };
        let at = match rule {
            VelocityRule::Correction if Place::<R>::SPLIT => {
                Place::split(convert::<P, f64>(self.y[slot] - self.origin) + d, self.grid)
            }
            VelocityRule::Correction => Place::whole(self.x_target[slot] + rounded),
            VelocityRule::PositionDifference => Place::whole(convert::<P, R>(self.x0[slot]) + u),
        };
        (rounded, at, row(u))
    }

    /// Moves the iterates of `slots` by `steps`, over threads.
    pub fn shift_all(&mut self, slots: Range<usize>, steps: &[V3<R>], rule: VelocityRule) {
        let first = slots.start;
        self.shift_where(slots, true, rule, |s| Some(steps[s - first]));
    }

    /// Moves the iterates of `slots` for which there is a step.
    pub fn shift_where(
        &mut self,
        slots: Range<usize>,
        parallel: bool,
        rule: VelocityRule,
        step: impl Fn(usize) -> Option<V3<R>> + Sync,
    ) {
        self.put_all(slots, parallel, rule, |s, d, exact| Some(shifted((d, exact), step(s)?, rule)));
    }

    /// Puts iterates of `slots` to `to(slot, d, d with all digits)`, where that is something.
    pub fn put_all(
        &mut self,
        slots: Range<usize>,
        parallel: bool,
        rule: VelocityRule,
        to: impl Fn(usize, V3<R>, V3<f64>) -> Option<V3<f64>> + Sync,
    ) {
        // what is written leaves `self`, so that the rest may be read
        let take = std::mem::take::<Vec<V3<R>>>;
        let (mut d, mut exact) = (take(&mut self.d), std::mem::take(&mut self.exact));
        let (mut at, mut u) = (std::mem::take(&mut self.at), std::mem::take(&mut self.u));
        let first = slots.start;
        let work = |i: usize,
                    (d, exact): (&mut [V3<R>], &mut [V3<f64>]),
                    (at, u): (&mut [Place<R>], &mut [[R; 4]])| {
            for k in 0..d.len() {
                let slot = first + i * CHUNK + k;
                if let Some(new) = to(slot, d[k], exact[k]) {
                    exact[k] = new;
                    (d[k], at[k], u[k]) = self.placed(slot, new, rule);
                }
            }
        };
        if parallel {
            let old = d[slots.clone()].par_chunks_mut(CHUNK).zip(exact[slots.clone()].par_chunks_mut(CHUNK));
            let new = at[slots.clone()].par_chunks_mut(CHUNK).zip(u[slots].par_chunks_mut(CHUNK));
            old.zip(new).enumerate().for_each(|(i, (old, new))| work(i, old, new));
        } else {
            work(
                0,
                (&mut d[slots.clone()], &mut exact[slots.clone()]),
                (&mut at[slots.clone()], &mut u[slots]),
            );
        }
        (self.d, self.exact, self.at, self.u) = (d, exact, at, u);
    }

    /// eq. (1), (2): targets of all particles.
    pub fn predict(&mut self, forces: &ParticleForces, layout: &Layout, rule: VelocityRule) {
        let (h, gravity) = (P::from_f64(forces.h), V3::<P>::from_host(&forces.gravity));
        self.origin = self.middle(layout.block_count);
        self.grid = self.step_grid();
        for slot in 0..self.x0.len() {
            let mut v_free = self.v[slot];
            if self.mobility[slot] == Mobility::Dynamic {
                let f = forces.particle_f.get(layout.particle_of[slot] as usize).copied();
                let f = V3::<P>::from_host(&f.unwrap_or_default());
                let m = P::from_f64(self.mass[slot]);
                v_free += (gravity + V3::new(f.x / m, f.y / m, f.z / m)) * h;
            }
            let moves = matches!(self.mobility[slot], Mobility::Dynamic | Mobility::Proxy);
            let k = if moves { self.mass[slot] / (forces.h * forces.h) } else { 0.0 };
            (self.inertia[slot], self.inertia_exact[slot]) = (R::from_f64(k), k);
            let dy = if moves { v_free * h } else { V3::zero() };
            self.put_target(slot, self.x0[slot] + dy, (dy, v_free), rule);
        }
    }

    /// Mean position of the blocks; zero where it gains nothing: positions of one precision.
    fn middle(&self, blocks: usize) -> V3<P> {
        if blocks == 0 || size_of::<P>() <= size_of::<R>() {
            return V3::zero();
        }
        let sum = self.x0[..blocks].iter().fold(V3::<P>::zero(), |s, &x| s + x);
        sum * P::from_f64(1.0 / blocks as f64)
    }

    /// The grid of places in this step.
    fn step_grid(&self) -> f64 {
        if !Place::<R>::SPLIT {
            return 1.0;
        }
        let o = self.origin;
        let far = |v: V3<P>| v.x.abs().max(v.y.abs()).max(v.z.abs()).to_f64();
        grid_of(self.x0.iter().map(|&x| far(x - o)).fold(0.0, f64::max))
    }

    /// Sets a target, with the way there and the velocity of the free motion, and starts the iterate
    /// there.
    pub fn put_target(&mut self, slot: usize, y: V3<P>, (dy, v_free): (V3<P>, V3<P>), rule: VelocityRule) {
        (self.y[slot], self.dy[slot], self.v_free[slot]) = (y, dy, v_free);
        self.u_target[slot] = convert(dy);
        self.x_target[slot] = convert(y - self.origin);
        self.put(slot, V3::zero(), rule);
        if rule == VelocityRule::PositionDifference {
            self.at[slot] = Place::whole(self.x_target[slot]);
        }
    }

    /// eq. (5): end of the step.
    pub fn finalize(&mut self, h: f64, rule: VelocityRule) {
        let h = P::from_f64(h);
        let over_h = |d: V3<P>| V3::new(d.x / h, d.y / h, d.z / h);
        for slot in 0..self.x0.len() {
            let d: V3<P> = convert(self.exact[slot]);
            (self.x0[slot], self.v[slot]) = match rule {
                VelocityRule::PositionDifference if self.inertia[slot].cmp_gt(R::zero()) => {
                    let x = self.x0[slot] + (self.dy[slot] + d);
                    (x, over_h(x - self.x0[slot]))
                }
                _ => (self.y[slot] + d, self.v_free[slot] + over_h(d)),
            };
        }
    }

    /// Target and displacement from begin to target, as host vectors.
    pub fn target(&self, slot: usize) -> (Vec3, Vec3) {
        (self.y[slot].to_host(0), self.dy[slot].to_host(0))
    }
}

/// How a particle moves in this view.
pub fn mobility(view: &ModelView, p: ParticleId) -> Mobility {
    let (i, proxy) = (p.index(), view.is_proxy_particle(p));
    if !view.particle_active[i] || !(proxy || view.owns_particle(p)) {
        Mobility::Static
    } else if view.particle_inv_mass[i] <= 0.0 {
        Mobility::Prescribed
    } else if proxy {
        Mobility::Proxy
    } else {
        Mobility::Dynamic
    }
}
