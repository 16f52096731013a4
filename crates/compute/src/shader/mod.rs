//! Shader texts: found by name, joined with what they include, parsed,
//! validated and reflected, all without a device.

mod checked;
mod join;
pub mod layout;
mod library;
pub(crate) mod reflect;
pub(crate) mod types;

pub use checked::Shader;
pub use join::Joined;
pub use library::ShaderLibrary;
