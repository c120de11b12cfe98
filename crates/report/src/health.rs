//! A health check in one line, as the programs that run it read it.

use nearfar_infer::NumaVerdict;
use nearfar_infer::changes::OpenReason;
use nearfar_model::Unit;
use nearfar_survey::atlas::AtlasComparison;
use nearfar_survey::compare::MachineDifference;
use nearfar_survey::health::{HealthCell, HealthCheck, HealthStatus};
use nearfar_view::terminal::printable;
use nearfar_view::text::count;
use nearfar_view::text::percent::{change, percent};
use serde::Serialize;
use serde_json::Value;

use crate::atlas;
use crate::survey::verdict::reasons::not_searched;

/// Cells that a line names.
const MAX_CELLS: usize = 3;
/// From this on Nagios gets CRITICAL.
const CRITICAL: f64 = 0.20;

/// A check and its line.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
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
    /// Whether latency is uniform among the nodes shown, where others may be hidden: a check does
    /// not search them.
    pub hidden_not_searched: bool,
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
    pub fn from_check(against: String, check: HealthCheck) -> Self {
        let why = why(&check);
        let (status, check) = (check.status, Some(check));
        Self {
            schema: SCHEMA,
            status,
            against,
            why,
            check,
            atlas: None,
            hidden_not_searched: false,
        }
    }

    /// Of a comparison with published figures.
    pub fn from_atlas(comparison: AtlasComparison) -> Self {
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
        Self {
            schema: SCHEMA,
            status,
            against,
            why,
            check: None,
            atlas: Some(comparison),
            hidden_not_searched: false,
        }
    }

    /// Of a check that could not be made.
    pub fn failed(against: String, why: String) -> Self {
        let status = HealthStatus::Undetermined;
        let (check, atlas) = (None, None);
        Self { schema: SCHEMA, status, against, why, check, atlas, hidden_not_searched: false }
    }

    /// The same with what this verdict of now leaves open.
    #[must_use]
    pub fn of_verdict(mut self, verdict: &NumaVerdict) -> Self {
        self.hidden_not_searched = verdict.is_among_shown();
        if self.hidden_not_searched && self.status != HealthStatus::Worse {
            self.why = format!("{}; {}", self.why, not_searched());
        }
        self
    }

    /// The line; none where the style has none for it.
    pub fn line(&self, style: HealthStyle) -> Option<String> {
        let text = format!("{} (reference: {})", self.why, self.against);
        let text = printable::line(&text).into_owned();
        let line = match style {
            HealthStyle::Plain => format!("{}: {text}", self.word()),
            HealthStyle::Nhc if self.status == HealthStatus::Ok => return None,
            HealthStyle::Nhc if self.status == HealthStatus::Worse => {
                format!("ERROR:  nhc:  Health check failed:  check_nearfar:  worse: {text}")
            }
            // A node is not at fault because figures do not decide.
            HealthStyle::Nhc => format!("WARNING:  nhc:  check_nearfar:  undetermined: {text}"),
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
        let floor = self.check.as_ref().map_or(0.0, |check| check.floor);
        let data: Vec<String> = cells.filter_map(|cell| performance(cell, floor)).collect();
        if data.is_empty() { String::new() } else { format!(" | {}", data.join(" ")) }
    }
}

/// Nagios knows no nanoseconds.
fn performance(cell: &HealthCell, floor: f64) -> Option<String> {
    let [reference, now] = cell.medians.map(|ns| ns / 1000.0);
    let name = cell.name.replace(['\'', '='], "_");
    (cell.unit == Unit::Nanoseconds).then(|| {
        let critical = CRITICAL.max(floor);
        let [warning, critical] = [floor, critical].map(|worse| reference * (1.0 + worse));
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
                worse.iter().take(MAX_CELLS).map(|cell| named(cell)).collect();
            let more = worse.len().saturating_sub(MAX_CELLS);
            named.extend((more > 0).then(|| format!("{more} more")));
            format!("{} of {cells} worse: {}", worse.len(), named.join("; "))
        }
        (HealthStatus::Ok, _) => none_worse(check),
        (HealthStatus::Undetermined, _) if check.cells.is_empty() => {
            "no cell could be compared".to_owned()
        }
        (HealthStatus::Undetermined, _) => undetermined(check),
    }
}

/// "none of 4 cells is worse by more than 2.4 %".
fn none_worse(check: &HealthCheck) -> String {
    let most = up(check.at_most.unwrap_or_default().max(0.0));
    match check.cells.len() {
        1 => format!("the cell is not worse by more than {most}"),
        cells => format!("none of {cells} cells is worse by more than {most}"),
    }
}

/// A bound in per cent, rounded up: it still holds.
fn up(bound: f64) -> String {
    percent((bound * 1000.0 - 1e-9).ceil() / 1000.0)
}

