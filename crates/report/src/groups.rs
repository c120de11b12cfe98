//! CPUs that share something: lists of groups, what pairs cost by what they share, and claims that do not hold.

use nearfar_infer::core_to_core::{CostClass, Shares};
use nearfar_survey::{FoundGroup, Misclaimed};
use nearfar_terminal::table::{Align, Table};

use crate::short_list::{IN_A_TABLE, short_list};

/// Groups listed of each kind.
pub(crate) const MOST_GROUPS: usize = 16;

/// How many there are, and which, with their support where it is not whole.
pub(crate) fn listed(groups: &[FoundGroup]) -> String {
    let one = |group: &FoundGroup| {
        let support = if group.support < 0.995 { format!(" ({:.0} %)", 100.0 * group.support) } else { String::new() };
        format!("{}{support}", short_list(&group.cpus, IN_A_TABLE))
    };
    let mut all: Vec<String> = groups.iter().take(MOST_GROUPS).map(one).collect();
    if let Some(more @ 1..) = groups.len().checked_sub(MOST_GROUPS) {
        all.push(format!("and {more} more"));
    }
    format!("{} ({})", groups.len(), all.join("; "))
}

/// A table of costs; nothing where there are none.
pub(crate) fn classes(classes: &[CostClass]) -> String {
    if classes.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    table.line(["two CPUs share".to_owned(), "ns one way".to_owned(), "half of them".to_owned()]);
    for class in classes {
        let shares = match class.shares {
            Shares::Machine => "nothing but the machine".to_owned(),
            Shares::Other => "none of these".to_owned(),
            Shares::Unnamed => "something without a name here".to_owned(),
            shares => format!("a {}", shares.name()),
        };
        let half = class.quartiles_ns.map_or_else(|| "-".to_owned(), |[low, high]| format!("{low:.1} to {high:.1}"));
        table.line([shares, format!("{:.1}", class.median_ns), half]);
    }
    table.text(&[Align::Left, Align::Right])
}

/// A sentence about CPUs that are elsewhere than claimed.
pub(crate) fn misclaimed(one: &Misclaimed) -> String {
    format!(
        "CPUs {}: claimed to share a {} with {}, found to share it with {}",
        one.cpus,
        one.shares.name(),
        one.claimed,
        one.found
    )
}
