//! Every shader of the repository is valid and matches the kernel table.
//! Needs no device.

use std::collections::BTreeSet;
use std::mem::offset_of;
use std::path::Path;

use coact_compute::kernels::{self, Access, Kernel, read, write};
use coact_compute::shader::ShaderLibrary;
use coact_compute::testing::assert_layout;

/// The folder as it is now, not as it was when the crate was built.
fn folder() -> ShaderLibrary {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    ShaderLibrary::from_folder(&root).unwrap()
}

#[test]
fn every_shader_joins_parses_and_validates() {
    let library = folder();
    let errors: Vec<_> =
        library.names().filter_map(|n| library.check(n).err()).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n\n"));
    assert!(library.names().count() > 1);
}

#[test]
fn every_entry_point_is_in_the_kernel_table() {
    let library = folder();
    let stems: BTreeSet<_> = kernels::all().map(Kernel::file).collect();
    for name in library.names() {
        // A file that does not validate is the business of the test above.
        let Ok(shader) = library.check(name) else { continue };
        let entries: Vec<_> = shader.entry_points().collect();
        assert!(entries.len() <= 1, "shaders/{name} has {} entry points: {entries:?}", entries.len());
        assert!(
            entries.is_empty() || stems.contains(name),
            "shaders/{name} has the entry point `{}`, but no line in crates/compute/src/kernels",
            entries[0]
        );
    }
}

#[test]
fn every_kernel_of_the_table_matches_its_shader() {
    let library = folder();
    let errors: Vec<_> =
        kernels::all().filter_map(|k| k.check(&library).err()).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn no_kernel_is_listed_twice() {
    let stems: BTreeSet<_> = kernels::all().map(|k| k.stem).collect();
    assert_eq!(stems.len(), kernels::all().count());
}

#[test]
fn embedded_shaders_need_no_folder() {
    let library = ShaderLibrary::embedded();
    assert!(library.text("common/grid.wgsl").is_some());
    library.check("common/axpy.wgsl").unwrap();
}

#[repr(C)]
struct AxpyParams {
    a: f32,
    first: u32,
    count: u32,
}

#[test]
fn layout_of_axpy_params_is_that_of_rust() {
    assert_layout::<AxpyParams>(
        "common/axpy.wgsl",
        "AxpyParams",
        &[
            ("a", offset_of!(AxpyParams, a)),
            ("first", offset_of!(AxpyParams, first)),
            ("count", offset_of!(AxpyParams, count)),
        ],
    );
}

/// A kernel over axpy's shader with one thing wrong.
fn mismatch(kernel: Kernel) -> String {
    kernel.check(&ShaderLibrary::embedded()).unwrap_err().to_string()
}

#[test]
fn table_and_shader_that_differ_are_told_apart() {
    let right = *kernels::all().find(|k| k.stem == "common/axpy").unwrap();
    let text = mismatch(Kernel { entry: "saxpy", ..right });
    assert!(text.contains("no entry point `saxpy`; there is axpy"), "{text}");
    const TYPE: &[kernels::Binding] = &[read("x", "array<vec4<f32>>"), write("y", "array<f32>")];
    let text = mismatch(Kernel { bindings: TYPE, ..right });
    assert!(text.contains("0: x Read array<f32>") && text.contains("array<vec4<f32>>"), "{text}");
    assert!(text.contains("shaders/common/axpy.wgsl:"), "{text}");
    const COUNT: &[kernels::Binding] = &[read("x", "array<f32>")];
    let text = mismatch(Kernel { bindings: COUNT, ..right });
    assert!(text.contains("kernel table has `nothing`"), "{text}");
    let text = mismatch(Kernel { params: None, ..right });
    assert!(text.contains("AxpyParams"), "{text}");
    assert_eq!(right.bindings[1].access, Access::ReadWrite);
}
