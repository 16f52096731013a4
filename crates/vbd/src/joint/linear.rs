//! The linear rows of a joint: its two anchors meet, but for what is free. Theory:
//! `docs/theory/rigid-rows.md` eq. (7).
//!
//! Two laws. In *world* axes C = P (x₁ − x₀) with P without the free axes, each body held at its
//! own anchor: what is locked in all directions, and the joints of the reference. In *material*
//! axes u = Bᵀ R₀ᵀ (x₁ − x₀), a row per axis, both bodies held at the child's anchor: then pull
//! and reaction act at one point however far the anchors are apart along what is free, and no
//! angular momentum is made.

use coact_math::{Mat3, Quat, Vec3};

use crate::rigid::EdgeTerms;
use crate::row::CompliantRow;

/// Both ends of a joint at an iterate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// Anchors \[m\].
    pub x: [Vec3; 2],
    /// Rotations of the joint frames.
    pub q: [Quat; 2],
    /// Anchors from their centres of mass \[m\].
    pub r: [Vec3; 2],
}

impl Ends {
    /// x₁ − x₀.
    pub fn gap(&self) -> Vec3 {
        self.x[1] - self.x[0]
    }

    /// Arms of both bodies to the child's anchor.
    pub fn child_arms(&self) -> [Vec3; 2] {
        [self.r[0] + self.gap(), self.r[1]]
    }
}

/// In which axes rows are, and what is free of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LinearLaw {
    /// No row.
    #[default]
    Free,
    /// World axes; without the first so many of these axes of the parent's joint frame.
    World(usize, [Vec3; 3]),
    /// A row along each column, in the parent's joint frame.
    Material(Mat3),
}

/// The linear rows of a joint in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearRows {
    /// Axes.
    pub law: LinearLaw,
    /// Per axis; in world axes the first one counts.
    pub rows: [CompliantRow; 3],
    /// kd/h per axis \[N/m\]; not for what is free.
    pub damping: [f64; 3],
    /// Multipliers in the axes of the law \[N\].
    pub lambda: Vec3,
    /// Residual at the begin of the step \[m\].
    pub begin: Vec3,
    /// What is left of it at the end: not closed yet \[m\].
    pub allowed: Vec3,
}

impl LinearRows {
    /// Residual in the axes of the law \[m\].
    pub fn residual(&self, at: &Ends) -> Vec3 {
        match &self.law {
            LinearLaw::Free => Vec3::zeros(),
            LinearLaw::World(..) => at.gap(),
            LinearLaw::Material(b) => b.tr_mul(&(at.q[0].inverse() * at.gap())),
        }
    }

    /// Adds force and stiffness.
    pub fn add(&self, at: &Ends, terms: &mut EdgeTerms) {
        let c = self.residual(at);
        match &self.law {
            LinearLaw::Free => {}
            LinearLaw::World(free, axes) => {
                let p = projector(&at.q[0], &axes[..*free]);
                let row = self.rows[0];
                let damped = (c - self.begin) * self.damping[0];
                let f = p * (row.force(&(c - self.allowed), &self.lambda) + damped);
                terms.add_point(&f, &(p * (row.k + self.damping[0])), [&at.r[0], &at.r[1]]);
            }
            LinearLaw::Material(b) => {
                let (f, k) = self.material(&c);
                let axes = at.q[0].to_rotation_matrix().matrix() * b;
                let k = axes * Mat3::from_diagonal(&k) * axes.transpose();
                let [r0, r1] = at.child_arms();
                terms.add_point(&(axes * f), &k, [&r0, &r1]);
            }
        }
    }

    /// The same rows, pulling with what their multipliers are.
    pub fn held(&self) -> Self {
        Self { rows: self.rows.map(CompliantRow::held), ..*self }
    }

    /// Distance that the rows leave \[m\].
    pub fn error(&self, at: &Ends) -> f64 {
        let c = self.residual(at);
        match &self.law {
            LinearLaw::Free => 0.0,
            LinearLaw::World(free, axes) => (projector(&at.q[0], &axes[..*free]) * c).norm(),
            LinearLaw::Material(_) => {
                Vec3::from_fn(|i, _| if self.rows[i].k > 0.0 { c[i] } else { 0.0 }).norm()
            }
        }
    }

    /// The dual update.
    pub fn update(&mut self, at: &Ends) {
        let c = self.residual(at);
        self.lambda = match &self.law {
            LinearLaw::Free => Vec3::zeros(),
            LinearLaw::World(free, axes) => {
                let p = projector(&at.q[0], &axes[..*free]);
                self.rows[0].force(&(p * (c - self.allowed)), &(p * self.lambda))
            }
            LinearLaw::Material(_) => self.row_forces(&c),
        };
    }

    /// eq. (34c): what rows close in the step is at most `way` of what they begin with \[m\].
    pub fn allow_beyond(&mut self, way: f64) {
        let locked = match &self.law {
            LinearLaw::Free => Vec3::zeros(),
            LinearLaw::World(..) => self.begin,
            LinearLaw::Material(_) => {
                Vec3::from_fn(|i, _| if self.rows[i].k > 0.0 { self.begin[i] } else { 0.0 })
            }
        };
        self.allowed = beyond(&locked, way);
    }

    fn row_forces(&self, c: &Vec3) -> Vec3 {
        Vec3::from_fn(|i, _| self.rows[i].force1(c[i] - self.allowed[i], self.lambda[i]))
    }

    /// Force with damping and stiffness, per axis.
    fn material(&self, c: &Vec3) -> (Vec3, Vec3) {
        let damped = |i: usize| (c[i] - self.begin[i]) * self.damping[i];
        let f = self.row_forces(c) + Vec3::from_fn(|i, _| damped(i));
        (f, Vec3::from_fn(|i, _| self.rows[i].k + self.damping[i]))
    }
}

/// The part of `v` beyond the length `way`.
pub fn beyond(v: &Vec3, way: f64) -> Vec3 {
    let size = v.norm();
    if size > way { v * (1.0 - way / size) } else { Vec3::zeros() }
}

/// I − Σ a aᵀ over `axes` of the frame `q`.
pub fn projector(q: &Quat, axes: &[Vec3]) -> Mat3 {
    axes.iter().fold(Mat3::identity(), |p, a| {
        let a = q * a;
        p - a * a.transpose()
    })
}

/// An orthonormal basis that begins with `axes` (at most three, orthonormal).
pub fn basis(axes: &[Vec3]) -> Mat3 {
    let any = |a: &Vec3| {
        let least = (0..3).min_by(|&i, &j| a[i].abs().total_cmp(&a[j].abs())).unwrap_or(0);
        a.cross(&Vec3::ith(least, 1.0)).normalize()
    };
    match axes {
        [] => Mat3::identity(),
        [a] => {
            let b = any(a);
            Mat3::from_columns(&[*a, b, a.cross(&b)])
        }
        [a, b, rest @ ..] => Mat3::from_columns(&[*a, *b, rest.first().copied().unwrap_or(a.cross(b))]),
    }
}
