//! Which joints and attachments the coupler solves, and what it refuses. `docs/theory/admm-coupling.md`
//! section 2.

use coact_math::{Pose, Quat, Vec3};
use coact_model::{AttachmentId, EntityId, JointId, JointKind, Model};
use coact_solver::{Endpoint, MassBlock};

use super::config::ContactPair;
use super::link::{Axis, Law, Link, Origin, Side, complement, complete};
use crate::CouplingError;
use crate::error::entity_name;
use crate::partition::{Owners, entity_of};

/// Names of the entries, and who owns what.
#[derive(Clone, Copy)]
pub(super) struct Partition<'a> {
    pub model: &'a Model,
    pub names: &'a [String],
    pub owners: &'a Owners,
}

/// Whether a joint connects bodies of two entries and belongs to none: the coupler solves it.
pub(super) fn is_cut(model: &Model, owners: &Owners, j: JointId) -> bool {
    ends_of_joint(model, owners, j).is_some() && owners.joints[j.index()].is_none()
}

/// Child and parent with their owners, if these are two.
fn ends_of_joint(model: &Model, owners: &Owners, j: JointId) -> Option<[(usize, Endpoint); 2]> {
    let (child, parent) = (model.joint_child[j.index()], model.joint_parent[j.index()]?);
    let (c, p) = (owners.bodies[child.index()]?, owners.bodies[parent.index()]?);
    (c != p).then_some([(c, Endpoint::Body(child)), (p, Endpoint::Body(parent))])
}

impl Partition<'_> {
    /// All links between entries, joints before attachments.
    pub fn find_links(&self) -> Result<Vec<Link>, CouplingError> {
        let mut links = Vec::new();
        for j in (0..self.model.joint_count()).map(JointId::new) {
            links.extend(self.cut_joint(j)?);
        }
        for i in 0..self.model.attachment_particle.len() {
            links.extend(self.attachment(AttachmentId::new(i))?);
        }
        for link in &links {
            self.refuse_immovable(link)?;
        }
        let mut start = 0;
        for link in &mut links {
            let first = start + link.laws.len();
            link.axes.iter_mut().enumerate().for_each(|(k, a)| a.memory = first + k * Axis::ROWS);
            link.memory = start..first + link.axes.len() * Axis::ROWS;
            start = link.memory.end;
        }
        Ok(links)
    }

    fn cut_joint(&self, j: JointId) -> Result<Option<Link>, CouplingError> {
        let Some([child, parent]) = ends_of_joint(self.model, self.owners, j) else { return Ok(None) };
        let i = j.index();
        if let Some(owner) = self.owners.joints[i] {
            let end =
                |(entry, e): &(usize, Endpoint)| format!("{} of '{}'", self.endpoint(e), self.names[*entry]);
            return Err(CouplingError::CutJointOwned {
                joint: self.entity(EntityId::Joint(j)),
                ends: format!("{} to {}", end(&child), end(&parent)),
                owner: self.names[owner].clone(),
            });
        }
        let laws = self.laws(j, child.0, parent.0)?;
        let axes = self.free_axes(j, child.0, parent.0)?;
        if laws.is_empty() && axes.is_empty() {
            return Ok(None);
        }
        let side = |(entry, endpoint), frame| Side { entry, endpoint, frame };
        Ok(Some(Link {
            origin: Origin::Joint(j),
            name: self.entity(EntityId::Joint(j)),
            sides: [side(child, self.model.joint_x_c[i]), side(parent, self.model.joint_x_p[i])],
            rest: self.model.joint_rest_rotation.get(i).copied().unwrap_or_else(Quat::identity),
            laws,
            axes,
            pair: 0,
            memory: 0..0,
        }))
    }

    /// What each kind of joint locks.
    fn laws(&self, j: JointId, child: usize, parent: usize) -> Result<Vec<Law>, CouplingError> {
        let axes: Vec<Vec3> = self.axes(j);
        let kind = self.model.joint_kind[j.index()];
        let (linear, angular) = match kind {
            JointKind::Fixed => (&axes[..0], &axes[..0]),
            JointKind::Revolute => (&axes[..0], &axes[..1]),
            JointKind::Prismatic => (&axes[..1], &axes[..0]),
            JointKind::D6 { linear, .. } => axes.split_at(linear as usize),
            JointKind::Ball => {
                return Ok(complement(&[]).into_iter().map(Law::Gap).collect());
            }
            JointKind::Free | JointKind::Distance => return Ok(Vec::new()),
            JointKind::Rod => {
                let remedy = "let one entry own both bodies and the joint, or cut at another joint";
                return Err(self.bad_kind(j, child, parent, remedy));
            }
        };
        let gaps = complement(linear).into_iter().map(Law::Gap);
        Ok(gaps.chain(turning_laws(angular)).collect())
    }

    fn bad_kind(&self, j: JointId, child: usize, parent: usize, remedy: &'static str) -> CouplingError {
        CouplingError::CutJointKind {
            joint: self.entity(EntityId::Joint(j)),
            kind: self.model.joint_kind[j.index()].word(),
            first: self.names[child].clone(),
            second: self.names[parent].clone(),
            remedy,
        }
    }

    /// Free axes that can be driven or limited. Two and three free angles of one joint have no angle
    /// each that rows could push along; that is refused where something is asked of them.
    fn free_axes(&self, j: JointId, child: usize, parent: usize) -> Result<Vec<Axis>, CouplingError> {
        let kind = self.model.joint_kind[j.index()];
        let (linear, angular) = match kind {
            JointKind::Revolute => (0, 1),
            JointKind::Prismatic | JointKind::Distance => (1, 0),
            JointKind::D6 { linear, angular } => (linear as usize, angular as usize),
            _ => return Ok(Vec::new()),
        };
        let (directions, first) = (self.axes(j), self.model.joint_axis_start[j.index()] as usize);
        let acts = |k: usize| {
            let a = &self.model.joint_axis[first + k];
            let limited = a.limit_lower.is_finite() || a.limit_upper.is_finite();
            limited || a.target_ke > 0.0 || a.target_kd > 0.0 || a.friction > 0.0 || a.armature > 0.0
        };
        if angular > 1 && (linear..linear + angular).any(acts) {
            let remedy = "take drives, limits, friction and armature off its angles, or let one entry own it";
            return Err(self.bad_kind(j, child, parent, remedy));
        }
        let law = |k: usize| match kind {
            JointKind::Distance => Law::Distance,
            _ if k < linear => Law::Slide(directions[k]),
            _ => Law::Angle { hinge: directions[k], along: complete(&directions[k])[0] },
        };
        let dofs = self.model.joint_qd_start.get(j.index()).filter(|_| kind != JointKind::Distance);
        let axis = |k| Axis { law: law(k), axis: first + k, dof: dofs.map(|d| *d as usize + k), memory: 0 };
        Ok((0..linear + if angular == 1 { 1 } else { 0 }).map(axis).collect())
    }

    fn axes(&self, j: JointId) -> Vec<Vec3> {
        let kind = self.model.joint_kind[j.index()];
        if kind.axis_count() == 0 || kind == JointKind::Rod {
            return Vec::new();
        }
        self.model.axes_of(j).iter().map(|a| a.axis.normalize()).collect()
    }

    fn attachment(&self, id: AttachmentId) -> Result<Option<Link>, CouplingError> {
        let (m, i) = (self.model, id.index());
        let ends = [Endpoint::Particle(m.attachment_particle[i]), Endpoint::Body(m.attachment_body[i])];
        let owner = |e: &Endpoint| self.owners.of(e);
        let (particle, body) = match (owner(&ends[0]), owner(&ends[1])) {
            (Some(p), Some(b)) if p != b => (p, b),
            (Some(_), Some(_)) | (None, None) => return Ok(None),
            // a kinematic body is seen by all, and holds what its entry attaches to it
            (Some(_), None) if m.body_kinematic[m.attachment_body[i].index()] => return Ok(None),
            (Some(held), None) => return Err(self.loose(id, held, &ends[0], &ends[1])),
            (None, Some(held)) => return Err(self.loose(id, held, &ends[1], &ends[0])),
        };
        Ok(Some(Link {
            origin: Origin::Attachment(id),
            name: format!("{id} of {}", self.endpoint(&ends[0])),
            sides: [
                Side { entry: particle, endpoint: ends[0], frame: Pose::identity() },
                Side { entry: body, endpoint: ends[1], frame: Pose::translation(m.attachment_point[i]) },
            ],
            rest: Quat::identity(),
            laws: complement(&[]).into_iter().map(Law::Gap).collect(),
            axes: Vec::new(),
            pair: 0,
            memory: 0..0,
        }))
    }

    fn loose(&self, id: AttachmentId, held: usize, end: &Endpoint, other: &Endpoint) -> CouplingError {
        CouplingError::LooseAttachment {
            attachment: id.to_string(),
            held: self.endpoint(end),
            entry: self.names[held].clone(),
            loose: self.endpoint(other),
            remedy: "add that to an entry, or drop the attachment",
        }
    }

    fn refuse_immovable(&self, link: &Link) -> Result<(), CouplingError> {
        let moves = |s: &Side| MassBlock::of(&s.endpoint, self.model).is_movable();
        let hard = match link.origin {
            Origin::Joint(_) => true,
            Origin::Attachment(a) => self.model.attachment_ke[a.index()].is_infinite(),
        };
        match hard && !link.sides.iter().any(moves) {
            true => Err(CouplingError::Immovable { link: link.name.clone() }),
            false => Ok(()),
        }
    }

    fn entity(&self, e: EntityId) -> String {
        entity_name(&self.model.names, e)
    }

    fn endpoint(&self, e: &Endpoint) -> String {
        self.entity(entity_of(e))
    }
}

