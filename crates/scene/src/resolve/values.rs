//! Ranges of single values: finite, positive, a share, a direction.

use crate::error::{Fault, SceneError};
use crate::file::{
    Acceleration, AdmmCoupling, Camera, Cloth, Coupling, Entry, JointDamping, JointStiffness, Membrane,
    Particles, Run, SceneFile, SoftBody, Solid, Vbd, VbdScene,
};
use crate::locate::Path;

use super::context::{At, Context, Number};
use super::{joints, rods};

type Checked = Result<(), SceneError>;

/// Checks every value that has a range of its own.
pub(super) fn check(cx: &Context, file: &SceneFile) -> Checked {
    finite(cx)?;
    run(cx, &file.run)?;
    each(cx, "materials", &file.materials, |at, m| {
        at.not_negative("stiffness", m.stiffness, "N/m")?;
        at.not_negative("rigid_stiffness", m.rigid_stiffness, "N/m")?;
        at.not_negative("damping", m.damping, "N·s/m")?;
        at.not_negative("friction", m.friction, "1")?;
        at.not_negative("rolling_friction", m.rolling_friction, "m")?;
        at.not_negative("torsional_friction", m.torsional_friction, "m")?;
        at.share("restitution", m.restitution)
    })?;
    each(cx, "cloths", &file.cloths, cloth)?;
    each(cx, "soft_bodies", &file.soft_bodies, soft_body)?;
    each(cx, "particles", &file.particles, particles)?;
    springs(cx, file)?;
    joints::check(cx, &file.joints)?;
    rods::check(cx, &file.rods)?;
    each(cx, "solvers", &file.solvers, solver)?;
    vbd_scene(cx, &file.vbd)?;
    coupling(cx, &file.coupling)?;
    output(cx, file)
}

fn each<T>(cx: &Context, section: &str, list: &[T], check: impl Fn(&At, &T) -> Checked) -> Checked {
    let path = Path::root().key(section);
    list.iter().enumerate().try_for_each(|(i, item)| check(&cx.at(path.index(i)), item))
}

/// Largest number of any field: no quantity of a scene comes near it in SI units, and its
/// square is still a number.
const LARGEST: f64 = 1e15;

/// Fields that say with `inf` that something is hard, or parts of them.
const HARD: [&str; 2] = ["rigid_stiffness", "joint_stiffness"];

/// The parser takes `NaN`, `inf` and numbers too large for a double; hardly a field does.
fn finite(cx: &Context) -> Checked {
    let mut scalars = Vec::new();
    cx.tree.scalars(&mut scalars);
    for node in scalars {
        let text = &cx.source.text()[node.span.clone()];
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let word = text.trim_start_matches(['+', '-']);
        let value: f64 = text.replace('_', "").parse().unwrap_or(0.0);
        let infinite = matches!(word, "NaN" | "inf") || !value.is_finite();
        if infinite || (is_number && value.abs() > LARGEST) {
            let path = cx.tree.path_at(node.span.start);
            if text == "inf" && path.steps().iter().any(|s| HARD.iter().any(|h| s.is(h))) {
                continue;
            }
            let help = if infinite {
                "write a finite number; where a field has no limit by default, leave it out"
            } else {
                "write a number up to 1e15; check the unit"
            };
            return Err(cx.fault(Fault::Value, &path, format!("`{path}` is {text}"), help));
        }
    }
    Ok(())
}

