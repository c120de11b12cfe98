//! The outliers of a fleet as sentences.

use nearfar_infer::fleet::SmallestSlowdown;
use nearfar_model::{PlaceLabel, Unit};
use nearfar_view::text::count;
use nearfar_view::text::percent::{percent, share};

use crate::fleet::text::FleetDetail;
use crate::fleet::{
    CauseKind, CausePart, FleetCause, FleetDirection, FleetDocument, FleetFinding, FleetGroup,
    GroupState,
};

/// Smaller deviations are 0.0 % where they are shown.
const UNCHANGED: f64 = 5e-4;

/// "16 machines in one shape, of 17 documents."
pub fn counted(fleet: &FleetDocument) -> String {
    let surveys: usize = fleet.machines().map(|machine| machine.surveys.len()).sum();
    let machines = count(fleet.machines().count(), "machine");
    let shapes = count(fleet.groups.len(), "shape");
    let unused = match fleet.skipped.len() {
        0 => String::new(),
        unused => format!(", {} not used", count(unused, "document")),
    };
    format!("{machines}, {shapes}, {}{unused}", count(surveys, "survey"))
}

/// Cells that are not clear, of those that a brief text has.
const MAX_UNCLEAR: usize = 3;

/// What several cells share, then the other outliers; or that there are none.
pub(crate) fn outliers(fleet: &FleetDocument, detail: FleetDetail) -> Vec<String> {
    let mut sentences: Vec<(usize, &str, String)> = fleet
        .causes
        .iter()
        .map(|cause| (cause.group, &*cause.machine, for_cause(cause, detail)))
        .collect();
    let alone = fleet.findings.iter().filter(|finding| finding.cause.is_none());
    sentences.extend(
        alone.map(|alone| (alone.group, &*alone.machine, for_finding(fleet, alone, detail))),
    );
    let order = |machine: &str| fleet.machines().position(|other| other.name == machine);
    sentences.sort_by_cached_key(|(group, machine, _)| (*group, order(machine)));
    let mut outliers: Vec<String> = sentences.into_iter().map(|(.., text)| text).collect();
    if outliers.is_empty() {
        outliers.extend(Some(none(fleet)).filter(|text| !text.is_empty()));
    }
    outliers.extend(unclear(fleet, detail));
    outliers
}

/// The rarest; all of them in detail.
fn unclear(fleet: &FleetDocument, detail: FleetDetail) -> Vec<String> {
    let mut rarest: Vec<&FleetFinding> = fleet.unclear.iter().collect();
    rarest.sort_by(|a, b| a.q.total_cmp(&b.q));
    let shown = if detail == FleetDetail::Brief { MAX_UNCLEAR } else { rarest.len() };
    let shown_cells = rarest.iter().take(shown);
    let mut all: Vec<String> = shown_cells.map(|cell| not_clear(fleet, cell, detail)).collect();
    let more = rarest.len().saturating_sub(shown);
    if more > 0 {
        all.push(format!("and {} (--verbose)", count(more, "further cell")));
    }
    if !all.is_empty() {
        all.push(
            "Not clear: healthy machines of this fleet may differ as much. Some lie far out, or \
             there are too few to know."
                .to_owned(),
        );
    }
    all
}

/// "node07: not clear: latency from node 0 to node 1, beside its other cells, is 5.1 % higher than
/// the median of 16 machines ...". The figure and the interval are of one comparison.
fn not_clear(fleet: &FleetDocument, finding: &FleetFinding, detail: FleetDetail) -> String {
    let FleetFinding { machine, cell, ratio, ci95, .. } = finding;
    let beside = if finding.is_relative { ", beside its other cells," } else { "" };
    let by = figures(cell.unit, [*ratio; 2]);
    let than = than(fleet, finding);
    let interval = interval(cell.unit, None, *ci95, finding.q, detail);
    let instrument = &cell.instrument;
    format!("{machine}: not clear: {instrument} from {cell}{beside} is {by} than {than}{interval}.")
}

