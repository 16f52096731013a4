//! The adapters of this machine, and the choice among them.

use std::fmt;

use crate::choice::DeviceChoice;
use crate::error::{ComputeError, Result};

/// What an adapter is, in the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AdapterKind {
    /// A card of its own.
    Discrete,
    /// A part of the processor.
    Integrated,
    /// A GPU of the host, lent to a virtual machine.
    Virtual,
    /// Hardware of unknown kind.
    Other,
    /// A renderer that runs on the CPU.
    Software,
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete GPU",
            Self::Integrated => "integrated GPU",
            Self::Virtual => "virtual GPU",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}

impl From<wgpu::DeviceType> for AdapterKind {
    fn from(kind: wgpu::DeviceType) -> Self {
        match kind {
            wgpu::DeviceType::DiscreteGpu => Self::Discrete,
            wgpu::DeviceType::IntegratedGpu => Self::Integrated,
            wgpu::DeviceType::VirtualGpu => Self::Virtual,
            wgpu::DeviceType::Cpu => Self::Software,
            wgpu::DeviceType::Other => Self::Other,
        }
    }
}

/// Description of one adapter, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// Name of the adapter.
    pub name: String,
    /// What it is.
    pub kind: AdapterKind,
    /// Interface through which it is reached, such as `vulkan`.
    pub backend: String,
    /// Driver and its version.
    pub driver: String,
}

impl fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {}, {})", self.name, self.kind, self.backend, self.driver)
    }
}

impl AdapterInfo {
    pub(crate) fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let driver = format!("{} {}", info.driver, info.driver_info);
        Self {
            name: info.name,
            kind: info.device_type.into(),
            backend: info.backend.to_string(),
            driver: driver.trim().to_owned(),
        }
    }
}

/// Every adapter of this machine, best first. Empty without a driver.
pub fn list_adapters() -> Vec<AdapterInfo> {
    adapters(&instance()).iter().map(AdapterInfo::of).collect()
}

pub(crate) fn instance() -> wgpu::Instance {
    let mut request = wgpu::InstanceDescriptor::new_without_display_handle();
    request.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    wgpu::Instance::new(request)
}

/// Adapters, best first; equals keep the order of the driver.
fn adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    let mut found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    found.sort_by_key(|a| AdapterKind::from(a.get_info().device_type));
    found
}

/// The adapter for a choice; `None` means the Rust path.
pub(crate) fn choose(instance: &wgpu::Instance, choice: DeviceChoice) -> Result<Option<wgpu::Adapter>> {
    if choice == DeviceChoice::Cpu {
        return Ok(None);
    }
    let best = adapters(instance).into_iter().next();
    match (choice, best) {
        (DeviceChoice::Gpu, None) => Err(ComputeError::NoAdapter { reason: why_none(instance) }),
        (DeviceChoice::Gpu, best) => Ok(best),
        (_, best) => Ok(best.filter(|a| serves_auto(a.get_info().device_type.into()))),
    }
}

/// Whether `auto` may take such an adapter.
fn serves_auto(kind: AdapterKind) -> bool {
    kind != AdapterKind::Software
}

/// What the loader says when it finds nothing.
fn why_none(instance: &wgpu::Instance) -> String {
    let request = wgpu::RequestAdapterOptions::default();
    match pollster::block_on(instance.request_adapter(&request)) {
        Ok(_) => "the driver lists no adapter".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_never_takes_a_software_adapter() {
        assert!(!serves_auto(AdapterKind::Software));
        assert!(serves_auto(AdapterKind::Discrete) && serves_auto(AdapterKind::Integrated));
        let chosen = choose(&instance(), DeviceChoice::Auto).unwrap();
        let kind = chosen.map(|a| AdapterInfo::of(&a).kind);
        assert_ne!(kind, Some(AdapterKind::Software));
    }

    #[test]
    fn hardware_ranks_before_software() {
        let mut kinds = [AdapterKind::Software, AdapterKind::Virtual, AdapterKind::Discrete];
        kinds.sort();
        assert_eq!(kinds[0], AdapterKind::Discrete);
        assert_eq!(kinds[2], AdapterKind::Software);
    }

    #[test]
    fn missing_adapter_names_the_remedy() {
        let text = ComputeError::NoAdapter { reason: "no loader".into() }.to_string();
        assert!(text.contains("no loader") && text.contains("mesa-vulkan-drivers"), "{text}");
    }
}