fn run(cx: &Context, run: &Run) -> Checked {
    let (path, at) = (Path::root().key("run"), cx.at(Path::root().key("run")));
    for (a, b) in [("rate", "dt"), ("duration", "steps")] {
        if cx.has(&path.key(a)) && cx.has(&path.key(b)) {
            let message = format!("`run.{a}` and `run.{b}` say the same thing twice");
            let start = |field: &str| cx.tree.find(&path.key(field)).0.span.start;
            let second = if start(a) > start(b) { a } else { b };
            return Err(cx.fault(Fault::Duplicate, &path.key(second), message, "keep one of the two"));
        }
    }
    let steps = "write a step size above 0 [s], from 1e-9 to 10, for instance 0.004";
    match run.dt {
        Some(dt) => at.require((1e-9..=10.0).contains(&dt), "dt", Number(dt), steps)?,
        None => {
            let remedy = "write 0.1 to 1e9 steps per second, for instance 240";
            at.require((0.1..=1e9).contains(&run.rate), "rate", Number(run.rate), remedy)?;
        }
    }
    match run.steps {
        Some(steps) => at.count("steps", steps, MOST_STEPS),
        None => {
            at.positive("duration", run.duration, "s")?;
            let count = run.duration / run.step_size();
            let text = format!("{}: {} steps of {} s", run.duration, Number(count), Number(run.step_size()));
            let remedy = "write a duration of at least one step and at most 1e9 steps";
            at.require(run.step_count() > 0 && count <= MOST_STEPS as f64, "duration", text, remedy)
        }
    }
}

/// Limits of counts: beyond them a run would not end, so that it is a slip of the pen.
const MOST_STEPS: u64 = 1_000_000_000;
const MOST_SUBSTEPS: u64 = 10_000;
const MOST_SWEEPS: u64 = 100_000;
const MOST_PASSES: u64 = 10_000;

fn cloth(at: &At, c: &Cloth) -> Checked {
    at.positive("density", c.density, "kg/m²")?;
    c.particle_mass.map_or(Ok(()), |m| at.positive("particle_mass", m, "kg"))?;
    match c.membrane {
        Membrane::Lame { mu, lambda } => {
            at.not_negative("membrane.mu", mu, "N/m")?;
            at.not_negative("membrane.lambda", lambda, "N/m")?;
        }
        Membrane::Young { modulus, poisson, thickness } => {
            at.not_negative("membrane.modulus", modulus, "Pa")?;
            poisson_ratio(at, "membrane.poisson", poisson)?;
            at.positive("membrane.thickness", thickness, "m")?;
        }
    }
    at.not_negative("damping", c.damping, "N·s/m")?;
    at.not_negative("bending", c.bending, "N")?;
    at.not_negative("bending_damping", c.bending_damping, "N·s")?;
    at.not_negative("radius", c.radius, "m")
}

fn soft_body(at: &At, s: &SoftBody) -> Checked {
    at.positive("density", s.density, "kg/m³")?;
    match s.solid {
        Solid::Lame { mu, lambda } => {
            at.not_negative("solid.mu", mu, "Pa")?;
            at.not_negative("solid.lambda", lambda, "Pa")?;
        }
        Solid::Young { modulus, poisson } => {
            at.not_negative("solid.modulus", modulus, "Pa")?;
            poisson_ratio(at, "solid.poisson", poisson)?;
        }
    }
    at.not_negative("damping", s.damping, "Pa·s")?;
    at.not_negative("radius", s.radius, "m")
}

fn poisson_ratio(at: &At, field: &str, value: f64) -> Checked {
    at.require((0.0..0.5).contains(&value), field, value, "write a number from 0 to below 0.5; 0.3 is usual")
}

fn particles(at: &At, p: &Particles) -> Checked {
    at.positive("mass", p.mass, "kg")?;
    at.not_negative("radius", p.radius, "m")
}

fn springs(cx: &Context, file: &SceneFile) -> Checked {
    for (i, p) in file.particles.iter().enumerate() {
        for (k, s) in p.springs.iter().enumerate() {
            let at = cx.at(Path::root().key("particles").index(i).key("springs").index(k));
            at.not_negative("stiffness", s.stiffness, "N/m")?;
            at.not_negative("damping", s.damping, "N·s/m")?;
            s.rest_length.map_or(Ok(()), |l| at.not_negative("rest_length", l, "m"))?;
            let [a, b] = s.between;
            let (count, text) = (p.positions.len(), format!("({a}, {b})"));
            let remedy = format!("write two different numbers from 0 to {}", count.saturating_sub(1));
            let fits = a != b && (a as usize) < count && (b as usize) < count;
            at.require(fits, "between", text, &remedy)?;
        }
    }
    Ok(())
}