/// How outliers were decided.
pub fn method(fleet: &FleetDocument) -> String {
    format!(
        "On average, at most {} of these cells are false (q: false-discovery rate). Deviations \
         below {} do not count.",
        percent(fleet.false_discovery_rate),
        percent(fleet.floor)
    )
}

fn none(fleet: &FleetDocument) -> String {
    let compared = fleet.groups.iter().filter(|group| group.state == GroupState::Compared);
    let machines: usize = compared.map(sure_machines).sum();
    match machines {
        // The verdict has it.
        0 => String::new(),
        _ => {
            let (machines, floor) = (count(machines, "machine"), percent(fleet.floor));
            let would = would(fleet);
            format!("No outlier: none of {machines} differs by {floor}, beyond chance.{would}")
        }
    }
}

/// Without those that may be of several batches: they are outliers only in all of them.
fn sure_machines(group: &FleetGroup) -> usize {
    let unsure: usize = group.batches.iter().map(|batch| batch.unsure.len()).sum();
    group.machines.len() - unsure
}

/// What would be an outlier: of several groups, in all of them.
fn would(fleet: &FleetDocument) -> String {
    let groups = fleet.groups.iter().filter(|group| group.state == GroupState::Compared);
    let all: Option<Vec<SmallestSlowdown>> = groups.map(|group| group.smallest).collect();
    let largest = |of: fn(&SmallestSlowdown) -> f64| {
        all.iter().flatten().map(of).reduce(f64::max).map(|by| (1000.0 * by).ceil() / 1000.0)
    };
    match (largest(|one| one.cell), largest(|one| one.machine)) {
        (Some(cell), Some(machine)) => format!(
            " A cell slower by {} or more would be one, or a machine slower by {} in all cells.",
            percent(cell),
            percent(machine)
        ),
        _ => String::new(),
    }
}

fn for_cause(cause: &FleetCause, detail: FleetDetail) -> String {
    format!("{}: {}.", cause.machine, shared(cause, detail))
}

/// "memory of node 1 is slower: latency 6.9 to 7.7 % higher in 2 of 2 cells".
pub(crate) fn shared(cause: &FleetCause, detail: FleetDetail) -> String {
    let what = match &cause.kind {
        CauseKind::Memory { label } => format!("memory of {label} is"),
        CauseKind::Cpus { label } if PlaceLabel::parse(label).is_some() => format!("{label} is"),
        CauseKind::Cpus { label } => format!("CPUs of {label} are"),
        CauseKind::Machine => "the whole machine is".to_owned(),
    };
    let parts: Vec<String> = cause.parts.iter().map(|part| for_part(part, detail)).collect();
    format!("{what} {}: {}", speed(cause.direction), parts.join("; "))
}

fn for_part(part: &CausePart, detail: FleetDetail) -> String {
    let CausePart { instrument, unit, outliers, cells, .. } = part;
    let by = figures(*unit, part.cell_ratios.unwrap_or(part.ratios));
    let interval = interval(*unit, part.other_cells, part.ci95, part.q, detail);
    format!("{instrument} {by} in {outliers} of {}{interval}", count(*cells, "cell"))
}

fn for_finding(fleet: &FleetDocument, finding: &FleetFinding, detail: FleetDetail) -> String {
    let speed = speed(finding.direction);
    let single = single(finding, &than(fleet, finding), detail);
    format!("{}: {single}: {speed}.", finding.machine)
}

/// "the median of 16 machines": what a finding is compared with.
fn than(fleet: &FleetDocument, finding: &FleetFinding) -> String {
    let group = &fleet.groups[finding.group];
    let mut machines = group
        .cells
        .iter()
        .find(|other| other.name == finding.cell)
        .map_or(0, |other| other.machines);
    let mut machine = group.machines.iter().filter(|machine| machine.name == finding.machine);
    let batch = machine.next().and_then(|machine| group.batches.get(machine.batch?));
    if let Some(batch) = batch {
        machines = batch.machines.len();
    }
    match (&fleet.reference, batch) {
        (Some(_), _) => "the reference's".to_owned(),
        (None, Some(_)) => format!("the median of its batch of {}", count(machines, "machine")),
        (None, None) => format!("the median of {}", count(machines, "machine")),
    }
}

