//! Rows of CSV, numbers in the shortest form that reads back exactly, very small and very large ones
//! with an exponent.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Result, TraceError};

/// A file of comma separated rows.
pub(crate) struct Csv {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Csv {
    /// With its heading.
    pub fn create(path: &Path, heading: &str) -> Result<Self> {
        let file = File::create(path).map_err(TraceError::io(path))?;
        let mut csv = Self { path: path.to_owned(), file: BufWriter::new(file) };
        csv.line(format_args!("{heading}"))?;
        csv.flush()?;
        Ok(csv)
    }

    /// Adds a row.
    pub fn line(&mut self, row: std::fmt::Arguments) -> Result<()> {
        writeln!(self.file, "{row}").map_err(TraceError::io(&self.path))
    }

    /// What was added is in the file from here on.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(TraceError::io(&self.path))
    }
}

/// A number in its shortest form that reads back exactly.
pub(crate) struct Number(pub f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plain = self.0 == 0.0 || (1e-4..1e15).contains(&self.0.abs()) || !self.0.is_finite();
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// Numbers with commas between.
pub(crate) struct Row<'a>(pub &'a [f64]);

impl std::fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, &x) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            Number(x).fmt(f)?;
        }
        Ok(())
    }
}

/// Quotes a name that holds what CSV gives a meaning.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back_exactly() {
        for (x, text) in
            [(1.3815678495897837e-35, "1.3815678495897837e-35"), (0.25, "0.25"), (-3e20, "-3e20")]
        {
            assert_eq!(Number(x).to_string(), text);
            assert_eq!(Number(x).to_string().parse(), Ok(x));
        }
        assert_eq!(Row(&[0.0, -0.5, 1e-9]).to_string(), "0,-0.5,1e-9");
    }

    #[test]
    fn awkward_names_are_quoted() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