fn solver(at: &At, entry: &Entry) -> Checked {
    at.count("substeps", entry.substeps().into(), MOST_SUBSTEPS)?;
    match entry {
        Entry::Vbd(v) => vbd(at, v),
        Entry::Articulated(a) => {
            at.count("iterations", a.iterations.into(), MOST_SWEEPS)?;
            at.share("baumgarte", a.baumgarte)?;
            at.share("speculative", a.speculative)?;
            at.share("warm_start", a.warm_start)?;
            at.not_negative("restitution_threshold", a.restitution_threshold, "m/s")?;
            let (angle, remedy) = (a.microstep_angle, "write an angle from 0.001 to 1 [rad]; 0.25 is usual");
            at.require((1e-3..=1.0).contains(&angle), "microstep_angle", Number(angle), remedy)
        }
        Entry::Rod(r) => {
            at.count("max_iterations", r.max_iterations.into(), MOST_SWEEPS)?;
            let (share, remedy) = (r.tolerance, "write a share between 0 and 1; 1e-6 is usual");
            at.require(share > 0.0 && share < 1.0, "tolerance", Number(share), remedy)
        }
    }
}

/// What all `Vbd` solvers share: finite stiffness, since what is left out is hard.
fn vbd_scene(cx: &Context, v: &VbdScene) -> Checked {
    let at = cx.at(Path::root().key("vbd"));
    iterations(&at, v.iterations)?;
    for (field, ke) in [("linear", v.joint_stiffness.linear), ("angular", v.joint_stiffness.angular)] {
        let (ke, field) = (ke.unwrap_or(1.0), format!("joint_stiffness.{field}"));
        at.require(
            ke.is_finite(),
            &field,
            Number(ke),
            "write a finite number, or leave it out for hard joints",
        )?;
    }
    joints(&at, &v.joint_stiffness, &v.joint_damping)
}

fn iterations(at: &At, sweeps: Option<i64>) -> Checked {
    let remedy = format!("write a whole number from 1 to {MOST_SWEEPS}, or -1 for the default");
    let sweeps = sweeps.unwrap_or(-1);
    at.require(sweeps == -1 || (1..=MOST_SWEEPS as i64).contains(&sweeps), "iterations", sweeps, &remedy)
}

fn joints(at: &At, ke: &JointStiffness, kd: &JointDamping) -> Checked {
    let positive = |field, ke: Option<f64>, unit| ke.map_or(Ok(()), |ke| at.positive(field, ke, unit));
    let not_negative =
        |field, kd: Option<f64>, unit| kd.map_or(Ok(()), |kd| at.not_negative(field, kd, unit));
    positive("joint_stiffness.linear", ke.linear, "N/m")?;
    positive("joint_stiffness.angular", ke.angular, "N·m/rad")?;
    not_negative("joint_damping.linear", kd.linear, "N·s/m")?;
    not_negative("joint_damping.angular", kd.angular, "N·m·s/rad")
}

fn vbd(at: &At, v: &Vbd) -> Checked {
    iterations(at, v.iterations)?;
    at.positive("friction_epsilon", v.friction_epsilon, "m/s")?;
    at.not_negative("contact_gap", v.contact_gap, "m")?;
    joints(at, &v.joint_stiffness, &v.joint_damping)?;
    v.contact_matching_distance.map_or(Ok(()), |d| at.positive("contact_matching_distance", d, "m"))?;
    at.positive("depenetration_speed", v.depenetration_speed, "m/s")?;
    at.not_negative("restitution_threshold", v.restitution_threshold, "m/s")
}

