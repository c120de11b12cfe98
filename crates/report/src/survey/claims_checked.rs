//! Claims against measurements: the share of each table that holds, the cells that do not, and the
//! findings.

use nearfar_infer::claims::{CellCheck, ClaimCheck, ClaimKind, PairCounts};
use nearfar_survey::ClaimsMeasured;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::count;
use nearfar_view::text::csv_text::under;
use nearfar_view::text::or_empty;
use nearfar_view::text::paragraph;

use super::Verbosity;
use super::cell::GB;
use crate::claim_findings::sentence;

/// Cells listed of a table.
const MAX_CELLS: usize = 64;

/// How much of the first table holds.
pub(super) fn answer(claims: &ClaimsMeasured) -> Option<String> {
    let check = claims.checks.first()?;
    Some(format!("{}: {}", table_name(check.kind), of_cells(check)))
}

/// A paragraph for each table.
pub(super) fn sections(claims: &ClaimsMeasured, verbosity: Verbosity) -> Vec<String> {
    claims.checks.iter().map(|one| check(one, verbosity)).collect()
}

fn check(check: &ClaimCheck, verbosity: Verbosity) -> String {
    let table = table_name(check.kind);
    let findings = check.contradictions();
    let findings = findings.map(|wrong| paragraph::remark(&sentence(&wrong, verbosity)));
    paragraph::of(&summary(check, verbosity), &format!("{table}: "), "  ")
        + &findings.collect::<String>()
        + &cells(check)
}

const fn table_name(kind: ClaimKind) -> &'static str {
    match kind {
        ClaimKind::Slit => "SLIT, ratio to local memory",
        ClaimKind::HmatLatency => "HMAT, read ns",
        ClaimKind::HmatBandwidth => "HMAT, read GB/s",
    }
}

/// "40 of 56 cells are within -20 to +25 % of the claim, 8 are not, 8 undetermined".
fn of_cells(check: &ClaimCheck) -> String {
    let number =
        |agrees: Option<bool>| check.cells.iter().filter(|cell| cell.agrees == agrees).count();
    let [agree, not, open] = [Some(true), Some(false), None].map(number);
    let cells = count(check.cells.len(), "cell");
    let [low, high] = check.kind.tolerance().map(|factor| 100.0 * (factor - 1.0));
    let within = format!("within {low:.0} to {high:+.0} % of the claim");
    format!("{agree} of {cells} {within}, {not} outside, {open} undetermined")
}

/// The same, with pairs; the rank of the order is evidence.
fn summary(check: &ClaimCheck, verbosity: Verbosity) -> String {
    let mut parts = vec![of_cells(check)];
    let tally = |claimed: &str, tally: &PairCounts| {
        let all = tally.confirmed.saturating_add(tally.refuted).saturating_add(tally.open);
        (all > 0).then(|| {
            format!(
                "two cells {claimed}: {} of {} right, {} wrong, {} undetermined",
                tally.confirmed,
                count(all, "comparison"),
                tally.refuted,
                tally.open
            )
        })
    };
    parts.extend(tally("claimed equal", &check.equal));
    parts.extend(tally("claimed in order", &check.ordered));
    let rank = check.rank.as_ref().filter(|_| verbosity == Verbosity::Verbose);
    parts.extend(rank.map(|rank| {
        let p = or_empty(rank.p.map(|p| format!(" (p = {p:.3})")));
        format!("order: Kendall's tau {:.2}{p}", rank.tau)
    }));
    parts.join("; ")
}

