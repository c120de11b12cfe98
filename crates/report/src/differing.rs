//! Statements that differ between two documents.

use nearfar_survey::compare::MachineDifference;
use serde_json::Value;

use nearfar_view::text::differing::statement;
use nearfar_view::text::paragraph;

/// A line for each of the first statements, then the names of those whose values are lists: a
/// screen has no room for these.
pub(crate) fn text(all: &[MachineDifference], most: usize) -> String {
    let is_list = |one: &&MachineDifference| {
        [&one.first, &one.second].iter().any(|value| value.is_array() || value.is_object())
    };
    let (lists, values): (Vec<&MachineDifference>, Vec<&MachineDifference>) =
        all.iter().filter(|one| is_worth_showing(one)).partition(is_list);
    let line = |one: &&MachineDifference| {
        paragraph::of(&statement(&name(&one.what), &one.first, &one.second), "differs: ", "  ")
    };
    let mut text: String = values.iter().take(most).map(line).collect();
    if let Some(more @ 1..) = values.len().checked_sub(most) {
        text += &format!("and {more} more differences: --json\n");
    }
    if !lists.is_empty() {
        let names: Vec<String> = lists.iter().map(|list| name(&list.what)).collect();
        text += &paragraph::of(&names.join(", "), "lists that differ (--json has them): ", "  ");
    }
    text
}

/// Why one machine lacks a value is no difference of its own.
fn is_worth_showing(one: &MachineDifference) -> bool {
    !is_clock_estimate(one) && !is_nothing(one) && !one.what.ends_with(".why")
}

/// "environment.boot.command_line" as "boot command line".
fn name(path: &str) -> String {
    path.strip_prefix("environment.").unwrap_or(path).replace(['.', '_'], " ")
}

/// Command lines that differ only in a hypervisor's estimate of the clock, which every boot
/// repeats.
fn is_clock_estimate(one: &MachineDifference) -> bool {
    let stable = |value: &Value| {
        let words = value.as_str()?.split_whitespace();
        Some(words.filter(|word| !word.starts_with("tsc_early_khz=")).collect::<Vec<_>>().join(" "))
    };
    stable(&one.first).is_some_and(|first| stable(&one.second) == Some(first))
}

/// A setting that one kernel shows empty and the other does not show.
fn is_nothing(one: &MachineDifference) -> bool {
    [&one.first, &one.second].iter().all(|value| value.is_null() || value.as_str() == Some(""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_named_without_their_values() {
        let differing = |what: &str, first| MachineDifference {
            what: what.to_owned(),
            first,
            second: json!("other"),
        };
        let all =
            [differing("claims.nodes", json!([{"id": 0}])), differing("kernel", json!("6.1"))];
        assert_eq!(
            text(&all, 9),
            "differs: kernel: first 6.1, second other\nlists that differ (--json has them): claims \
             nodes\n"
        );
        let clock = |khz: &str| json!(format!("quiet tsc_early_khz={khz}"));
        let estimate = MachineDifference {
            what: "environment.boot.command_line".to_owned(),
            first: clock("2445429"),
            second: clock("2445428"),
        };
        let empty = MachineDifference {
            what: "environment.boot.nohz_full".to_owned(),
            first: json!(null),
            second: json!(""),
        };
        assert_eq!(text(&[estimate, empty], 9), "");
        assert!(text(&all, 0).starts_with("and 1 more differences: --json\n"));
    }
}
