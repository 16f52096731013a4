//! `coact info`: what this machine offers.

use coact_compute::{AdapterKind, list_adapters};
use miette::Result;

use crate::ending::Ending;
use crate::say;

/// Prints version, platform, threads and devices.
pub fn info() -> Result<Ending> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    say::line(format!("coact {} on {os} {arch}", env!("CARGO_PKG_VERSION")));
    say::line(format!("threads: {}", rayon::current_num_threads()));
    let adapters = list_adapters();
    let chosen = adapters.first().filter(|a| a.kind != AdapterKind::Software);
    if adapters.is_empty() {
        say::line("devices: the CPU (no GPU driver found)");
    } else {
        say::line("devices: the CPU, and");
        adapters.iter().for_each(|a| say::line(format!("  {a}")));
    }
    let auto = chosen.map_or("the CPU".to_owned(), ToString::to_string);
    say::line(format!("--device auto takes: {auto}"));
    Ok(Ending::Good)
}
