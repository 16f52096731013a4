//! The columns of particles, by slot: `P` is the precision of positions and velocities,
//! `R` that of blocks.

use coact_collide::Mobility;
use coact_math::{Real, Scalar, V3, Vec3};
use coact_model::{ModelView, ParticleId};

use super::backend::ParticleForces;
use crate::config::VelocityRule;
use crate::prepared::Layout;

/// Where a particle is, as its neighbours read it: one aligned record, so that it lies in one line
/// of the cache, of vectors of four, so that lanes load whole vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Place<R> {
    /// Position of the iterate from the origin \[m\], and 0.
    pub x: [R; 4],
    /// Displacement since the begin of the step \[m\], and 0.
    pub u: [R; 4],
}

impl<R: Real> Place<R> {
    /// From position and displacement.
    #[inline(always)]
    pub fn new(x: V3<R>, u: V3<R>) -> Self {
        let o = R::zero();
        Self { x: [x.x, x.y, x.z, o], u: [u.x, u.y, u.z, o] }
    }

    /// Position of the iterate from the origin \[m\].
    #[inline(always)]
    pub fn x(&self) -> V3<R> {
        V3::new(self.x[0], self.x[1], self.x[2])
    }

    /// Displacement since the begin of the step \[m\].
    #[inline(always)]
    pub fn u(&self) -> V3<R> {
        V3::new(self.u[0], self.u[1], self.u[2])
    }
}

/// Positions, velocities, targets and displacements. Shape of each: \[particle_count\].
#[derive(Clone, Debug, Default)]
pub struct Columns<P, R> {
    /// What positions of blocks are measured from in this step \[m\]: the middle of all blocks, so
    /// that a low precision has its digits for the shape and not for the place.
    pub origin: V3<P>,
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
    /// The target from the origin, rounded.
    pub x_target: Vec<V3<R>>,
    /// Displacement from begin to target, rounded.
    pub u_target: Vec<V3<R>>,
    /// Displacement from the target: the unknown \[m\].
    pub d: Vec<V3<R>>,
    /// Where d leads, for gathers.
    pub at: Vec<Place<R>>,
}

/// From one precision to another.
#[inline(always)]
pub fn convert<A: Scalar, B: Real>(v: V3<A>) -> V3<B> {
    V3::new(B::from_f64(v.x.to_f64()), B::from_f64(v.y.to_f64()), B::from_f64(v.z.to_f64()))
}

impl<P: Scalar, R: Scalar> Columns<P, R> {
    /// Zeros for `n` particles.
    pub fn new(n: usize) -> Self {
        let (p, r) = (vec![V3::zero(); n], vec![V3::zero(); n]);
        Self {
            origin: V3::zero(),
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
            at: vec![Place::default(); n],
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
        self.origin.to_host(0) + self.at[slot].x().to_host(0)
    }

    /// Positions of the iterates of some slots, from the origin \[m\].
    #[inline(always)]
    pub fn x_of<const N: usize>(&self, slots: &[u32; N]) -> [V3<R>; N] {
        slots.map(|s| self.at[s as usize].x())
    }

    /// Their displacements since the begin of the step \[m\].
    #[inline(always)]
    pub fn u_of<const N: usize>(&self, slots: &[u32; N]) -> [V3<R>; N] {
        slots.map(|s| self.at[s as usize].u())
    }

    /// Puts the iterate at `d` from the target. The two forms of the position differ by rounding
    /// only: the target of `PositionDifference` is itself a rounded position.
    #[inline(always)]
    pub fn put(&mut self, slot: usize, d: V3<R>, rule: VelocityRule) {
        let u = self.u_target[slot] + d;
        let x = match rule {
            VelocityRule::Correction => self.x_target[slot] + d,
            VelocityRule::PositionDifference => convert::<P, R>(self.x0[slot]) + u,
        };
        self.d[slot] = d;
        self.at[slot] = Place::new(x, u);
    }

    /// eq. (1), (2): targets of all particles.
    pub fn predict(&mut self, forces: &ParticleForces, layout: &Layout) {
        let (h, gravity) = (P::from_f64(forces.h), V3::<P>::from_host(&forces.gravity));
        self.origin = self.middle(layout.block_count);
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
            self.inertia[slot] = R::from_f64(k);
            let dy = if moves { v_free * h } else { V3::zero() };
            self.put_target(slot, self.x0[slot] + dy, dy, v_free);
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

    /// Sets a target and starts the iterate there.
    pub fn put_target(&mut self, slot: usize, y: V3<P>, dy: V3<P>, v_free: V3<P>) {
        (self.y[slot], self.dy[slot], self.v_free[slot]) = (y, dy, v_free);
        (self.x_target[slot], self.u_target[slot]) = (convert(y - self.origin), convert(dy));
        self.d[slot] = V3::zero();
        self.at[slot] = Place::new(self.x_target[slot], self.u_target[slot]);
    }

    /// eq. (5): end of the step.
    pub fn finalize(&mut self, h: f64, rule: VelocityRule) {
        let h = P::from_f64(h);
        let over_h = |d: V3<P>| V3::new(d.x / h, d.y / h, d.z / h);
        for slot in 0..self.x0.len() {
            let d: V3<P> = convert(self.d[slot]);
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