/// Contact pairs as indices, ascending.
pub(super) fn check_contact_pairs(
    names: &[String],
    pairs: &[ContactPair],
) -> Result<Vec<[usize; 2]>, CouplingError> {
    let mut found: Vec<[usize; 2]> = Vec::new();
    for pair in pairs {
        let fault = |what: String| CouplingError::ContactPair {
            source_entry: pair.source.clone(),
            destination: pair.destination.clone(),
            what,
        };
        let known = || names.iter().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ");
        let find = |name: &String| {
            let unknown = || fault(format!("there is no entry '{name}'; the entries are {}", known()));
            names.iter().position(|n| n == name).ok_or_else(unknown)
        };
        let (a, b) = (find(&pair.source)?, find(&pair.destination)?);
        if a == b {
            return Err(fault("an entry solves its own contacts; name two entries".into()));
        }
        let pair = [a.min(b), a.max(b)];
        if found.contains(&pair) {
            return Err(fault("it is listed twice, in this or the other order; list it once".into()));
        }
        found.push(pair);
    }
    Ok(found)
}

/// What is locked in rotation where these axes are free.
fn turning_laws(free: &[Vec3]) -> Vec<Law> {
    match free {
        [] => complement(&[]).into_iter().map(Law::Turn).collect(),
        [hinge] => complete(hinge).map(|along| Law::Hinge { hinge: *hinge, along }).to_vec(),
        [second, first] => vec![Law::Universal { second: *second, first: *first }],
        _ => Vec::new(),
    }
}
