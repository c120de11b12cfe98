//! A trial on stderr while it runs.

use std::cell::RefCell;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use nearfar_live::explain::TrialEvent;
use nearfar_view::terminal::output;

/// A bar over its periods, while they run.
#[derive(Default)]
pub(super) struct TrialProgress(RefCell<Option<ProgressBar>>);

impl TrialProgress {
    pub(super) fn report(&self, event: TrialEvent<'_>) {
        match event {
            TrialEvent::Began(periods) => *self.0.borrow_mut() = Some(bar(periods)),
            TrialEvent::Period => self.0.borrow().iter().for_each(|bar| bar.inc(1)),
            TrialEvent::PeriodsEnded => drop(self.0.take()),
            TrialEvent::NotRestored(error) => output::aside(&error.to_string()),
        }
    }
}

fn bar(periods: u64) -> ProgressBar {
    let bar = ProgressBar::new(periods).with_finish(ProgressFinish::AndClear);
    if let Ok(style) =
        ProgressStyle::with_template("trial {bar:30} {pos}/{len} periods, {eta} left")
    {
        bar.set_style(style);
    }
    crate::progress::keep_moving(&bar);
    bar
}
