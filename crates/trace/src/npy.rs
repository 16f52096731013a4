//! Arrays in NumPy's `.npy` format (version 1.0, little endian, C order).
//!
//! The writer streams rows. Its header has a fixed size, padded with blanks, and is
//! rewritten in place after each flush, data first: whenever the process dies, the file
//! is valid and holds all rows of the last flush. Bytes after the announced rows are
//! ignored by readers.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Result, TraceError};

/// Bytes of the whole header; a multiple of 64 as the format asks. Holds three
/// dimensions of up to 18 digits each.
const HEADER: usize = 128;
const MAGIC: &[u8; 8] = b"\x93NUMPY\x01\x00";

/// How numbers are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dtype {
    /// 8-byte floats.
    #[default]
    F64,
    /// 4-byte floats: half the size, 7 digits.
    F32,
    /// 8-byte integers.
    I64,
}

impl Dtype {
    fn descr(self) -> &'static str {
        match self {
            Self::F64 => "<f8",
            Self::F32 => "<f4",
            Self::I64 => "<i8",
        }
    }

    fn of(descr: &str) -> Option<Self> {
        [Self::F64, Self::F32, Self::I64].into_iter().find(|d| d.descr() == descr)
    }

    fn size(self) -> usize {
        if self == Self::F32 { 4 } else { 8 }
    }
}

/// The header for `rows` rows of shape `row`.
fn header(dtype: Dtype, rows: u64, row: &[usize]) -> Vec<u8> {
    let dims: String = row.iter().map(|d| format!(" {d},")).collect();
    let dict =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({rows},{dims}), }}", dtype.descr());
    let mut bytes = MAGIC.to_vec();
    bytes.extend(((HEADER - 10) as u16).to_le_bytes());
    bytes.extend(dict.as_bytes());
    bytes.resize(HEADER - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// A `.npy` file that grows by rows.
pub struct NpyWriter {
    path: PathBuf,
    file: BufWriter<File>,
    dtype: Dtype,
    row: Vec<usize>,
    rows: u64,
}

impl NpyWriter {
    /// An empty array of rows of shape `row` (at most two dimensions; empty = scalars).
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path, dtype: Dtype, row: &[usize]) -> Result<Self> {
        let file = File::create(path).map_err(TraceError::io(path))?;
        let mut file = BufWriter::new(file);
        file.write_all(&header(dtype, 0, row)).map_err(TraceError::io(path))?;
        let mut writer = Self { path: path.to_owned(), file, dtype, row: row.to_vec(), rows: 0 };
        writer.flush()?;
        Ok(writer)
    }

    /// Numbers per row.
    pub fn row_len(&self) -> usize {
        self.row.iter().product()
    }

    /// Appends one row of [`Self::row_len`] numbers, converted to the stored type.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn push(&mut self, numbers: impl Iterator<Item = f64>) -> Result<()> {
        let (file, dtype) = (&mut self.file, self.dtype);
        let mut count = 0;
        let write = || -> std::io::Result<()> {
            for x in numbers {
                count += 1;
                match dtype {
                    Dtype::F64 => file.write_all(&x.to_le_bytes())?,
                    Dtype::F32 => file.write_all(&(x as f32).to_le_bytes())?,
                    Dtype::I64 => file.write_all(&(x as i64).to_le_bytes())?,
                }
            }
            Ok(())
        };
        write().map_err(TraceError::io(&self.path))?;
        debug_assert_eq!(count, self.row_len(), "a row of {}", self.path.display());
        self.rows += 1;
        Ok(())
    }

    /// Makes all rows so far part of the valid file.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn flush(&mut self) -> Result<()> {
        let head = header(self.dtype, self.rows, &self.row);
        let mut write = || -> std::io::Result<()> {
            self.file.flush()?;
            let file = self.file.get_mut();
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&head)?;
            file.seek(SeekFrom::End(0))?;
            Ok(())
        };
        write().map_err(TraceError::io(&self.path))
    }
}

/// An array in memory, whatever it was stored as.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NpyArray {
    /// Dimensions.
    pub shape: Vec<usize>,
    /// Numbers, last index fastest.
    pub data: Vec<f64>,
}

