//! From a path to a scene that makes sense.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Fault, SceneError};
use crate::overrides::apply_overrides;
use crate::parse::parse;
use crate::resolve::Scene;
use crate::source::SourceText;

/// Reads a scene file, applies overrides `path=value`, reads its meshes and checks it.
///
/// # Errors
/// The first fault, with its place and what to write instead.
pub fn load(path: &Path, overrides: &[String]) -> Result<Scene, SceneError> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(path, &e))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    load_text(&path.display().to_string(), &text, folder, overrides)
}

/// As [`load`], for text that is already there; `name` is shown in faults, meshes are
/// looked up in `folder`.
///
/// # Errors
/// As [`load`].
pub fn load_text(name: &str, text: &str, folder: &Path, overrides: &[String]) -> Result<Scene, SceneError> {
    // Some editors begin a file with a mark of its encoding, which is no part of the scene.
    let mut source = SourceText::new(name, text.strip_prefix('\u{feff}').unwrap_or(text));
    // What is wrong in the file itself is told as such, not as the override's fault.
    if !overrides.is_empty() {
        parse(&source)?;
        apply_overrides(&mut source, overrides)?;
    }
    let file = parse(&source)?;
    Scene::resolve(file, source, folder.to_owned())
}

fn unreadable(path: &Path, error: &std::io::Error) -> SceneError {
    let wanted = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.display();
    let (message, help) = match error.kind() {
        ErrorKind::NotFound => (format!("there is no file `{name}`"), None),
        ErrorKind::InvalidData => {
            (format!("`{name}` is not text"), Some("name a scene file, which is UTF-8 text"))
        }
        _ if path.is_dir() => (format!("`{name}` is a folder"), Some("name a scene file in it")),
        _ => (format!("cannot read `{name}`: {error}"), Some("check its permissions")),
    };
    let fault = SceneError::new(Fault::Read, message);
    if let Some(help) = help {
        return fault.help(help);
    }
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|n| n.ends_with(".ron"))
        .collect();
    let help = match crate::nearest::nearest(wanted, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{}`?", folder.join(near).display()),
        None => "check the path; scenes that ship with Coact are in `scenes/`".to_owned(),
    };
    fault.help(help)
}
