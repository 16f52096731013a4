//! What a coupling by rows refuses: the names, what is wrong, and what to do.

use coact_coupled::*;
use coact_math::Vec3;
use coact_model::{BodyId, JointKind, Model, ModelView, ParticleId};
use coact_solver::CouplingCapabilities;
use coact_testkit::{body, particle, points};

use crate::admm::{add_joint, attach};
use crate::support::*;

const A: BodyId = BodyId(0);
const B: BodyId = BodyId(1);
const P: ParticleId = ParticleId(0);

fn scene() -> Model {
    let mut m = points(9.81);
    body(&mut m, "arm", 1.0, Vec3::zeros());
    body(&mut m, "hand", 1.0, Vec3::x());
    particle(&mut m, 0.1, Vec3::z());
    m
}

fn defs() -> Vec<EntryDef> {
    vec![dummy("robot", vec![]).bodies([A]), dummy("soft", vec![]).bodies([B]).particles([P])]
}

#[track_caller]
fn refused(m: &Model, defs: Vec<EntryDef>, config: AdmmConfig, parts: &[&str]) {
    let text = SolverCoupledAdmm::new(m, defs, config).err().expect("this must be refused").to_string();
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
}

#[test]
fn joints() {
    let mut m = scene();
    let j = add_joint(&mut m, JointKind::Ball, A, B, Vec3::zeros());
    let mut owned = defs();
    owned[1].joints.push(j);
    let parts = [
        "joint 0 joins body 'hand' of 'soft' to body 'arm' of 'robot'",
        "owned by 'soft'",
        "let no entry own it",
    ];
    refused(&m, owned, AdmmConfig::default(), &parts);
    // both bodies in one entry, the joint left to the coupler
    let one = vec![dummy("robot", vec![]).bodies([A, B]), dummy("soft", vec![]).particles([P])];
    refused(
        &m,
        one,
        AdmmConfig::default(),
        &["no entry owns joint 0: it would not act", "add it to an entry"],
    );
    let mut rod = scene();
    add_joint(&mut rod, JointKind::Rod, A, B, Vec3::zeros());
    let parts = ["joint 0 is a rod joint between 'soft' and 'robot'", "let one entry own"];
    refused(&rod, defs(), AdmmConfig::default(), &parts);
    let mut driven = scene();
    add_joint(&mut driven, JointKind::D6 { linear: 0, angular: 2 }, A, B, Vec3::zeros());
    SolverCoupledAdmm::new(&driven, defs(), AdmmConfig::default()).map(drop).unwrap();
    driven.joint_axis.make_mut()[1].limit_upper = 1.0;
    refused(&driven, defs(), AdmmConfig::default(), &["joint 0 is a D6 joint", "take drives, limits"]);
    let mut world = scene();
    add_joint(&mut world, JointKind::Ball, A, B, Vec3::zeros());
    world.joint_parent.make_mut()[0] = None;
    refused(&world, defs(), AdmmConfig::default(), &["no entry owns joint 0"]);
}

#[test]
fn attachments() {
    let mut m = scene();
    attach(&mut m, P, A, f64::INFINITY, 0.0);
    SolverCoupledAdmm::new(&m, defs(), AdmmConfig::default()).map(drop).unwrap();
    let mut loose = m.clone();
    loose.body_mass.make_mut()[0] = 0.0;
    loose.body_inv_mass.make_mut()[0] = 0.0;
    let only = vec![dummy("soft", vec![]).bodies([B]).particles([P])];
    let parts = ["attachment 0 holds particle 0 of 'soft' to body 'arm', which no entry owns", "add that"];
    refused(&loose, only, AdmmConfig::default(), &parts);
    let mut still = loose;
    still.particle_inv_mass.make_mut()[0] = 0.0;
    let parts = ["attachment 0 of particle 0 is hard, but no force moves either", "stiffness"];
    refused(&still, defs(), AdmmConfig::default(), &parts);
    // one entry has both ends: it solves the attachment
    let mut inside = scene();
    attach(&mut inside, P, B, f64::INFINITY, 0.0);
    let solver = SolverCoupledAdmm::new(&inside, defs(), AdmmConfig::default()).unwrap();
    assert!(solver.entries().get("soft").unwrap().view().attachment_enabled[0]);
}

