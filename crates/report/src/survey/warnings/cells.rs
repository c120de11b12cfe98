//! Warnings about outliers and bimodal cells.

use nearfar_survey::{
    CellLevels, CellWarning, FillsContradict, MachineSummary, MemoryKind, Outlier, TwoLevels,
};
use nearfar_view::text::percent::share;
use nearfar_view::text::verb_of;

use super::WarningText;
use crate::survey::cell::GB;

/// Rates within this ratio are equal.
const EQUAL: f64 = 1.05;

pub(super) fn text(
    warning: &CellWarning,
    instrument: &str,
    machine: &MachineSummary,
) -> WarningText {
    match warning {
        CellWarning::Outlier(found) => WarningText::with_remedy(
            outlier(found),
            "repeat the survey; if it stays, check the links, DIMMs and clocks of that path",
        ),
        CellWarning::FillsContradict(found) => WarningText::with_remedy(
            contradiction(found),
            match machine.hypervisor {
                Some(_) => "check which host nodes the guest's nodes and CPUs are bound to",
                None => "check memory interleaving in firmware, and 'nearfar diagnose'",
            },
        ),
        CellWarning::TwoLevels(found) => {
            let TwoLevels { fewest_visits, often_visited, with_levels, .. } = found;
            WarningText::with_remedy(
                format!(
                    "{with_levels} of {often_visited} {instrument} cells with {fewest_visits} or \
                     more visits {} bimodal or multimodal. A median shows one mode at most. {}.",
                    verb_of(*with_levels, "are"),
                    levels(found)
                ),
                remedy(found, machine.hypervisor.is_some()),
            )
        }
    }
}

/// Cells whose loads other memory served than the kernel reports.
fn contradiction(found: &FillsContradict) -> String {
    let FillsContradict { cells, judged, row, column, remote_share, events, .. } = found;
    let expected = match found.expected {
        MemoryKind::Local => "local",
        MemoryKind::Remote => "remote",
    };
    format!(
        "The PMU contradicts the placement of memory in {cells} of {judged} cells: loads from \
         {row} to {column} should be {expected}, and {} were remote ({events}).",
        share(*remote_share)
    )
}

/// A cell that differs from the other cells, and its repeated measurement.
fn outlier(cell: &Outlier) -> String {
    let gb = |rate: f64| format!("{:.1}", rate / GB);
    let first = cell.first_bytes_per_s;
    let repeated = match cell.again_bytes_per_s {
        None => "It could not be measured again".to_owned(),
        Some(again) if (again / first).max(first / again) <= EQUAL => {
            format!("New processes confirm it ({})", gb(again))
        }
        Some(again) => format!("New processes measured {}; both count", gb(again)),
    };
    let Outlier { kernel, row, column, .. } = cell;
    let threads = cell.threads.map(|threads| format!(" with {threads} threads each"));
    format!(
        "Outlier: {kernel}{} from {row} to {column} is {} GB/s, {} expected from the other cells. \
         {repeated}.",
        threads.unwrap_or_default(),
        gb(first),
        gb(cell.expected_bytes_per_s)
    )
}

/// "For example, nt-write with 2 threads from node 0 to node 0: about 22.5 GB/s in 10 visits, 43.1
/// in 5", "For example, the handoff between CPU 0 and CPU 1 (home any): about 10.1 ns in 5 visits,
/// 25.2 in 10".
fn levels(found: &TwoLevels) -> String {
    let TwoLevels { row, column, visits: [at_low, at_high], .. } = found;
    match &found.levels {
        CellLevels::Streamed { kernel, threads, bytes_per_s } => {
            let [low, high] = bytes_per_s.map(|rate| rate / GB);
            let plural = if *threads == 1 { "" } else { "s" };
            format!(
                "For example, {kernel} with {threads} thread{plural} from {row} to {column}: about \
                 {low:.1} GB/s in {at_low} visits, {high:.1} in {at_high}"
            )
        }
        CellLevels::Exchanged { state, home, ns: [low, high] } => {
            let what = match state.as_str() {
                "handoff" => format!("the handoff between {row} and {column}"),
                state => format!("{row} loads a line that is {state} in the cache of {column}"),
            };
            format!(
                "For example, {what} (home {home}): about {low:.1} ns in {at_low} visits, \
                 {high:.1} in {at_high}"
            )
        }
    }
}

