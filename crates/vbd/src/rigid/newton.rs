//! The Newton step of a cluster. Theory: `docs/theory/rigid-rows.md` section 4, eq. (35), (36).
//!
//! What acts on its bodies and how stiff that is, summed over connections; eliminated; a step as far
//! as it leads down.

use coact_math::{BlockSparse, Mat6, Spatial, Vec6};

use super::cluster::{Cluster, How, Link, Outer};
use super::edges::{Between, Edges, EdgesMut};
use super::search::{LOOKS, Search};
use super::terms::{EdgeTerms, Stiffness};
use crate::body::BodyLoad;
use crate::config::RotationUpdate;
use crate::residual::ResidualSums;

/// Share of the scale of a cluster up to which a gain counts as none.
const SOLVED: f64 = 1e-16;

/// Share of the scale of a cluster that neighbours touch up to which a gain needs no second look.
const SURE: f64 = 1e-8;

/// Share of what connections carry that may be left over for a dual update.
const READY: f64 = 1e-3;

/// The largest force \[N\] and torque \[N·m\] of several wrenches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Largest {
    force: f64,
    torque: f64,
}

impl Largest {
    fn join(&mut self, w: &Spatial) {
        self.force = self.force.max(w.lin.norm());
        self.torque = self.torque.max(w.ang.norm());
    }
}

/// Where what lies between bodies is summed.
struct Sum<'a> {
    load: &'a mut [BodyLoad],
    system: &'a mut BlockSparse,
    force: &'a mut Largest,
    /// How many bodies are the cluster's own.
    own: usize,
    stiff: bool,
}

impl Sum<'_> {
    /// Adds what lies between two bodies.
    fn add(&mut self, link: &Link, terms_of: impl FnOnce(&mut EdgeTerms)) {
        let [i, j] = link.ends.map(|i| i as usize);
        let coupling = link.coupling.filter(|_| self.stiff);
        let Ok([a, b]) = self.load.get_disjoint_mut([i, j]) else { return };
        let mut cross = Mat6::zeros();
        let stiffness = self.stiff.then(|| Stiffness { own: [a, b], cross: coupling.map(|_| &mut cross) });
        let mut terms = EdgeTerms { wrench: [Spatial::zeros(); 2], stiffness };
        terms_of(&mut terms);
        let wrench = terms.wrench;
        for (w, i) in wrench.iter().zip([i, j]).filter(|(_, i)| *i < self.own) {
            self.load[i].wrench += *w;
            self.force.join(w);
        }
        if let Some(coupling) = coupling {
            self.system.add_edge(coupling as usize, &cross);
        }
    }
}

impl Cluster {
    /// eq. (35), (36): the Newton step of all bodies at once, as far as it leads down.
    pub(super) fn descend(&mut self, mine: &mut EdgesMut, between: &Between, how: &How) {
        self.look(mine, between);
        self.solve(mine.shared(), between, how);
        if self.search.done && self.solved && !self.is_free() {
            return;
        }
        self.start.clear();
        self.start.extend_from_slice(&self.at[..self.bodies.len()]);
        self.advance(how);
        for _ in 0..if how.search { LOOKS } else { 0 } {
            if self.search.done {
                break;
            }
            self.look(mine, between);
            self.judge(mine.shared(), between, how);
            if !self.search.done {
                self.advance(how);
            }
        }
    }

    /// Looks where its connections are.
    pub(super) fn look(&mut self, mine: &mut EdgesMut, between: &Between) {
        if std::mem::replace(&mut self.looked, true) {
            return;
        }
        let (at, mut links) = (&self.at, self.links.iter());
        let mut ends = || links.next().map_or([0; 2], |l| l.ends).map(|i| &at[i as usize]);
        mine.joints.iter_mut().for_each(|j| j.look(ends()));
        for (_, touches) in mine.by_pair() {
            let ends = ends();
            touches.iter_mut().for_each(|t| t.look(ends, &between.law));
        }
    }

    fn solve(&mut self, mine: Edges, between: &Between, how: &How) {
        self.system.clear();
        self.assemble(mine, between, how, true);
        self.note_residual();
        if self.is_at_rest(how.h) {
            (self.solved, self.ready, self.search.done) = (true, true, true);
            return;
        }
        for (i, load) in self.load[..self.bodies.len()].iter().enumerate() {
            self.system.add_diagonal(i, &load.matrix());
            self.step[i] = load.wrench.to_vec6();
        }
        self.singular = self.system.factor().is_err();
        match self.singular {
            true => self.step.fill(Vec6::zeros()),
            false => self.system.solve(&mut self.step),
        }
        let slope = self.slope();
        self.search = Search::begin(slope, &self.step);
        self.solved = -slope <= self.nothing;
        self.ready = self.solved;
        // a step so small is as good as the quadratic model, and neighbours move before the next one
        let sure = self.is_swept() && -slope <= SURE * self.scale;
        self.ready |= sure;
        // a body that nothing connects takes its own step, one per sweep
        self.search.done |= self.solved || sure || self.is_free();
        self.solved &= !self.is_free();
    }

