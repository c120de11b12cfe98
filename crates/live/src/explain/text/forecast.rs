//! Forecasts for other placements and other machines, in tables and sentences.

use nearfar_infer::response::{ForecastRefusal, ResponseFigure};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::percent::{change, changes};
use nearfar_view::text::table;
use nearfar_view::text::{paragraph, sections};

use super::labelled;
use crate::explain::{DoseUnit, Forecast, ForecastDocument, ForecastPlacement};

/// The head of doses.
pub(super) fn head(unit: DoseUnit) -> &'static str {
    match unit {
        DoseUnit::Nanoseconds => ">latency",
        DoseUnit::FarShare => ">far memory",
    }
}

/// "144 ns", "50 %".
pub(super) fn dose(dose: f64, unit: DoseUnit) -> String {
    match unit {
        DoseUnit::Nanoseconds => format!("{dose:.0} ns"),
        DoseUnit::FarShare => format!("{:.0} %", 100.0 * dose),
    }
}

/// "+83.2 % (95 % interval +81.0 % to +85.0 %)".
pub(super) fn with_interval(figure: &ResponseFigure) -> String {
    format!("{} (95 % interval {})", change(figure.value), changes(figure.ci95))
}

fn placement(placement: ForecastPlacement) -> &'static str {
    match placement {
        ForecastPlacement::AsFound => "as it was found",
        ForecastPlacement::AllNear => "all near",
        ForecastPlacement::Interleaved => "interleaved over all nodes",
        ForecastPlacement::AllFar => "all far",
    }
}

/// A placement, its latency and the program's time.
pub(super) fn row(one: &Forecast, unit: DoseUnit) -> [String; 4] {
    let mut name = placement(one.placement).to_owned();
    if one.is_extrapolated {
        name += " *";
    }
    let (time, interval) = match &one.change {
        Some(figure) => (change(figure.value), changes(figure.ci95)),
        None => ("-".to_owned(), String::new()),
    };
    [name, dose(one.latency.ns, unit), time, interval]
}

/// Why some have none, and what a star means.
pub(super) fn refusals(all: &[Forecast]) -> String {
    let mut text = String::new();
    if let Some(why) = all.iter().find_map(|one| one.refused) {
        text += &paragraph::of(refusal(why), "", "  ");
    }
    if all.iter().any(|one| one.is_extrapolated && one.change.is_some()) {
        let star = "* beyond the latencies that were measured: the line is assumed to go on.";
        text += &paragraph::of(star, "", "  ");
    }
    text
}

fn refusal(why: ForecastRefusal) -> &'static str {
    match why {
        ForecastRefusal::NoResponse => {
            "No forecast: the response has no slope. Measure it again with more --blocks."
        }
        ForecastRefusal::Bends => {
            "No forecast: the response bends, so that bandwidth may limit it, and the curve of \
             another machine is not known. Measure it there."
        }
        ForecastRefusal::Bandwidth => {
            "No forecast: far memory costs the program more than its latency can. Bandwidth limits \
             it, and that of another machine is not known. Measure it there."
        }
        ForecastRefusal::OutOfRange => {
            "No forecast: the line of the response does not reach this latency."
        }
        ForecastRefusal::NoLatencies => {
            "No forecast: the response was measured without a survey, so that its doses have no \
             latency. Run 'nearfar survey', and measure it again."
        }
    }
}

/// A forecast for another machine.
pub fn forecast_text(document: &ForecastDocument) -> String {
    forecast_screen(document).text()
}

/// What the other machine's near memory costs the program first, its placements below.
pub fn forecast_screen(document: &ForecastDocument) -> Screen {
    let machine = printable::line(&document.machine.name);
    let target = printable::line(&document.target);
    let title = format!("{target} on {machine}: forecast by memory latency alone");
    let mut first = paragraph::of(&title, "", "  ") + &labelled("Forecast", &answer(document));
    if let Some(there) = placed_there(document) {
        first += &labelled("There", &there);
    }
    let line = |one: &Forecast| {
        let [name, latency, time, interval] = row(one, DoseUnit::Nanoseconds);
        let there = one.change_there.map_or_else(String::new, |there| change(there.value));
        [name, latency, time, interval, there]
    };
    let heads = ["placement", ">latency", ">time", "95 % interval", ">there"];
    let placements = table(
        "Time beside near memory where it was measured; and beside near memory there",
        heads,
        document.forecasts.iter().map(line).collect(),
    );
    let rest = sections([refusals(&document.forecasts), limits(document)]);
    let last = paragraph::bold(&format!("{target} on {machine}: {}", answer(document)));
    Screen { first: sections([first, placements]), rest, last }
}

fn answer(document: &ForecastDocument) -> String {
    let Some(near) = document.forecasts.first() else {
        return "No forecast: the other machine has no latencies.".to_owned();
    };
    match (&near.change, near.refused) {
        (Some(figure), _) => format!(
            "With near memory there ({:.0} ns), its time changes by {}.",
            near.latency.ns,
            with_interval(figure)
        ),
        (None, Some(why)) => refusal(why).to_owned(),
        (None, None) => refusal(ForecastRefusal::NoResponse).to_owned(),
    }
}

/// What far memory costs there.
fn placed_there(document: &ForecastDocument) -> Option<String> {
    let far = document.forecasts.iter().find(|one| one.placement == ForecastPlacement::AllFar)?;
    let there = far.change_there?;
    Some(format!(
        "All far ({:.0} ns) instead of near, its time changes by {}.",
        far.latency.ns,
        with_interval(&there)
    ))
}

fn limits(document: &ForecastDocument) -> String {
    let source = printable::line(&document.machine.source);
    let measured = document.measured_on.as_deref().map_or_else(String::new, |on| {
        format!(" The response was measured on {}.", printable::line(on))
    });
    let text = format!(
        "Latencies are those of {source}.{measured} CPUs, caches and bandwidth that differ are no \
         part of a forecast."
    );
    labelled("Limits", &text)
}
