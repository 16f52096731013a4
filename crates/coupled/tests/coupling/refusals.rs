//! Every refusal: the names, what is wrong, and what to do.

use coact_coupled::*;
use coact_math::{Pose, Vec3};
use coact_model::{BodyId, JointId, JointKind, Model, ParticleId, ShapeId};
use coact_solver::*;
use coact_testkit::{body, particle, points};

use crate::support::*;

fn scene() -> Model {
    let mut m = points(9.81);
    body(&mut m, "box", 1.0, Vec3::zeros());
    body(&mut m, "mat", 1.0, Vec3::x());
    particle(&mut m, 0.1, Vec3::z());
    m
}

const A: BodyId = BodyId(0);
const B: BodyId = BodyId(1);
const P: ParticleId = ParticleId(0);

fn defs() -> Vec<EntryDef> {
    vec![dummy("rigid", vec![]).bodies([A]), dummy("soft", vec![]).bodies([B]).particles([P])]
}

fn proxy() -> Proxy {
    Proxy::new("rigid", "soft").bodies([A])
}

#[track_caller]
fn refused<S>(result: Result<S, CouplingError>, parts: &[&str]) {
    let text = result.err().expect("this must be refused").to_string();
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
}

#[track_caller]
fn base(m: &Model, defs: Vec<EntryDef>, parts: &[&str]) {
    refused(SolverCoupled::new(m, defs), parts);
}

#[track_caller]
fn with(proxies: Vec<Proxy>, parts: &[&str]) {
    let config = ProxyConfig { proxies, ..ProxyConfig::default() };
    refused(SolverCoupledProxy::new(&scene(), defs(), config), parts);
}

#[track_caller]
fn with_config(config: ProxyConfig, parts: &[&str]) {
    refused(SolverCoupledProxy::new(&scene(), defs(), config), parts);
}

fn add_joint(m: &mut Model, parent: Option<BodyId>, child: BodyId) -> JointId {
    add_joint_of(m, JointKind::Ball, parent, child)
}

fn add_joint_of(m: &mut Model, kind: JointKind, parent: Option<BodyId>, child: BodyId) -> JointId {
    m.joint_kind.make_mut().push(kind);
    m.joint_qd_start.make_mut().push(0);
    m.joint_axis_start.make_mut().push(0);
    m.joint_parent.make_mut().push(parent);
    m.joint_child.make_mut().push(child);
    m.joint_x_p.make_mut().push(Pose::identity());
    m.joint_x_c.make_mut().push(Pose::identity());
    m.joint_enabled.make_mut().push(true);
    JointId::new(m.joint_count() - 1)
}

#[test]
fn entries() {
    let m = scene();
    base(&m, vec![], &["without entries", "at least one"]);
    let mut twice = defs();
    twice[1].name = "rigid".into();
    base(&m, twice, &["two entries are named 'rigid'", "rename"]);
    let mut idle = defs();
    idle[0].substeps = 0;
    base(&m, idle, &["'rigid' takes 0 substeps", "1 or more"]);
}

#[test]
fn ids() {
    let m = scene();
    base(
        &m,
        vec![dummy("e", vec![]).bodies([BodyId(9)])],
        &["entry 'e' lists body 9", "has 2", "this model"],
    );
    base(&m, vec![dummy("e", vec![]).particles([ParticleId(4)])], &["particle 4", "has 1"]);
    base(&m, vec![dummy("e", vec![]).joints([JointId(0)])], &["joint 0", "has 0"]);
    base(&m, vec![dummy("e", vec![]).shapes([ShapeId(3)])], &["entry 'e' lists shape 3", "0 shapes"]);
}

#[test]
fn ownership() {
    let m = scene();
    let mut both = defs();
    both[1].bodies.push(A);
    base(&m, both, &["body 'box' is owned by 'rigid' and by 'soft'", "take it out"]);
    let nobody = vec![dummy("soft", vec![]).particles([P])];
    base(&m, nobody, &["no entry owns body 'box': it would stand still", "add it to an entry", "and 1 more"]);
    base(
        &m,
        vec![dummy("rigid", vec![]).bodies([A, B])],
        &["no entry owns particle 0: it would stand still"],
    );
    let mut jointed = scene();
    add_joint(&mut jointed, None, A);
    base(&jointed, defs(), &["no entry owns joint 0: it would not act"]);
}

#[test]
fn what_cannot_move_needs_no_owner() {
    let mut m = scene();
    m.body_kinematic.make_mut()[0] = true;
    m.particle_inv_mass.make_mut()[0] = 0.0;
    let j = add_joint(&mut m, None, A);
    m.joint_enabled.make_mut()[j.index()] = false;
    SolverCoupled::new(&m, vec![dummy("soft", vec![]).bodies([B])]).map(drop).unwrap();
}

