//! The joints of a case. Rest rotations are those of the recorded rest poses.

use coact_math::{Pose, Quat, Vec3};
use coact_model::{BodyId, JointAxis, JointKind, Model};

use super::ReferenceError;
use super::json::Object;

/// Reads all joints into `m`, whose bodies are at rest.
pub fn joints(o: &Object, m: &mut Model) -> Result<(), ReferenceError> {
    let list = o.list("joints");
    let mut c = Columns::default();
    for j in &list {
        c.push(j, m)?;
    }
    m.joint_kind = c.kind.into();
    m.joint_parent = c.parent.into();
    m.joint_child = c.child.into();
    m.joint_x_p = c.frames[0].clone().into();
    m.joint_x_c = c.frames[1].clone().into();
    m.joint_enabled = list.iter().map(|j| j.raw()["enabled"].as_bool().unwrap_or(true)).collect();
    m.joint_q_start = c.q_start.into();
    m.joint_qd_start = c.qd_start.into();
    m.joint_axis_start = c.axis_start.into();
    m.joint_rest_rotation = c.rest.into();
    m.joint_qd = vec![0.0; c.dofs].into();
    m.joint_q = c.q.into();
    m.joint_axis = c.axes.into();
    m.joint_target_q = c.targets[0].clone().into();
    m.joint_target_qd = c.targets[1].clone().into();
    Ok(())
}

struct Columns {
    kind: Vec<JointKind>,
    parent: Vec<Option<BodyId>>,
    child: Vec<BodyId>,
    frames: [Vec<Pose>; 2],
    rest: Vec<Quat>,
    axes: Vec<JointAxis>,
    q: Vec<f64>,
    targets: [Vec<f64>; 2],
    dofs: usize,
    q_start: Vec<u32>,
    qd_start: Vec<u32>,
    axis_start: Vec<u32>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            kind: Vec::new(),
            parent: Vec::new(),
            child: Vec::new(),
            frames: Default::default(),
            rest: Vec::new(),
            axes: Vec::new(),
            q: Vec::new(),
            targets: Default::default(),
            dofs: 0,
            q_start: vec![0],
            qd_start: vec![0],
            axis_start: vec![0],
        }
    }
}

impl Columns {
    fn push(&mut self, j: &Object, m: &Model) -> Result<(), ReferenceError> {
        let axes = j.list("axes");
        let kind = kind(j, &axes)?;
        let frame = |key: &str| -> Result<Pose, ReferenceError> {
            let rows = j.rows::<7>(key)?;
            let bad = || ReferenceError::Format(format!("joint without '{key}'"));
            Ok(Pose::from_array(*rows.first().ok_or_else(bad)?))
        };
        let parent = u32::try_from(j.raw()["parent"].as_i64().unwrap_or(-1)).ok().map(BodyId);
        let child = BodyId(j.raw()["child"].as_u64().unwrap_or(0) as u32);
        let (x_p, x_c) = (frame("parent_xform")?, frame("child_xform")?);
        let base = parent.map_or_else(Quat::identity, |b| m.body_q[b.index()].q);
        let turn = (base * x_p.q).inverse() * m.body_q[child.index()].q * x_c.q;
        self.rest.push(rest_rotation(j, kind, &axes, turn)?);
        self.push_axes(kind, &axes)?;
        self.kind.push(kind);
        self.parent.push(parent);
        self.child.push(child);
        self.frames[0].push(x_p);
        self.frames[1].push(x_c);
        self.dofs += kind.dof_count();
        self.q_start.push(self.q.len() as u32);
        self.qd_start.push(self.dofs as u32);
        self.axis_start.push(self.axes.len() as u32);
        Ok(())
    }

    fn push_axes(&mut self, kind: JointKind, axes: &[Object]) -> Result<(), ReferenceError> {
        if kind == JointKind::Ball {
            self.q.extend([0.0, 0.0, 0.0, 1.0]);
        }
        for a in axes.iter().take(kind.axis_count()) {
            let n = |key: &str| a.number(key).unwrap_or(0.0);
            self.axes.push(JointAxis {
                axis: vector(a)?,
                target_ke: n("target_ke"),
                target_kd: n("target_kd"),
                limit_lower: n("limit_lower"),
                limit_upper: n("limit_upper"),
                limit_ke: n("limit_ke"),
                limit_kd: n("limit_kd"),
                ..JointAxis::default()
            });
            if kind != JointKind::Rod {
                self.q.push(n("rest_coordinate"));
            }
            self.targets[0].push(n("target_q"));
            self.targets[1].push(n("target_qd"));
        }
        Ok(())
    }
}

fn vector(a: &Object) -> Result<Vec3, ReferenceError> {
    Ok(Vec3::from_column_slice(&a.numbers("axis")?))
}

fn kind(j: &Object, axes: &[Object]) -> Result<JointKind, ReferenceError> {
    let count = |kind: &str| axes.iter().filter(|a| a.raw()["kind"] == kind).count() as u8;
    match j.raw()["type"].as_str().unwrap_or_default() {
        "fixed" => Ok(JointKind::Fixed),
        "revolute" => Ok(JointKind::Revolute),
        "prismatic" => Ok(JointKind::Prismatic),
        "ball" => Ok(JointKind::Ball),
        "rod" => Ok(JointKind::Rod),
        "d6" => Ok(JointKind::D6 { linear: count("linear"), angular: count("angular") }),
        other => Err(ReferenceError::Format(format!("joint type '{other}' is not known"))),
    }
}

/// The rotation at zero coordinates, from that at rest.
fn rest_rotation(j: &Object, kind: JointKind, axes: &[Object], turn: Quat) -> Result<Quat, ReferenceError> {
    if kind == JointKind::Rod {
        let given = j.rows::<4>("rest_rotation")?;
        let quat = |r: &[f64; 4]| Pose::from_array([0.0, 0.0, 0.0, r[0], r[1], r[2], r[3]]).q;
        return Ok(given.first().map_or(turn, quat));
    }
    let angular: Vec<_> = axes.iter().filter(|a| a.raw()["kind"] == "angular").collect();
    match angular[..] {
        [a] => {
            let angle = a.number("rest_coordinate").unwrap_or(0.0);
            Ok(Quat::from_scaled_axis(vector(a)?.normalize() * -angle) * turn)
        }
        _ => Ok(turn),
    }
}
