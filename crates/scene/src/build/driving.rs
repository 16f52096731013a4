//! Motions, forces and attachments of a model.

use coact_math::{Spatial, Vec3};
use coact_model::{AttachmentDef, BodyId, Model, ModelBuilder, Motion, MotionPlan, ParticleId, TimedMotion};

use crate::file::{self, Move};
use crate::loads::{Load, Loads};
use crate::resolve::{Driven, Group, Scene};

/// What moves by prescription.
pub(super) fn motions(scene: &Scene, model: &Model) -> MotionPlan {
    let mut plan = MotionPlan::default();
    for (typed, driven) in scene.file.motions.iter().zip(&scene.driving.motions) {
        let timed = |m: &Move| TimedMotion {
            motion: motion(m),
            start: typed.start,
            stop: typed.stop.unwrap_or(f64::INFINITY),
        };
        let moves = typed.moves.iter().map(timed).collect();
        plan.carry(model, moves, particles(driven), driven.bodies.iter().map(|&b| BodyId::new(b)));
    }
    plan
}

fn motion(m: &Move) -> Motion {
    match m {
        Move::Translate { velocity } => Motion::Translate((*velocity).into()),
        Move::Rotate { center, axis, rate } => {
            Motion::Rotate { center: (*center).into(), axis: Vec3::from(*axis).normalize(), rate: *rate }
        }
        Move::Path { times, offsets, repeat } => {
            let begin = (times[0] > 0.0).then_some((0.0, Vec3::zeros()));
            let knots = times.iter().zip(offsets).map(|(t, x)| (*t, Vec3::from(*x)));
            Motion::Path { knots: begin.into_iter().chain(knots).collect(), repeat: *repeat }
        }
    }
}

fn particles(driven: &Driven) -> impl Iterator<Item = ParticleId> + '_ {
    driven.particles.iter().flatten().map(|&p| ParticleId::new(p))
}

/// Constant forces. Particles of one group share a force evenly.
pub(super) fn loads(scene: &Scene) -> Loads {
    let load = |(typed, driven): (&file::Force, &Driven)| {
        let (force, torque) = (Vec3::from(typed.force), Vec3::from(typed.torque));
        let share = |group: &Vec<usize>| {
            let each = force / group.len() as f64;
            group.iter().map(move |&p| (ParticleId::new(p), each)).collect::<Vec<_>>()
        };
        Load {
            span: typed.start..typed.stop.unwrap_or(f64::INFINITY),
            particles: driven.particles.iter().flat_map(share).collect(),
            bodies: driven.bodies.iter().map(|&b| (BodyId::new(b), Spatial::new(force, torque))).collect(),
        }
    };
    Loads(scene.file.forces.iter().zip(&scene.driving.forces).map(load).collect())
}

/// Holds particles at the points of bodies where they are.
pub(super) fn add_attachments(b: &mut ModelBuilder, scene: &Scene) {
    let placed = |g: &Group| g.vertices(&scene.file).iter().map(|x| g.pose.point(x)).collect::<Vec<_>>();
    let places: Vec<Vec3> = match scene.file.attachments.is_empty() {
        true => Vec::new(),
        false => scene.groups.iter().flat_map(placed).collect(),
    };
    for (typed, driven) in scene.file.attachments.iter().zip(&scene.driving.attachments) {
        let body = driven.bodies[0];
        let to_body = scene.bodies[body].pose.inverse();
        for particle in particles(driven) {
            let point = to_body.point(&places[particle.index()]);
            b.add_attachment(AttachmentDef {
                ke: typed.stiffness.unwrap_or(f64::INFINITY),
                kd: typed.damping,
                ..AttachmentDef::hard(particle, BodyId::new(body), point)
            });
        }
    }
}
