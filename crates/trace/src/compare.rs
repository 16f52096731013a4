//! Where two recorded runs part: the first difference, and the largest one per column.
//!
//! Numbers are compared as stored. Two numbers that are not finite in the same way are
//! equal; one that is finite and one that is not differ by infinity.

use crate::npy::NpyArray;
use crate::trajectory::{STATE_COLUMNS, Trajectory};

/// One number that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The column.
    pub column: String,
    /// Frame in both recordings.
    pub frame: usize,
    /// Step number there, in the first recording.
    pub step: u64,
    /// Index of the entity: particle, body, joint coordinate or freedom.
    pub entity: usize,
    /// Component of the entity's value.
    pub component: usize,
    /// The number in the first recording.
    pub a: f64,
    /// The number in the second recording.
    pub b: f64,
}

/// What one column shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDifference {
    /// The column.
    pub column: String,
    /// Numbers compared.
    pub compared: usize,
    /// Largest absolute difference.
    pub max: f64,
    /// Where it is; `None` when nothing differs.
    pub at: Option<Difference>,
}

/// Two recordings side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Frames of each.
    pub frames: (usize, usize),
    /// Reasons why they cannot be compared in full, such as other entity counts.
    pub mismatches: Vec<String>,
    /// Per column, in the order of [`STATE_COLUMNS`], after `time`.
    pub columns: Vec<ColumnDifference>,
    /// The first number that differs by more than the tolerance: earliest frame, then
    /// column order, then entity.
    pub first: Option<Difference>,
}

impl Comparison {
    /// Whether nothing differs by more than the tolerance and nothing is missing.
    pub fn is_equal(&self) -> bool {
        self.mismatches.is_empty() && self.first.is_none()
    }
}

/// Compares frame by frame. `tolerance` is absolute, in the unit of each column; 0 asks for
/// equality.
pub fn compare(a: &Trajectory, b: &Trajectory, tolerance: f64) -> Comparison {
    let frames = (a.frame_count(), b.frame_count());
    let mut result = Comparison { frames, ..Comparison::default() };
    if frames.0 != frames.1 {
        result.mismatches.push(format!("{} frames against {}", frames.0, frames.1));
    }
    let common = frames.0.min(frames.1);
    if let Some(f) = (0..common).find(|&f| a.step(f) != b.step(f)) {
        result.mismatches.push(format!("frame {f} is step {} against step {}", a.step(f), b.step(f)));
    }
    for name in std::iter::once("time").chain(STATE_COLUMNS) {
        match (a.column(name), b.column(name)) {
            (Some(x), Some(y)) if x.row_len() == y.row_len() => {
                let scan = Scan { name, a: x, b: y, tolerance };
                let (column, first) = scan.run(common, a);
                result.columns.push(column);
                result.first = earlier(result.first.take(), first);
            }
            (None, None) => {}
            (x, y) => result.mismatches.push(format!("column `{name}`: {} against {}", shape(x), shape(y))),
        }
    }
    result
}

fn shape(column: Option<&NpyArray>) -> String {
    match column {
        Some(c) => format!("{} numbers per frame", c.row_len()),
        None => "not recorded".to_owned(),
    }
}

/// The difference of the earlier frame; `a` when in the same one.
fn earlier(a: Option<Difference>, b: Option<Difference>) -> Option<Difference> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.frame < a.frame { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// One column of both recordings.
struct Scan<'a> {
    name: &'a str,
    a: &'a NpyArray,
    b: &'a NpyArray,
    tolerance: f64,
}

impl Scan<'_> {
    fn run(&self, frames: usize, steps: &Trajectory) -> (ColumnDifference, Option<Difference>) {
        let n = self.a.row_len();
        let mut column =
            ColumnDifference { column: self.name.to_owned(), compared: frames * n, max: 0.0, at: None };
        let mut first = None;
        for i in 0..frames * n {
            let d = distance(self.a.data[i], self.b.data[i]);
            if d > column.max {
                column.max = d;
                column.at = Some(self.difference(i, steps));
            }
            if d > self.tolerance && first.is_none() {
                first = Some(self.difference(i, steps));
            }
        }
        (column, first)
    }

    fn difference(&self, i: usize, steps: &Trajectory) -> Difference {
        let (n, width) = (self.a.row_len(), self.a.shape.get(2).copied().unwrap_or(1));
        let (frame, within) = (i / n, i % n);
        Difference {
            column: self.name.to_owned(),
            frame,
            step: steps.step(frame),
            entity: within / width,
            component: within % width,
            a: self.a.data[i],
            b: self.b.data[i],
        }
    }
}

fn distance(a: f64, b: f64) -> f64 {
    let same = a == b || (a.is_nan() && b.is_nan());
    match (a - b).abs() {
        _ if same => 0.0,
        d if d.is_nan() => f64::INFINITY,
        d => d,
    }
}

#[cfg(test)]
mod tests {
    use coact_math::{Pose, Vec3};
    use coact_model::State;

    use super::*;
    use crate::sink::Sink;
    use crate::trajectory::{Recording, TrajectorySink};
    use crate::verdict::Verdict;

    fn recorded(bodies: usize, change: impl Fn(usize, &mut State)) -> Trajectory {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = TrajectorySink::new(dir.path(), Recording::default());
        for k in 0..4 {
            let mut state = State {
                particle_q: vec![Vec3::new(1.0, 2.0, 3.0); 5],
                particle_qd: vec![Vec3::zeros(); 5],
                body_q: vec![Pose::identity(); bodies],
                ..State::default()
            };
            change(k, &mut state);
            sink.begin_frame(5 * k as u64, k as f64).unwrap();
            sink.state(&state).unwrap();
            sink.end_frame().unwrap();
        }
        sink.finish(&Verdict::ran()).unwrap();
        Trajectory::open(dir.path()).unwrap()
    }

    #[test]
    fn equal_runs_are_equal_even_where_not_finite() {
        let spoil = |k: usize, s: &mut State| s.particle_q[4].z = if k > 2 { f64::NAN } else { 0.0 };
        assert!(compare(&recorded(1, spoil), &recorded(1, spoil), 0.0).is_equal());
    }

    #[test]
    fn planted_differences_are_found_earliest_first() {
        let a = recorded(1, |_, _| {});
        let b = recorded(1, |k, s| {
            if k >= 2 {
                s.body_q[0].p.y += 0.25;
            }
            if k == 3 {
                s.particle_q[2].x += 8.0;
            }
        });
        let c = compare(&a, &b, 0.0);
        let first = c.first.clone().unwrap();
        assert_eq!((first.column.as_str(), first.frame, first.step), ("body_q", 2, 10));
        assert_eq!((first.entity, first.component, first.b), (0, 1, 0.25));
        let particles = c.columns.iter().find(|c| c.column == "particle_q").unwrap();
        assert_eq!((particles.max, particles.at.as_ref().unwrap().entity), (8.0, 2));
        let tolerant = compare(&a, &b, 1.0);
        assert_eq!(tolerant.first.unwrap().column, "particle_q");
        assert!(!c.is_equal() && compare(&a, &b, 9.0).is_equal());
    }

    #[test]
    fn other_counts_are_named() {
        let c = compare(&recorded(1, |_, _| {}), &recorded(2, |_, _| {}), 0.0);
        assert!(c.mismatches[0].contains("`body_q`: 7 numbers"), "{:?}", c.mismatches);
        assert!(!c.is_equal());
    }
}
