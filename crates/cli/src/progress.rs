//! Progress of long work: on stderr, on terminals only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that says what is measured, how far it is and how precise it has become.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar over at most `rounds` rounds.
    pub(crate) fn new(what: &str, rounds: u32) -> Self {
        let bar = ProgressBar::new(u64::from(rounds));
        let template = "{prefix} {bar:20} round {pos} of at most {len} {elapsed} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// A bar over pairs of CPUs, of which nobody knows beforehand how many it will be.
    pub(crate) fn of_pairs() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("core to core {bar:20} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// How far it is: pairs measured before, and samples of those that are being measured.
    pub(crate) fn pairs(&self, before: usize, samples: usize, wanted: usize) {
        self.0.set_length(wanted as u64);
        self.0.set_position(samples as u64);
        self.0.set_message(format!("{before} pairs measured, {samples} of {wanted} samples of the next"));
    }

    /// How far it is: rounds done, and the worst standard error where it is known.
    pub(crate) fn at(&self, rounds: u32, worst_standard_error: Option<f64>, aim: f64) {
        self.0.set_position(u64::from(rounds));
        if let Some(worst) = worst_standard_error {
            self.0.set_message(format!("SE {:.2} %, aim {:.2} %", worst * 100.0, aim * 100.0));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
