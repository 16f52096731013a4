//! The progress bar: on a terminal only, and not when quiet.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::say::Loudness;

/// Redraws per second at most.
const RATE: u8 = 10;

/// A bar over steps.
pub struct Progress(ProgressBar);

impl Progress {
    /// For `steps` steps.
    pub fn new(steps: u64, loudness: Loudness) -> Self {
        let target = match loudness {
            Loudness::Quiet => ProgressDrawTarget::hidden(),
            _ => ProgressDrawTarget::stderr_with_hz(RATE),
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let template = "{bar:36.cyan/dim} {pos}/{len} steps  t = {msg} s  {per_sec}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━━─"));
        }
        Self(bar)
    }

    /// A step is done; simulated time is now `time` \[s\].
    pub fn step(&self, time: f64) {
        self.0.inc(1);
        if !self.0.is_hidden() {
            self.0.set_message(format!("{time:.3}"));
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
