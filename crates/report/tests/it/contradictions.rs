//! No figure of a screen contradicts another: each sentence of the answer has the figures of the
//! cells that it names.

use std::path::Path;

use nearfar_model::Instrument;
use nearfar_report::survey::{Derived, Verbosity, derived_text, part_text, text};
use nearfar_survey::{PrecisionWarning, Survey, Warning, WarningKind};
use nearfar_view::terminal::width;

use crate::screens::plain;

fn document(name: &str) -> Survey {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery/documents");
    nearfar_survey::read(&folder.join(format!("{name}.json"))).unwrap()
}

fn screen(survey: &Survey) -> String {
    width::with(100, || plain(&text(survey, Verbosity::Brief).text()))
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The largest ratio of two cells of a row.
fn largest_ratio(survey: &Survey) -> f64 {
    let matrix = &survey.latency;
    let of_row = |row: usize| {
        let cells = (0..matrix.columns.len()).filter_map(|column| matrix.cell(row, column)?.median);
        let ends = cells.fold([f64::INFINITY, 0.0], |[low, high], ns| [low.min(ns), ns.max(high)]);
        ends[1] / ends[0]
    };
    (0..matrix.rows.len()).map(of_row).fold(0.0, f64::max)
}

#[test]
fn the_verdict_names_its_cells_with_the_ratio_of_the_matrix() {
    let answer = words(&screen(&document("atlas-half-populated")));
    let expected = "NUMA: yes. From CPUs of node 1, memory of node 0 has 1.92 times the latency of \
                    local memory (1.91 to 1.93).";
    assert!(answer.contains(expected), "{answer}");
    assert!(answer.contains("remote/local 1.78 to 1.92;"), "{answer}");
    for name in ["atlas-healthy", "atlas-half-populated", "lab-epyc-7451-2p", "lab-xeon-2s-after"] {
        let survey = document(name);
        let answer = words(&screen(&survey));
        let ratio = format!(" has {:.2} times the latency of local memory", largest_ratio(&survey));
        assert!(answer.contains("From CPUs of node ") && answer.contains(&ratio), "{answer}");
    }
}

#[test]
fn a_verdict_of_other_cells_names_none() {
    let mut survey = document("atlas-healthy");
    survey.verdict.effect = Some(0.9);
    let answer = words(&screen(&survey));
    assert!(answer.contains("the slowest memory has 1.90 times"), "{answer}");
    assert!(!answer.contains("From CPUs of node"), "{answer}");
}

#[test]
fn hidden_nodes_have_their_table_below_the_verdict() {
    let text = screen(&document("lab-hidden-2n"));
    let answer = words(&text);
    let expected = "From CPUs 2-3, hidden node 0 has 1.49 times the latency of hidden node 1";
    assert!(answer.contains(expected), "{answer}");
    let [kinds, pages] = ["latency by hidden node, ns", "latency, ns (median"]
        .map(|title| text.find(title).unwrap_or_else(|| panic!("{title} is missing: {text}")));
    assert!(kinds < pages, "{text}");
    assert!(!text.contains("kind 0"), "{text}");
}

#[test]
fn latency_under_load_has_the_traffic_of_its_own_point() {
    let survey = document("this-machine");
    let of_part = part_text(&survey, Instrument::Loaded, Verbosity::Brief);
    let text = words(&plain(&of_part.text()));
    assert!(text.contains("152 ns at 21.2 GB/s"), "{text}");
    assert!(text.contains("0 21.18 152 ±18"), "no such point: {text}");
}

#[test]
fn one_cause_has_one_name_on_all_screens() {
    let survey = document("this-machine");
    let (all, part) = (screen(&survey), part_text(&survey, Instrument::Loaded, Verbosity::Brief));
    let cause = "The hypervisor moved or stopped the CPUs";
    assert!(all.contains(cause) && plain(&part.text()).contains(cause), "{all}");
    assert!(!all.contains("Firmware or the kernel stopped"), "{all}");
    assert!(all.contains("KVM guest: 1 node;"), "{all}");
}

#[test]
fn claims_have_their_tolerance_and_all_comparisons() {
    let survey = document("lab-epyc-7451-2p");
    let text = derived_text(&survey, Derived::Claims, Verbosity::Brief);
    let text = words(&plain(&text.text()));
    let expected = "56 of 56 cells within -20 to +25 % of the claim, 0 outside, 0 undetermined; \
                    two cells claimed equal: 48 of 72 comparisons right, 22 wrong, 2 undetermined";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn every_check_beside_the_atlas_has_its_outcome() {
    let text = screen(&document("atlas-half-populated"));
    let section = text.split("Published figures\n").nth(1).unwrap();
    let section = section.split("\n\n").next().unwrap();
    let starts = ["  unusual: ", "  usual: ", "  not judged: ", "  symmetric: "];
    let lines = section.lines().filter(|line| !line.starts_with("    "));
    assert!(lines.clone().all(|line| starts.iter().any(|start| line.starts_with(start))), "{text}");
    assert_eq!(lines.count(), 6, "{text}");
    assert!(words(section).contains("4 sources: MLC, MLC random)"), "{section}");
    let to_do = words(&text);
    assert!(to_do.contains("What to do 1 Compare the memory modules of nodes 1 and 0"), "{to_do}");
}

#[test]
fn imprecise_latencies_and_rates_of_one_instrument_are_one_warning() {
    let survey = document("h200");
    let imprecise = |warning: &&Warning| {
        matches!(warning.kind, WarningKind::Precision(PrecisionWarning::NotPrecise { .. }))
    };
    assert_eq!(survey.warnings.iter().filter(imprecise).count(), 2);
    let text = screen(&survey);
    assert!(text.contains("8 of 11 gpu cells have wider intervals"), "{text}");
    assert!(!text.contains("2 of 5 gpu cells") && !text.contains("6 of 6 gpu cells"), "{text}");
}

/// Cells of the quiet columns differ less than each of them drifts.
#[test]
fn wide_cells_beside_a_narrow_verdict_are_explained() {
    let answer = words(&screen(&document("this-machine")));
    assert!(answer.contains("at most 3.6 %"), "{answer}");
    assert!(answer.contains("± includes drift that all columns of a row share."), "{answer}");
}
