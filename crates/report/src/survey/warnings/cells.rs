//! Warnings of cells whose figure is not all that there is to know.

use nearfar_survey::{CellLevels, CellWarning, Machine, Outlier, TwoLevels};

use super::Told;
use crate::survey::cell::GB;

/// Measurements this near one another say the same.
const SAME: f64 = 1.05;

pub(super) fn told(warning: &CellWarning, instrument: &str, machine: &Machine) -> Told {
    match warning {
        CellWarning::Outlier(stood_out) => Told::new(
            stands_out(stood_out),
            "repeat it; if it stays, look at that path's links, DIMMs and clocks",
        ),
        CellWarning::TwoLevels(found) => {
            let TwoLevels { fewest_visits, often_visited, with_levels, .. } = found;
            Told::new(
                format!(
                    "Of {often_visited} cells of {instrument} that were visited {fewest_visits} \
                     times or more, {with_levels} had two levels or more, of which the figure (a \
                     median) tells one at best: {}.",
                    levels(found)
                ),
                remedy(found, machine.hypervisor.is_some()),
            )
        }
    }
}

/// What came of measuring a cell again.
fn stands_out(cell: &Outlier) -> String {
    let gb = |rate: f64| format!("{:.1}", rate / GB);
    let first = cell.first_bytes_per_s;
    let came = match cell.again_bytes_per_s {
        None => "and could not be measured again".to_owned(),
        Some(again) if (again / first).max(first / again) <= SAME => {
            format!("and does so again in fresh processes ({})", gb(again))
        }
        Some(again) => format!("and fresh processes measured {}: samples of both count", gb(again)),
    };
    let Outlier { kernel, row, column, .. } = cell;
    let threads = cell.threads.map(|threads| format!(" with {threads} threads each"));
    format!(
        "{kernel}{} from {row} to {column} stands out: {} GB/s where the other cells let expect \
         {}, {came}.",
        threads.unwrap_or_default(),
        gb(first),
        gb(cell.expected_bytes_per_s)
    )
}

/// "nt-write of 2 threads from node 0 to node 0 moved about 22.5 GB/s at 10 visits and about 43.1
/// at 5", "handing a line over between CPU 0 and CPU 1 (home any) took about 10.1 ns at 5 visits
/// and about 25.2 at 10".
fn levels(found: &TwoLevels) -> String {
    let TwoLevels { row, column, visits: [at_low, at_high], .. } = found;
    match &found.levels {
        CellLevels::Streamed { kernel, threads, bytes_per_s } => {
            let [low, high] = bytes_per_s.map(|rate| rate / GB);
            let plural = if *threads == 1 { "" } else { "s" };
            format!(
                "{kernel} of {threads} thread{plural} from {row} to {column} moved about {low:.1} \
                 GB/s at {at_low} visits and about {high:.1} at {at_high}"
            )
        }
        CellLevels::Exchanged { state, home, ns: [low, high] } => {
            let what = match state.as_str() {
                "handoff" => format!("handing a line over between {row} and {column}"),
                state => format!("loading on {row} a line that {column} holds {state}"),
            };
            format!(
                "{what} (home {home}) took about {low:.1} ns at {at_low} visits and about \
                 {high:.1} at {at_high}"
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
        (false, ..) => {
            "measure again: each process met one level only, so that the memory it got (its pages, \
             its place) may make them"
        }
        (true, true, true) => {
            "have the host pin each virtual CPU to a core (it may run two now on one core or chip, \
             now on two), or look for a neighbour that comes and goes"
        }
        (true, true, false) => {
            "look for a neighbour that comes and goes: a dedicated host has none"
        }
        (true, false, _) => "look for a program that comes and goes, and for clocks that change",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::survey;
    use super::*;

    #[test]
    fn a_cell_that_stands_out_is_told_with_what_came_of_it() {
        let text = |again_bytes_per_s| {
            stands_out(&Outlier {
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
            "read from group 0 to node 2 stands out: 4.0 GB/s where the other cells let expect \
             10.0, and fresh processes measured 9.9: samples of both count."
        );
        assert!(text(Some(4.1e9)).contains("does so again in fresh processes (4.1)"));
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
    fn both_levels_are_reported_in_the_instruments_unit() {
        let (kernel, state, home) = ("read".to_owned(), "handoff".to_owned(), "any".to_owned());
        let streamed = CellLevels::Streamed { kernel, threads: 1, bytes_per_s: [25e9, 51.2e9] };
        let exchanged = CellLevels::Exchanged { state, home, ns: [20.5, 42.0] };
        let streamed = two_levels(streamed, "node", [20, 10]);
        let exchanged = two_levels(exchanged, "CPU", [10, 20]);
        let machine = survey().machine;
        let told = |instrument, found: &TwoLevels| {
            told(&CellWarning::TwoLevels(found.clone()), instrument, &machine)
        };
        let streamed_told = told("bandwidth", &streamed);
        assert_eq!(
            streamed_told.text,
            "Of 1 cells of bandwidth that were visited 8 times or more, 1 had two levels or more, \
             of which the figure (a median) tells one at best: read of 1 thread from node 0 to \
             node 0 moved about 25.0 GB/s at 20 visits and about 51.2 at 10."
        );
        assert_eq!(
            told("core-to-core", &exchanged).text,
            "Of 1 cells of core-to-core that were visited 8 times or more, 1 had two levels or \
             more, of which the figure (a median) tells one at best: handing a line over between \
             CPU 0 and CPU 0 (home any) took about 20.5 ns at 10 visits and about 42.0 at 20."
        );
        let alone = "one thread shares its link with nobody";
        assert!(remedy(&streamed, true).starts_with("look for a neighbour"), "{alone}");
        assert!(remedy(&exchanged, true).starts_with("have the host pin"));
        assert!(remedy(&exchanged, false).starts_with("look for a program"));
        let apart = TwoLevels { within_a_process: false, ..exchanged };
        assert!(remedy(&apart, true).starts_with("measure again"));
    }
}
