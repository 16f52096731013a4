//! Descent of coarse blocks: eq. (39)–(41) of `docs/theory/vbd.md`.
//!
//! A coarse sweep is a sweep: colors in order, the Newton step of three unknowns at a time, all else
//! held. Only what a step moves differs. A block with many members is summed in parts of fixed size.

#![allow(non_snake_case)]

use std::ops::Range;

use coact_collide::Mobility;
use coact_math::{Scalar, V3};
use rayon::prelude::*;

use super::cpu::CpuParticles;
use super::rows::Rows;
use crate::coarse::stiffness;
use crate::config::VelocityRule;
use crate::energy::Block;
use crate::lanes::BlockRows;

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Builds coarse blocks of what may move, where there are to be any, and measures how stiff it is.
    pub(super) fn read_coarse(&mut self) {
        let moves = |m: &Mobility| matches!(m, Mobility::Dynamic | Mobility::Proxy);
        let (free, k) = &mut self.coarse_input;
        free.clear();
        free.extend(self.columns.mobility.iter().map(moves));
        if self.options.coarse {
            self.coarse.read(&self.elements, free);
        }
        stiffness(free.len(), &self.elements, k);
        let per_mass = (0..free.len()).filter(|&s| free[s]).map(|s| k[s] / self.columns.mass[s]);
        let count = free.iter().filter(|&&f| f).count().max(1);
        self.stiffness = per_mass.sum::<f64>() / count as f64;
    }

    /// One sweep over the coarse blocks of every level, the coarsest last.
    pub(super) fn sweep_coarse_levels(&mut self) {
        let mut terms = std::mem::take(&mut self.coarse_terms);
        for level in 0..self.coarse.len() {
            for color in 0..self.coarse.level(level).color_count() {
                let blocks = self.coarse.level(level).color(color);
                self.eval_coarse(level, blocks.clone(), &mut terms);
                self.solve_coarse(level, blocks, &terms);
            }
        }
        self.coarse_terms = terms;
    }

    /// Terms of every task of `blocks`, which do not meet.
    fn eval_coarse(&self, level: usize, blocks: Range<usize>, terms: &mut Vec<Block<R>>) {
        let tasks = self.coarse.level(level).tasks(blocks);
        terms.clear();
        terms.resize(tasks.len(), Block::zero());
        let eval = |(&(block, part), out): (&(u32, u32), &mut Block<R>)| {
            *out = self.eval_task(level, (block as usize, part as usize));
        };
        if self.layout.block_count < self.options.parallel_threshold || rayon::current_num_threads() == 1 {
            tasks.iter().zip(terms).for_each(eval);
        } else {
            tasks.par_iter().zip(terms).for_each(eval);
        }
    }

    /// eq. (39), (40): force and Hessian of a part of a coarse block.
    fn eval_task(&self, level: usize, task: (usize, usize)) -> Block<R> {
        let (step, rows) = (self.step_terms(), Rows(self));
        let mut sum = self.coarse.eval(level, task, &step);
        let mut inertia = R::zero();
        for &(slot, w) in self.coarse.level(level).part_members(task) {
            let (s, w) = (slot as usize, R::from_f64(w));
            let k = step.inertia[s] * w;
            let offset = match step.velocity {
                VelocityRule::Correction => step.d[s],
                VelocityRule::PositionDifference => step.at[s].hi() - step.x_target[s],
            };
            sum.f -= offset * k;
            inertia += k * w;
            if rows.any(&(s..s + 1)) {
                let b = rows.eval(s);
                sum += Block { f: b.f * w, H: b.H * (w * w) };
            }
        }
        sum.H.add_diagonal(inertia);
        sum
    }

    /// eq. (41): solves each block and moves its members.
    fn solve_coarse(&mut self, level: usize, blocks: Range<usize>, terms: &[Block<R>]) {
        let rule = self.options.velocity;
        let mut terms = terms.iter();
        for block in blocks {
            let parts = self.coarse.level(level).tasks(block..block + 1).len();
            let sum = terms.by_ref().take(parts).fold(Block::zero(), |sum, &part| sum + part);
            let (step, regular) = sum.H.solve(sum.f);
            let step = V3::select(regular, step, V3::zero());
            for &(slot, w) in self.coarse.level(level).members(block) {
                let slot = slot as usize;
                self.columns.shift(slot, step * R::from_f64(w), rule);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::{CoarseCorrection, VbdConfig};
    use crate::particle::{CpuOptions, ParticleBackend, ParticleForces, element_energy};
    use crate::prepared::Layout;
    use coact_math::Vec3;
    use coact_model::mesh::{Diagonal, cloth_grid};
    use coact_model::{ClothDef, ModelBuilder, ModelView, ParticleId, SpringDef};

    const STEP: f64 = 0.005;

    /// A pinned cloth with springs across, far from rest.
    fn crumpled() -> CpuParticles<f64, f64> {
        let mut b = ModelBuilder::new();
        let mesh = cloth_grid([15, 15], [1.0, 1.0], Diagonal::Alternating);
        b.add_cloth("cloth", &mesh, &ClothDef::default());
        b.pin_particle(ParticleId::new(0));
        for i in 0..8 {
            let particles = [ParticleId::new(i), ParticleId::new(255 - i)];
            b.add_spring(SpringDef { particles, ke: 50.0, kd: 0.0, rest_length: Some(1.0) });
        }
        let view = ModelView::whole(&b.finalize().unwrap());
        let options = CpuOptions::new(&VbdConfig { coarse: CoarseCorrection::Auto, ..VbdConfig::default() });
        let mut p = CpuParticles::new(&view, Arc::new(Layout::new(&view)), options);
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        p.predict(&ParticleForces { gravity, particle_f: &[], h: STEP });
        for slot in 0..p.layout.block_count {
            let s = slot as f64;
            let d = V3::new((1.1 * s).sin(), (2.3 * s).sin(), (0.7 * s).cos()) * 0.01;
            p.columns.put(
                slot,
                if p.columns.inertia[slot] > 0.0 { d } else { V3::zero() },
                p.options.velocity,
            );
        }
        p
    }

    /// What a step minimises.
    fn objective(p: &CpuParticles<f64, f64>) -> f64 {
        let inertia =
            (0..p.layout.block_count).map(|s| 0.5 * p.columns.inertia[s] * p.columns.d[s].norm_sq());
        inertia.sum::<f64>() + element_energy(&p.elements, |s| p.columns.at[s as usize].hi())
    }

    fn block(p: &CpuParticles<f64, f64>, level: usize, b: usize) -> Block<f64> {
        let mut terms = Vec::new();
        p.eval_coarse(level, b..b + 1, &mut terms);
        terms.into_iter().fold(Block::zero(), |sum, t| sum + t)
    }

    fn moved(p: &mut CpuParticles<f64, f64>, level: usize, b: usize, by: V3<f64>) -> f64 {
        for &(slot, w) in p.coarse.level(level).members(b) {
            let s = slot as usize;
            p.columns.put(s, p.columns.d[s] + by * w, p.options.velocity);
        }
        objective(p)
    }

    /// Differences with step 1e-6 of an energy of order 1 are good to about 1e-7 relative.
    #[test]
    fn the_force_of_a_coarse_block_is_the_gradient_along_its_weights() {
        let mut p = crumpled();
        assert!(p.coarse.len() >= 2, "{} levels", p.coarse.len());
        let (h, mut largest) = (1e-6, 0.0_f64);
        for level in 0..p.coarse.len() {
            for b in 0..p.coarse.level(level).color(0).end {
                let Block { f, H } = block(&p, level, b);
                let kept = p.columns.clone();
                for axis in 0..3 {
                    let by = V3::from_host(&Vec3::ith(axis, h));
                    let up = moved(&mut p, level, b, by);
                    let down = moved(&mut p, level, b, by * -2.0);
                    p.columns = kept.clone();
                    let exact = -(up - down) / (2.0 * h);
                    let f = f.to_host(0);
                    assert!((f[axis] - exact).abs() < 1e-6 * f.norm().max(1.0), "{f} against {exact}");
                    largest = largest.max(exact.abs());
                }
                assert!(coact_math::eigenvalues(&H.to_host(0))[0] > 0.0);
            }
        }
        assert!(largest > 1.0, "nothing measured");
    }

    #[test]
    fn a_coarse_sweep_never_raises_the_objective() {
        let mut p = crumpled();
        let (first, mut before) = (objective(&p), objective(&p));
        for _ in 0..10 {
            p.sweep_coarse_levels();
            let now = objective(&p);
            assert!(now <= before * (1.0 + 1e-12), "{now} after {before}");
            before = now;
            p.sweep_colors();
            before = before.min(objective(&p));
        }
        assert!(before < 0.5 * first);
    }

    #[test]
    fn weights_add_up_to_one_away_from_what_is_fixed() {
        let p = crumpled();
        let mut sum = vec![0.0; p.layout.block_count];
        let level = p.coarse.level(0);
        for b in 0..level.color(level.color_count() - 1).end {
            level.members(b).iter().for_each(|&(s, w)| sum[s as usize] += w);
        }
        assert!(sum.iter().all(|&s| s < 1.0 + 1e-12));
        assert_eq!(sum[p.layout.slot_of[0] as usize], 0.0);
        assert!(sum.iter().filter(|&&s| (s - 1.0).abs() < 1e-12).count() > 200);
    }
}
