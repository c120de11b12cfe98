//! Progress of long work: on stderr, on terminals only.

use std::thread;
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nearfar_model::format_duration;
use nearfar_probe::core_to_core::ExplorationProgress;
use nearfar_survey::measure::{Progress, TaskProgress, TaskState, TimeLeft};
use nearfar_view::terminal::{Interrupt, charset, output};

/// Redraws a bar periodically. This needs a thread: not for a hidden bar, and not if no thread can
/// be started (`pids.max`), since indicatif panics then.
pub(crate) fn keep_moving(bar: &ProgressBar) {
    if output::is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let has_thread =
        || thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok());
    if !bar.is_hidden() && has_thread() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

/// A bar for one task of a measurement after another, and Ctrl-C.
pub(crate) struct Bar {
    interrupt: Interrupt,
    /// The task's name, and its bar.
    shown: Option<(String, ProgressBar)>,
}

impl Bar {
    /// Catches Ctrl-C from now on.
    pub(crate) fn new() -> anyhow::Result<Self> {
        Ok(Self {
            interrupt: Interrupt::listen().context("cannot listen for Ctrl-C")?,
            shown: None,
        })
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.came()
    }

    /// The bar of this task; `length` is for a new one.
    fn bar(&mut self, task: &str, template: &str, length: u64) -> &ProgressBar {
        let is_new = self.shown.as_ref().is_none_or(|(shown, _)| shown != task);
        if is_new {
            self.finish();
        }
        let (_, bar) = self.shown.get_or_insert_with(|| {
            let bar = ProgressBar::new(length);
            set_style(&bar, template);
            bar.set_prefix(task.to_owned());
            keep_moving(&bar);
            (task.to_owned(), bar)
        });
        bar
    }
}

/// Sets what a bar shows, in signs of the locale.
pub(crate) fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(if charset::is_ascii() { style.progress_chars("#-") } else { style });
    }
}

impl Progress for Bar {
    fn show(&mut self, status: &TaskProgress<'_>) {
        let (template, position, length, state) = match status.state {
            TaskState::Rounds { plan, limits } => {
                let precision =
                    plan.worst_standard_error.map(|error| precision(error, limits.standard_error));
                (ROUNDS, plan.rounds.into(), limits.max_rounds.into(), precision)
            }
            TaskState::Pairs(ExplorationProgress { pairs, samples, wanted }) => {
                let state =
                    format!("{pairs} pairs measured, {samples} of {wanted} samples of the next");
                (PAIRS, samples as u64, wanted as u64, Some(state))
            }
        };
        let bar = self.bar(status.task, template, length);
        bar.set_length(length);
        bar.set_position(position);
        // The time left comes first, since terminals cut the end.
        let message: Vec<String> = status.left.map(time_left).into_iter().chain(state).collect();
        if !message.is_empty() {
            bar.set_message(message.join(", "));
        }
    }

    fn finish(&mut self) {
        if let Some((_, bar)) = self.shown.take() {
            bar.finish_and_clear();
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.came()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}

const ROUNDS: &str = "{prefix} {bar:20} round {pos} of at most {len} {elapsed} {wide_msg}";
const PAIRS: &str = "{prefix} {bar:20} {elapsed} {wide_msg}";

fn precision(error: f64, target: f64) -> String {
    match target {
        0.0 => format!("SE {:.2} %", error * 100.0),
        _ => format!("SE {:.2} %, target {:.2} %", error * 100.0, target * 100.0),
    }
}

/// "1m12s left", "about 3m left".
fn time_left(left: TimeLeft) -> String {
    match left {
        TimeLeft::AtMost(left) => format!("{} left", format_duration(left)),
        TimeLeft::About(Duration::ZERO) => "almost done".to_owned(),
        TimeLeft::About(left) => format!("about {} left", format_duration(left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_may_be_exceeded() {
        let zero = Duration::ZERO;
        assert_eq!(
            [TimeLeft::About(zero), TimeLeft::AtMost(zero)].map(time_left),
            ["almost done", "0s left"]
        );
    }
}
