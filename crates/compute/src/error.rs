//! What can go wrong between a request and its result on a device.
//!
//! Every message names what was asked, what was found and, where there is
//! one, the remedy. A failing device is an `Err`, never a panic.

use thiserror::Error;

/// Result of this crate.
pub type Result<T, E = ComputeError> = std::result::Result<T, E>;

/// A place in a shader file, after includes were resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File, relative to `shaders/`.
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in bytes, counted from 1; 0 = the whole line.
    pub column: u32,
    /// Text of that line.
    pub text: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "shaders/{}:{}", self.file, self.line)?;
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// A shader text that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderError {
    /// What is wrong.
    pub message: String,
    /// Where, in the original files. The first place is the main one, the
    /// second item of a pair says what the place has to do with it.
    pub places: Vec<(Place, String)>,
    /// Remedies and further explanations.
    pub notes: Vec<String>,
}

impl ShaderError {
    /// An error at one place.
    pub fn at(place: Place, message: impl Into<String>) -> Self {
        Self { message: message.into(), places: vec![(place, String::new())], notes: Vec::new() }
    }
}

impl std::error::Error for ShaderError {}

impl std::fmt::Display for ShaderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some((place, _)) = self.places.first() {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.message)?;
        for (place, remark) in &self.places {
            write!(f, "\n  --> {place}: `{}`", place.text.trim())?;
            if !remark.is_empty() {
                write!(f, " ({remark})")?;
            }
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        Ok(())
    }
}

/// A request that the device, or this crate, cannot fulfil.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ComputeError {
    /// No adapter at all.
    #[error(
        "no GPU adapter found: {reason}\n  remedy: install a Vulkan driver \
         (the vendor's, or Mesa's `mesa-vulkan-drivers`) and the loader `libvulkan1`, \
         or choose the device `cpu`"
    )]
    NoAdapter {
        /// What the loader said.
        reason: String,
    },
    /// The adapter refused to open.
    #[error("adapter `{adapter}` gave no device: {reason}")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// A device name that is none.
    #[error("`{0}` is no device: write `auto`, `cpu` or `gpu`")]
    UnknownDevice(String),
    /// A shader text is wrong.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// The kernel table has no such kernel.
    #[error("no kernel `{0}` in the kernel table (crates/compute/src/kernels)")]
    UnknownKernel(String),
    /// Kernel table and shader disagree.
    #[error("kernel `{kernel}`: {message}")]
    Kernel {
        /// Stem of the kernel.
        kernel: String,
        /// What differs.
        message: String,
    },
    /// A buffer does not fit the binding that it was given to.
    #[error("kernel `{kernel}`, binding `{binding}`: {message}")]
    Binding {
        /// Stem of the kernel.
        kernel: String,
        /// Name of the binding.
        binding: String,
        /// What differs.
        message: String,
    },
    /// More bytes than the device can hold or bind at once.
    #[error("buffer `{label}` needs {bytes} bytes, the device allows {limit}")]
    TooLarge {
        /// Name of the buffer.
        label: String,
        /// Bytes asked for.
        bytes: u64,
        /// Largest possible size, in bytes.
        limit: u64,
    },
    /// A range beyond the contents.
    #[error("buffer `{label}`: {first}..{end} is outside its {len} elements")]
    Range {
        /// Name of the buffer.
        label: String,
        /// First element asked for.
        first: usize,
        /// One past the last element asked for.
        end: usize,
        /// Elements that there are.
        len: usize,
    },
    /// Commands were recorded in an order that cannot work.
    #[error("recording `{label}`: {message}")]
    Record {
        /// Name of the recording.
        label: String,
        /// What is wrong.
        message: String,
    },
    /// A parity run that cannot be made.
    #[error("parity of `{function}` in shaders/{file}: {message}")]
    Parity {
        /// Shader file.
        file: String,
        /// Function under test.
        function: String,
        /// What is wrong.
        message: String,
    },
    /// The device reported an error or was lost.
    #[error("device error in {what}: {message}")]
    Device {
        /// What was being done.
        what: String,
        /// What the device said.
        message: String,
    },
}
