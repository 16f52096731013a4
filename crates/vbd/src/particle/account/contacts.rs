//! What touches in a step, with which energy, and what else acts on it.

use coact_collide::Mobility;
use coact_math::{Scalar, V3, Vec3};

use super::Account;
use crate::attachment::Stored;
use crate::body::Bodies;
use crate::contact::WORLD;
use crate::particle::cpu::CpuParticles;
use crate::rigid::Bond;
use crate::self_contact::eval_stored;

/// Share of the way of a step, and \[m\], from which on a gap that a hard attachment begins with is closed on
/// purpose.
const APART: (f64, f64) = (0.1, 1e-6);

/// What touches: the particles with an equal part in it, its energy at the begin and the end of the step \[J\].
struct Touch<'a> {
    slots: &'a [u32],
    begin: f64,
    end: f64,
    what: What,
}

enum What {
    Pair,
    Row(usize),
    /// And how far it begins apart \[m\], if it is hard.
    Attachment(usize, Option<f64>),
}

impl Account {
    fn clear_energies(&mut self) {
        [&mut self.begin, &mut self.end].into_iter().for_each(|energies| energies.fill(0.0));
    }

    fn add_energy(&mut self, touch: &Touch) {
        let part = 1.0 / touch.slots.len() as f64;
        for &slot in touch.slots {
            self.begin[slot as usize] += part * touch.begin;
            self.end[slot as usize] += part * touch.end;
        }
    }
}

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Pairs, rows and attachments with energy in them, and what they connect.
    pub(super) fn find_contacts_of(&self, a: &mut Account, bodies: &Bodies) {
        self.visit_touching(|touch| {
            a.add_energy(&touch);
            self.connect(a, &touch, bodies);
        });
    }

    /// Their energies alone.
    pub(super) fn eval_contacts_of(&self, a: &mut Account) {
        a.clear_energies();
        self.visit_touching(|touch| a.add_energy(&touch));
    }

    fn visit_touching(&self, mut visit: impl FnMut(Touch)) {
        for row in self.self_contact.iter().flat_map(|sc| sc.pairs.pressing()) {
            let [begin, end] =
                [false, true].map(|end| eval_stored(row, &self.edges_at(&row.v, end), &self.pair_law));
            if begin > 0.0 || end > 0.0 {
                visit(Touch { slots: &row.v, begin, end, what: What::Pair });
            }
        }
        for slot in (0..self.layout.block_count).filter(|&s| self.columns.moves(s)) {
            if self.has_rows(&(slot..slot + 1)) {
                self.visit_rows_of(slot, &mut visit);
            }
        }
    }

    /// Those of the rows and attachments of a particle.
    fn visit_rows_of(&self, slot: usize, visit: &mut impl FnMut(Touch)) {
        let (d, slots) = (self.columns.exact[slot], &[slot as u32]);
        for i in self.rows.of_slot(slot) {
            let [begin, end] = self.rows.stored(i, &self.law, d);
            if begin > 0.0 || end > 0.0 {
                visit(Touch { slots, begin, end, what: What::Row(i) });
            }
        }
        for i in self.attachments.of_slot(slot) {
            if let Some(Stored { begin, end, apart }) = self.attachments.stored(i, &d.to_host(0)) {
                visit(Touch { slots, begin, end, what: What::Attachment(i, apart) });
            }
        }
    }

    fn connect(&self, a: &mut Account, touch: &Touch, bodies: &Bodies) {
        let of = |slot: u32| self.directions.parts.of(slot as usize);
        let node = of(touch.slots[0]);
        match touch.what {
            What::Pair => touch.slots.iter().for_each(|&slot| a.connect([node, of(slot)])),
            What::Row(i) => {
                self.meet(a, node, self.rows.anchor(i).0, bodies);
                a.nodes[node].driven |= self.rows.is_belt(i);
            }
            What::Attachment(i, apart) => {
                self.meet(a, node, self.attachments.anchor(i).0, bodies);
                let way = self.columns.motion(touch.slots[0] as usize).norm();
                a.nodes[node].driven |= apart.is_some_and(|gap| gap > APART.0 * way + APART.1);
                a.nodes[node].is_tied |= apart.is_some();
            }
        }
    }

    /// A row between a particle and a body acts.
    fn meet(&self, a: &mut Account, node: usize, body: u32, bodies: &Bodies) {
        let first = self.directions.parts.count();
        a.nodes[node].counts = true;
        if body == WORLD {
            a.nodes[node].held = true;
        } else if bodies.moves(body) {
            a.connect([node, first + body as usize]);
        } else {
            a.nodes[node].held = true;
            a.nodes[node].driven |= bodies.get(body as usize).is_carried();
        }
    }

    /// Particles that hold or drive their component.
    pub(super) fn find_ends(&self, a: &mut Account) {
        for (slot, m) in self.columns.mobility.iter().enumerate() {
            let node = &mut a.nodes[self.directions.parts.of(slot)];
            if !self.columns.moves(slot) {
                node.held = true;
                node.driven |= self.columns.dy[slot] != V3::zero();
            }
            node.driven |= *m == Mobility::Proxy;
            node.acted |= *m == Mobility::Proxy;
        }
    }

    /// What connects bodies, and drives them.
    pub(super) fn connect_bodies(
        &self,
        a: &mut Account,
        bodies: &Bodies,
        bonds: &mut dyn Iterator<Item = Bond>,
    ) {
        let first = self.directions.parts.count();
        for bond in bonds.filter(|b| b.presses) {
            let moves = bond.bodies.map(|b| bodies.moves(b));
            let mut work = bond.work;
            for (b, _) in bond.bodies.iter().zip(moves).filter(|(_, moves)| *moves) {
                let node = &mut a.nodes[first + *b as usize];
                node.driven |= bond.stores || bond.speed > 0.0;
                node.held |= moves.contains(&false);
                node.work += std::mem::take(&mut work);
            }
            if moves == [true; 2] {
                a.forest.unite(bond.bodies.map(|b| first as u32 + b));
            }
        }
        for (body, node) in bodies.iter().zip(&mut a.nodes[first..]) {
            node.driven |= body.torque != Vec3::zeros();
            node.acted |= body.torque != Vec3::zeros();
        }
    }

    /// Pairs that keep islands apart may stop one.
    pub(super) fn find_neighbors(&self, a: &mut Account) {
        for pair in self.self_contact.iter().flat_map(|sc| sc.pairs.all()) {
            let of = pair.v.map(|s| self.directions.parts.of(s as usize));
            let island = of.map(|c| a.forest.find(c as u32));
            if island.iter().any(|i| *i != island[0]) {
                of.iter().for_each(|&c| a.nodes[c].acted = true);
            }
        }
    }
}