/// The cells, those that do not hold first.
fn cells(check: &ClaimCheck) -> String {
    let mut listed: Vec<&CellCheck> = check.cells.iter().collect();
    listed.sort_by_key(|cell| cell.agrees.map_or(1, |agrees| 2 * u8::from(agrees)));
    if listed.is_empty() {
        return String::new();
    }
    let (unit, decimals) = match check.kind {
        ClaimKind::Slit => (1.0, 2),
        ClaimKind::HmatBandwidth => (GB, 1),
        ClaimKind::HmatLatency => (1.0, 0),
    };
    let figure = |figure: f64| format!("{:.decimals$}", figure / unit);
    let lines = listed.iter().take(MAX_CELLS).map(|cell| {
        let agrees =
            cell.agrees.map_or("undetermined", |agrees| if agrees { "within" } else { "outside" });
        [
            format!("node {}", cell.cpu_node),
            format!("node {}", cell.memory_node),
            figure(cell.claimed),
            figure(cell.measured),
            format!("{} to {}", figure(cell.ci95[0]), figure(cell.ci95[1])),
            agrees.to_owned(),
        ]
    });
    let head = ["CPUs of", "memory of", "claimed", "measured", "95 %", ""];
    let aligns = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
    let more = listed.len().saturating_sub(MAX_CELLS);
    let rest = if more > 0 { format!("and {more} more: --csv has all\n") } else { String::new() };
    headed(head, lines, &aligns) + &rest
}

/// A record for each cell of each table.
pub(super) fn csv(claims: &ClaimsMeasured) -> String {
    let record = |check: &ClaimCheck, cell: &CellCheck| {
        let nodes = [cell.cpu_node, cell.memory_node].map(|node| node.to_string());
        let figures = [cell.claimed, cell.measured, cell.ci95[0], cell.ci95[1]]
            .map(|figure| figure.to_string());
        [&[check.kind.name().to_owned()][..], &nodes, &figures, &[or_empty(cell.agrees)]].concat()
    };
    let records = claims
        .checks
        .iter()
        .flat_map(|check| check.cells.iter().map(move |cell| record(check, cell)));
    under("claim,cpu_node,memory_node,claimed,measured,ci95_low,ci95_high,agrees", records)
}

#[cfg(test)]
mod tests {
    use nearfar_infer::claims::ClaimFinding;

    use super::*;

    fn cell(memory_node: u32, claimed: f64, measured: f64, agrees: Option<bool>) -> CellCheck {
        CellCheck {
            cpu_node: 0,
            memory_node,
            claimed,
            measured,
            ci95: [0.9 * measured, 1.1 * measured],
            agrees,
        }
    }

    fn bandwidth() -> ClaimsMeasured {
        let cells = vec![
            cell(0, 100e9, 95e9, Some(true)),
            cell(1, 60e9, 18e9, Some(false)),
            cell(2, 60e9, 50e9, None),
        ];
        let check = ClaimCheck {
            kind: ClaimKind::HmatBandwidth,
            cells,
            equal: PairCounts { refuted: 1, ..PairCounts::default() },
            ordered: PairCounts::default(),
            rank: None,
            findings: vec![ClaimFinding::NoPathClaimed { cpus: 0, memory: 1 }],
            strengths: vec![1.2],
            placements: vec![],
        };
        ClaimsMeasured { checks: vec![check] }
    }

    #[test]
    fn cells_that_do_not_hold_come_first() {
        let wanted = "\
HMAT, read GB/s: 1 of 3 cells within -25 to +25 % of the claim, 1 outside, 1 undetermined; two cells
  claimed equal: 0 of 1 comparison right, 1 wrong, 0 undetermined
-  HMAT claims that node 0 cannot reach the memory of node 1, but it can.
CPUs of  memory of  claimed  measured           95 %
node 0   node 1        60.0      18.0   16.2 to 19.8  outside
node 0   node 2        60.0      50.0   45.0 to 55.0  undetermined
node 0   node 0       100.0      95.0  85.5 to 104.5  within
";
        assert_eq!(sections(&bandwidth(), Verbosity::Brief).concat(), wanted);
        let csv = csv(&bandwidth());
        assert!(
            csv.lines().nth(2).unwrap().starts_with("hmat-bandwidth,0,1,60000000000,18000000000,"),
            "{csv}"
        );
    }
}
