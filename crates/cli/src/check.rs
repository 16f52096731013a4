//! `coact check`: explains a scene without running it.

use coact_scene::Scene;
use miette::Result;

use crate::args::CheckArguments;
use crate::ending::Ending;
use crate::say;

/// Loads and builds the scene, then prints what it consists of.
pub fn check(a: &CheckArguments) -> Result<Ending> {
    let scene = coact_scene::load(&a.scene.file, &a.scene.overrides)?;
    let sim = scene.build(a.scene.device)?;
    let (model, warnings) = scene.build_model()?;
    say::line(format!("{}: {}", a.scene.file.display(), one_line(&sim.description)));
    let counts = [
        (model.particle_count(), "particles"),
        (model.tri_indices.len(), "triangles"),
        (model.tet_indices.len(), "tetrahedra"),
        (model.body_count(), "bodies"),
        (model.joint_count(), "joints"),
        (model.shape_count(), "shapes"),
    ];
    for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
        say::line(format!("  {count} {word}"));
    }
    say::line(format!("  {} steps of {} s", sim.plan.steps, sim.plan.dt));
    say_owners(&scene);
    warnings.iter().for_each(|w| say::line(format!("warning: {w}")));
    Ok(Ending::Good)
}

fn say_owners(scene: &Scene) {
    for i in &scene.interfaces {
        say::line(format!("  interface {i:?}"));
    }
}

fn one_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or("")
}
