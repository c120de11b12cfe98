//! A health check in one line, as the programs that run it read it.

use nearfar_atlas::AtlasComparison;
use nearfar_model::Unit;
use nearfar_survey::compare::MachineDifference;
use nearfar_survey::health::{FLOOR, HealthCell, HealthCheck, HealthStatus};
use nearfar_terminal::printable;
use serde::Serialize;
use serde_json::Value;

use crate::atlas;
use crate::count::count;
use crate::percent::{change, percent};

/// Cells that a line names.
const MOST_CELLS: usize = 3;
/// From this on Nagios gets CRITICAL.
const CRITICAL: f64 = 0.20;

/// A check and its line.
#[derive(Clone, Debug, Serialize)]
pub struct HealthReport {
    /// `nearfar.check/1`.
    pub schema: &'static str,
    /// What follows.
    pub status: HealthStatus,
    /// The reference: a file, or "atlas".
    pub against: String,
    /// Why, in a clause.
    pub why: String,
    /// The cells of the comparison; null against the atlas, and where nothing was compared.
    pub check: Option<HealthCheck>,
    /// The comparison with published figures; null against a document.
    pub atlas: Option<AtlasComparison>,
}

/// The schema of [`HealthReport`].
pub const SCHEMA: &str = "nearfar.check/1";

/// Who reads the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthStyle {
    /// A person.
    Plain,
    /// Node Health Check: a line for faults only.
    Nhc,
    /// Nagios and Icinga: a word, and performance data.
    Nagios,
    /// The journal: a level before the line.
    Systemd,
}

impl HealthReport {
    /// Of a comparison with a document.
    pub fn of_check(against: String, check: HealthCheck) -> Self {
        let why = why(&check);
        let (status, check) = (check.status, Some(check));
        Self { schema: SCHEMA, status, against, why, check, atlas: None }
    }

    /// Of a comparison with published figures.
    pub fn of_atlas(comparison: AtlasComparison) -> Self {
        let unusual: Vec<String> =
            comparison.unusual().map(|check| atlas::short(check, &comparison)).collect();
        let (status, why) = if !unusual.is_empty() {
            (HealthStatus::Worse, unusual.join("; "))
        } else if comparison.is_judged() {
            (HealthStatus::Ok, "as published machines".to_owned())
        } else if comparison.hypervisor.is_some() {
            let why = "published figures decide nothing in guests: 'nearfar survey' makes a \
                       reference";
            (HealthStatus::Undetermined, why.to_owned())
        } else {
            (HealthStatus::Undetermined, atlas::why_nothing(&comparison))
        };
        let against = "atlas".to_owned();
        Self { schema: SCHEMA, status, against, why, check: None, atlas: Some(comparison) }
    }

    /// Of a check that could not be made.
    pub fn failed(against: String, why: String) -> Self {
        let status = HealthStatus::Undetermined;
        Self { schema: SCHEMA, status, against, why, check: None, atlas: None }
    }

    /// The line; none where the style has none for it.
    pub fn line(&self, style: HealthStyle) -> Option<String> {
        let text = format!("{} (reference: {})", self.why, self.against);
        let text = printable::line(&text).into_owned();
        let line = match style {
            HealthStyle::Plain => format!("{}: {text}", self.word()),
            HealthStyle::Nhc if self.status == HealthStatus::Ok => return None,
            HealthStyle::Nhc => {
                format!(
                    "ERROR:  nhc:  Health check failed:  check_nearfar:  {}: {text}",
                    self.word()
                )
            }
            // Nagios reads performance data behind the bar.
            HealthStyle::Nagios => {
                let text = text.replace('|', "/");
                format!("NEARFAR {} - {text}{}", self.nagios().1, self.performance_data())
            }
            HealthStyle::Systemd => {
                let level = match self.status {
                    HealthStatus::Ok => 6,
                    HealthStatus::Worse => 3,
                    HealthStatus::Undetermined => 4,
                };
                format!("<{level}>{}: {text}", self.word())
            }
        };
        Some(line + "\n")
    }

    /// The exit status that readers of a style expect.
    pub fn exit_status(&self, style: HealthStyle) -> u8 {
        match (style, self.status) {
            (HealthStyle::Nagios, _) => self.nagios().0,
            (_, HealthStatus::Ok) => 0,
            (_, HealthStatus::Undetermined) => 1,
            (_, HealthStatus::Worse) => 3,
        }
    }

    fn word(&self) -> &'static str {
        match self.status {
            HealthStatus::Ok => "ok",
            HealthStatus::Worse => "worse",
            HealthStatus::Undetermined => "undetermined",
        }
    }

    /// The plugin's status and its word.
    fn nagios(&self) -> (u8, &'static str) {
        let cells = self.check.iter().flat_map(|check| &check.cells);
        let is_critical = cells.filter(|cell| cell.is_worse).any(|cell| cell.worse_by >= CRITICAL);
        match self.status {
            HealthStatus::Ok => (0, "OK"),
            HealthStatus::Worse if is_critical => (2, "CRITICAL"),
            HealthStatus::Worse => (1, "WARNING"),
            HealthStatus::Undetermined => (3, "UNKNOWN"),
        }
    }

    /// " | 'node 0 to node 1'=0.145us;0.149;0.174;0", each cell in microseconds or bytes a second.
    fn performance_data(&self) -> String {
        let cells = self.check.iter().flat_map(|check| &check.cells);
        let data: Vec<String> = cells.filter_map(performance).collect();
        if data.is_empty() { String::new() } else { format!(" | {}", data.join(" ")) }
    }
}

