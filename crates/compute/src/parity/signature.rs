//! Parameters and result of a WGSL function, component by component.

use naga::{ArraySize, Handle, Module, ScalarKind, Type, TypeInner};

use crate::shader::types::{lanes, scalar_text, type_text};

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `f32`.
    Float,
    /// `u32`, as bits.
    Unsigned,
    /// `i32`, as bits.
    Signed,
    /// `bool`, as the bits 0 or 1.
    Bool,
}

/// One component of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// How WGSL names it, such as `force.x` or `H[2].y`.
    pub name: String,
    /// What it is.
    pub scalar: Scalar,
}

/// A parameter or a result.
pub(crate) struct Value {
    pub(crate) ty: Handle<Type>,
    pub(crate) components: Vec<Component>,
}

/// What a function takes and gives.
pub(crate) struct Signature {
    pub(crate) parameters: Vec<Value>,
    pub(crate) result: Value,
}

impl Signature {
    /// Reads the signature; `Err` names what cannot be run.
    pub(crate) fn of(module: &Module, name: &str) -> Result<Self, String> {
        let mut all = module.functions.iter().map(|(_, f)| f);
        let found = all.find(|f| f.name.as_deref() == Some(name)).ok_or_else(|| {
            let there = module.functions.iter().filter_map(|(_, f)| f.name.as_deref());
            format!("no such function; there is {}", there.collect::<Vec<_>>().join(", "))
        })?;
        let parameters = found
            .arguments
            .iter()
            .map(|a| value(module, a.ty, a.name.as_deref().unwrap_or("argument")))
            .collect::<Result<Vec<_>, _>>()?;
        let result = found.result.as_ref().ok_or("it returns nothing")?;
        Ok(Self { parameters, result: value(module, result.ty, "result")? })
    }
}

fn value(module: &Module, ty: Handle<Type>, name: &str) -> Result<Value, String> {
    let mut components = Vec::new();
    add(module, ty, name, &mut components)?;
    Ok(Value { ty, components })
}

/// Adds the components of a value, in the order of its constructor.
fn add(module: &Module, ty: Handle<Type>, name: &str, to: &mut Vec<Component>) -> Result<(), String> {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar) => to.push(component(*scalar, name.to_owned())?),
        TypeInner::Vector { size, scalar } => {
            for axis in &AXES[..lanes(*size) as usize] {
                to.push(component(*scalar, format!("{name}.{axis}"))?);
            }
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            for column in 0..lanes(*columns) {
                for axis in &AXES[..lanes(*rows) as usize] {
                    to.push(component(*scalar, format!("{name}[{column}].{axis}"))?);
                }
            }
        }
        TypeInner::Array { base, size: ArraySize::Constant(n), .. } => {
            for i in 0..n.get() {
                add(module, *base, &format!("{name}[{i}]"), to)?;
            }
        }
        TypeInner::Struct { members, .. } => {
            for member in members {
                let field = member.name.as_deref().unwrap_or_default();
                add(module, member.ty, &format!("{name}.{field}"), to)?;
            }
        }
        _ => return Err(format!("`{name}` is {}, not a value", type_text(module, ty))),
    }
    Ok(())
}

const AXES: [&str; 4] = ["x", "y", "z", "w"];

fn component(scalar: naga::Scalar, name: String) -> Result<Component, String> {
    let scalar = match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 4) => Scalar::Float,
        (ScalarKind::Uint, 4) => Scalar::Unsigned,
        (ScalarKind::Sint, 4) => Scalar::Signed,
        (ScalarKind::Bool, _) => Scalar::Bool,
        _ => return Err(format!("`{name}` is {}", scalar_text(scalar))),
    };
    Ok(Component { name, scalar })
}
