//! Colors of things: distinct, calm, the same in pictures and exports. Linear RGB.

/// Of what does not move.
pub const STATIC: [f32; 3] = [0.42, 0.44, 0.48];

/// sRGB, chosen to stay apart for the color blind when neighbours in the list.
const COLORS: [[u8; 3]; 10] = [
    [226, 122, 63],
    [58, 128, 186],
    [236, 190, 72],
    [84, 160, 120],
    [190, 86, 110],
    [122, 106, 178],
    [92, 178, 190],
    [168, 124, 84],
    [148, 172, 70],
    [214, 140, 176],
];

/// Of the thing with this number: bodies first, then groups of particles.
pub fn of(ordinal: usize) -> [f32; 3] {
    COLORS[ordinal % COLORS.len()].map(linear)
}

/// From an sRGB byte.
fn linear(byte: u8) -> f32 {
    let c = f32::from(byte) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// To an sRGB byte.
pub(super) fn srgb(c: f32) -> u8 {
    let c = c.clamp(0.0, 1.0);
    let s = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (s * 255.0).round() as u8
}
