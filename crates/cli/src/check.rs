//! `coact check`: explains a scene without running it.

use miette::Result;

use crate::args::CheckArguments;
use crate::ending::Ending;
use crate::say;

/// Loads and builds the scene, then prints what it consists of.
pub fn check(a: &CheckArguments) -> Result<Ending> {
    let scene = coact_scene::load(&a.scene.file, &a.scene.overrides)?;
    let sim = scene.build(a.scene.device)?;
    say::line(scene.explain(&sim));
    Ok(Ending::Good)
}
