//! WGSL types as text, the form in which the kernel table states them.

use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

/// The type as WGSL writes it, such as `array<vec4<f32>>`.
pub(crate) fn type_text(module: &Module, ty: Handle<Type>) -> String {
    let known = &module.types[ty];
    match &known.inner {
        TypeInner::Scalar(scalar) => scalar_text(*scalar),
        TypeInner::Vector { size, scalar } => {
            format!("vec{}<{}>", *size as u8, scalar_text(*scalar))
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            format!("mat{}x{}<{}>", *columns as u8, *rows as u8, scalar_text(*scalar))
        }
        TypeInner::Atomic(scalar) => format!("atomic<{}>", scalar_text(*scalar)),
        TypeInner::Array { base, size: ArraySize::Constant(n), .. } => {
            format!("array<{}, {n}>", type_text(module, *base))
        }
        TypeInner::Array { base, .. } => format!("array<{}>", type_text(module, *base)),
        TypeInner::Pointer { base, .. } => format!("ptr<{}>", type_text(module, *base)),
        _ => known.name.clone().unwrap_or_else(|| "?".to_owned()),
    }
}

/// The scalar as WGSL writes it.
pub(crate) fn scalar_text(scalar: Scalar) -> String {
    let letter = match scalar.kind {
        ScalarKind::Bool => return "bool".to_owned(),
        ScalarKind::Float | ScalarKind::AbstractFloat => 'f',
        ScalarKind::Sint | ScalarKind::AbstractInt => 'i',
        ScalarKind::Uint => 'u',
    };
    format!("{letter}{}", u32::from(scalar.width) * 8)
}

/// Number of components.
pub(crate) fn lanes(size: VectorSize) -> u32 {
    u32::from(size as u8)
}