/// Nagios knows no nanoseconds.
fn performance(cell: &HealthCell) -> Option<String> {
    let [reference, now] = cell.medians.map(|ns| ns / 1000.0);
    let name = cell.name.replace(['\'', '='], "_");
    (cell.unit == Unit::Nanoseconds).then(|| {
        let [warning, critical] = [FLOOR, CRITICAL].map(|worse| reference * (1.0 + worse));
        format!("'{name}'={now:.4}us;{warning:.4};{critical:.4};0")
    })
}

/// "of 4 cells 1 is worse: latency, node 0 to node 1: 174 ns, 145 before (+20.0 %)".
fn why(check: &HealthCheck) -> String {
    let worse: Vec<&HealthCell> = check.cells.iter().filter(|cell| cell.is_worse).collect();
    let cells = count(check.cells.len(), "cell");
    match (check.status, check.common) {
        (HealthStatus::Worse, Some(common)) if worse.is_empty() => {
            format!("all {cells} are worse together, by {}", percent(common))
        }
        (HealthStatus::Worse, _) => {
            let mut named: Vec<String> =
                worse.iter().take(MOST_CELLS).map(|cell| named(cell)).collect();
            let more = worse.len().saturating_sub(MOST_CELLS);
            named.extend((more > 0).then(|| format!("{more} more")));
            format!("{} of {cells} worse: {}", worse.len(), named.join("; "))
        }
        (HealthStatus::Ok, _) => {
            let most = check.at_most.unwrap_or_default().max(0.0);
            format!("{cells} as before, at most {} worse", percent(most))
        }
        (HealthStatus::Undetermined, _) if check.cells.is_empty() => {
            "no cell could be compared".to_owned()
        }
        (HealthStatus::Undetermined, _) => {
            let most = check.at_most.unwrap_or_default();
            format!("noise decides nothing: up to {} worse. A longer --budget helps", percent(most))
        }
    }
}

fn named(cell: &HealthCell) -> String {
    let [before, now] = cell.medians.map(|median| cell.unit.shown(median));
    let unit = cell.unit.symbol();
    format!("{} {now:.1} {unit}, {before:.1} before ({})", cell.name, change(cell.worse_by))
}

/// "the reference is of another machine: model 'A' there, 'B' here; nodes 2 there, 1 here".
pub fn refusal(differences: &[MachineDifference]) -> String {
    let shown = |value: &Value| match value {
        Value::String(text) => format!("'{text}'"),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    };
    let one = |difference: &MachineDifference| {
        let [there, here] = [&difference.first, &difference.second].map(shown);
        format!("{} {there} there, {here} here", difference.what)
    };
    let all: Vec<String> = differences.iter().map(one).collect();
    format!("the reference is of another machine: {}", all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(worse_by: f64) -> HealthReport {
        let cell = HealthCell {
            name: "latency, node 0 to node 1".to_owned(),
            unit: Unit::Nanoseconds,
            medians: [100.0, 100.0 * (1.0 + worse_by)],
            worse_by,
            ci95: [worse_by - 0.01, worse_by + 0.01],
            is_worse: worse_by > 0.05,
        };
        let status = if cell.is_worse { HealthStatus::Worse } else { HealthStatus::Ok };
        let at_most = Some(cell.ci95[1]);
        let check = HealthCheck { status, cells: vec![cell], common: None, at_most };
        HealthReport::of_check("good.json".to_owned(), check)
    }

    fn line(report: &HealthReport, style: HealthStyle) -> String {
        report.line(style).unwrap_or_default()
    }

    #[test]
    fn each_reader_gets_its_line_and_status() {
        let (ok, slow, far) = (report(0.0), report(0.1), report(0.3));
        let (plain, nhc) = (HealthStyle::Plain, HealthStyle::Nhc);
        assert_eq!(
            line(&ok, plain),
            "ok: 1 cell as before, at most 1 % worse (reference: good.json)\n"
        );
        assert_eq!(ok.line(nhc), None);
        assert_eq!(
            line(&slow, nhc),
            "ERROR:  nhc:  Health check failed:  check_nearfar:  worse: 1 of 1 cell worse: \
             latency, node 0 to node 1 110.0 ns, 100.0 before (+10.0 %) (reference: good.json)\n"
        );
        assert!(line(&slow, HealthStyle::Systemd).starts_with("<3>worse: "));
        let nagios = HealthStyle::Nagios;
        assert!(line(&far, nagios).starts_with("NEARFAR CRITICAL - 1 of 1 cell worse: "));
        assert!(
            line(&slow, nagios)
                .ends_with(" | 'latency, node 0 to node 1'=0.1100us;0.1030;0.1200;0\n"),
            "{}",
            line(&slow, nagios)
        );
        let statuses = |report: &HealthReport| [plain, nagios].map(|one| report.exit_status(one));
        assert_eq!([&ok, &slow, &far].map(statuses), [[0, 0], [3, 1], [3, 2]]);
        let failed = HealthReport::failed("good.json".to_owned(), "it | is\nunreadable".to_owned());
        assert_eq!(statuses(&failed), [1, 3]);
        assert_eq!(line(&failed, nagios).matches(['|', '\n']).count(), 1);
    }

    #[test]
    fn another_machine_is_refused_by_name() {
        let differs = |what: &str, first: Value, second: Value| MachineDifference {
            what: what.to_owned(),
            first,
            second,
        };
        assert_eq!(
            refusal(&[
                differs("model", "A".into(), "B".into()),
                differs("nodes", 2.into(), 1.into())
            ]),
            "the reference is of another machine: model 'A' there, 'B' here; nodes 2 there, 1 here"
        );
    }
}