impl NpyArray {
    /// Reads `.npy` bytes; `path` is for messages.
    ///
    /// # Errors
    /// For other formats, types or orders, and files shorter than their header says.
    pub fn read(mut from: impl Read, path: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(TraceError::io(path))?;
        let bad = |what: &str| TraceError::format(path, format!("{what}; expected a .npy file"));
        if bytes.len() < 10 || bytes[..6] != MAGIC[..6] {
            return Err(bad("no NumPy array"));
        }
        let wide = bytes[6] > 1;
        let (start, size) = if wide {
            let head = bytes.get(8..12).ok_or_else(|| bad("cut off"))?;
            (12, u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize)
        } else {
            (10, u16::from_le_bytes([bytes[8], bytes[9]]) as usize)
        };
        let head = bytes.get(start..start + size).ok_or_else(|| bad("header is cut off"))?;
        let head = std::str::from_utf8(head).map_err(|_| bad("header is no text"))?;
        let (dtype, shape) = parse_header(head).ok_or_else(|| bad("unsupported header"))?;
        let data = decode(&bytes[start + size..], dtype, &shape).ok_or_else(|| bad("data is cut off"))?;
        Ok(Self { shape, data })
    }

    /// First dimension.
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(0)
    }

    /// Numbers per row.
    pub fn row_len(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[f64] {
        let n = self.row_len();
        &self.data[i * n..(i + 1) * n]
    }
}

fn parse_header(head: &str) -> Option<(Dtype, Vec<usize>)> {
    let after = |key: &str| head.split_once(key).map(|(_, rest)| rest.trim_start_matches([':', ' ']));
    let descr = after("'descr'")?.strip_prefix('\'')?.split('\'').next()?;
    if after("'fortran_order'")?.starts_with("True") {
        return None;
    }
    let dims = after("'shape'")?.strip_prefix('(')?.split(')').next()?;
    let dims = dims.split(',').map(str::trim).filter(|d| !d.is_empty());
    Some((Dtype::of(descr)?, dims.map(|d| d.parse().ok()).collect::<Option<_>>()?))
}

fn decode(bytes: &[u8], dtype: Dtype, shape: &[usize]) -> Option<Vec<f64>> {
    let size = shape.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d))?;
    let bytes = bytes.get(..size)?;
    let eight = |c: &[u8]| -> [u8; 8] { c.try_into().expect("chunks of eight") };
    Some(match dtype {
        Dtype::F64 => bytes.chunks_exact(8).map(|c| f64::from_le_bytes(eight(c))).collect(),
        Dtype::I64 => bytes.chunks_exact(8).map(|c| i64::from_le_bytes(eight(c)) as f64).collect(),
        Dtype::F32 => {
            let four = |c: &[u8]| -> [u8; 4] { c.try_into().expect("chunks of four") };
            bytes.chunks_exact(4).map(|c| f64::from(f32::from_le_bytes(four(c)))).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> NpyArray {
        NpyArray::read(File::open(path).unwrap(), path).unwrap()
    }

    #[test]
    fn file_is_valid_after_every_flush_and_ignores_what_follows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npy");
        let mut w = NpyWriter::create(&path, Dtype::F64, &[2, 3]).unwrap();
        assert_eq!(read(&path).shape, [0, 2, 3]);
        for k in 0..5_u32 {
            w.push((0..6).map(|i| f64::from(10 * k + i))).unwrap();
            w.flush().unwrap();
            let a = read(&path);
            assert_eq!(a.shape, [k as usize + 1, 2, 3]);
            assert_eq!(a.row(k as usize)[5], f64::from(10 * k + 5));
        }
        let whole = std::fs::read(&path).unwrap();
        let cut = dir.path().join("cut.npy");
        std::fs::write(&cut, [&whole[..], &[1, 2, 3]].concat()).unwrap();
        assert_eq!(read(&cut), read(&path));
    }

    #[test]
    fn header_is_aligned_and_fits_the_largest_shape() {
        for row in [&[][..], &[7], &[999_999_999_999, 7]] {
            let h = header(Dtype::F32, u64::MAX / 100, row);
            assert_eq!(h.len(), HEADER);
            assert_eq!(h[HEADER - 1], b'\n');
        }
        let scalar = String::from_utf8_lossy(&header(Dtype::I64, 3, &[])).into_owned();
        assert!(scalar.contains("'shape': (3,), }"), "{scalar}");
    }

    #[test]
    fn every_stored_type_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        for dtype in [Dtype::F64, Dtype::F32, Dtype::I64] {
            let path = dir.path().join("b.npy");
            let mut w = NpyWriter::create(&path, dtype, &[]).unwrap();
            for x in [1.0, -2.0, 1024.0] {
                w.push(std::iter::once(x)).unwrap();
            }
            w.flush().unwrap();
            assert_eq!(read(&path), NpyArray { shape: vec![3], data: vec![1.0, -2.0, 1024.0] });
        }
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let path = Path::new("x.npy");
        for bytes in [&b"hello"[..], b"\x93NUMPY\x01\x00\xff\x00{", b""] {
            let text = NpyArray::read(bytes, path).unwrap_err().to_string();
            assert!(text.starts_with("x.npy: "), "{text}");
        }
    }
}
