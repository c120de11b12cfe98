//! Changes of machines over time as sentences.

use nearfar_view::text::count;

use crate::fleet::text::FleetDetail;
use crate::fleet::text::drift::{setting, shown};
use crate::fleet::text::sentences::{deviation, figures, shared, single, speed};
use crate::fleet::text::short_names;
use crate::fleet::{CommonChange, FleetChange, FleetChangeKind, FleetHistory, SettingChange};

/// Settings that a sentence has; the document has all.
const MAX_SETTINGS: usize = 3;

/// A sentence for each change, or that there is none; then machines that came and went.
pub fn history(history: &FleetHistory, detail: FleetDetail) -> Vec<String> {
    let mut sentences: Vec<String> = history.common.iter().map(for_common).collect();
    let alone = history.changes.iter().filter(|change| change.common.is_none());
    sentences.extend(alone.map(|change| for_change(change, detail)));
    let since = day(&history.since);
    if sentences.is_empty() {
        let compared = match history.machines {
            0 => format!("No history since {since}: no machine has 4 surveys."),
            machines => format!(
                "No change since {since} of {} with 4 surveys or more ({}).",
                count(machines, "machine"),
                count(history.surveys, "survey")
            ),
        };
        sentences.push(compared);
    }
    let machines = |names: &[String], what: &str| {
        let shown: Vec<&str> = names.iter().map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("{what} {since}: {}.", short_names(&shown)))
    };
    sentences.extend(machines(&history.first_seen, "First survey since"));
    sentences.extend(machines(&history.not_seen, "No survey since"));
    sentences
}

/// "node07: since 2026-10-03, memory of node 1 is slower: ...".
fn for_change(change: &FleetChange, detail: FleetDetail) -> String {
    let causes = change.causes.iter().map(|cause| shared(cause, detail));
    let alone = change.findings.iter().filter(|finding| finding.cause.is_none());
    let alone = alone.map(|finding| single(finding, "before", detail));
    let what = causes.chain(alone).collect::<Vec<_>>().join("; ");
    let [before, after] = [&change.between[0], &change.between[1]].map(|time| day(time));
    let when = match change.kind {
        FleetChangeKind::Drift => format!("slowly from {before} to {after}"),
        FleetChangeKind::Step => format!("since {}", day(&change.since)),
    };
    let again = if change.is_return { "; as before the previous change" } else { "" };
    let text = format!("{}: {when}, {what}{again}.", change.machine);
    match change.settings.len() {
        0 => text,
        _ => format!("{text} Between {before} and {after}, {}.", settings(&change.settings)),
    }
}

/// "38 of 40 machines (node01, ...): since 2026-10-03, slower: latency 6.1 % higher (95 %: 5.8 to
/// 6.4 %). On all of them, ...".
fn for_common(change: &CommonChange) -> String {
    let machines: Vec<&str> = change.machines.iter().map(String::as_str).collect();
    let [first, last] = [&change.since[0], &change.since[1]].map(|time| day(time));
    let when = match first == last {
        true => format!("since {first}"),
        false => format!("since {first} to {last}"),
    };
    let parts = change.parts.iter().map(|part| {
        let by = figures(part.unit, [part.ratio; 2]);
        let interval = deviation(part.unit, part.ci95).0;
        format!("{} {by} (95 %: {interval})", part.instrument.replace('_', " "))
    });
    let again = if change.is_return { "; as before the previous change" } else { "" };
    let text = format!(
        "{} of {} ({}): {when}, {}: {}{again}.",
        machines.len(),
        count(change.compared, "machine"),
        short_names(&machines),
        speed(change.direction),
        parts.collect::<Vec<_>>().join("; ")
    );
    match change.settings.len() {
        0 => text,
        _ => format!("{text} On all of them, {}.", settings(&change.settings)),
    }
}

/// "platform bios version changed from 2.4 to 2.5".
fn settings(changed: &[SettingChange]) -> String {
    let one = |it: &SettingChange| {
        let from = match it.before.is_empty() {
            true => String::new(),
            false => format!(" from {}", shown(&it.before)),
        };
        format!("{} changed{from} to {}", setting(&it.setting), shown(&it.after))
    };
    let texts: Vec<String> = changed.iter().take(MAX_SETTINGS).map(one).collect();
    match changed.len().checked_sub(MAX_SETTINGS) {
        Some(more @ 1..) => format!("{} and {more} more", texts.join("; ")),
        _ => texts.join("; "),
    }
}

/// The date of a time.
pub(super) fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::text::MAX_NAMES;

    #[test]
    fn a_machine_that_came_and_one_that_went_are_named() {
        let one = FleetHistory {
            since: "2026-10-01T00:00:00Z".to_owned(),
            machines: 2,
            surveys: 9,
            first_seen: vec!["n1".to_owned()],
            not_seen: (0..MAX_NAMES + 2).map(|at| format!("m{at}")).collect(),
            ..FleetHistory::default()
        };
        let expected = [
            "No change since 2026-10-01 of 2 machines with 4 surveys or more (9 surveys).",
            "First survey since 2026-10-01: n1.",
            "No survey since 2026-10-01: m0, m1, m2, m3, m4, m5 and 2 more.",
        ];
        assert_eq!(history(&one, FleetDetail::Brief), expected);
    }
}
