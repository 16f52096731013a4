//! Numbers of a reference case: JSON arrays, or slices of the raw side-car file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::ReferenceError;

/// A JSON object of a case, with the folder that its side-car file lies in.
#[derive(Clone, Copy)]
pub struct Object<'a> {
    value: &'a Value,
    dir: &'a Path,
}

impl<'a> Object<'a> {
    /// An object below `dir`.
    pub fn new(value: &'a Value, dir: &'a Path) -> Self {
        Self { value, dir }
    }

    /// The object under `key`, if present.
    pub fn get(&self, key: &str) -> Option<Self> {
        self.value.get(key).map(|value| Self { value, dir: self.dir })
    }

    /// The raw value.
    pub fn raw(&self) -> &'a Value {
        self.value
    }

    /// The numbers under `key`, flattened; empty when absent.
    pub fn numbers(&self, key: &str) -> Result<Vec<f64>, ReferenceError> {
        let Some(v) = self.value.get(key) else { return Ok(Vec::new()) };
        if v.get("$bin").is_some() {
            return read_side_car(self.dir, v);
        }
        let mut out = Vec::new();
        flatten(v, &mut out)
            .then_some(out)
            .ok_or_else(|| ReferenceError::Format(format!("'{key}' is not an array of numbers")))
    }

    /// The arrays of numbers under `key`, each inline or in the side-car; empty when absent.
    pub fn arrays(&self, key: &str) -> Result<Vec<Vec<f64>>, ReferenceError> {
        let groups = self.value.get(key).and_then(Value::as_array);
        let array = |v: &Value| match v.get("$bin") {
            Some(_) => read_side_car(self.dir, v),
            None => {
                let mut out = Vec::new();
                let bad = || ReferenceError::Format(format!("'{key}' holds what is no array of numbers"));
                flatten(v, &mut out).then_some(out).ok_or_else(bad)
            }
        };
        groups.into_iter().flatten().map(array).collect()
    }

    /// The numbers under `key` in rows of `N`.
    pub fn rows<const N: usize>(&self, key: &str) -> Result<Vec<[f64; N]>, ReferenceError> {
        let flat = self.numbers(key)?;
        if flat.len() % N != 0 {
            return Err(ReferenceError::Format(format!(
                "'{key}' has {} numbers, not a multiple of {N}",
                flat.len()
            )));
        }
        let row = |c: &[f64]| std::array::from_fn(|i| c[i]);
        Ok(flat.chunks_exact(N).map(row).collect())
    }

    /// One number under `key`.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.value.get(key).and_then(Value::as_f64)
    }

    /// The objects of the array under `key`; empty when absent.
    pub fn list(&self, key: &str) -> Vec<Self> {
        let array = self.value.get(key).and_then(Value::as_array);
        array.into_iter().flatten().map(|value| Self { value, dir: self.dir }).collect()
    }
}

fn flatten(v: &Value, out: &mut Vec<f64>) -> bool {
    match v {
        Value::Array(items) => items.iter().all(|x| flatten(x, out)),
        Value::Number(n) => n.as_f64().map(|x| out.push(x)).is_some(),
        Value::Bool(b) => {
            out.push(f64::from(u8::from(*b)));
            true
        }
        _ => false,
    }
}

fn read_side_car(dir: &Path, v: &Value) -> Result<Vec<f64>, ReferenceError> {
    let bad = || ReferenceError::Format(format!("malformed side-car reference {v}"));
    let file: PathBuf = dir.join(v["$bin"].as_str().ok_or_else(bad)?);
    let offset = v["offset"].as_u64().ok_or_else(bad)? as usize;
    let shape = v["shape"].as_array().ok_or_else(bad)?;
    let count =
        shape.iter().map(|n| n.as_u64().map(|n| n as usize)).product::<Option<usize>>().ok_or_else(bad)?;
    let bytes = std::fs::read(&file).map_err(|e| ReferenceError::file(&file, e))?;
    let slice = bytes.get(offset..offset + 4 * count).ok_or_else(bad)?;
    let word = |c: &[u8]| [c[0], c[1], c[2], c[3]];
    match v["dtype"].as_str() {
        Some("f4") => Ok(slice.chunks_exact(4).map(|c| f64::from(f32::from_le_bytes(word(c)))).collect()),
        Some("i4") => Ok(slice.chunks_exact(4).map(|c| f64::from(i32::from_le_bytes(word(c)))).collect()),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_and_nested_numbers_are_flattened() {
        let v = serde_json::json!({"a": [[1, 2.5], [3, true]]});
        let o = Object::new(&v, Path::new("."));
        assert_eq!(o.numbers("a").unwrap(), [1.0, 2.5, 3.0, 1.0]);
        assert_eq!(o.rows::<2>("a").unwrap(), [[1.0, 2.5], [3.0, 1.0]]);
        assert!(o.rows::<3>("a").is_err());
        assert!(o.numbers("missing").unwrap().is_empty());
    }

    #[test]
    fn a_group_may_stand_in_the_side_car() {
        let dir = std::env::temp_dir().join(format!("coact-side-car-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let words: Vec<u8> = [7_i32, 8, 9].iter().flat_map(|i| i.to_le_bytes()).collect();
        std::fs::write(dir.join("g.bin"), words).unwrap();
        let bin = serde_json::json!({"$bin": "g.bin", "offset": 4, "dtype": "i4", "shape": [2]});
        let v = serde_json::json!({"groups": [[1, 2, 3], bin]});
        assert_eq!(Object::new(&v, &dir).arrays("groups").unwrap(), [vec![1.0, 2.0, 3.0], vec![8.0, 9.0]]);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
