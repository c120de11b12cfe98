//! Claims against measurements: how much of each table holds, the cells that do not, and what is wrong.

use nearfar_survey::{CheckedCell, CheckedClaim, ClaimsMeasured, Confirmed};

use crate::paragraph;
use crate::printable::line;
use crate::table::{Align, Table};

/// Cells listed of a table.
const MOST_CELLS: usize = 64;

/// A paragraph for each table.
pub(super) fn text(told: &ClaimsMeasured) -> String {
    told.checks.iter().map(check).collect::<Vec<_>>().join("\n")
}

fn check(check: &CheckedClaim) -> String {
    let table = table_name(&check.claim);
    let mut text = paragraph::of(&summary(check), &format!("{}: ", line(table)), "  ");
    text += &cells(check);
    text.extend(check.findings.iter().map(|finding| paragraph::of(finding, "-  ", "   ")));
    text
}

fn table_name(claim: &str) -> &str {
    match claim {
        "slit" => "SLIT, times the own memory's cost",
        "hmat-latency" => "HMAT, ns of a read",
        "hmat-bandwidth" => "HMAT, GB/s of reading",
        other => other,
    }
}

/// "40 of 56 cells agree, 8 do not, 8 not told; ...".
fn summary(check: &CheckedClaim) -> String {
    let count = |agrees: Option<bool>| check.cells.iter().filter(|cell| cell.agrees == agrees).count();
    let mut parts = vec![format!(
        "{} of {} cells agree, {} do not, {} not told",
        count(Some(true)),
        check.cells.len(),
        count(Some(false)),
        count(None)
    )];
    let tally = |what: &str, tally: &Confirmed| {
        let all = tally.confirmed.saturating_add(tally.refuted).saturating_add(tally.open);
        (all > 0).then(|| format!("of {all} {what}, {} hold and {} do not", tally.confirmed, tally.refuted))
    };
    parts.extend(tally("pairs claimed equal", &check.equal));
    parts.extend(tally("pairs claimed in order", &check.ordered));
    parts.extend(check.rank.as_ref().map(|rank| match rank.p {
        Some(p) => format!("order: Kendall's tau {:.2} (p = {p:.3})", rank.tau),
        None => format!("order: Kendall's tau {:.2}", rank.tau),
    }));
    parts.join("; ")
}

/// The cells, those that do not hold first.
fn cells(check: &CheckedClaim) -> String {
    let mut listed: Vec<&CheckedCell> = check.cells.iter().collect();
    listed.sort_by_key(|cell| cell.agrees.map_or(1, |agrees| 2 * u8::from(agrees)));
    if listed.is_empty() {
        return String::new();
    }
    let (unit, decimals) = match check.claim.as_str() {
        "slit" => (1.0, 2),
        "hmat-bandwidth" => (1e9, 1),
        _ => (1.0, 0),
    };
    let figure = |figure: f64| format!("{:.decimals$}", figure / unit);
    let mut table = Table::default();
    table.line(["CPUs of", "memory of", "claimed", "measured", "95 %", ""].map(str::to_owned));
    for cell in listed.iter().take(MOST_CELLS) {
        let agrees = cell.agrees.map_or("not told", |agrees| if agrees { "agrees" } else { "does not hold" });
        table.line([
            format!("node {}", cell.cpu_node),
            format!("node {}", cell.memory_node),
            figure(cell.claimed),
            figure(cell.measured),
            format!("{} to {}", figure(cell.ci95[0]), figure(cell.ci95[1])),
            agrees.to_owned(),
        ]);
    }
    let more = listed.len().saturating_sub(MOST_CELLS);
    let rest = if more > 0 { format!("and {more} more: --csv has all\n") } else { String::new() };
    let aligns = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
    table.text(&aligns) + &rest
}

/// A record for each cell of each table, under their header.
pub(super) fn records(told: &ClaimsMeasured) -> Vec<Vec<String>> {
    let header = ["claim", "cpu_node", "memory_node", "claimed", "measured", "ci95_low", "ci95_high", "agrees"];
    let record = |check: &CheckedClaim, cell: &CheckedCell| {
        let nodes = [cell.cpu_node, cell.memory_node].map(|node| node.to_string());
        let figures = [cell.claimed, cell.measured, cell.ci95[0], cell.ci95[1]].map(|figure| figure.to_string());
        let agrees = cell.agrees.map(|agrees| agrees.to_string()).unwrap_or_default();
        [vec![check.claim.clone()], nodes.to_vec(), figures.to_vec(), vec![agrees]].concat()
    };
    let of_check =
        |check: &CheckedClaim| -> Vec<Vec<String>> { check.cells.iter().map(|cell| record(check, cell)).collect() };
    std::iter::once(header.map(str::to_owned).to_vec()).chain(told.checks.iter().flat_map(of_check)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(memory_node: u32, claimed: f64, measured: f64, agrees: Option<bool>) -> CheckedCell {
        CheckedCell { cpu_node: 0, memory_node, claimed, measured, ci95: [0.9 * measured, 1.1 * measured], agrees }
    }

    fn bandwidth() -> ClaimsMeasured {
        let none = || Confirmed { confirmed: 0, refuted: 0, open: 0 };
        let cells = vec![cell(0, 100e9, 95e9, Some(true)), cell(1, 60e9, 18e9, Some(false)), cell(2, 60e9, 50e9, None)];
        let check = CheckedClaim {
            claim: "hmat-bandwidth".to_owned(),
            cells,
            equal: Confirmed { refuted: 1, ..none() },
            ordered: none(),
            rank: None,
            findings: vec!["HMAT claims 60.0 GB/s, and it is 18.0 GB/s.".to_owned()],
            strengths: vec![1.2],
        };
        ClaimsMeasured { checks: vec![check] }
    }

    #[test]
    fn cells_that_do_not_hold_come_first() {
        let wanted = "\
HMAT, GB/s of reading: 1 of 3 cells agree, 1 do not, 1 not told; of 1 pairs claimed equal, 0 hold and 1 do not
CPUs of  memory of  claimed  measured           95 %
node 0   node 1        60.0      18.0   16.2 to 19.8  does not hold
node 0   node 2        60.0      50.0   45.0 to 55.0  not told
node 0   node 0       100.0      95.0  85.5 to 104.5  agrees
-  HMAT claims 60.0 GB/s, and it is 18.0 GB/s.
";
        assert_eq!(text(&bandwidth()), wanted);
        assert_eq!(records(&bandwidth())[2][..5], ["hmat-bandwidth", "0", "1", "60000000000", "18000000000"]);
    }
}
