//! Places for given rotations: the objective is quadratic in them.
//!
//! Theory: `docs/theory/rod.md` eq. (18a). A Newton step moves the centres of segments straight while
//! they turn; with rotations held, one linear solve puts them where their minimum is.

use coact_math::{Mat3, Mat6, Vec3};

use crate::newton::Problem;
use crate::rod::Rod;
use crate::strain::{linear, stack};

impl Rod {
    /// Moves the centres to the minimum of the objective at the rotations of the iterate.
    pub(crate) fn settle_places(&mut self, p: &Problem) {
        self.assemble_places(p.h);
        if self.places.factor().is_err() {
            return;
        }
        for (left, g) in self.left.iter_mut().zip(&self.gradient) {
            *left = stack(&-linear(g), &Vec3::zeros());
        }
        self.places.solve(&mut self.left);
        for (at, d) in self.at.iter_mut().zip(&self.left) {
            at.d.lin += linear(d);
        }
        self.evaluate(p.config.law, p.bases, p.h);
    }

    /// Masses over h² and the stiffness of the gaps; turns are held.
    fn assemble_places(&mut self, h: f64) {
        self.places.clear();
        for (n, node) in self.nodes.iter().enumerate() {
            let mass = places(&(Mat3::identity() * (node.mass / (h * h))), &Mat3::identity());
            self.places.add_diagonal(n, &mass);
        }
        for e in self.elements.iter().filter(|e| e.on) {
            let axes = e.strain.frame.to_rotation_matrix();
            let k = Mat3::from_diagonal(&linear(&e.tangent(h)));
            let k = places(&(axes.matrix() * k * axes.matrix().transpose()), &Mat3::zeros());
            e.nodes().into_iter().flatten().for_each(|n| self.places.add_diagonal(n, &k));
            if let Some(edge) = e.edge {
                self.places.add_edge(edge as usize, &-k);
            }
        }
        for touch in self.touches.iter().filter(|t| t.on && (t.here.depth > 0.0 || t.ahead.depth > 0.0)) {
            let n = &touch.contact.normal;
            let k = places(&(n * n.transpose() * touch.law.k), &Mat3::zeros());
            touch.nodes().into_iter().flatten().for_each(|n| self.places.add_diagonal(n, &k));
            if let Some(edge) = touch.edge {
                self.places.add_edge(edge as usize, &-k);
            }
        }
    }
}

fn places(place: &Mat3, turn: &Mat3) -> Mat6 {
    let mut m = Mat6::zeros();
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(place);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(turn);
    m
}