#[test]
fn links_between_entries() {
    let mut m = scene();
    let j = add_joint(&mut m, Some(A), B);
    let mut jointed = defs();
    jointed[0].joints.push(j);
    base(&m, jointed, &["joint 0 joins body 'box' of 'rigid' to body 'mat' of 'soft'", "no entry sees both"]);
    let mut m = scene();
    let q = particle(&mut m, 0.1, Vec3::y());
    m.spring_indices.make_mut().push([P, q]);
    let mut split = defs();
    split[0].particles.push(q);
    base(&m, split, &["spring 0 joins particle 0 of 'soft' to particle 1 of 'rigid'"]);
    let mut m = scene();
    m.attachment_particle.make_mut().push(P);
    m.attachment_body.make_mut().push(A);
    m.attachment_enabled.make_mut().push(true);
    base(
        &m,
        defs(),
        &["attachment 0 joins particle 0 of 'soft' to body 'box' of 'rigid'", "make one of them a proxy"],
    );
    // with the body as a proxy beside the particle, somebody sees both
    coupled(&m, defs(), proxy()).map(drop).unwrap();
}

#[test]
fn a_solver_that_cannot_be_built() {
    let fails = EntryDef::new("rigid", |_| -> Result<coact_testkit::DummySolver, SolverError> {
        Err(SolverError::Device("none there".into()))
    });
    base(&scene(), vec![fails.bodies([A, B]).particles([P])], &["entry 'rigid': device: none there"]);
}

#[test]
fn proxy_names_and_endpoints() {
    with(vec![Proxy::new("rigd", "soft").bodies([A])], &["no entry 'rigd'", "'rigid', 'soft'"]);
    with(vec![Proxy::new("rigid", "sfot").bodies([A])], &["no entry 'sfot'"]);
    with(vec![Proxy::new("rigid", "rigid").bodies([A])], &["same entry", "two entries"]);
    with(vec![Proxy::new("rigid", "soft")], &["lists no bodies and no particles"]);
    with(
        vec![Proxy::new("rigid", "soft").bodies([BodyId(7)])],
        &["proxy 'rigid' -> 'soft' lists body 7", "has 2"],
    );
    with(vec![proxy().bodies([B])], &["body 'mat' is not owned by 'rigid'", "list it there"]);
    with(vec![proxy(), proxy()], &["body 'box' is listed twice", "list it once"]);
    with(vec![proxy().bodies([A])], &["listed twice"]);
    with(vec![proxy().joints([JointId(0)])], &["lists joint 0", "has 0"]);
}

#[test]
fn proxy_joints() {
    let mut m = scene();
    let j = add_joint(&mut m, Some(A), B);
    let both =
        || vec![dummy("rigid", vec![]).bodies([A, B]).joints([j]), dummy("soft", vec![]).particles([P])];
    refused(
        coupled(&m, both(), proxy().bodies([B]).joints([j])),
        &["joints = joint 0 (ball) is refused", "fixed, prismatic and revolute"],
    );
    let mut m = scene();
    let j = add_joint_of(&mut m, JointKind::Fixed, Some(A), B);
    let three =
        || vec![dummy("rigid", vec![]).bodies([A, B]).joints([j]), dummy("soft", vec![]).particles([P])];
    refused(
        coupled(&m, three(), proxy().joints([j])),
        &["joint 0 must be owned by the source", "list its bodies"],
    );
    refused(
        coupled(&m, three(), proxy().bodies([B]).joints([j])),
        &["`proxy_joints`", "drop the proxy's joints"],
    );
}

#[test]
fn proxy_numbers() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        with(vec![proxy().mass_scale(bad)], &["proxy 'rigid' -> 'soft': mass_scale = ", "positive"]);
    }
    for bad in [-0.5, f64::NAN] {
        with(vec![proxy().proxy_relaxation(bad)], &["proxy_relaxation = ", "not negative"]);
    }
    let config = |c| ProxyConfig { convergence: Some(c), ..one(proxy()) };
    with_config(config(Convergence::FixedCount(0)), &["iterations = 0", "1 or more"]);
    let tolerance = |primal| Convergence::Tolerance { primal, dual: 1e-6, max_iterations: 5 };
    for bad in [0.0, -1.0, f64::NAN] {
        with_config(config(tolerance(bad)), &["tolerance = ", "write positive numbers"]);
    }
    let staggered = one(proxy().mode(ProxyMode::Staggered));
    let staggered = ProxyConfig { convergence: Some(tolerance(1e-6)), ..staggered };
    with_config(staggered, &["convergence = Tolerance", "fixed count"]);
    with(vec![proxy().collide_interval(0)], &["collide_interval = 0", "1 or more coupled steps"]);
    let weight = ProxyConfig { acceleration: AccelerationKind::Fixed(0.0), ..one(proxy()) };
    with_config(weight, &["acceleration weight = 0", "positive"]);
}

