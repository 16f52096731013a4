//! `coact check`: explains a scene without running it.

use miette::Result;

use crate::args::CheckArguments;
use crate::ending::Ending;
use crate::say;

/// Prints what the scene consists of, after its solvers were built: what they or the
/// coupler refuse is refused here too.
pub fn check(a: &CheckArguments) -> Result<Ending> {
    let scene = coact_scene::load(&a.scene.file, &a.scene.overrides)?;
    let explanation = scene.explain()?;
    scene.build(a.scene.device)?;
    say::line(explanation.to_string().trim_end());
    Ok(Ending::Good)
}
