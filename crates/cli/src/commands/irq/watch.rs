//! Waiting between two snapshots.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use nearfar_view::terminal::Interrupt;

use super::POLL;
use crate::progress::keep_moving;

/// Waits; false if the user stops it. A spinner shows that it does.
pub(super) fn wait(span: Duration, interrupt: &Interrupt, shows_progress: bool) -> bool {
    let bar = if shows_progress { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("counting interrupts {elapsed} of {msg}") {
        bar.set_style(style);
    }
    bar.set_message(nearfar_model::format_duration(span));
    keep_moving(&bar);
    let start = Instant::now();
    while !interrupt.came() && start.elapsed() < span {
        std::thread::sleep(POLL.min(span.saturating_sub(start.elapsed())));
    }
    bar.finish_and_clear();
    !interrupt.came()
}