/// "latency from node 0 to node 1 is 8.0 % higher than the median of 16 machines".
pub(crate) fn single(finding: &FleetFinding, than: &str, detail: FleetDetail) -> String {
    let cell = &finding.cell;
    let by = figures(cell.unit, [finding.cell_ratio.unwrap_or(finding.ratio); 2]);
    let interval = interval(cell.unit, finding.other_cells, finding.ci95, finding.q, detail);
    format!("{} from {cell} is {by} than {than}{interval}", cell.instrument)
}

/// The figures of a map's cells, in words.
pub(super) fn figures(unit: Unit, ratios: [f64; 2]) -> String {
    let (by, which) = deviation(unit, ratios);
    if which.is_empty() { format!("{by} different") } else { format!("{by} {which}") }
}

/// The interval; of a cell beside the machine's others, these too.
fn interval(
    unit: Unit,
    other_cells: Option<f64>,
    ci95: [f64; 2],
    q: f64,
    detail: FleetDetail,
) -> String {
    let (interval, q) = (deviation(unit, ci95).0, short_q(q));
    if detail == FleetDetail::Brief {
        return match other_cells {
            None => format!(" (95 %: {interval})"),
            Some(_) => format!(" (95 %: {interval} beyond this machine's other cells)"),
        };
    }
    match other_cells {
        None => format!(" (95 %: {interval}; q {q})"),
        Some(others) if (others - 1.0).abs() < UNCHANGED => {
            format!(", its other cells as usual (beside them, 95 %: {interval}; q {q})")
        }
        Some(others) => {
            let others = figures(unit, [others; 2]);
            format!(", its other cells {others} (beside them, 95 %: {interval}; q {q})")
        }
    }
}

pub(super) fn speed(direction: FleetDirection) -> &'static str {
    match direction {
        FleetDirection::Slower => "slower",
        FleetDirection::Faster => "faster",
    }
}

/// "4.9 to 5.6 %" and "higher", of these ratios of costs. An interval that includes no deviation
/// has signs.
pub(super) fn deviation(unit: Unit, [low, high]: [f64; 2]) -> (String, &'static str) {
    let [low, high] = if unit.more_is_better() { [1.0 / high, 1.0 / low] } else { [low, high] };
    let [low, high] = [low - 1.0, high - 1.0];
    let percent = |ratio: f64| format!("{:.1}", 100.0 * ratio);
    if low < 0.0 && high > 0.0 {
        return (format!("{:+.1} to {:+.1} %", 100.0 * low, 100.0 * high), "");
    }
    let which = if high > 0.0 { "higher" } else { "lower" };
    // Without the sign of -0.
    let (near, far) = if high > 0.0 { (low, high) } else { (0.0 - high, -low) };
    let text = if percent(near) == percent(far) {
        share(near)
    } else {
        format!("{} to {} %", percent(near), percent(far))
    };
    (text, which)
}

/// A probability in few digits.
fn short_q(q: f64) -> String {
    if q < 1e-4 { "below 0.0001".to_owned() } else { format!("{q:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_have_a_direction() {
        let latency = |ratios| deviation(Unit::Nanoseconds, ratios);
        assert_eq!(latency([1.049, 1.0561]), ("4.9 to 5.6 %".to_owned(), "higher"));
        assert_eq!(latency([0.88, 0.88]), ("12.0 %".to_owned(), "lower"));
        assert_eq!(latency([1.0, 1.07]), ("0.0 to 7.0 %".to_owned(), "higher"));
        assert_eq!(latency([0.9, 1.0]), ("0.0 to 10.0 %".to_owned(), "lower"));
        assert_eq!(latency([0.99, 1.07]).0, "-1.0 to +7.0 %");
        let rate = deviation(Unit::BytesPerSecond, [1.25, 1.6]);
        assert_eq!(rate, ("20.0 to 37.5 %".to_owned(), "lower"));
    }
}
