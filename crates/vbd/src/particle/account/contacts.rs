//! What touches in a step, with which energy, and what else acts on it.

use coact_collide::Mobility;
use coact_math::{Scalar, V3, Vec3};

use super::Account;
use crate::body::Bodies;
use crate::contact::WORLD;
use crate::particle::cpu::CpuParticles;
use crate::rigid::Bond;
use crate::self_contact::eval_stored;

/// Share of the way of a step, and \[m\], from which on a gap that a hard attachment begins with is closed on
/// purpose.
const APART: (f64, f64) = (0.1, 1e-6);

impl<P: Scalar, R: Scalar> CpuParticles<P, R> {
    /// Pairs, rows and attachments with energy in them, and what they connect.
    pub(super) fn find_contacts_of(&self, a: &mut Account, bodies: &Bodies) {
        let of = |slot: u32| self.directions.parts.of(slot as usize);
        for row in self.self_contact.iter().flat_map(|sc| sc.pairs.pressing()) {
            let [begin, end] =
                [false, true].map(|end| eval_stored(row, &self.edges_at(&row.v, end), &self.pair_law));
            if begin > 0.0 || end > 0.0 {
                for slot in row.v {
                    a.begin[slot as usize] += 0.25 * begin;
                    a.end[slot as usize] += 0.25 * end;
                    a.connect([of(row.v[0]), of(slot)]);
                }
            }
        }
        for slot in (0..self.layout.block_count).filter(|&s| self.columns.moves(s)) {
            if self.has_rows(&(slot..slot + 1)) {
                self.find_rows_of(a, slot, bodies);
            }
        }
    }

    /// The same of the rows and attachments of a particle.
    fn find_rows_of(&self, a: &mut Account, slot: usize, bodies: &Bodies) {
        let (d, node) = (self.columns.exact[slot], self.directions.parts.of(slot));
        for i in self.rows.of_slot(slot) {
            let [begin, end] = self.rows.stored(i, &self.law, d);
            if begin > 0.0 || end > 0.0 {
                a.begin[slot] += begin;
                a.end[slot] += end;
                self.meet(a, slot, self.rows.anchor(i).0, bodies);
                a.nodes[node].driven |= self.rows.is_belt(i);
            }
        }
        let way = self.columns.motion(slot).norm();
        for i in self.attachments.of_slot(slot) {
            let Some(stored) = self.attachments.stored(i, &d.to_host(0)) else { continue };
            a.begin[slot] += stored.begin;
            a.end[slot] += stored.end;
            self.meet(a, slot, self.attachments.anchor(i).0, bodies);
            a.nodes[node].driven |= stored.apart > APART.0 * way + APART.1;
        }
    }

    /// A row between a particle and a body acts.
    fn meet(&self, a: &mut Account, slot: usize, body: u32, bodies: &Bodies) {
        let (node, first) = (self.directions.parts.of(slot), self.directions.parts.count());
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
            for (b, _) in bond.bodies.iter().zip(moves).filter(|(_, moves)| *moves) {
                let node = &mut a.nodes[first + *b as usize];
                node.driven |= bond.stores || bond.overlaps || bond.speed > 0.0;
                node.held |= moves.contains(&false);
            }
            if moves == [true; 2] {
                a.forest.unite(bond.bodies.map(|b| first as u32 + b));
            }
        }
        for (body, node) in bodies.iter().zip(&mut a.nodes[first..]) {
            node.driven |= body.torque != Vec3::zeros();
            node.acted |= !body.moves_freely() || body.torque != Vec3::zeros();
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
