//! The shader files, by their path below `shaders/`.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::error::ShaderError;
use crate::shader::checked::Shader;
use crate::shader::join::Joined;

/// (path below `shaders/`, text) of every file when this crate was built.
static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shader_sources.rs"));

/// A set of shader files. Paths use `/` and are relative to `shaders/`.
#[derive(Clone, Debug, Default)]
pub struct ShaderLibrary {
    files: BTreeMap<String, String>,
}

impl ShaderLibrary {
    /// The files that are part of the binary.
    pub fn embedded() -> Self {
        EMBEDDED.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    /// The files below a folder, as they are now.
    pub fn from_folder(root: &Path) -> io::Result<Self> {
        let mut library = Self::default();
        library.read_folder(root, "")?;
        Ok(library)
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
            let name = format!("{prefix}{name}");
            if path.is_dir() {
                self.read_folder(&path, &format!("{name}/"))?;
            } else if name.ends_with(".wgsl") {
                self.files.insert(name, fs::read_to_string(&path)?);
            }
        }
        Ok(())
    }

    /// The same files and one more, or one in place of another.
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.files.insert(name.to_owned(), text.to_owned());
        self
    }

    /// Paths of all files, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Text of one file, as written.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// A file with everything it includes.
    pub fn join(&self, name: &str) -> Result<Joined, ShaderError> {
        Joined::new(self, name)
    }

    /// A file with everything it includes, parsed and validated.
    pub fn check(&self, name: &str) -> Result<Shader, ShaderError> {
        Shader::new(self.join(name)?)
    }
}

impl FromIterator<(String, String)> for ShaderLibrary {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(files: I) -> Self {
        Self { files: files.into_iter().collect() }
    }
}
