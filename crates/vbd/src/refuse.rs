//! What the solver refuses, when it is built if it can, by name and with the remedy.

use coact_collide::UnsupportedShape;
use coact_model::{Control, EntityId, JointId, JointKind, ModelView, ParticleId, ShapeId};
use coact_solver::{SolverError, StepInput};

use crate::config::{Precision, VbdConfig};
use crate::precision::resolved;

/// Joints that cannot be solved as they are; `device`: none can.
pub fn refuse_joints(view: &ModelView, device: bool) -> Result<(), SolverError> {
    let solved = |j: &JointId| {
        let i = j.index();
        view.solves_joint(*j) && view.joint_enabled[i] && view.joint_kind[i] != JointKind::Free
    };
    for j in (0..view.joint_count()).map(JointId::new).filter(solved) {
        let fault = |what: String, remedy: &str| {
            Err(SolverError::Entity { entity: EntityId::Joint(j), what, remedy: remedy.into() })
        };
        let kind = view.joint_kind[j.index()];
        if device {
            let what = format!("a device does not solve {} joints", kind.word());
            return fault(
                what,
                "use the CPU, give its bodies to SolverArticulated and couple, or disable it",
            );
        }
        let axes = view.axes_of(j);
        let JointKind::D6 { linear, .. } = kind else { continue };
        for group in [&axes[..linear as usize], &axes[linear as usize..]] {
            for (k, a) in group.iter().enumerate() {
                if group[..k].iter().any(|b| a.axis.dot(&b.axis).abs() > 1e-6) {
                    return fault(
                        "its free axes are not perpendicular to each other".into(),
                        "turn them square, or put a body between two joints",
                    );
                }
            }
        }
    }
    Ok(())
}

/// Attachments that could not act here.
pub fn refuse_unsolved(view: &ModelView) -> Result<(), SolverError> {
    for (i, &p) in view.attachment_particle.iter().enumerate() {
        let body = view.attachment_body[i];
        if view.owns_particle(p) && !view.sees_body(body) && view.parent().attachment_enabled[i] {
            return Err(SolverError::Entity {
                entity: EntityId::Particle(p),
                what: format!("it is attached to {body}, which this solver does not see"),
                remedy:
                    "couple the body in as a proxy, give it to the same solver, or disable the attachment"
                        .into(),
            });
        }
    }
    Ok(())
}

/// Surfaces that blocks of `f32` cannot bend: the kernel of hinges divides by products of squared
/// areas, eighth powers of an edge, and these must be numbers.
pub fn refuse_tiny(view: &ModelView, config: &VbdConfig, device: bool) -> Result<(), SolverError> {
    if (resolved(view, config.precision) == Precision::Double && !device) || view.hinge_indices.is_empty() {
        return Ok(());
    }
    let least = f64::from(f32::MIN_POSITIVE).powf(0.125);
    let length = |[p, o]: [ParticleId; 2]| (view.particle_q[p.index()] - view.particle_q[o.index()]).norm();
    let edges = view.tri_indices.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let owned = edges.filter(|e| e.iter().any(|&p| view.owns_particle(p)));
    let tiny = owned.map(|e| (length(e), e[0])).find(|(l, _)| *l > 0.0 && *l < least);
    let Some((length, p)) = tiny else { return Ok(()) };
    Err(SolverError::Entity {
        entity: EntityId::Particle(p),
        what: format!(
            "an edge of {length:.2e} m is too short to bend in single precision (below {least:.2e} m)"
        ),
        remedy: "write precision Double, or measure the scene in another unit, as mm: lengths, gravity and \
                 accelerations times 1000, and stiffness and mass as these have it"
            .into(),
    })
}

/// "shape 3 'rock'".
pub fn shape_name(view: &ModelView, shape: ShapeId) -> String {
    let name = view.names.shapes.get(shape.index()).filter(|n| !n.is_empty());
    name.map_or_else(|| shape.to_string(), |n| format!("{shape} '{n}'"))
}

/// A shape that particles of the view could meet but that has no distance.
pub fn refuse_shape(view: &ModelView, bad: UnsupportedShape) -> SolverError {
    let name = shape_name(view, bad.shape);
    SolverError::Setting {
        setting: "shape",
        value: format!("{name} ({}): {}", bad.kind, bad.fault),
        remedy: "mend its geometry, or clear the shape's COLLIDE_PARTICLES flag".into(),
    }
}

/// Bodies of another solver: kernels do not follow them, and attachments do not pull on them.
pub fn refuse_external(view: &ModelView, on_device: bool) -> Result<(), SolverError> {
    if !on_device {
        return refuse_attachments_to_external(view);
    }
    Err(SolverError::Setting {
        setting: "integrate_with_external_rigid_solver",
        value: "true".into(),
        remedy: "a device does not follow bodies of another solver: use the CPU, or couple by proxies".into(),
    })
}

/// Attachments that could not pull on a body that another solver integrates.
pub fn refuse_attachments_to_external(view: &ModelView) -> Result<(), SolverError> {
    match view.attachment_enabled.iter().position(|&on| on) {
        None => Ok(()),
        Some(i) => Err(SolverError::Entity {
            entity: EntityId::Particle(view.attachment_particle[i]),
            what: format!(
                "it is attached to {}, which another solver integrates \
                 (integrate_with_external_rigid_solver)",
                view.attachment_body[i]
            ),
            remedy: "disable the attachment, let this solver integrate the body, or couple it in as a proxy"
                .into(),
        }),
    }
}

/// Arrays of the control that do not reach all axes and freedoms of the model.
pub fn refuse_short_control(view: &ModelView, control: &Control) -> Result<(), SolverError> {
    let (axes, freedoms) = (view.joint_axis.len(), view.joint_qd.len());
    let arrays = [
        ("joint_target_q", control.joint_target_q.len(), axes, "axes"),
        ("joint_target_qd", control.joint_target_qd.len(), axes, "axes"),
        ("joint_f", control.joint_f.len(), freedoms, "degrees of freedom"),
    ];
    let Some((setting, found, wanted, what)) = arrays.into_iter().find(|a| a.1 < a.2) else { return Ok(()) };
    Err(SolverError::Setting {
        setting,
        value: format!("{found} numbers"),
        remedy: format!(
            "the joints of the model have {wanted} {what}: give a number for each, 0 where there is none; \
             `Model::control` makes arrays of that size"
        ),
    })
}

/// Contacts of the caller, which kernels do not read.
pub fn refuse_contacts(input: &StepInput) -> Result<(), SolverError> {
    match input.contacts {
        None => Ok(()),
        Some(_) => Err(SolverError::Setting {
            setting: "contacts",
            value: "given by the caller".into(),
            remedy: "a device detects by itself: leave them out, or use the CPU".into(),
        }),
    }
}

/// Attachments, which kernels do not have.
pub fn refuse_attachments(view: &ModelView) -> Result<(), SolverError> {
    match view.attachment_enabled.iter().position(|&on| on) {
        None => Ok(()),
        Some(i) => Err(SolverError::Entity {
            entity: EntityId::Particle(view.attachment_particle[i]),
            what: "a device does not hold attachments of particles to bodies".into(),
            remedy: "use the CPU, or disable the attachment".into(),
        }),
    }
}
