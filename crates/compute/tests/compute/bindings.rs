//! What does not fit is refused by name, when it is bound or built.

use coact_compute::kernels::{Kernel, write};
use coact_compute::shader::ShaderLibrary;
use coact_compute::testing::gpu_for_tests;
use coact_compute::{Buffer, BufferRef, ComputeError, GpuContext, Pipelines, Uniform};
use std::sync::Arc;

fn refusal(ctx: &Arc<GpuContext>, buffers: &[BufferRef]) -> String {
    Pipelines::new(ctx).bind("common/axpy", buffers).err().unwrap().to_string()
}

#[test]
fn wrong_buffers_are_named() {
    let Some(ctx) = gpu_for_tests() else { return };
    let x = Buffer::<f32>::zeroed(&ctx, "my x", 4).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "my y", 4).unwrap();
    let text = refusal(&ctx, &[x.bind("x")]);
    assert!(text.contains("binding `y`: no buffer given"), "{text}");
    let text = refusal(&ctx, &[x.bind("x"), y.bind("z")]);
    assert!(text.contains("binding `z`") && text.contains("it has x, y"), "{text}");
    let text = refusal(&ctx, &[x.bind("x"), x.bind("y")]);
    assert!(text.contains("`my x` is written here and also bound as `x`"), "{text}");
    let record = Uniform::new(&ctx, "record", 1.0_f32).unwrap();
    let text = refusal(&ctx, &[record.bind("x"), y.bind("y")]);
    assert!(text.contains("`record` is a uniform record"), "{text}");
}

const VEC4: &Kernel =
    &Kernel { stem: "t/vec4", entry: "main", bindings: &[write("q", "array<vec4<f32>>")], params: None };
const VEC4_TEXT: &str = "@group(0) @binding(0) var<storage, read_write> q: array<vec4<f32>>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&q)) { q[id.x] = q[id.x] * 2.0; }
}";

#[test]
fn element_size_must_agree_with_wgsl() {
    let Some(ctx) = gpu_for_tests() else { return };
    let library = ShaderLibrary::default().with("t/vec4.wgsl", VEC4_TEXT);
    let pipelines = Pipelines::with_table(&ctx, library, vec![VEC4]);
    let wrong = Buffer::<[f32; 3]>::zeroed(&ctx, "triples", 8).unwrap();
    let text = pipelines.bind("t/vec4", &[wrong.bind("q")]).err().unwrap().to_string();
    assert!(text.contains("elements of 16 bytes, those of `triples` have 12"), "{text}");

    let right = Buffer::from_slice(&ctx, "quadruples", &[[1.0_f32; 4]; 8]).unwrap();
    let kernel = pipelines.bind("t/vec4", &[right.bind("q")]).unwrap();
    let mut recording = ctx.record("no parameters");
    recording.dispatch(&kernel, 8);
    recording.submit().unwrap();
    assert_eq!(right.download().unwrap(), [[2.0; 4]; 8]);
}

#[test]
fn records_of_words_fit_arrays_of_words() {
    let Some(ctx) = gpu_for_tests() else { return };
    let x = Buffer::<[f32; 3]>::zeroed(&ctx, "triples", 4).unwrap();
    let y = Buffer::<f32>::zeroed(&ctx, "y", 12).unwrap();
    Pipelines::new(&ctx).bind("common/axpy", &[x.bind("x"), y.bind("y")]).unwrap();
}

#[test]
fn every_kernel_of_the_table_builds_on_this_device() {
    let Some(ctx) = gpu_for_tests() else { return };
    Pipelines::new(&ctx).build_all().unwrap();
}

#[test]
fn broken_shader_is_an_error_with_file_and_line() {
    let Some(ctx) = gpu_for_tests() else { return };
    let broken = VEC4_TEXT.replace("* 2.0", "* nothing");
    let library = ShaderLibrary::default().with("t/vec4.wgsl", &broken);
    let error = Pipelines::with_table(&ctx, library, vec![VEC4]).get("t/vec4").err().unwrap();
    assert!(matches!(error, ComputeError::Shader(_)));
    assert!(error.to_string().contains("t/vec4.wgsl:3:"), "{error}");
    // The device is as good as before.
    ctx.wait().unwrap();
    assert!(matches!(Pipelines::new(&ctx).get("x/y"), Err(ComputeError::UnknownKernel(_))));
}

#[test]
fn kernel_with_too_many_buffers_names_the_limit() {
    let Some(ctx) = gpu_for_tests() else { return };
    let n = ctx.limits().storage_buffers_per_kernel + 1;
    if n > 1000 {
        return; // More than a bind group may have at all.
    }
    let names: Vec<&'static str> = (0..n).map(|i| &*format!("b{i}").leak()).collect();
    let bindings: Vec<_> = names.iter().map(|name| write(name, "array<u32>")).collect();
    let mut text = String::new();
    for i in 0..n {
        text += &format!("@group(0) @binding({i}) var<storage, read_write> b{i}: array<u32>;\n");
    }
    text += "@compute @workgroup_size(1) fn main() { b0[0] = 1u; }";
    let kernel = Box::leak(Box::new(Kernel {
        stem: "t/many",
        entry: "main",
        bindings: bindings.leak(),
        params: None,
    }));
    let library = ShaderLibrary::default().with("t/many.wgsl", &text);
    let error = Pipelines::with_table(&ctx, library, vec![kernel]).get("t/many").err().unwrap();
    let told = error.to_string();
    assert!(told.contains("t/many") && told.contains(&format!("allows {}", n - 1)), "{told}");
}
