//! Each WGSL function against its Rust twin on ten thousand inputs, and the layout of each
//! record. The bound is c ε Σ|terms| with the sum of [`terms::Terms`]; c stands at each
//! function, a little above the largest value seen.

mod bodies;
mod contacts;
mod energies;
mod layout;
mod terms;

use coact_compute::parity::{Expected, Function, compare};
use coact_compute::shader::ShaderLibrary;
use coact_compute::testing::gpu_for_tests;
use coact_math::{S3, V3};

use terms::Terms;

/// Inputs of each function.
const COUNT: usize = 10_000;

/// Numbers of a record, in order.
struct Words<'a>(std::slice::Iter<'a, f32>);

impl Words<'_> {
    fn f32(&mut self) -> f32 {
        *self.0.next().expect("the record has as many words as the function parameters")
    }

    fn f64(&mut self) -> f64 {
        f64::from(self.f32())
    }

    fn word(&mut self) -> u32 {
        self.f32().to_bits()
    }

    fn real(&mut self) -> Terms {
        Terms::of(self.f32())
    }

    fn v3(&mut self) -> V3<Terms> {
        V3::new(self.real(), self.real(), self.real())
    }

    fn s3(&mut self) -> S3<Terms> {
        let [xx, xy, xz, yy, yz, zz] = self.reals();
        S3 { xx, xy, xz, yy, yz, zz }
    }

    fn reals<const N: usize>(&mut self) -> [Terms; N] {
        std::array::from_fn(|_| self.real())
    }

    fn v3s<const N: usize>(&mut self) -> [V3<Terms>; N] {
        std::array::from_fn(|_| self.v3())
    }

    fn vec(&mut self) -> coact_math::Vec3 {
        coact_math::Vec3::new(self.f64(), self.f64(), self.f64())
    }

    fn quat(&mut self) -> nalgebra::Quaternion<f64> {
        let [x, y, z, w] = std::array::from_fn(|_| self.f64());
        nalgebra::Quaternion::new(w, x, y, z)
    }
}

fn push(e: &mut Expected, t: Terms) {
    e.push(f64::from(t.value), t.terms);
}

fn push_v3(e: &mut Expected, v: V3<Terms>) {
    [v.x, v.y, v.z].into_iter().for_each(|t| push(e, t));
}

fn push_s3(e: &mut Expected, h: S3<Terms>) {
    [h.xx, h.xy, h.xz, h.yy, h.yz, h.zz].into_iter().for_each(|t| push(e, t));
}

fn push_vec(e: &mut Expected, v: &coact_math::Vec3, magnitude: f64) {
    e.extend(v.iter().copied(), magnitude);
}

/// Deterministic numbers: a linear congruential generator, upper bits.
pub(super) struct Lcg(u64);

impl Lcg {
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        lo + (hi - lo) * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// A number of any size between `lo` and `hi`.
    pub fn size(&mut self, lo: f64, hi: f64) -> f64 {
        self.range(lo.ln(), hi.ln()).exp()
    }

    pub fn vec(&mut self) -> coact_math::Vec3 {
        coact_math::Vec3::from_fn(|_, _| self.range(-1.0, 1.0))
    }

    pub fn rotation(&mut self) -> coact_math::Quat {
        coact_math::exp_so3(&(self.vec() * 3.0))
    }
}

/// Runs function `name` of `shaders/<file>` on what `generate` appends per record, and holds
/// it against `twin` within `c`.
fn check(
    file: &str,
    name: &str,
    c: f64,
    mut generate: impl FnMut(&mut Lcg, &mut Vec<f32>),
    mut twin: impl FnMut(&mut Words, &mut Expected),
) {
    let Some(ctx) = gpu_for_tests() else { return };
    let function =
        Function::new(&ctx, &ShaderLibrary::embedded(), file, name).unwrap_or_else(|e| panic!("{e}"));
    let (mut random, mut inputs) = (Lcg(file.len() as u64 * 977 + name.len() as u64), Vec::new());
    (0..COUNT).for_each(|_| generate(&mut random, &mut inputs));
    assert_eq!(inputs.len(), COUNT * function.inputs().len(), "{name}: words of a record");
    let outputs = function.run(&inputs).unwrap_or_else(|e| panic!("{e}"));
    let report = compare(&outputs, &inputs, c, |record, e| twin(&mut Words(record.iter()), e));
    let report = report.unwrap_or_else(|m| panic!("{m}"));
    println!("{name:<28} worst {:6.3}  c {c}", report.worst);
    let moving = outputs.words.iter().filter(|w| **w != 0.0).count();
    assert!(moving * 20 > outputs.words.len(), "{name} is zero nearly everywhere");
}

/// Appends components, rounded.
fn put(to: &mut Vec<f32>, values: impl IntoIterator<Item = f64>) {
    to.extend(values.into_iter().map(|v| v as f32));
}
