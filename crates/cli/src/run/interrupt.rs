//! Ctrl-C: the first one ends the run after the present step, the second one at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::ending;

/// Whether the user asked to stop.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let asked = interrupt.clone();
        let listening = ctrlc::set_handler(move || {
            if asked.0.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(ending::FAILED));
            }
        });
        if let Err(e) = listening {
            tracing::warn!("Ctrl-C will end the run at once: {e}");
        }
        interrupt
    }

    /// Whether Ctrl-C was pressed.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
