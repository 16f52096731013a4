//! Which device a user wants: the word of the command line and of a scene.

use std::fmt;
use std::str::FromStr;

use crate::error::ComputeError;

/// Where kernels run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// A hardware GPU if there is one, else the Rust path. Never a software
    /// adapter: the Rust path is several times faster than that.
    #[default]
    Auto,
    /// The Rust path.
    Cpu,
    /// The best adapter there is; a software adapter only if there is no
    /// hardware. An error if there is none at all.
    Gpu,
}

impl FromStr for DeviceChoice {
    type Err = ComputeError;

    fn from_str(word: &str) -> Result<Self, ComputeError> {
        match word.trim().to_ascii_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "gpu" => Ok(Self::Gpu),
            _ => Err(ComputeError::UnknownDevice(word.to_owned())),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for choice in [DeviceChoice::Auto, DeviceChoice::Cpu, DeviceChoice::Gpu] {
            assert_eq!(choice.to_string().parse::<DeviceChoice>().unwrap(), choice);
        }
        assert_eq!("GPU".parse::<DeviceChoice>().unwrap(), DeviceChoice::Gpu);
    }

    #[test]
    fn unknown_word_names_the_valid_ones() {
        let text = "cuda".parse::<DeviceChoice>().unwrap_err().to_string();
        assert!(text.contains("`cuda`") && text.contains("`auto`, `cpu` or `gpu`"), "{text}");
    }
}