/// What is excluded, why no more, and what to do.
fn undetermined(check: &HealthCheck) -> String {
    let floor = percent(check.floor);
    let doubt = match check.at_most.is_some_and(|most| most > check.floor) {
        true => format!(", so a slowdown of {floor} may exist"),
        false => String::new(),
    };
    let mut clauses = vec![none_worse(check) + &doubt];
    let doubted = check.cells.iter().filter(|cell| cell.ci95[0] > 0.0);
    clauses.extend(doubted.max_by(|a, b| a.worse_by.total_cmp(&b.worse_by)).map(|cell| {
        format!("{} is worse by {} to {}", cell.name, percent(cell.ci95[0]), up(cell.ci95[1]))
    }));
    if check.not_compared > 0 {
        clauses.push(format!("{} without a figure now", count(check.not_compared, "cell")));
    }
    clauses.extend(check.open.map(|reason| match reason {
        OpenReason::Measured => {
            format!("the slowdown measured now is above {floor}, but uncertain")
        }
        OpenReason::Reference => format!(
            "the reference is too imprecise for {floor}: make one with 'nearfar survey --thorough'"
        ),
        OpenReason::Drift => format!("latency drifts by more than {floor}"),
        OpenReason::Between => {
            format!("surveys of an unchanged machine differ by too much for {floor} (--between)")
        }
        OpenReason::Rounds => format!("noise is too high for {floor} within ten minutes"),
    }));
    clauses.extend(next_step(check));
    clauses.join("; ")
}

/// What would decide: a better reference is named with its reason.
fn next_step(check: &HealthCheck) -> Option<String> {
    let longer = check.longer.map(|longer| {
        let excludes = percent(longer.excludes);
        let floor = match longer.excludes > check.floor {
            true => format!(" --fail-if {}", excludes.replace(' ', "")),
            false => String::new(),
        };
        format!("'nearfar check --budget {:.0}s{floor}' would exclude {excludes}", longer.budget_s)
    });
    match (longer, check.open) {
        (_, Some(OpenReason::Reference | OpenReason::Between)) => None,
        (Some(longer), _) => Some(format!("repeat on an idle machine, or {longer}")),
        (None, _) => Some("repeat on an idle machine".to_owned()),
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
    use nearfar_survey::health::LongerCheck;

    use super::*;

    fn cell(worse_by: f64) -> HealthCell {
        HealthCell {
            name: "latency, node 0 to node 1".to_owned(),
            unit: Unit::Nanoseconds,
            medians: [100.0, 100.0 * (1.0 + worse_by)],
            worse_by,
            ci95: [worse_by - 0.01, worse_by + 0.01],
            is_worse: worse_by > 0.05,
        }
    }

    fn checked(status: HealthStatus, cells: Vec<HealthCell>) -> HealthCheck {
        let at_most = cells.iter().map(|cell| cell.ci95[1]).reduce(f64::max);
        HealthCheck {
            status,
            floor: 0.03,
            cells,
            not_compared: 0,
            common: None,
            at_most,
            longer: None,
            open: None,
        }
    }

    fn report(worse_by: f64) -> HealthReport {
        let status = if worse_by > 0.05 { HealthStatus::Worse } else { HealthStatus::Ok };
        HealthReport::from_check("good.json".to_owned(), checked(status, vec![cell(worse_by)]))
    }

    #[test]
    fn undetermined_names_what_is_excluded_and_what_would_be() {
        let noisy = |worse_by: f64, ci95| HealthCell { ci95, ..cell(worse_by) };
        let status = HealthStatus::Undetermined;
        let open = checked(status, vec![noisy(0.01, [-0.08, 0.1569]), noisy(0.0, [-0.1, 0.1])]);
        let longer = Some(LongerCheck { excludes: 0.05, budget_s: 40.0 });
        let drift = Some(OpenReason::Drift);
        assert_eq!(
            why(&HealthCheck { longer, open: drift, ..open.clone() }),
            "none of 2 cells is worse by more than 15.7 %, so a slowdown of 3 % may exist; latency \
             drifts by more than 3 %; repeat on an idle machine, or 'nearfar check --budget 40s \
             --fail-if 5%' would exclude 5 %"
        );
        let longer = Some(LongerCheck { excludes: 0.03, budget_s: 90.0 });
        assert_eq!(
            why(&HealthCheck { longer, not_compared: 1, ..open }),
            "none of 2 cells is worse by more than 15.7 %, so a slowdown of 3 % may exist; 1 cell \
             without a figure now; repeat on an idle machine, or 'nearfar check --budget 90s' \
             would exclude 3 %"
        );
        let doubted = checked(status, vec![noisy(0.086, [0.019, 0.158])]);
        let measured = Some(OpenReason::Measured);
        assert_eq!(
            why(&HealthCheck { open: measured, ..doubted }),
            "the cell is not worse by more than 15.8 %, so a slowdown of 3 % may exist; latency, \
             node 0 to node 1 is worse by 1.9 % to 15.8 %; the slowdown measured now is above 3 %, \
             but uncertain; repeat on an idle machine"
        );
        let report = HealthReport::from_check("good.json".to_owned(), checked(status, vec![]));
        assert_eq!(report.exit_status(HealthStyle::Plain), 1);
        assert_eq!(report.exit_status(HealthStyle::Nagios), 3);
        let nhc = line(&report, HealthStyle::Nhc);
        assert!(nhc.starts_with("WARNING:  nhc:  check_nearfar:  undetermined: no cell"), "{nhc}");
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
            "ok: the cell is not worse by more than 1 % (reference: good.json)\n"
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
