//! An element of a rod: what it connects, its law, its gradient and Hessian.
//!
//! Theory: `docs/theory/rod.md` eq. (9), (13). With the strain ε, its derivative J_b by body b and
//! the stiffness per row K and damping D over the step h,
//!
//! ```text
//! s = K ε + D (ε − ε_begin)/h,    gradient_b = J_bᵀ s,    H_ab = J_aᵀ (K + D/h) J_b + G_ab
//! ```

use coact_math::{Mat6, Pose, Vec3, Vec6};
use coact_model::{JointAxis, JointId, ModelView};

use crate::config::RodLaw;
use crate::geometric::{Blocks, add_geometric, add_positive};
use crate::joint::Bond;
use crate::shared::eval_bend_and_twist;
use crate::strain::{Ends, Strain, eval_strain};

/// What an element holds on one of its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A segment of the rod, by its index there.
    Node(u32),
    /// A body that moves as prescribed, by its index among these.
    Base(u32),
    /// The world.
    World,
}

/// Which Hessian is assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hessian {
    /// Gauss–Newton and the whole geometric part.
    Full,
    /// Gauss–Newton and what of the geometric part is positive.
    Positive,
}

/// A joint. What the model says is read at the begin of every step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub joint: JointId,
    pub bond: Bond,
    pub sides: [Side; 2],
    /// The edge of the linear system, where both sides are segments.
    pub edge: Option<u32>,
    /// Whether it acts.
    pub on: bool,
    /// Joint frames: of segments from their centres of mass, of others from the body frame.
    pub frames: [Pose; 2],
    /// Stiffness per row \[N/m, N·m\].
    pub k: Vec6,
    /// Damping per row \[N·s/m, N·m·s\].
    pub kd: Vec6,
    /// φ at rest.
    pub rest: Vec3,
    /// φ at the end of the last step: which branch it is on.
    pub phi: Vec3,
    /// Estimate of the stress at the solution, eq. (16): what the geometric part is made of.
    pub stress: Vec6,
    /// Strain at the begin of the step.
    pub begin: Vec6,
    /// Strain at the iterate.
    pub strain: Strain,
    /// Both sides at the iterate.
    pub ends: Ends,
}

impl Element {
    pub fn new(joint: JointId, sides: [Side; 2]) -> Self {
        Self {
            joint,
            bond: Bond::Rod,
            sides,
            edge: None,
            on: true,
            frames: [Pose::identity(); 2],
            k: Vec6::zeros(),
            kd: Vec6::zeros(),
            rest: Vec3::zeros(),
            phi: Vec3::zeros(),
            stress: Vec6::zeros(),
            begin: Vec6::zeros(),
            strain: Strain::default(),
            ends: Ends::default(),
        }
    }

    /// The segments on its sides.
    pub fn nodes(&self) -> [Option<usize>; 2] {
        self.sides.map(|s| if let Side::Node(n) = s { Some(n as usize) } else { None })
    }

    /// Takes over what the model says now; `hard`: the stiffness of what has an infinite one, linear and
    /// angular.
    pub fn read(&mut self, view: &ModelView, law: RodLaw, hard: [f64; 2]) {
        let j = self.joint.index();
        self.on = view.joint_enabled[j];
        let coms = [view.joint_parent[j], Some(view.joint_child[j])]
            .map(|b| b.map_or_else(Vec3::zeros, |b| view.body_com[b.index()]));
        for (side, frame) in [view.joint_x_p[j], view.joint_x_c[j]].into_iter().enumerate() {
            let from_com = matches!(self.sides[side], Side::Node(_));
            let origin = if from_com { coms[side] } else { Vec3::zeros() };
            self.frames[side] = Pose::new(frame.p - origin, frame.q);
        }
        if self.bond != Bond::Rod {
            self.read_joint(view, hard);
            return;
        }
        let axes = view.axes_of(self.joint);
        let k = per_axis(axes, |a| a.target_ke);
        self.k = Vec6::from_fn(|i, _| if k[i].is_finite() { k[i] } else { hard[i / 3] });
        self.kd = per_axis(axes, |a| a.target_kd);
        let rest = &view.joint_rest_rotation[j];
        self.rest = match law {
            RodLaw::RotationVector => coact_math::log_so3(rest),
            RodLaw::Shared => eval_bend_and_twist(&coact_math::Quat::identity(), rest).0,
        };
    }

    /// Both sides, with `pose` the poses of (centre of mass, rotation) of segments and the body
    /// frames of others.
    pub fn place(&self, pose: impl Fn(Side) -> Pose) -> Ends {
        let mut ends = Ends::default();
        for (i, side) in self.sides.into_iter().enumerate() {
            let at = pose(side);
            ends.r[i] = at.q * self.frames[i].p;
            ends.x[i] = at.p + ends.r[i];
            ends.q[i] = at.q * self.frames[i].q;
        }
        ends
    }

    /// Strain at `ends`, on the branch of `near`.
    pub fn eval_strain(&self, law: RodLaw, ends: &Ends, near: &Vec3) -> Strain {
        eval_strain(self.law(law), ends, &self.rest, near)
    }

    /// How it is measured, in a solver of this law: joints always by the rotation vector.
    fn law(&self, law: RodLaw) -> RodLaw {
        if self.bond == Bond::Rod { law } else { RodLaw::RotationVector }
    }

    /// s at the iterate: eq. (9).
    pub fn eval_stress(&self, h: f64) -> Vec6 {
        let e = &self.strain.epsilon;
        self.k.component_mul(e) + self.kd.component_mul(&(e - self.begin)) / h
    }

    /// K + D/h.
    pub fn tangent(&self, h: f64) -> Vec6 {
        self.k + self.kd / h
    }

    /// ½ εᵀKε at the iterate \[J\].
    pub fn eval_energy(&self) -> f64 {
        let e = &self.strain.epsilon;
        0.5 * self.k.component_mul(e).dot(e)
    }

    /// What of the step's objective it holds: its energy and that of its damping \[J\].
    pub fn eval_objective(&self, h: f64) -> f64 {
        let rate = self.strain.epsilon - self.begin;
        self.eval_energy() + 0.5 * self.kd.component_mul(&rate).dot(&rate) / h
    }

    /// H₀₀, H₁₁ and H₀₁ at the iterate: eq. (13).
    pub fn eval_hessian(&self, law: RodLaw, h: f64, kind: Hessian) -> Blocks {
        let [j0, j1] = &self.strain.jacobian;
        let scaled = |j: &Mat6| Mat6::from_diagonal(&self.tangent(h)) * j;
        let (k0, k1) = (scaled(j0), scaled(j1));
        let mut blocks = [j0.tr_mul(&k0), j1.tr_mul(&k1), j0.tr_mul(&k1)];
        match kind {
            Hessian::Full => {
                let bends = self.law(law) == RodLaw::RotationVector;
                add_geometric(&mut blocks, &self.ends, &self.strain, &self.stress, bends);
            }
            Hessian::Positive => add_positive(&mut blocks, &self.ends, &self.strain, &self.stress),
        }
        blocks
    }
}

fn per_axis(axes: &[JointAxis], of: impl Fn(&JointAxis) -> f64) -> Vec6 {
    Vec6::from_fn(|i, _| axes.get(i).map_or(0.0, &of))
}