fn coupling(cx: &Context, coupling: &Coupling) -> Checked {
    let proxy = match coupling {
        Coupling::Proxy(proxy) => proxy,
        Coupling::Admm(rows) => return admm(&cx.at(Path::root().key("coupling")), rows),
        Coupling::Uncoupled => return Ok(()),
    };
    let path = Path::root().key("coupling");
    let at = cx.at(path.clone());
    proxy.iterations.map_or(Ok(()), |n| at.count("iterations", n.into(), MOST_PASSES))?;
    let remedy = "list what meets what, or write `coupling: Uncoupled`";
    at.require(!proxy.interfaces.is_empty(), "interfaces", "empty", remedy)?;
    if let Some(c) = proxy.convergence {
        let at = cx.at(path.key("convergence"));
        at.positive("distance", c.distance, "m")?;
        at.positive("force_change", c.force_change, "1")?;
    }
    if let Acceleration::Fixed(w) = proxy.acceleration {
        let remedy = "write a share above 0 and below 2; 0.5 is a cautious one";
        cx.at(path.clone()).require(w > 0.0 && w < 2.0, "acceleration", w, remedy)?;
    }
    for (i, interface) in proxy.interfaces.iter().enumerate() {
        let at = cx.at(path.key("interfaces").index(i));
        at.positive("mass_scale", interface.mass_scale, "1")?;
        let w = interface.relaxation;
        at.require(w > 0.0 && w < 2.0, "relaxation", w, "write a number above 0 and below 2; 1 is usual")?;
    }
    Ok(())
}

fn admm(at: &At, rows: &AdmmCoupling) -> Checked {
    at.count("iterations", rows.iterations.into(), MOST_PASSES)?;
    if let Some(t) = rows.tolerance {
        at.positive("tolerance.distance", t.distance, "m")?;
        at.positive("tolerance.force_change", t.force_change, "1")?;
    }
    if let Acceleration::Fixed(w) = rows.acceleration {
        let remedy = "write a share above 0 and below 2; 0.5 is a cautious one";
        at.require(w > 0.0 && w < 2.0, "acceleration", w, remedy)?;
    }
    at.positive("rho", rows.rho, "1")?;
    at.not_negative("gamma", rows.gamma, "1")?;
    let share = "write a number from 0 to 1";
    at.require((0.0..=1.0).contains(&rows.baumgarte), "baumgarte", rows.baumgarte, share)?;
    at.not_negative("closing_speed", rows.closing_speed, "m/s")?;
    joints(at, &rows.joint_stiffness, &rows.joint_damping)?;
    rows.contact_matching_distance.map_or(Ok(()), |d| at.positive("contact_matching_distance", d, "m"))?;
    let scale = rows.contact_force_scale;
    at.require((0.0..=1.0).contains(&scale), "contact_force_scale", scale, share)?;
    at.not_negative("restitution_threshold", rows.restitution_threshold, "m/s")
}

fn output(cx: &Context, file: &SceneFile) -> Checked {
    let path = Path::root().key("output");
    cx.at(path.clone()).positive("frame_rate", file.output.frame_rate, "1/s")?;
    for (i, p) in file.output.pictures.iter().enumerate() {
        let at = cx.at(path.key("pictures").index(i));
        let text = format!("({}, {})", p.size[0], p.size[1]);
        let fits = p.size.iter().all(|s| (1..=8192).contains(s));
        at.require(fits, "size", text, "write width and height from 1 to 8192 pixels")?;
        p.time.map_or(Ok(()), |t| at.not_negative("time", t, "s"))?;
        camera(&at, &p.camera)?;
    }
    Ok(())
}

/// A camera must look somewhere, and know what is up.
fn camera(at: &At, camera: &Camera) -> Checked {
    let Camera::LookAt { eye, target, up } = camera else { return Ok(()) };
    let text = |v: &[f64; 3]| format!("({}, {}, {})", Number(v[0]), Number(v[1]), Number(v[2]));
    let sight = coact_math::Vec3::from(*target) - coact_math::Vec3::from(*eye);
    let remedy = "write a target that is not where the eye is";
    at.require(sight.norm() > 1e-9, "camera.target", text(target), remedy)?;
    at.direction("camera.up", up)?;
    let side = sight.normalize().cross(&coact_math::Vec3::from(*up).normalize());
    let what = format!("{}, along the line of sight", text(up));
    at.require(side.norm() > 1e-6, "camera.up", what, "write an `up` across it, for instance (0, 1, 0)")
}