#[test]
fn elements_between_entries() {
    let mut m = scene();
    let q = particle(&mut m, 0.1, Vec3::y());
    m.spring_indices.make_mut().push([P, q]);
    let mut split = defs();
    split[0].particles.push(q);
    refused(
        &m,
        split,
        AdmmConfig::default(),
        &["spring 0 joins particle 0 of 'soft' to particle 1 of 'robot'"],
    );
}

#[test]
fn contact_pairs() {
    let m = scene();
    let with = |pairs: &[(&str, &str)]| AdmmConfig {
        contact_pairs: pairs.iter().map(|(a, b)| ContactPair::new(*a, *b)).collect(),
        ..AdmmConfig::default()
    };
    refused(&m, defs(), with(&[("robot", "robot")]), &["'robot' and 'robot'", "name two entries"]);
    refused(&m, defs(), with(&[("robot", "cloth")]), &["there is no entry 'cloth'", "'robot', 'soft'"]);
    let twice = with(&[("robot", "soft"), ("soft", "robot")]);
    refused(&m, defs(), twice, &["listed twice", "once"]);
    let all = auto_detect_contact_pairs(&defs());
    assert_eq!(all, [ContactPair::new("robot", "soft")]);
}

#[test]
fn settings() {
    let m = scene();
    let base = AdmmConfig::default();
    let bad = [
        (AdmmConfig { rho: 0.0, ..base.clone() }, "rho = 0"),
        (AdmmConfig { gamma: -1.0, ..base.clone() }, "gamma = -1"),
        (AdmmConfig { baumgarte: 1.5, ..base.clone() }, "baumgarte = 1.5"),
        (AdmmConfig { closing_speed: f64::NAN, ..base.clone() }, "closing_speed = NaN"),
        (AdmmConfig { joint_stiffness: 0.0, ..base.clone() }, "joint_stiffness = 0"),
        (AdmmConfig { joint_angular_damping: f64::INFINITY, ..base.clone() }, "joint_angular_damping = inf"),
        (
            AdmmConfig { acceleration: AccelerationKind::Fixed(-1.0), ..base.clone() },
            "acceleration weight = -1",
        ),
        (AdmmConfig { convergence: Some(Convergence::FixedCount(0)), ..base.clone() }, "iterations = 0"),
        (
            AdmmConfig {
                convergence: Some(Convergence::Tolerance { primal: 0.0, dual: 1e-3, max_iterations: 9 }),
                ..base
            },
            "tolerance = 0, 0.001",
        ),
    ];
    for (config, part) in bad {
        refused(&m, defs(), config, &["ADMM coupling", part, "write"]);
    }
}

#[test]
fn solvers_without_the_hooks() {
    let mut m = points(9.81);
    let b = body(&mut m, "hand", 1.0, Vec3::zeros());
    let p = particle(&mut m, 0.1, Vec3::z());
    attach(&mut m, p, b, 100.0, 0.0);
    let string = |f: fn(&mut CouplingCapabilities)| {
        EntryDef::new("string", move |view: &ModelView| {
            let mut s = StringSolver::new(view, TENSION, CONTACT);
            f(&mut s.capabilities);
            Ok(s)
        })
    };
    let with = |f| vec![string(f).particles([p]), dummy("robot", vec![]).bodies([b])];
    let parts = ["entry 'string' (string) cannot be pushed by a row", "`particle_source`"];
    refused(&m, with(|_| {}), AdmmConfig::default(), &parts);
    let cannot_rewind = with(|c| (c.particle_source, c.rewind) = (true, false));
    refused(&m, cannot_rewind, AdmmConfig::default(), &["cannot take a step again", "`rewind`"]);
}
