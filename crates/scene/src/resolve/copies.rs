//! Copies of bodies and joints in regular arrangements, and what their numbers stand for in names.

use coact_math::Vec3;

use crate::error::{Fault, SceneError};
use crate::file::Repeat;
use crate::locate::Path;

use super::context::Context;

/// Most copies of one body or joint.
const MOST: u64 = 100_000;

/// Offsets of the copies from the centre of the arrangement: x fastest, z slowest. `path`: of what is copied.
pub(super) fn offsets(cx: &Context, path: &Path, r: &Repeat) -> Result<Vec<Vec3>, SceneError> {
    let count = r.count.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
    let text = format!("({}, {}, {})", r.count[0], r.count[1], r.count[2]);
    let remedy = "write three numbers of 1 or more, at most 100000 copies in all";
    cx.at(path.clone()).require((1..=MOST).contains(&count), "repeat.count", text, remedy)?;
    let along = |n: u32, k: usize| (f64::from(n) - 0.5 * f64::from(r.count[k] - 1)) * r.spacing[k];
    let mut all = Vec::new();
    for z in 0..r.count[2] {
        for y in 0..r.count[1] {
            for x in 0..r.count[0] {
                all.push(Vec3::new(along(x, 0), along(y, 1), along(z, 2)));
            }
        }
    }
    Ok(all)
}

/// The name of copy `i` of `name`, counted from 1; it must not be one of those `typed` in the section.
pub(super) fn name<'a>(
    cx: &Context,
    section: &'static str,
    (name, i): (&str, usize),
    mut typed: impl Iterator<Item = &'a str>,
) -> Result<String, SceneError> {
    let copy = format!("{name}_{i}");
    let Some(t) = typed.position(|other| other == copy) else { return Ok(copy) };
    let message = format!("copy {i} of `{name}` would be named as `{copy}`");
    let path = Path::root().key(section).index(t).key("name");
    Err(cx.fault(Fault::Duplicate, &path, message, "rename one of the two"))
}

/// `text` with `{i}`, `{i+1}`, `{i-1}`, … as numbers, for copy `i`; `path`: of the text.
pub(super) fn numbered(cx: &Context, path: &Path, text: &str, i: usize) -> Result<String, SceneError> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let number = after.split_once('}').and_then(|(inside, after)| {
            let shift = inside.trim().strip_prefix('i')?.trim();
            let shift = if shift.is_empty() { 0 } else { shift.parse::<i64>().ok()? };
            Some((i64::try_from(i).ok()?.checked_add(shift)?, after))
        });
        let Some((number, after)) = number else {
            let message = format!("`{text}` has braces that hold no number of a copy");
            let help = "write `{i}` for the number of the copy, `{i+1}` or `{i-1}` for one beside it";
            return Err(cx.fault(Fault::Value, path, message, help));
        };
        out.push_str(&number.to_string());
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}
