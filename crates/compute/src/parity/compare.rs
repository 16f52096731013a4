//! Holds results of a device against those of the Rust twin.
//!
//! The bound of a component is `c * eps * sum |terms|`, with the sum of the
//! magnitudes of the terms that the result is made of, which the twin states
//! beside its value. Units in the last place would mean nothing after
//! cancellation. `eps` is that of `f32`. Devices may flush subnormal numbers
//! to zero, hence the smallest normal number on top. Integers are equal or wrong.

use std::fmt;

use crate::parity::function::Outputs;
use crate::parity::signature::Scalar;

/// What the twin says of one record, component by component.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// (value, sum of magnitudes of its terms)
    components: Vec<(f64, f64)>,
}

impl Expected {
    /// Next component: its value, and the sum of the magnitudes of the terms
    /// that it was summed from.
    pub fn push(&mut self, value: f64, magnitude: f64) {
        self.components.push((value, magnitude));
    }

    /// Next components, each with the same magnitude.
    pub fn extend<V: Into<f64>>(&mut self, values: impl IntoIterator<Item = V>, magnitude: f64) {
        self.components.extend(values.into_iter().map(|v| (v.into(), magnitude)));
    }

    /// Next component, a `u32` or a `bool`. An `i32` is pushed as its value
    /// with magnitude 0.
    pub fn push_word(&mut self, value: u32) {
        self.components.push((f64::from(value), 0.0));
    }
}

/// How close the two were.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Number of records compared.
    pub records: usize,
    /// Largest error, in units of `eps * magnitude`; at most the `c` allowed.
    pub worst: f64,
}

/// The first record on which the two differ by more than the bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Everything there is to know, for a person.
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mismatch {}

/// Compares `outputs` with what `twin` says of each record of `inputs`, the
/// same that the function ran on. `c` is the factor of the bound.
pub fn compare(
    outputs: &Outputs,
    inputs: &[f32],
    c: f64,
    mut twin: impl FnMut(&[f32], &mut Expected),
) -> Result<Report, Mismatch> {
    let mut report = Report { records: 0, worst: 0.0 };
    let mut expected = Expected::default();
    for (input, output) in inputs.chunks_exact(outputs.inputs.len()).zip(outputs.records()) {
        expected.components.clear();
        twin(input, &mut expected);
        let (wanted, given) = (outputs.components.len(), expected.components.len());
        if wanted != given {
            let message = format!("`{}` has {wanted} components, its twin {given}", outputs.function);
            return Err(Mismatch { message });
        }
        for (i, &(value, magnitude)) in expected.components.iter().enumerate() {
            let found = number(output[i], outputs.components[i].scalar);
            let error = error_in_eps(found, value, magnitude);
            if error > c || error.is_nan() {
                let sides = Sides { found, value, magnitude, error, c };
                return Err(mismatch(outputs, report.records, i, input, &sides));
            }
            report.worst = report.worst.max(error);
        }
        report.records += 1;
    }
    Ok(report)
}

struct Sides {
    found: f64,
    value: f64,
    magnitude: f64,
    error: f64,
    c: f64,
}

fn number(word: f32, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float => f64::from(word),
        Scalar::Unsigned | Scalar::Bool => f64::from(word.to_bits()),
        Scalar::Signed => f64::from(word.to_bits().cast_signed()),
    }
}

/// |found - value| in units of `eps * magnitude`; 0 if both are the same or
/// both are not numbers.
fn error_in_eps(found: f64, value: f64, magnitude: f64) -> f64 {
    if found == value || (found.is_nan() && value.is_nan()) {
        return 0.0;
    }
    let beyond = (found - value).abs() - f64::from(f32::MIN_POSITIVE);
    if beyond <= 0.0 { 0.0 } else { beyond / (f64::from(f32::EPSILON) * magnitude) }
}

fn mismatch(outputs: &Outputs, record: usize, component: usize, input: &[f32], sides: &Sides) -> Mismatch {
    let named: Vec<_> = outputs
        .inputs
        .iter()
        .zip(input)
        .map(|(part, &word)| format!("{} = {:?}", part.name, number(word, part.scalar)))
        .collect();
    let Sides { found, value, magnitude, error, c } = sides;
    let message = format!(
        "`{}` of shaders/{}, record {record}, component `{}`:\n  device {found:?}\n  twin   \
         {value:?}\n  difference {:e} = {error:.1} eps * {magnitude:e}, allowed {c} \n  input: {}",
        outputs.function,
        outputs.file,
        outputs.components[component].name,
        (found - value).abs(),
        named.join(", "),
    );
    Mismatch { message }
}
