//! What remote memory costs a program, in sentences.

use std::fmt::Write as _;

use nearfar_infer::response::{
    DosePoint, LatencyRange, RESPONSE_FLOOR, Response, ResponseFigure, ResponseVerdict,
};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::csv_text::{CsvColumn, rows_text};
use nearfar_view::text::percent::{change, percent, share};
use nearfar_view::text::sections;
use nearfar_view::text::table;
use nearfar_view::text::{count, count_of, paragraph};

use super::forecast::with_interval;
use super::moved::{MovedBetween, cost, nodes};
use super::obstacles::obstacle;
use super::trial::{after, metric};
use super::{forecast, labelled};
use crate::explain::{
    DOSES, DosePlacement, DoseUnit, ResponseDocument, ResponsePeriod, SurveyUsed,
};

/// Doses that differ by less are one.
const SAME: f64 = 1e-6;

/// All of it, as it goes into a file.
pub fn response_text(document: &ResponseDocument) -> String {
    response_screen(document).text()
}

/// The verdict and the slope first, then the doses and other placements; the verdict last.
pub fn response_screen(document: &ResponseDocument) -> Screen {
    let title = paragraph::of(&title(document), "", "  ");
    let mut first = title + &labelled("Verdict", &verdict(document));
    first += &now(document).map(|one| labelled("Now", &one)).unwrap_or_default();
    first += &slope(document).map(|one| labelled("Slope", &one)).unwrap_or_default();
    first += &bend(&document.response).map(|one| labelled("Bend", &one)).unwrap_or_default();
    let limit = bandwidth(&document.response);
    first += &limit.map(|one| labelled("Limit", &one)).unwrap_or_default();
    let here = table(
        "What placements cost on this machine",
        ["placement", forecast::head(document.unit), ">time", "95 % interval"],
        placement_rows(document),
    );
    let first = sections([first, doses(document), here]);
    let rest = sections([forecast::refusals(&document.forecasts), remarks(document)]);
    let last = paragraph::bold(&format!("{}: {}", named(document), verdict(document)));
    Screen { first, rest, last }
}

/// The sentences that answer, one each.
pub fn response_answers(document: &ResponseDocument) -> Vec<String> {
    let found = &document.response;
    let more = [now(document), slope(document), bend(found), bandwidth(found)];
    [Some(verdict(document))].into_iter().chain(more).flatten().collect()
}

/// How it was measured, and what it cost.
pub fn response_method(document: &ResponseDocument) -> Vec<String> {
    let survey = document.survey.as_ref().map(survey);
    if document.is_of_runs() {
        return [figures_of_runs(document)].into_iter().chain(survey).collect();
    }
    let all = [
        Some(figures(document)),
        Some(cost(&document.moving)),
        Some(nodes(&of_response(document))),
        survey,
    ];
    all.into_iter().flatten().collect()
}

/// The columns of [`placement_rows`].
pub const PLACEMENT_COLUMNS: [&str; 4] = ["placement", "latency", "time", "95 % interval"];

/// What other placements cost on this machine.
pub fn placement_rows(document: &ResponseDocument) -> Vec<[String; 4]> {
    document.forecasts.iter().map(|one| forecast::row(one, document.unit)).collect()
}

/// "postgres (process 4242)", or the name of a group.
fn named(document: &ResponseDocument) -> String {
    match &document.nodes[..] {
        _ if document.is_of_runs() => printable::line(&document.target).into_owned(),
        [one] => format!("{} (process {})", printable::line(&one.name), one.pid),
        all => {
            format!("{} ({})", printable::line(&document.target), count(all.len(), "process"))
        }
    }
}

fn title(document: &ResponseDocument) -> String {
    let near_and_far = match document.unit {
        DoseUnit::Nanoseconds => {
            format!(": near memory {}, far {}", ns(&document.near), ns(&document.far))
        }
        DoseUnit::FarShare => String::new(),
    };
    format!("{}, response to far memory{near_and_far}", named(document))
}

fn ns(latency: &LatencyRange) -> String {
    format!("{:.0} ns", latency.ns)
}

