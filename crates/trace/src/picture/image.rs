//! A finished picture: bytes, labels, strips, PNG.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use crate::error::{Result, TraceError};

/// Rows of 8-bit sRGB pixels, top first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Pixels, row by row.
    pub pixels: Vec<[u8; 3]>,
}

/// Gap between the pictures of a strip \[pixels\].
const GAP: usize = 6;
/// Width of a letter of the built-in font with its gap, and height \[font pixels\].
const LETTER: (usize, usize) = (4, 5);

impl Image {
    /// One color all over.
    pub fn new(width: usize, height: usize, color: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![color; width * height] }
    }

    /// Several pictures of one size, row by row, `columns` in a row.
    pub fn tiled(images: &[Self], columns: usize) -> Self {
        let Some(first) = images.first() else { return Self::default() };
        let columns = columns.clamp(1, images.len());
        let rows = images.len().div_ceil(columns);
        let (w, h) = (first.width + GAP, first.height + GAP);
        let mut sheet = Self::new(columns * w - GAP, rows * h - GAP, [255; 3]);
        for (k, image) in images.iter().enumerate() {
            sheet.paste(image, (k % columns) * w, (k / columns) * h);
        }
        sheet
    }

    fn paste(&mut self, image: &Self, x: usize, y: usize) {
        for (row, line) in image.pixels.chunks_exact(image.width.max(1)).enumerate() {
            let start = (y + row) * self.width + x;
            self.pixels[start..start + image.width].copy_from_slice(line);
        }
    }

    /// Writes digits, `.`, `-`, `=`, `t`, `s` and blanks in the lower left corner; other
    /// letters are left blank.
    pub fn label(&mut self, text: &str, color: [u8; 3]) {
        let scale = (self.height / 120).max(1);
        let (left, top) = (4 * scale, self.height.saturating_sub((LETTER.1 + 4) * scale));
        for (k, letter) in text.chars().enumerate() {
            for (row, bits) in glyph(letter).into_iter().enumerate() {
                for column in (0..3).filter(|c| bits >> (2 - c) & 1 == 1) {
                    let (x, y) = (left + (k * LETTER.0 + column) * scale, top + row * scale);
                    self.fill(x, y, scale, color);
                }
            }
        }
    }

    fn fill(&mut self, x: usize, y: usize, size: usize, color: [u8; 3]) {
        for y in y..(y + size).min(self.height) {
            for x in x..(x + size).min(self.width) {
                self.pixels[y * self.width + x] = color;
            }
        }
    }

    /// Writes a PNG file.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write_png(&self, path: &Path) -> Result<()> {
        let file = File::create(path).map_err(TraceError::io(path))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let bad = |e: png::EncodingError| TraceError::format(path, e.to_string());
        let mut writer = encoder.write_header().map_err(bad)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(bad)?;
        writer.finish().map_err(bad)
    }
}

/// Three bits per row, top first.
fn glyph(letter: char) -> [u8; 5] {
    match letter {
        '0' => [7, 5, 5, 5, 7],
        '1' => [2, 6, 2, 2, 7],
        '2' => [7, 1, 7, 4, 7],
        '3' => [7, 1, 3, 1, 7],
        '4' => [5, 5, 7, 1, 1],
        '5' => [7, 4, 7, 1, 7],
        '6' => [7, 4, 7, 5, 7],
        '7' => [7, 1, 2, 2, 2],
        '8' => [7, 5, 7, 5, 7],
        '9' => [7, 5, 7, 1, 7],
        '.' => [0, 0, 0, 0, 2],
        '-' => [0, 0, 7, 0, 0],
        '=' => [0, 7, 0, 7, 0],
        's' => [3, 4, 2, 1, 6],
        't' => [2, 7, 2, 2, 3],
        _ => [0; 5],
    }
}
