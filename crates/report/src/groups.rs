//! CPUs that share something: lists of groups, what pairs cost by what they share, and claims that
//! do not hold.

use nearfar_infer::core_to_core::{CostClass, SharedLevel};
use nearfar_survey::{FoundGroup, FoundStructure, Misclaimed};
use nearfar_view::terminal::table::{Align, headed};

use crate::survey::Verbosity;
use nearfar_view::text::or_dash;
use nearfar_view::text::{IN_A_TABLE, short_list};

/// Groups listed of each kind.
pub(crate) const MAX_GROUPS: usize = 16;

/// How many there are, and which; the share of resamples that have a group is evidence.
pub(crate) fn listed(groups: &[FoundGroup], verbosity: Verbosity) -> String {
    let one = |group: &FoundGroup| {
        let support = if group.support < 0.995 && verbosity == Verbosity::Verbose {
            format!(" ({:.0} %)", 100.0 * group.support)
        } else {
            String::new()
        };
        format!("{}{support}", short_list(&group.cpus, IN_A_TABLE))
    };
    let mut all: Vec<String> = groups.iter().take(MAX_GROUPS).map(one).collect();
    if let Some(more @ 1..) = groups.len().checked_sub(MAX_GROUPS) {
        all.push(format!("and {more} more"));
    }
    format!("{} ({})", groups.len(), all.join("; "))
}

/// A kind of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    Packages,
    CacheGroups,
    Cores,
}

impl GroupKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Packages => "packages",
            Self::CacheGroups => "cache groups",
            Self::Cores => "cores with several CPUs",
        }
    }
}

/// The groups of each kind.
pub(crate) fn kinds(found: &FoundStructure) -> [(GroupKind, &[FoundGroup]); 3] {
    [
        (GroupKind::Packages, &found.packages),
        (GroupKind::CacheGroups, &found.cache_groups),
        (GroupKind::Cores, &found.smt_pairs),
    ]
}

/// A table of costs; nothing where there are none.
pub(crate) fn classes(classes: &[CostClass]) -> String {
    if classes.is_empty() {
        return String::new();
    }
    let line = |class: &CostClass| {
        let shares = match class.shares {
            SharedLevel::Machine => "nothing but the machine".to_owned(),
            SharedLevel::Other => "none of these".to_owned(),
            SharedLevel::Unnamed => "something without a name here".to_owned(),
            shares => format!("a {}", shares.name()),
        };
        let half = class.quartiles_ns.map(|[low, high]| format!("{low:.1} to {high:.1}"));
        [shares, format!("{:.1}", class.median_ns), or_dash(half)]
    };
    let head = ["two CPUs share", "ns one way", "25 to 75 %"];
    headed(head, classes.iter().map(line), &[Align::Left, Align::Right])
}

/// A sentence about CPUs that are elsewhere than claimed.
pub(crate) fn misclaimed(one: &Misclaimed) -> String {
    let Misclaimed { cpus, shares, claimed, found } = one;
    format!(
        "CPUs {cpus}: claimed to share a {} with {claimed}, found to share it with {found}",
        shares.name()
    )
}