/// Whether memory's place matters, and by how much.
pub(super) fn verdict(document: &ResponseDocument) -> String {
    let found = &document.response;
    let Some(effect) = &found.effect else { return no_result(document) };
    let time = with_interval(effect);
    match found.verdict {
        ResponseVerdict::Matters => {
            format!("Memory's place matters: with all memory far, its time changes by {time}.")
        }
        ResponseVerdict::DoesNotMatter => format!(
            "Memory's place does not matter: with all memory far, its time changes by {} at most.",
            percent(found.at_most.unwrap_or(0.0))
        ),
        ResponseVerdict::TooNoisy => {
            let wanted = found.blocks_wanted().map_or_else(String::new, |blocks| {
                match document.is_of_runs() {
                    true => format!(" About {blocks} --runs would decide."),
                    false => {
                        format!(" About {blocks} --blocks, or a longer --period, would decide.")
                    }
                }
            });
            format!("Undetermined: with all memory far, its time changes by {time}.{wanted}")
        }
        ResponseVerdict::TooFewBlocks | ResponseVerdict::SameDose => no_result(document),
    }
}

/// What is to be gained beside where pages were found.
fn now(document: &ResponseDocument) -> Option<String> {
    let time = document.time_as_found?;
    let gain = |time: f64| 1.0 / time - 1.0;
    let [low, high] = [gain(time.ci95[1]), gain(time.ci95[0])];
    let figure = ResponseFigure { value: gain(time.value), ci95: [low, high] };
    let is_of_runs = document.is_of_runs();
    let answer = if -RESPONSE_FLOOR < low && high < RESPONSE_FLOOR {
        "Nothing to gain"
    } else if high < 0.0 {
        if is_of_runs {
            "Something is lost unbound"
        } else {
            "Something is lost as its memory is now"
        }
    } else if low > 0.0 {
        if is_of_runs { "It is faster unbound" } else { "It is faster as its memory is now" }
    } else {
        "Whether something is lost is not sure"
    };
    let near = match document.placements.first() {
        Some(near) => format!("bound to near memory ({})", printable::line(&near.words)),
        None => "with all memory near".to_owned(),
    };
    Some(format!("{answer}: {near}, its time changes by {}.", with_interval(&figure)))
}

fn no_result(document: &ResponseDocument) -> String {
    if document.is_of_runs() {
        return "No result: fewer than three blocks have two doses whose runs succeeded. Give more \
                --runs."
            .to_owned();
    }
    if document.response.verdict != ResponseVerdict::SameDose {
        return "No result: fewer than three blocks have two doses that count. Give more --blocks, \
                or a longer --period."
            .to_owned();
    }
    let shares = || document.periods.iter().map(|period| period.far_share);
    let (least, most) = (shares().fold(1.0, f64::min), shares().fold(0.0, f64::max));
    format!(
        "No result: {} to {} of its memory was far, which is too little of a difference. The rest \
         is shared with other processes, pinned, or new.",
        share(least),
        share(most)
    )
}

fn slope(document: &ResponseDocument) -> Option<String> {
    let found = &document.response;
    let slope = found.slope.filter(|_| found.verdict == ResponseVerdict::Matters)?;
    let (per_cent, each) = match document.unit {
        DoseUnit::Nanoseconds => (100.0, "ns of latency"),
        DoseUnit::FarShare => (1.0, "per cent of far memory"),
    };
    // Three digits of the slope, and as many decimals of its interval.
    let size = (per_cent * slope.value).abs().max(1e-6).log10().floor() as i32;
    let decimals = usize::try_from(2 - size).unwrap_or(0);
    let shown = |value: f64| format!("{:+.decimals$} %", per_cent * value);
    let [low, high] = slope.ci95.map(shown);
    Some(format!(
        "Each added {each} changes its time by {} ({low} to {high}) of that with near memory.",
        shown(slope.value)
    ))
}

fn bend(found: &Response) -> Option<String> {
    let bend = found.bend.filter(|_| found.bends)?;
    Some(format!(
        "It bends: half far, its time is {} off the straight line. Bandwidth, or few hot pages, \
         may be the reason. The slope holds for no other machine.",
        with_interval(&bend)
    ))
}

/// Latency alone does not explain it.
fn bandwidth(found: &Response) -> Option<String> {
    let most = found.highest / found.lowest - 1.0;
    found.exceeds_latency().then(|| {
        format!(
            "Far memory costs it more than latency can ({} at most). Bandwidth limits it, too: the \
             slope holds for no other machine.",
            change(most)
        )
    })
}

