//! A case as it stands in its file, and its variants.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::ReferenceError;
use super::json::Object;

/// A reference case.
pub struct Case {
    /// Its name.
    pub name: String,
    /// The folder that it was read from.
    pub dir: PathBuf,
    value: Value,
}

/// A variant: the name (empty for the only one) and the case with its overrides merged in.
pub struct Variant {
    /// Name; empty when the case has no variants.
    pub name: String,
    /// The merged description.
    pub value: Value,
    /// The folder of the side-car file.
    pub dir: PathBuf,
    /// Name of the case.
    pub case: String,
}

/// All cases of a folder, by name.
///
/// # Errors
/// When the folder cannot be listed.
pub fn find_cases(dir: &Path) -> Result<Vec<PathBuf>, ReferenceError> {
    let entries = std::fs::read_dir(dir).map_err(|e| ReferenceError::file(dir, e))?;
    let is_case = |p: &PathBuf| p.extension().is_some_and(|e| e == "json");
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).filter(is_case).collect();
    paths.sort();
    Ok(paths)
}

impl Case {
    /// Reads a case file.
    ///
    /// # Errors
    /// When it cannot be read, is no JSON or has another format.
    pub fn read(path: &Path) -> Result<Self, ReferenceError> {
        let text = std::fs::read_to_string(path).map_err(|e| ReferenceError::file(path, e))?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|e| ReferenceError::Format(format!("{}: {e}", path.display())))?;
        if value["format"] != "vbd-reference-scene/1" {
            return Err(ReferenceError::Format(format!(
                "{}: format is {}, expected \"vbd-reference-scene/1\"",
                path.display(),
                value["format"]
            )));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = value["name"].as_str().unwrap_or(&stem).to_string();
        let dir = path.parent().unwrap_or(Path::new(".")).to_path_buf();
        Ok(Self { name, dir, value })
    }

    /// The variants; one with an empty name when the case has none.
    pub fn variants(&self) -> Vec<Variant> {
        let make = |name: &str, value| Variant {
            name: name.into(),
            value,
            dir: self.dir.clone(),
            case: self.name.clone(),
        };
        match self.value["variants"].as_array() {
            None => vec![make("", self.value.clone())],
            Some(list) => {
                list.iter().map(|v| make(v["name"].as_str().unwrap_or(""), self.merged(v))).collect()
            }
        }
    }

    fn merged(&self, variant: &Value) -> Value {
        let mut value = self.value.clone();
        merge(&mut value, &variant["scene"]);
        let mut solver = value["solver"].clone();
        merge(&mut solver, &variant["solver"]);
        value["solver"] = solver;
        value
    }
}

fn merge(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        into.extend(from.iter().map(|(k, v)| (k.clone(), v.clone())));
    }
}

impl Variant {
    /// The description, to read numbers from.
    pub fn object(&self) -> Object<'_> {
        Object::new(&self.value, &self.dir)
    }

    /// `case` or `case.variant`.
    pub fn title(&self) -> String {
        if self.name.is_empty() { self.case.clone() } else { format!("{}.{}", self.case, self.name) }
    }

    /// Step size \[s\].
    pub fn dt(&self) -> f64 {
        self.value["dt"].as_f64().unwrap_or(0.0)
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.value["steps"].as_u64().unwrap_or(0) as usize
    }

    /// Steps after which the state was recorded, from 1.
    pub fn record_steps(&self) -> Vec<usize> {
        let list = self.value["record_steps"].as_array();
        list.into_iter().flatten().filter_map(Value::as_u64).map(|s| s as usize).collect()
    }

    /// The folder of what was recorded.
    pub fn recorded_dir(&self) -> PathBuf {
        self.dir.join("..").join("out").join(&self.case)
    }
}
