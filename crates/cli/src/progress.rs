//! Progress of long work: on stderr, on terminals only.

use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use nearfar_sweep::Progress;

/// When everything will have ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Left {
    /// By a budget: surely.
    Until(Instant),
    /// By what such work takes.
    About(Instant),
}

impl Left {
    /// "1m12s left", "about 3m left".
    fn text(self) -> String {
        match self {
            Self::Until(end) => format!("{} left", spell(end.saturating_duration_since(Instant::now()))),
            Self::About(end) => match end.saturating_duration_since(Instant::now()) {
                Duration::ZERO => "a little longer".to_owned(),
                left => format!("about {} left", spell(left)),
            },
        }
    }
}

/// "45s", "1m40s", "1h30m": a second more where it is not whole.
pub(crate) fn spell(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, _) => format!("{rest}s"),
        (0, _, 0) => format!("{minutes}m"),
        (0, ..) => format!("{minutes}m{rest:02}s"),
        (_, 0, _) => format!("{hours}h"),
        _ => format!("{hours}h{minutes:02}m"),
    }
}

/// Has a bar move while nothing happens. That takes a thread: none where nobody looks, nor where none
/// can be had (`pids.max`), since the bar's own code panics then.
fn keep_moving(bar: &ProgressBar) {
    let has_thread = || thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok());
    if !bar.is_hidden() && has_thread() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

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
        keep_moving(&bar);
        Self(bar)
    }

    /// A bar over pairs of CPUs, of which nobody knows beforehand how many it will be.
    pub(crate) fn of_pairs() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("core to core {bar:20} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        keep_moving(&bar);
        Self(bar)
    }

    /// How far it is: pairs measured before, and samples of those that are being measured.
    pub(crate) fn pairs(&self, before: usize, samples: usize, wanted: usize, left: Option<Left>) {
        self.0.set_length(wanted as u64);
        self.0.set_position(samples as u64);
        let done = format!("{before} pairs measured, {samples} of {wanted} samples of the next");
        self.say(vec![done], left);
    }

    /// How far it is: rounds done, and the worst standard error where it is known.
    pub(crate) fn at(&self, rounds: u32, worst_standard_error: Option<f64>, aim: f64, left: Option<Left>) {
        self.0.set_position(u64::from(rounds));
        let precision = |worst| match aim {
            0.0 => format!("SE {:.2} %", worst * 100.0),
            _ => format!("SE {:.2} %, aim {:.2} %", worst * 100.0, aim * 100.0),
        };
        self.say(worst_standard_error.map(precision).into_iter().collect(), left);
    }

    /// The time that is left comes first: terminals cut the end.
    fn say(&self, words: Vec<String>, left: Option<Left>) {
        let words: Vec<String> = left.map(Left::text).into_iter().chain(words).collect();
        if !words.is_empty() {
            self.0.set_message(words.join(", "));
        }
    }
}

/// A bar over the runs of a sweep.
pub(crate) struct RunBar(ProgressBar);

impl RunBar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("block {pos} of at most {len} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        keep_moving(&bar);
        Self(bar)
    }

    pub(crate) fn warming_up(&self) {
        self.0.set_message("warming up");
    }

    /// What runs next, and the time that is left.
    pub(crate) fn at(&self, progress: &Progress<'_>) {
        self.0.set_length(u64::from(progress.most_blocks));
        self.0.set_position(u64::from(progress.block));
        let left = progress.left.map(|left| format!("at most {} left", spell(left)));
        let done = format!("{} runs done", progress.runs);
        let next = progress.next.map(|next| format!("next {next}"));
        self.0.set_message([left, Some(done), next].into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
}

impl Drop for RunBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spelt_in_two_units_at_most() {
        let spelt = |seconds: f64| spell(Duration::from_secs_f64(seconds));
        assert_eq!(
            [0.2, 45.0, 60.0, 61.5, 100.0, 3600.0, 5400.0].map(spelt),
            ["1s", "45s", "1m", "1m02s", "1m40s", "1h", "1h30m"]
        );
    }

    #[test]
    fn time_that_is_told_by_experience_may_be_over() {
        let past = Instant::now();
        assert_eq!(
            (Left::About(past).text().as_str(), Left::Until(past).text().as_str()),
            ("a little longer", "0s left")
        );
    }
}
