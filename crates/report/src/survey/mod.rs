//! A survey on one screen, and as CSV.

mod bandwidth;
mod caches;
mod cell;
mod claimed;
mod claims_checked;
mod classes;
mod core_to_core;
mod core_walk;
mod cost_matrix;
mod csv;
mod derived;
mod diagnosis;
mod effort;
mod footer;
mod glance;
mod grid;
pub(crate) mod headline;
mod hidden;
mod interleave;
mod load_records;
mod loaded;
mod part;
mod parts_csv;
mod shade;
mod store_sweep;
mod unmeasured;
pub(crate) mod verdict;

pub(crate) use claimed::{Claimed, pair};
pub(crate) use grid::Grid;
use nearfar_survey::Survey;

pub use csv::{bandwidth_csv, caches_csv, core_to_core_csv, hidden_csv, interleave_csv, loaded_csv};
pub use derived::Derived;
pub use part::Part;
pub use parts_csv::csv;

/// The one screen: who the machine is, what memory costs, what firmware claims, the verdict, what the system says of itself, what
/// disturbed it. One instrument's document is shown as that instrument shows it; of several, the answers come first.
pub fn text(survey: &Survey) -> String {
    match Part::of(survey)[..] {
        [] | [Part::Latency] | [Part::Latency, Part::Hidden] => join([
            headline::text(survey),
            costs(survey),
            derived::sections(survey),
            hidden::text(survey),
            verdict::text(survey) + &diagnosis::text(survey),
            footer::meaning(survey),
            footer::warnings(survey),
        ]),
        [only] => part_text(survey, only),
        [..] => several(survey),
    }
}

/// Verdict and answers, then each part as far as it goes on a screen.
fn several(survey: &Survey) -> String {
    let parts: Vec<String> = Part::of(survey).into_iter().map(|part| part.in_short(survey)).collect();
    let verdict = match Part::of(survey).contains(&Part::Latency) {
        true => verdict::text(survey) + &diagnosis::text(survey),
        false => diagnosis::text(survey),
    };
    join([
        headline::text(survey),
        verdict,
        glance::text(survey),
        parts.join("\n"),
        derived::sections(survey),
        effort::text(survey),
        footer::meaning(survey),
        footer::warnings(survey),
    ])
}

/// One part with all that it has, and what disturbed it.
pub fn part_text(survey: &Survey, part: Part) -> String {
    join([
        headline::text(survey),
        part.text(survey),
        effort::of(survey, part),
        footer::meaning_of(survey, part),
        footer::warnings_of(survey, part),
    ])
}

/// One part's cells as CSV.
pub fn part_csv(survey: &Survey, part: Part) -> String {
    part.csv(survey)
}

/// One part that no instrument made.
pub fn derived_text(survey: &Survey, part: Derived) -> String {
    join([headline::text(survey), part.text(survey)])
}

/// The same as CSV.
pub fn derived_csv(survey: &Survey, part: Derived) -> String {
    part.csv(survey)
}

/// The cost matrix alone, with what disturbed it: the screen of a single probe.
pub fn matrix_text(survey: &Survey) -> String {
    part_text(survey, Part::Latency)
}

/// Bandwidth alone, with what disturbed it.
pub fn bandwidth_text(survey: &Survey) -> String {
    part_text(survey, Part::Bandwidth)
}

/// Core to core alone, with what disturbed it.
pub fn core_to_core_text(survey: &Survey) -> String {
    part_text(survey, Part::CoreToCore)
}

/// Caches alone, with what disturbed them.
pub fn caches_text(survey: &Survey) -> String {
    part_text(survey, Part::Caches)
}

/// Loaded latency alone, with what disturbed it.
pub fn loaded_text(survey: &Survey) -> String {
    part_text(survey, Part::Loaded)
}

/// Interleaving alone, with what disturbed it.
pub fn interleave_text(survey: &Survey) -> String {
    part_text(survey, Part::Interleave)
}

/// Hidden nodes alone, with what disturbed them.
pub fn hidden_text(survey: &Survey) -> String {
    part_text(survey, Part::Hidden)
}

fn costs(survey: &Survey) -> String {
    match survey.latency.probe.as_str() {
        "core-walk" => core_walk::text(&survey.latency),
        "store-sweep" => matrix(survey) + &store_sweep::seconds(survey),
        _ => matrix(survey),
    }
}

fn matrix(survey: &Survey) -> String {
    cost_matrix::text(&survey.latency, &Claimed::of(&survey.claims))
}

fn join<const N: usize>(parts: [String; N]) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}