    /// All that acts on the bodies, inertia included, into `load`; with `stiff`, stiffness too and
    /// couplings into the system.
    fn assemble(&mut self, mine: Edges, between: &Between, how: &How, stiff: bool) {
        let n = self.bodies.len();
        self.load[..n].copy_from_slice(&self.outside);
        self.force = Largest::default();
        let Self { load, system, force, links, outer, at, .. } = self;
        let (law, mut sum) = (&between.law, Sum { load, system, force, own: n, stiff });
        for (joint, link) in mine.joints.iter().zip(&*links).filter(|(j, _)| j.on) {
            sum.add(link, |terms| joint.add(terms));
        }
        for (pair, link) in mine.pairs.iter().zip(&links[mine.joints.len()..]) {
            sum.add(link, |terms| mine.of(pair).iter().for_each(|t| t.add(law, terms)));
        }
        for (edge, link) in &*outer {
            let [a, b] = link.ends.map(|i| &at[i as usize]);
            match edge {
                Outer::Joint(j) => {
                    let joint = &between.edges.joints[*j as usize];
                    sum.add(link, |terms| joint.add_seen([a, b], terms));
                }
                Outer::Pair(p) => {
                    let touches = between.edges.of(&between.edges.pairs[*p as usize]);
                    sum.add(link, |terms| touches.iter().for_each(|t| t.add_seen([a, b], law, terms)));
                }
            }
        }
        self.add_inertia(how, stiff);
    }

    fn add_inertia(&mut self, how: &How, stiff: bool) {
        let n = self.bodies.len();
        let (mut corrected, mut rounding) = (0.0, 0.0);
        for (i, load) in self.load[..n].iter_mut().enumerate() {
            let at = &self.at[i];
            if stiff {
                self.touched[i] = load.is_stiff();
            }
            corrected += self.inertial[i].add(at, how.h, load);
            let size = 8.0 * f64::EPSILON * at.now.p.norm();
            rounding += load.ll.trace() * size * size;
            if how.motion.rotation == RotationUpdate::FirstOrder {
                load.aa += coact_math::Mat3::identity() * (1e-9 * (load.aa.trace() / 3.0 + 1.0));
            }
        }
        self.rounding = rounding;
        // what the weight moves in a step, and what the step has corrected so far
        self.scale = self.weight + corrected;
        self.nothing = SOLVED * self.scale + self.rounding;
    }

    /// Looks at where the step has led; what acts from outside is followed by its stiffness.
    fn judge(&mut self, mine: Edges, between: &Between, how: &How) {
        if self.alone {
            self.assemble(mine, between, how, false);
        } else {
            let t = self.search.share;
            let mut kept = std::mem::take(&mut self.scratch);
            kept.clone_from(&self.outside);
            for (load, s) in self.outside.iter_mut().zip(&self.step) {
                let pull = load.matrix() * s * t;
                load.wrench -= Spatial::from_vec6(&pull);
            }
            self.assemble(mine, between, how, false);
            self.scratch = std::mem::replace(&mut self.outside, kept);
        }
        self.search.judge(self.slope());
        self.note_residual();
        if self.search.done {
            self.solved = self.left_over() <= self.nothing;
            self.ready = self.solved || self.is_ready();
        }
    }

    /// What the next step would gain, by the factors of this one \[J\].
    fn left_over(&mut self) -> f64 {
        let loads = &self.load[..self.bodies.len()];
        self.step.clear();
        self.step.extend(loads.iter().map(|l| l.wrench.to_vec6()));
        self.system.solve(&mut self.step);
        loads.iter().zip(&self.step).map(|(l, s)| l.wrench.to_vec6().dot(s)).sum()
    }

    /// How the objective changes along the step, at the last assembly.
    fn slope(&self) -> f64 {
        -self.load.iter().zip(&self.step).map(|(l, s)| l.wrench.to_vec6().dot(s)).sum::<f64>()
    }

    /// Whether what is left over is small against what its connections carry.
    fn is_ready(&self) -> bool {
        let mut left = Largest::default();
        self.load[..self.bodies.len()].iter().for_each(|l| left.join(&l.wrench));
        left.force <= READY * self.force.force && left.torque <= READY * self.force.torque
    }

    /// What acts on its bodies at the last assembly \[N\].
    fn note_residual(&mut self) {
        let mut sums = ResidualSums::default();
        self.load[..self.bodies.len()].iter().for_each(|l| sums.add(l.wrench.lin.norm_squared()));
        if !std::mem::replace(&mut self.begun, true) {
            self.first = sums;
        }
        self.last = sums;
    }

    /// Whether even without stiffness the step would gain nothing: gᵀ M⁻¹ g h² bounds gᵀ H⁻¹ g.
    fn is_at_rest(&self, h: f64) -> bool {
        let bodies = self.inertial.iter().zip(&self.at).zip(&self.load);
        let most: f64 = bodies.map(|((b, at), l)| b.gain(at, &l.wrench, h)).sum();
        !self.is_free() && most <= self.nothing
    }

    /// Moves its bodies by the share of the step that is asked for, from where they were before it.
    fn advance(&mut self, how: &How) {
        if self.singular {
            return;
        }
        for (i, start) in self.start.iter().enumerate() {
            let step = Spatial::from_vec6(&(self.step[i] * self.search.share));
            self.at[i] = start.stepped(&self.inertial[i], &step, how.motion);
        }
        (self.looked, self.moved) = (false, true);
    }
}
