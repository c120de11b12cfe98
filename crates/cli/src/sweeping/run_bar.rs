//! A progress bar over the runs of a sweep.

use indicatif::ProgressBar;
use nearfar_model::format_duration;
use nearfar_sweep::SweepProgress;

use crate::progress::{keep_moving, set_style};

/// The bar; it is removed when this is dropped.
pub(super) struct RunBar(ProgressBar);

impl RunBar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new(0);
        set_style(&bar, "{bar:20} {elapsed} {wide_msg}");
        keep_moving(&bar);
        Self(bar)
    }

    pub(super) fn warming_up(&self) {
        self.0.set_message("warming up");
    }

    pub(super) fn show(&self, progress: &SweepProgress<'_>) {
        self.0.set_length(progress.expected_runs as u64);
        self.0.set_position(progress.runs as u64);
        self.0.set_message(message(progress));
    }
}

impl Drop for RunBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// "about 3m left, 12 of about 40 runs, next local:0": the time first, since a narrow terminal cuts
/// the end.
fn message(progress: &SweepProgress<'_>) -> String {
    let SweepProgress { runs, expected_runs, is_upper_bound, next, left } = *progress;
    let bound = if is_upper_bound { "at most" } else { "about" };
    let left = left.map(|left| format!("{bound} {} left", format_duration(left)));
    let runs = format!("{runs} of {bound} {expected_runs} runs");
    let next = next.map(|next| format!("next {next}"));
    [left, Some(runs), next].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_message_begins_with_the_time_left() {
        let first = SweepProgress {
            runs: 0,
            expected_runs: 40,
            is_upper_bound: true,
            next: Some("unbound"),
            left: None,
        };
        assert_eq!(message(&first), "0 of at most 40 runs, next unbound");
        let later = SweepProgress {
            runs: 12,
            expected_runs: 30,
            is_upper_bound: false,
            next: None,
            left: Some(Duration::from_secs(180)),
        };
        assert_eq!(message(&later), "about 3m left, 12 of about 30 runs");
    }
}
