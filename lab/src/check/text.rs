//! A comparison as a table.

use nearfar_view::terminal::table::{Align, Table};

use super::judged::Judged;
use super::{CELL_TOLERANCE, JudgedCell, TruthComparison, judged};

/// The whole comparison as text.
pub(crate) fn text(comparison: &TruthComparison) -> String {
    let matrix = &comparison.seen.survey.latency;
    let slowdown = comparison.machine.description.slowdown;
    let mut table = Table::default();
    let columns = matrix.columns.iter().map(|column| column.label.clone());
    table.line([String::new(), "CPUs".to_owned()].into_iter().chain(columns));
    for (number, row) in matrix.rows.iter().enumerate() {
        let cells = comparison.cells.iter().filter(|cell| cell.row == number).map(entry);
        table.line([row.label.clone(), row.cpus.to_string()].into_iter().chain(cells));
    }
    format!(
        "{}: charged | measured, in ns of the lab ({slowdown} for each of the machine's)\n{}\n{}{}",
        comparison.machine.name,
        indented(&table.text(&[Align::Left, Align::Left, Align::Right])),
        why_not(comparison),
        summary(comparison)
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn entry(cell: &JudgedCell) -> String {
    let charged = match cell.charge {
        None => "?".to_owned(),
        Some(charge) if charge.low == charge.high => format!("{:.0}", charge.low),
        Some(charge) => format!("{:.0}-{:.0}", charge.low, charge.high),
    };
    match (&cell.measured, cell.error()) {
        (Ok(measured), Some(error)) if error.abs() > CELL_TOLERANCE => {
            format!("{charged} | {measured:.0} ({:+.0} %!)", error * 100.0)
        }
        (Ok(measured), _) => format!("{charged} | {measured:.0}"),
        (Err(_), _) => "-".to_owned(),
    }
}

fn why_not(comparison: &TruthComparison) -> String {
    let mut reasons: Vec<&str> = comparison
        .cells
        .iter()
        .filter_map(|cell| cell.measured.as_ref().err())
        .map(String::as_str)
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons.iter().map(|why| format!("  not measured: {why}\n")).collect()
}

fn summary(comparison: &TruthComparison) -> String {
    let measured = comparison.cells.iter().filter(|cell| cell.error().is_some()).count();
    let percent = |share: Option<f64>| {
        share.map_or("-".to_owned(), |share| format!("{:.1} %", share.abs() * 100.0))
    };
    let found = &comparison.seen.survey.verdict;
    let effect = |effect: Option<f64>| {
        effect.map_or("unknown".to_owned(), |effect| format!("{:+.1} %", effect * 100.0))
    };
    let ([held, intervals], above) = comparison.absolute();
    format!(
        "{measured} of {} cells compared: median error {}, worst {}\nverdict {}, effect {} (put \
         in: {})\n{}intervals of costs: {held} of {intervals} hold the charge; cells lie \
         {above:+.0} ns beside it: the emulator's own time, which ± does not cover\n{}",
        comparison.cells.len(),
        percent(comparison.median_error()),
        percent(comparison.worst().and_then(JudgedCell::error)),
        found.numa,
        effect(found.effect),
        effect(Some(judged::effect(comparison.machine))),
        statements(&comparison.judged) + &sentences(&comparison.sentences),
        end(comparison),
    )
}

/// "statements: verdict 1 right, classes 2016 right", and the intervals of ratios.
fn statements(judged: &[Judged]) -> String {
    let statement = |judged: &Judged| {
        let wrong = if judged.wrong.is_empty() {
            String::new()
        } else {
            format!(", {} wrong", judged.wrong.len())
        };
        format!("{} {} right{wrong}", judged.what, judged.right)
    };
    let stated =
        judged.iter().filter(|judged| judged.right + judged.wrong.len() > 0).map(statement);
    let [held, all] = judged::intervals(judged);
    let intervals = if all == 0 {
        String::new()
    } else {
        format!("intervals of ratios: {held} of {all} contain the truth\n")
    };
    let stated: Vec<String> = stated.collect();
    let stated = if stated.is_empty() { "none".to_owned() } else { stated.join("; ") };
    format!("statements: {stated}\n{intervals}")
}

/// "sentences: 12 right, 1 wrong", and those that no judge knows.
fn sentences(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let right: usize = judged.iter().map(|judged| judged.right).sum();
    let wrong: usize = judged.iter().map(|judged| judged.wrong.len()).sum();
    let unjudged: Vec<&String> = judged.iter().flat_map(|judged| &judged.unjudged).collect();
    let listed: String =
        unjudged.iter().map(|sentence| format!("not judged: {sentence}\n")).collect();
    format!("sentences: {right} right, {wrong} wrong, {} not judged\n{listed}", unjudged.len())
}

fn end(comparison: &TruthComparison) -> String {
    let line = |what: &str, all: Vec<String>| match all.as_slice() {
        [] => String::new(),
        all => format!("{what}: {}.\n", all.join("; ")),
    };
    let (objections, missed) = (comparison.objections(), comparison.missed());
    let matches = match (objections.as_slice(), missed.as_slice()) {
        ([], []) => "All statements match the modelled machine.\n",
        ([], _) => "No statement is wrong.\n",
        _ => "",
    };
    format!("{matches}{}{}", line("Wrong", objections), line("Missed", missed))
}