/// The relative time at each dose.
fn doses(document: &ResponseDocument) -> String {
    let unit = document.unit;
    if document.is_of_runs() {
        return doses_of_runs(document);
    }
    let line = |(at, wanted): (usize, &u32)| {
        let point = document.points.get(at)?;
        Some([
            format!("{wanted} %"),
            forecast::dose(point.dose, unit),
            format!("{:.3}", point.time.value),
            format!("{:.3} to {:.3}", point.time.ci95[0], point.time.ci95[1]),
            point.periods.to_string(),
        ])
    };
    if document.points.len() != DOSES.len() {
        return String::new();
    }
    table(
        "Doses: fresh random subsets of its pages on the far node",
        [">far", forecast::head(unit), ">relative time", "95 % interval", ">periods"],
        DOSES.iter().enumerate().filter_map(line).collect(),
    )
}

/// The relative time of each placement.
fn doses_of_runs(document: &ResponseDocument) -> String {
    let unit = document.unit;
    let line = |point: &DosePoint| {
        let is_it = |placement: &&DosePlacement| (placement.dose - point.dose).abs() < SAME;
        let placement = document.placements.iter().find(is_it)?;
        Some([
            printable::line(&placement.words).into_owned(),
            forecast::dose(point.dose, unit),
            format!("{:.3}", point.time.value),
            format!("{:.3} to {:.3}", point.time.ci95[0], point.time.ci95[1]),
            point.periods.to_string(),
        ])
    };
    table(
        "Doses: placements at the program's start",
        ["nearfar run", forecast::head(unit), ">relative time", "95 % interval", ">runs"],
        document.points.iter().filter_map(line).collect(),
    )
}

/// How it was measured, what it cost, and what was left as it was.
fn remarks(document: &ResponseDocument) -> String {
    if document.is_of_runs() {
        let survey = document.survey.as_ref().map(|used| labelled("Survey", &survey(used)));
        return labelled("Figures", &figures_of_runs(document)) + &survey.unwrap_or_default();
    }
    let mut text =
        labelled("Figures", &figures(document)) + &labelled("Cost", &cost(&document.moving));
    text += &labelled("Nodes", &nodes(&of_response(document)));
    if let Some(used) = &document.survey {
        text += &labelled("Survey", &survey(used));
    }
    text += &labelled("After", &after(&document.processes));
    for process in &document.nodes {
        for one in &process.obstacles {
            text += &paragraph::of(&(obstacle(process.pid, one) + "."), "  !  ", "     ");
        }
    }
    text
}

fn survey(used: &SurveyUsed) -> String {
    let (file, started) = (printable::line(&used.file), printable::line(&used.started));
    format!("Latencies are of {started} ({file}).")
}

fn figures_of_runs(document: &ResponseDocument) -> String {
    let failed = document.periods.iter().filter(|period| period.dropped.is_some()).count();
    let mut measured = format!(
        "{}: {} runs in blocks of {} doses and one without a placement, in random order.",
        printable::line(&document.metric.name),
        document.periods.len(),
        document.placements.len()
    );
    if failed > 0 {
        let _ = write!(measured, " {failed} failed, and do not count.");
    }
    measured
}

fn figures(document: &ResponseDocument) -> String {
    let blocks = document.periods.iter().map(|period| period.block + 1).max().unwrap_or(0);
    let dropped = document.periods.iter().filter(|period| period.dropped.is_some()).count();
    let mut measured = format!(
        "{}: {blocks} blocks of {} doses and the pages as they were found, in random order, {} s \
         each.",
        metric(&document.metric),
        DOSES.len(),
        document.period_s
    );
    if dropped > 0 {
        let _ = write!(
            measured,
            " {} not count: without a figure or a dose, or something else moved pages.",
            count_of(dropped, document.periods.len(), "period", "do")
        );
    }
    measured
}

/// The periods as CSV.
pub fn response_csv(document: &ResponseDocument) -> String {
    fn number(value: Option<f64>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    const COLUMNS: [CsvColumn<ResponsePeriod>; 7] = [
        ("block", |period| period.block.to_string()),
        ("wanted_far_percent", |period| {
            period.wanted.map_or_else(|| "as found".to_owned(), |wanted| wanted.to_string())
        }),
        ("far_share", |period| period.far_share.to_string()),
        ("dose", |period| number(period.dose)),
        ("figure", |period| number(period.figure)),
        ("counts", |period| u8::from(period.dropped.is_none()).to_string()),
        ("moving_s", |period| period.moving_s.to_string()),
    ];
    rows_text(&COLUMNS, document.periods.iter().cloned())
}

fn of_response(document: &ResponseDocument) -> MovedBetween<'_> {
    MovedBetween {
        nodes: &document.nodes,
        unit: document.moved_together,
        balancing_was_off: document.balancing_was_off,
        started_meanwhile: document.started_meanwhile,
    }
}
