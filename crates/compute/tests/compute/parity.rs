//! The parity harness: carries every type, and finds what differs.

use coact_compute::parity::{self, Function, Scalar, bits, compare, word};
use coact_compute::shader::ShaderLibrary;
use coact_compute::testing::gpu_for_tests;

const TEXT: &str = "
struct Block { psi: f32, g: vec3<f32>, H: mat3x3<f32>, flags: u32 }

fn eval_block(F: mat3x3<f32>, v: vec3<f32>, k: f32, id: u32) -> Block {
    return Block(k * dot(v, v), k * v, k * transpose(F), id + 1u);
}

fn pick(t: array<vec2<f32>, 3>, i: i32, flip: bool) -> vec2<f32> {
    let p = t[i + 1];
    return select(p, p.yx, flip);
}

fn difference(a: f32, b: f32, c: f32) -> f32 { return a * b - a * c; }

fn through(b: Block) -> Block { return b; }

fn by_pointer(p: ptr<function, f32>) -> f32 { return *p; }

@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = difference(1.0, 2.0, 3.0); }
";

fn library() -> ShaderLibrary {
    ShaderLibrary::default().with("t/f.wgsl", TEXT)
}

#[test]
fn structs_matrices_and_integers_pass() {
    let Some(ctx) = gpu_for_tests() else { return };
    let f = Function::new(&ctx, &library(), "t/f.wgsl", "eval_block").unwrap();
    let names: Vec<_> = f.outputs().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names[..5], ["result.psi", "result.g.x", "result.g.y", "result.g.z", "result.H[0].x"]);
    assert_eq!((f.inputs().len(), names.len()), (14, 14));
    assert_eq!(f.inputs()[13].scalar, Scalar::Unsigned);

    // F by columns, v, k, id.
    let mut record: Vec<f32> = (1..=9).map(|i| i as f32).collect();
    record.extend([1.0, 2.0, 3.0, 0.5, word(u32::MAX - 1)]);
    let out = f.run(&record).unwrap();
    let first = out.records().next().unwrap();
    assert_eq!(first[..4], [7.0, 0.5, 1.0, 1.5]);
    assert_eq!(first[4..13], [0.5, 2.0, 3.5, 1.0, 2.5, 4.0, 1.5, 3.0, 4.5]);
    assert_eq!(bits(first[13]), u32::MAX);
}

#[test]
fn struct_parameters_arrays_and_flags_pass() {
    let Some(ctx) = gpu_for_tests() else { return };
    let block: Vec<f32> = (0..13).map(|i| i as f32).chain([word(9)]).collect();
    let f = Function::new(&ctx, &library(), "t/f.wgsl", "through").unwrap();
    assert_eq!(f.run(&block).unwrap().words.map_bits(), block.map_bits());

    let f = Function::new(&ctx, &library(), "t/f.wgsl", "pick").unwrap();
    let mut record = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, word((-1_i32).cast_unsigned()), word(0)];
    assert_eq!(f.run(&record).unwrap().words, [1.0, 2.0]);
    record[6..].copy_from_slice(&[word(1), word(1)]);
    assert_eq!(f.run(&record).unwrap().words, [6.0, 5.0]);
}

trait Bits {
    fn map_bits(&self) -> Vec<u32>;
}

impl Bits for Vec<f32> {
    fn map_bits(&self) -> Vec<u32> {
        self.iter().map(|v| v.to_bits()).collect()
    }
}

/// Pairs that nearly cancel: units in the last place would be thousands.
fn cancelling(n: usize) -> Vec<f32> {
    (0..n)
        .flat_map(|i| {
            let t = i as f32 / n as f32;
            [1.0 + t, 3.0 + t * t, (3.0 + t * t) * (1.0 + 1e-6 * t)]
        })
        .collect()
}

#[test]
fn twin_within_the_bound_passes_despite_cancellation() {
    let Some(ctx) = gpu_for_tests() else { return };
    let inputs = cancelling(10_000);
    let f = Function::new(&ctx, &library(), "t/f.wgsl", "difference").unwrap();
    let out = f.run(&inputs).unwrap();
    let report = compare(&out, &inputs, 2.0, |record, expected| {
        let [a, b, c] = [record[0], record[1], record[2]].map(f64::from);
        expected.push(a * b - a * c, (a * b).abs() + (a * c).abs());
    })
    .unwrap();
    assert_eq!(report.records, 10_000);
    assert!(report.worst > 0.0 && report.worst <= 2.0, "{report:?}");
}

#[test]
fn twin_that_differs_is_told_with_function_input_and_error() {
    let Some(ctx) = gpu_for_tests() else { return };
    let inputs = [2.0, 3.0, 4.0, 1.0, 5.0, 0.0];
    let f = Function::new(&ctx, &library(), "t/f.wgsl", "difference").unwrap();
    let out = f.run(&inputs).unwrap();
    let wrong = compare(&out, &inputs, 4.0, |record, expected| {
        let [a, b, c] = [record[0], record[1], record[2]].map(f64::from);
        let slip = if b == 5.0 { 1e-5 } else { 0.0 };
        expected.push(a * b - a * c + slip, (a * b).abs() + (a * c).abs());
    });
    let text = wrong.unwrap_err().to_string();
    assert!(text.contains("t/f.wgsl, record 1") && text.contains("`difference`"), "{text}");
    assert!(text.contains("a = 1.0, b = 5.0, c = 0.0"), "{text}");
    assert!(text.contains("device 5.0"), "{text}");
}

#[test]
fn wrong_number_of_components_is_an_error() {
    let Some(ctx) = gpu_for_tests() else { return };
    let f = Function::new(&ctx, &library(), "t/f.wgsl", "difference").unwrap();
    assert!(f.run(&[1.0, 2.0]).unwrap_err().to_string().contains("2 components"));
    let out = f.run(&[1.0, 2.0, 3.0]).unwrap();
    let wrong = compare(&out, &[1.0, 2.0, 3.0], 1.0, |_, e| e.extend([0.0, 0.0], 1.0));
    assert!(wrong.unwrap_err().message.contains("twin 2"));
}

#[test]
fn what_cannot_be_run_is_named() {
    let Some(ctx) = gpu_for_tests() else { return };
    let refused = |name| Function::new(&ctx, &library(), "t/f.wgsl", name).err().unwrap().to_string();
    assert!(refused("by_pointer").contains("`p` is ptr<f32>, not a value"));
    assert!(refused("missing").contains("there is eval_block, pick"));
}

#[test]
fn embedded_function_agrees_with_its_twin() {
    let Some(ctx) = gpu_for_tests() else { return };
    let inputs = cancelling(1000);
    let out = parity::run_function(&ctx, "common/axpy.wgsl", "eval_axpy", &inputs).unwrap();
    compare(&out, &inputs, 2.0, |r, expected| {
        let [a, x, y] = [r[0], r[1], r[2]].map(f64::from);
        expected.push(a * x + y, (a * x).abs() + y.abs());
    })
    .unwrap();
}
