//! A survey on one screen, and as CSV.

mod bandwidth;
mod caches;
mod cell;
mod claimed;
mod core_to_core;
mod core_walk;
mod cost_matrix;
mod csv;
mod diagnosis;
mod footer;
mod grid;
mod headline;
mod hidden;
mod interleave;
mod loaded;
mod shade;
mod store_sweep;
mod verdict;

use claimed::Claimed;
use nearfar_survey::Survey;

pub use csv::{bandwidth_csv, caches_csv, core_to_core_csv, csv, hidden_csv, interleave_csv, loaded_csv};

/// The one screen: who the machine is, what memory costs, what firmware claims, the verdict, what the system says of itself, what
/// disturbed it.
pub fn text(survey: &Survey) -> String {
    join([
        headline::text(survey),
        costs(survey),
        bandwidth::text(survey),
        core_to_core::text(survey),
        caches::text(survey),
        loaded::text(survey),
        interleave::text(survey),
        hidden::text(survey),
        verdict::text(survey) + &diagnosis::text(survey),
        footer::meaning(survey),
        footer::warnings(survey),
    ])
}

/// The cost matrix alone, with what disturbed it: the screen of a single probe.
pub fn matrix_text(survey: &Survey) -> String {
    join([headline::text(survey), costs(survey), footer::meaning(survey), footer::warnings(survey)])
}

/// Bandwidth alone, with what disturbed it.
pub fn bandwidth_text(survey: &Survey) -> String {
    join([headline::text(survey), bandwidth::text(survey), footer::meaning(survey), footer::warnings(survey)])
}

/// Core to core alone, with what disturbed it.
pub fn core_to_core_text(survey: &Survey) -> String {
    join([headline::text(survey), core_to_core::text(survey), footer::meaning(survey), footer::warnings(survey)])
}

/// Caches alone, with what disturbed them.
pub fn caches_text(survey: &Survey) -> String {
    join([headline::text(survey), caches::text(survey), footer::meaning(survey), footer::warnings(survey)])
}

/// Loaded latency alone, with what disturbed it.
pub fn loaded_text(survey: &Survey) -> String {
    join([headline::text(survey), loaded::text(survey), footer::meaning(survey), footer::warnings(survey)])
}

/// Interleaving alone, with what disturbed it.
pub fn interleave_text(survey: &Survey) -> String {
    join([headline::text(survey), interleave::text(survey), footer::meaning(survey), footer::warnings(survey)])
}

/// Hidden nodes alone, with what disturbed them.
pub fn hidden_text(survey: &Survey) -> String {
    join([headline::text(survey), hidden::text(survey), footer::meaning(survey), footer::warnings(survey)])
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
