//! Which configurations of two sweeps are the same.

use crate::document::{ConfigurationResult, Sweep};

/// A configuration of both, under a unique name.
pub(super) struct MatchedConfiguration<'s> {
    pub(super) name: String,
    pub(super) first: &'s ConfigurationResult,
    pub(super) second: &'s ConfigurationResult,
}

/// Those that both have, in the first's order, and the names of those that only one has.
pub(super) fn matched<'s>(
    first: &'s Sweep,
    second: &'s Sweep,
) -> (Vec<MatchedConfiguration<'s>>, [Vec<String>; 2]) {
    let names = MatchBy::new(first, second);
    let twin = |one: &ConfigurationResult, of: &'s Sweep| {
        of.configurations.iter().find(|other| names.is_same(one, other))
    };
    let pair = |one: &'s ConfigurationResult| {
        Some(MatchedConfiguration { name: names.name(one), first: one, second: twin(one, second)? })
    };
    let alone = |all: &Sweep, others: &'s Sweep| {
        let alone =
            all.configurations.iter().filter(|configuration| twin(configuration, others).is_none());
        alone.map(|alone| names.name(alone)).collect::<Vec<_>>()
    };
    let both = first.configurations.iter().filter_map(pair).collect();
    (both, [alone(first, second), alone(second, first)])
}

/// Ids leave out a number of jobs that all configurations share: the other sweep may have been made
/// with another one.
#[derive(Clone, Copy)]
enum MatchBy {
    /// Both have the default number of jobs: as many as there are CPUs is the same on both
    /// machines.
    Ids,
    /// Both named the same numbers.
    IdsAndJobs,
    /// They named different numbers.
    WithJobs,
}

impl MatchBy {
    fn new(first: &Sweep, second: &Sweep) -> Self {
        match (
            first.axes.jobs.is_empty() && second.axes.jobs.is_empty(),
            first.axes.jobs == second.axes.jobs,
        ) {
            (true, _) => Self::Ids,
            (false, true) => Self::IdsAndJobs,
            (false, false) => Self::WithJobs,
        }
    }

    fn is_same(self, one: &ConfigurationResult, other: &ConfigurationResult) -> bool {
        let (one, other) = (&one.configuration, &other.configuration);
        match self {
            Self::Ids => one.id == other.id,
            Self::IdsAndJobs | Self::WithJobs => {
                one.jobs == other.jobs && one.curve() == other.curve()
            }
        }
    }

    fn name(self, one: &ConfigurationResult) -> String {
        let one = &one.configuration;
        match self {
            Self::Ids | Self::IdsAndJobs => one.id.clone(),
            Self::WithJobs => one.name(Some(one.jobs)),
        }
    }
}
