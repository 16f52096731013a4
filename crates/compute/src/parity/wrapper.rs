//! The kernel that runs a function on many records.
//!
//! It is appended to the file of the function and binds in group 3, away from
//! what a kernel of that file may declare. Records are words; components are
//! cast to and from their types bit by bit.

use std::fmt::Write as _;

use naga::{ArraySize, Handle, Module, Type, TypeInner};

use crate::parity::signature::{Scalar, Signature};
use crate::shader::types::{lanes, scalar_text, type_text};

/// Name of the generated entry point.
pub(crate) const ENTRY: &str = "parity_entry";
/// Group of the generated bindings.
pub(crate) const GROUP: u32 = 3;
/// Threads of a workgroup.
pub(crate) const WORKGROUP: u32 = 64;

/// Text of the wrapper around `name`.
pub(crate) fn text(module: &Module, name: &str, signature: &Signature) -> String {
    let inputs: usize = signature.parameters.iter().map(|p| p.components.len()).sum();
    let outputs = signature.result.components.len();
    let mut load = Load { module, next: 0 };
    let arguments: Vec<_> = signature.parameters.iter().map(|p| load.value(p.ty)).collect();
    let arguments = arguments.join(", ");
    let mut stores = String::new();
    for (i, part) in signature.result.components.iter().enumerate() {
        // `result` is also the name of the local, so component names are code.
        let word = match part.scalar {
            Scalar::Bool => format!("select(0u, 1u, {})", part.name),
            _ => format!("bitcast<u32>({})", part.name),
        };
        let _ = writeln!(stores, "    parity_results[to + {i}u] = {word};");
    }
    format!(
        "@group({GROUP}) @binding(0) var<storage, read> parity_records: array<u32>;
@group({GROUP}) @binding(1) var<storage, read_write> parity_results: array<u32>;
@group({GROUP}) @binding(2) var<uniform> parity_count: u32;
@compute @workgroup_size({WORKGROUP})
fn {ENTRY}(
    @builtin(global_invocation_id) parity_gid: vec3<u32>,
    @builtin(num_workgroups) parity_groups: vec3<u32>,
) {{
    let parity_i = parity_gid.x + parity_gid.y * parity_groups.x * {WORKGROUP}u;
    if (parity_i >= parity_count) {{
        return;
    }}
    let at = parity_i * {inputs}u;
    let to = parity_i * {outputs}u;
    let result = {name}({arguments});
{stores}}}
"
    )
}

/// Builds values from consecutive words of a record.
struct Load<'a> {
    module: &'a Module,
    next: u32,
}

impl Load<'_> {
    /// Expression of a value of that type; consumes its words.
    fn value(&mut self, ty: Handle<Type>) -> String {
        let name = type_text(self.module, ty);
        let parts: Vec<_> = match &self.module.types[ty].inner {
            TypeInner::Scalar(_) => return self.scalar(&name),
            TypeInner::Vector { size, scalar } => {
                let part = scalar_text(*scalar);
                (0..lanes(*size)).map(|_| self.scalar(&part)).collect()
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let part = scalar_text(*scalar);
                (0..lanes(*columns) * lanes(*rows)).map(|_| self.scalar(&part)).collect()
            }
            TypeInner::Array { base, size: ArraySize::Constant(n), .. } => {
                (0..n.get()).map(|_| self.value(*base)).collect()
            }
            TypeInner::Struct { members, .. } => {
                let types: Vec<_> = members.iter().map(|m| m.ty).collect();
                types.into_iter().map(|ty| self.value(ty)).collect()
            }
            // The signature admits nothing else.
            _ => Vec::new(),
        };
        format!("{name}({})", parts.join(", "))
    }

    fn scalar(&mut self, name: &str) -> String {
        let word = format!("parity_records[at + {}u]", self.next);
        self.next += 1;
        match name {
            "bool" => format!("({word} != 0u)"),
            "u32" => word,
            _ => format!("bitcast<{name}>({word})"),
        }
    }
}
