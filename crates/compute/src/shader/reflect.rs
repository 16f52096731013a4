//! What an entry point expects: bindings with their types and sizes.

use naga::proc::Layouter;
use naga::{AddressSpace, ArraySize, StorageAccess, TypeInner};

use crate::error::ShaderError;
use crate::kernels::Access;
use crate::shader::checked::Shader;
use crate::shader::types::type_text;

/// One binding as the shader declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reflected {
    pub(crate) group: u32,
    pub(crate) index: u32,
    pub(crate) name: String,
    pub(crate) access: Access,
    pub(crate) ty: String,
    /// Smallest buffer that serves it, in bytes.
    pub(crate) min_bytes: u64,
    /// Distance of the elements, in bytes, for an array of any length.
    pub(crate) stride: Option<u64>,
    /// Whether its elements are single words, so that any record of words fits.
    pub(crate) of_words: bool,
    /// `shaders/file:line` of the declaration.
    pub(crate) place: String,
}

/// An entry point as the shader declares it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) workgroup: [u32; 3],
    /// All bindings of the file, by group and index.
    pub(crate) bindings: Vec<Reflected>,
}

/// Reflects one entry point; `None` if there is none of that name.
pub(crate) fn entry(shader: &Shader, name: &str) -> Result<Option<Entry>, ShaderError> {
    let Some(found) = shader.module.entry_points.iter().find(|e| e.name == name) else {
        return Ok(None);
    };
    let mut layouter = Layouter::default();
    layouter.update(shader.module.to_ctx()).map_err(|e| ShaderError {
        message: e.to_string(),
        places: Vec::new(),
        notes: Vec::new(),
    })?;
    let mut bindings = Vec::new();
    for (handle, variable) in shader.module.global_variables.iter() {
        let Some(binding) = variable.binding else { continue };
        let span = shader.module.global_variables.get_span(handle);
        let place = shader.place(span).map(|p| p.to_string()).unwrap_or_default();
        let Some(access) = access_of(variable.space) else {
            return Err(unsupported(shader, span));
        };
        let (stride, of_words) = match shader.module.types[variable.ty].inner {
            TypeInner::Array { base, size: ArraySize::Dynamic, stride } => {
                let inner = &shader.module.types[base].inner;
                let word = matches!(inner, TypeInner::Scalar(_) | TypeInner::Atomic(_));
                (Some(u64::from(stride)), word)
            }
            _ => (None, false),
        };
        bindings.push(Reflected {
            group: binding.group,
            index: binding.binding,
            name: variable.name.clone().unwrap_or_default(),
            access,
            ty: type_text(&shader.module, variable.ty),
            min_bytes: stride.unwrap_or(u64::from(layouter[variable.ty].size)),
            stride,
            of_words,
            place,
        });
    }
    bindings.sort_by_key(|b| (b.group, b.index));
    Ok(Some(Entry { workgroup: found.workgroup_size, bindings }))
}

fn access_of(space: AddressSpace) -> Option<Access> {
    match space {
        AddressSpace::Uniform => Some(Access::Uniform),
        AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Some(Access::ReadWrite),
        AddressSpace::Storage { .. } => Some(Access::Read),
        _ => None,
    }
}

fn unsupported(shader: &Shader, span: naga::Span) -> ShaderError {
    let at = span.to_range().map_or(0, |r| r.start);
    ShaderError::at(shader.joined().place(at), "kernels bind storage and uniform buffers only")
}