fn remedy(found: &TwoLevels, is_guest: bool) -> &'static str {
    let is_of_several_cpus = match found.levels {
        CellLevels::Streamed { threads, .. } => threads > 1,
        CellLevels::Exchanged { .. } => true,
    };
    match (found.within_a_process, is_guest, is_of_several_cpus) {
        (false, ..) => "measure again: each process had one level, so its pages may be the cause",
        (true, true, true) => {
            "pin each virtual CPU to a core on the host, or look for another guest that runs from \
             time to time"
        }
        (true, true, false) => "use a dedicated host: another guest may run from time to time",
        (true, false, _) => "look for programs that run from time to time, and for changing clocks",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::survey;
    use super::*;

    #[test]
    fn an_outlier_has_its_repeated_measurement() {
        let text = |again_bytes_per_s| {
            outlier(&Outlier {
                kernel: "read".to_owned(),
                threads: None,
                row: "group 0".to_owned(),
                column: "node 2".to_owned(),
                first_bytes_per_s: 4e9,
                expected_bytes_per_s: 10e9,
                again_bytes_per_s,
            })
        };
        assert_eq!(
            text(Some(9.9e9)),
            "Outlier: read from group 0 to node 2 is 4.0 GB/s, 10.0 expected from the other \
             cells. New processes measured 9.9; both count."
        );
        assert!(text(Some(4.1e9)).contains("New processes confirm it (4.1)"));
        assert!(text(None).contains("could not be measured again"));
    }

    fn two_levels(levels: CellLevels, name: &str, visits: [usize; 2]) -> TwoLevels {
        TwoLevels {
            fewest_visits: 8,
            often_visited: 1,
            with_levels: 1,
            row: format!("{name} 0"),
            column: format!("{name} 0"),
            levels,
            visits,
            within_a_process: true,
        }
    }

    #[test]
    fn both_levels_have_visits_and_units() {
        let (kernel, state, home) = ("read".to_owned(), "handoff".to_owned(), "any".to_owned());
        let streamed = CellLevels::Streamed { kernel, threads: 1, bytes_per_s: [25e9, 51.2e9] };
        let exchanged = CellLevels::Exchanged { state, home, ns: [20.5, 42.0] };
        let streamed = two_levels(streamed, "node", [20, 10]);
        let exchanged = two_levels(exchanged, "CPU", [10, 20]);
        let machine = survey().machine;
        let text = |instrument, found: &TwoLevels| {
            text(&CellWarning::TwoLevels(found.clone()), instrument, &machine).text
        };
        assert_eq!(
            text("bandwidth", &streamed),
            "1 of 1 bandwidth cells with 8 or more visits is bimodal or multimodal. A median shows \
             one mode at most. For example, read with 1 thread from node 0 to node 0: about 25.0 \
             GB/s in 20 visits, 51.2 in 10."
        );
        assert_eq!(
            text("core-to-core", &exchanged),
            "1 of 1 core-to-core cells with 8 or more visits is bimodal or multimodal. A median \
             shows one mode at most. For example, the handoff between CPU 0 and CPU 0 (home any): \
             about 20.5 ns in 10 visits, 42.0 in 20."
        );
        let alone = "one thread shares its link with no other";
        assert!(remedy(&streamed, true).starts_with("use a dedicated host"), "{alone}");
        assert!(remedy(&exchanged, true).starts_with("pin each virtual CPU"));
        assert!(remedy(&exchanged, false).starts_with("look for programs"));
        let apart = TwoLevels { within_a_process: false, ..exchanged };
        assert!(remedy(&apart, true).starts_with("measure again"));
    }
}