#[test]
fn the_graph() {
    let back = |mode| Proxy::new("soft", "rigid").bodies([B]).mode(mode);
    for mode in [ProxyMode::Lagged, ProxyMode::Staggered] {
        let circle = format!("'rigid', 'soft' are {mode:?} proxies of each other in a circle");
        with(vec![proxy().mode(mode), back(mode)], &[&circle, "use Predicted", "turn one pair around"]);
    }
    let ring = ProxyConfig { proxies: vec![proxy(), back(ProxyMode::Predicted)], ..ProxyConfig::default() };
    SolverCoupledProxy::new(&scene(), defs(), ring).map(drop).unwrap();
    let mut m = scene();
    let c = body(&mut m, "ball", 1.0, Vec3::y());
    let three = || {
        let mut d = defs();
        d.push(dummy("third", vec![]).bodies([c]));
        d
    };
    let modes = vec![proxy(), Proxy::new("third", "soft").bodies([c]).mode(ProxyMode::Lagged)];
    let config = ProxyConfig { proxies: modes, ..ProxyConfig::default() };
    refused(
        SolverCoupledProxy::new(&m, three(), config),
        &["proxy 'rigid' -> 'soft' is Predicted and proxy 'third' -> 'soft' is Lagged", "one mode"],
    );
}

/// The string solver takes body proxies only and harvests by momentum only.
#[test]
fn followers() {
    let m = scene();
    let following = || {
        defs().into_iter().map(|d| {
            let soft = d.name != "rigid";
            d.follows_bodies(soft)
        })
    };
    refused(
        SolverCoupled::new(&m, following().collect()),
        &["(dummy) cannot follow the bodies of other entries", "`follows_bodies`", "couple by proxies"],
    );
    refused(
        coupled(&m, following().collect(), proxy()),
        &["follows_bodies = true is refused", "come as proxies", "couple without proxies"],
    );
}

#[test]
fn capabilities() {
    let (m, b) = drop_scene(1.0);
    let defs = || vec![dummy("rigid", vec![]).bodies([b]), string_entry(&m)];
    let particle = ParticleId(0);
    refused(
        coupled(&m, defs(), Proxy::new("string", "rigid").particles([particle])),
        &[
            "entry 'string' (string) cannot hand particles over to 'rigid'",
            "`particle_source`",
            "turn the proxy around",
        ],
    );
    refused(
        coupled(&m, defs(), Proxy::new("rigid", "string").bodies([b]).collide_interval(2)),
        &["entry 'string' (string) cannot take contacts that the coupler finds", "`given_contacts`"],
    );
    refused(
        coupled(&m, defs(), Proxy::new("rigid", "string").bodies([b]).harvest(Harvest::Contacts)),
        &["cannot report contact forces", "`contact_harvest`", "Harvest::Impulse"],
    );
}

#[test]
fn capabilities_of_iterations() {
    let (m, b) = drop_scene(1.0);
    let ids = || (0..m.particle_count()).map(ParticleId::new);
    let string = |c: CouplingCapabilities| {
        EntryDef::new("string", move |view| {
            let mut solver = StringSolver::new(view, TENSION, CONTACT);
            solver.capabilities = c;
            Ok(solver)
        })
    };
    let body_proxy = CouplingCapabilities { body_proxy: true, ..CouplingCapabilities::default() };
    let held = || vec![dummy("rigid", vec![]).bodies([b]), string(body_proxy).particles(ids())];
    let twice = |p| ProxyConfig { convergence: Some(Convergence::FixedCount(2)), ..one(p) };
    let proxy = || Proxy::new("rigid", "string").bodies([b]);
    refused(
        SolverCoupledProxy::new(&m, held(), twice(proxy())),
        &["'string' (string) cannot take 2 passes", "`rewind`", "use FixedCount(1)"],
    );
    coupled(&m, held(), proxy()).map(drop).unwrap();
    let turned = |c| vec![string(c).bodies([b]), dummy("soft", vec![]).particles(ids())];
    let proxy = || Proxy::new("string", "soft").bodies([b]);
    refused(
        coupled(&m, turned(body_proxy), proxy()),
        &["cannot hand bodies over to 'soft'", "`body_source`"],
    );
    let source = CouplingCapabilities { body_source: true, ..CouplingCapabilities::default() };
    refused(coupled(&m, turned(source), proxy()), &["cannot take a trial step", "`rewind`", "use Lagged"]);
    let turned_particles = vec![dummy("soft", vec![]).particles(ids()), string(body_proxy).bodies([b])];
    refused(
        coupled(&m, turned_particles, Proxy::new("soft", "string").particles([ParticleId(0)])),
        &["cannot take particles of 'soft' as proxies", "`particle_proxy`", "turn the proxy around"],
    );
}
