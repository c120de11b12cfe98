//! A sweep on a page.

use maud::{Markup, html};
use nearfar_sweep::pictures::SweepKind;
use nearfar_sweep::text::figures::{change, four_digits, interval_or_range};
use nearfar_sweep::text::{interrupts, placements, sentences};
use nearfar_sweep::{ConfigurationResult, Sweep, SweepStopReason};
use nearfar_view::text::percent::share;

use super::document::{Origin, SWEEP, download};
use super::figure::figures;
use super::sentence::{sentence, words};
use super::shell::{Section, page};

/// The page.
pub fn sweep(sweep: &Sweep, origin: &Origin) -> String {
    let mut sections = vec![Section::new("answers", "What it found", answers(sweep))];
    sections.extend(SweepKind::ALL.iter().filter_map(|kind| {
        let body = figures(std::iter::once(kind.draw(sweep)?.as_ref()), kind.name());
        Some(Section::new(kind.name(), kind.title(), body))
    }));
    sections.push(Section::new("table", "All configurations", table(sweep)));
    let method = html! { (method(sweep)) (download(sweep, origin, &SWEEP)) };
    sections.push(Section::new("method", "How it was run", method));
    page("Sweep", &head(sweep, origin), &sections)
}

fn head(sweep: &Sweep, origin: &Origin) -> Markup {
    let place = &sweep.machine;
    html! {
        p { code { (words(&sweep.command.join(" "))) } }
        p class="quiet" {
            (words(place.model.as_deref().unwrap_or("unknown processor")))
            " · CPUs " (words(&place.cpus)) " · nodes " (words(&place.nodes))
            @if let Some(kernel) = &place.kernel { " · Linux " (words(kernel)) }
            " · " (sweep.runs()) " runs · " (words(&sweep.started))
        }
        @if let Some(made_from) = &origin.made_from { p class="origin" { (words(made_from)) } }
    }
}

fn answers(sweep: &Sweep) -> Markup {
    html! {
        @for one in sentences(sweep) { p { (sentence(&one)) } }
        @if let Some(line) = &sweep.answers.run_line {
            p { "The line to use: " code { (words(line)) } }
        }
        @for one in &sweep.unavailable {
            p class="note" {
                (words(&one.placement)) " is unavailable here: "
                (words(&placements::sentence(one)))
            }
        }
    }
}

fn table(sweep: &Sweep) -> Markup {
    const COLUMNS: [&str; 7] =
        ["configuration", "median", "95 % interval", "spread", "runs", "failed", "to the first"];
    html! {
        div class="drawing" {
            table {
                thead { tr { @for name in COLUMNS { th scope="col" { (name) } } } }
                tbody {
                    @for (at, one) in sweep.configurations.iter().enumerate() {
                        (row(sweep, at, one))
                    }
                }
            }
        }
        p class="note" { "?: not significant at 5 %, over all pairs of configurations." }
    }
}

fn row(sweep: &Sweep, at: usize, one: &ConfigurationResult) -> Markup {
    let id = &one.configuration.id;
    let against = sweep.answers.difference_to_default.get(id).map_or_else(
        || if at == 0 { "the reference".to_owned() } else { "–".to_owned() },
        |compared| change(compared.ratio, compared.real),
    );
    let or_dash = |figure: Option<String>| figure.unwrap_or_else(|| "–".to_owned());
    html! {
        tr {
            th scope="row" { (words(id)) }
            td { (or_dash(one.median.map(four_digits))) }
            td { (or_dash(interval_or_range(one))) }
            td { (or_dash(one.cv.map(share))) }
            td { (one.configuration.runs.len()) }
            td { (one.failed) }
            td { (against) }
        }
    }
}

const fn stop_reason(reason: SweepStopReason) -> &'static str {
    match reason {
        SweepStopReason::Precise => "all medians were precise enough",
        SweepStopReason::RunLimit => "the limit of runs",
        SweepStopReason::TimeLimit => "the time limit",
        SweepStopReason::Interrupted => "the user",
        SweepStopReason::NothingRuns => "the first runs: no configuration succeeded",
    }
}

fn method(sweep: &Sweep) -> Markup {
    let settings = &sweep.settings;
    let facts = [
        ("nearfar", Some(sweep.version.clone())),
        ("began", Some(sweep.started.clone())),
        ("judged by", Some(sweep.objective.words())),
        ("placements", Some(sweep.axes.placements.join(", "))),
        ("placements chosen by", sweep.axes.placements_from.as_ref().map(placements::chosen_by)),
        ("interrupts", sweep.interrupts.as_ref().map(interrupts::device)),
        ("before each run", settings.prepare.clone()),
        ("after each run", settings.cleanup.clone()),
        ("warm-up runs", Some(settings.warmup.to_string())),
        ("timeout", settings.timeout_s.map(|seconds| format!("{seconds} s"))),
        ("order", Some("blocks: each runs every configuration once, in random order".to_owned())),
        ("seed", Some(sweep.seed.to_string())),
        ("ended by", sweep.stopped.map(stop_reason).map(str::to_owned)),
    ];
    html! {
        dl {
            @for (name, value) in facts {
                @if let Some(value) = value { dt { (name) } dd { (sentence(&value)) } }
            }
        }
    }
}
