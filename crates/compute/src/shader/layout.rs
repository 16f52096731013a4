//! Compares a Rust struct with the WGSL struct that it fills.

use std::fmt::Write as _;

use naga::TypeInner;
use naga::proc::Layouter;

use crate::shader::checked::Shader;

/// Compares size and field offsets of `T` with the struct `name` of a
/// shader. `fields` are (WGSL field, offset in `T`), in any order; all fields
/// of the WGSL struct must be there. `Err` lists every difference.
pub fn check_layout<T>(shader: &Shader, name: &str, fields: &[(&str, usize)]) -> Result<(), String> {
    let module = &shader.module;
    let named = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
    let Some((handle, ty)) = named else {
        return Err(format!("shaders/{} has no struct `{name}`", shader.name()));
    };
    let TypeInner::Struct { members, .. } = &ty.inner else {
        return Err(format!("`{name}` of shaders/{} is no struct", shader.name()));
    };
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).map_err(|e| e.to_string())?;

    let mut wrong = String::new();
    let stride = layouter[handle].to_stride() as usize;
    if stride != size_of::<T>() {
        let _ = writeln!(wrong, "  size: WGSL {stride}, Rust {}", size_of::<T>());
    }
    for member in members {
        let field = member.name.as_deref().unwrap_or_default();
        match fields.iter().find(|(f, _)| *f == field) {
            None => drop(writeln!(wrong, "  `{field}`: WGSL at {}, not compared", member.offset)),
            Some(&(_, offset)) if offset != member.offset as usize => {
                let _ = writeln!(wrong, "  `{field}`: WGSL at {}, Rust at {offset}", member.offset);
            }
            Some(_) => {}
        }
    }
    for (field, _) in fields {
        if !members.iter().any(|m| m.name.as_deref() == Some(field)) {
            let _ = writeln!(wrong, "  `{field}`: not in WGSL");
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let place = shader.place(module.types.get_span(handle));
    let place = place.map(|p| p.to_string()).unwrap_or_default();
    Err(format!("{place}: `{name}` and `{}` differ:\n{wrong}", std::any::type_name::<T>()))
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::shader::ShaderLibrary;

    const TEXT: &str = "struct Record { x: vec3<f32>, w: f32, id: u32 }\n
        @group(0) @binding(0) var<storage, read> records: array<Record>;";

    #[repr(C)]
    struct Good {
        x: [f32; 3],
        w: f32,
        id: u32,
        pad: [u32; 3],
    }

    #[repr(C)]
    struct Bad {
        x: [f32; 3],
        id: u32,
        w: f32,
    }

    fn shader() -> Shader {
        ShaderLibrary::default().with("t.wgsl", TEXT).check("t.wgsl").unwrap()
    }

    #[test]
    fn equal_layouts_pass() {
        let fields = [("x", offset_of!(Good, x)), ("w", offset_of!(Good, w)), ("id", offset_of!(Good, id))];
        check_layout::<Good>(&shader(), "Record", &fields).unwrap();
        assert_eq!(offset_of!(Good, pad), 20);
    }

    #[test]
    fn every_difference_is_listed() {
        let fields = [("x", offset_of!(Bad, x)), ("w", offset_of!(Bad, w)), ("mass", 0)];
        let text = check_layout::<Bad>(&shader(), "Record", &fields).unwrap_err();
        assert!(text.contains("size: WGSL 32, Rust 20"), "{text}");
        assert!(text.contains("`w`: WGSL at 12, Rust at 16"), "{text}");
        assert!(text.contains("`id`: WGSL at 16, not compared"), "{text}");
        assert!(text.contains("`mass`: not in WGSL"), "{text}");
        assert!(text.contains("/t.wgsl:1"), "{text}");
        assert_eq!(offset_of!(Bad, id), 12);
    }
}
