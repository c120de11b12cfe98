//! How long each of several instruments measured, and how well.

use nearfar_model::Instrument;
use nearfar_survey::{InstrumentRun, Survey};
use nearfar_view::terminal::table::{Align, headed};

use nearfar_view::text::or_dash;

/// The table; nothing where one measured alone.
pub(super) fn text(survey: &Survey) -> String {
    table(survey.provenance.instruments.iter())
}

/// That of one of them.
pub(super) fn of(survey: &Survey, part: Instrument) -> String {
    table(survey.provenance.instruments.iter().filter(|run| run.instrument == part.name()))
}

fn table<'r>(runs: impl Iterator<Item = &'r InstrumentRun>) -> String {
    let mut runs = runs.peekable();
    if runs.peek().is_none() {
        return String::new();
    }
    let head = ["", "seconds", "processes", "rounds", "worst error", "aim", "ended by"];
    let table = headed(head, runs.map(line), &[Align::Left, Align::Right]);
    format!("time and precision (standard errors)\n{table}")
}

fn line(run: &InstrumentRun) -> [String; 7] {
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let is_reached = run.standard_error.is_some_and(|error| error <= run.aim);
    [
        run.instrument.clone(),
        format!("{:.1}", run.duration_s),
        run.processes.to_string(),
        run.rounds.to_string(),
        or_dash(run.standard_error.map(percent)),
        percent(run.aim),
        if is_reached { "precise".to_owned() } else { run.stopped.clone() },
    ]
}
