//! Which failures are permanent: one moved page in one process does not make a column unavailable.

use std::collections::{BTreeMap, BTreeSet};

use crate::PlanScope;

/// How rows, columns and cells fared in the last process that tried them: whether each failed.
#[derive(Debug, Default)]
pub(super) struct FailureHistory(BTreeMap<PlanScope, bool>);

/// Those that failed in one process, and why.
#[derive(Debug, PartialEq)]
pub(super) struct Failures {
    /// In the first process that tried them, or in the one before, too: these are given up.
    pub(super) for_good: BTreeMap<PlanScope, String>,
    /// After a process that had no trouble: this one's samples are left out.
    pub(super) passing: BTreeMap<PlanScope, String>,
}

impl FailureHistory {
    /// Notes how those fared that a process tried.
    pub(super) fn note(
        &mut self,
        tried: &BTreeSet<PlanScope>,
        mut failed: BTreeMap<PlanScope, String>,
    ) -> Failures {
        let mut failures = Failures { for_good: BTreeMap::new(), passing: BTreeMap::new() };
        for &index in tried {
            let why = failed.remove(&index);
            let worked_before = self.0.insert(index, why.is_some()) == Some(false);
            if let Some(why) = why {
                let kind =
                    if worked_before { &mut failures.passing } else { &mut failures.for_good };
                kind.insert(index, why);
            }
        }
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlanScope::Column;

    /// Whether index 0 has failed for good after processes that failed at it or not.
    fn given_up(processes: &[bool]) -> Vec<bool> {
        let mut history = FailureHistory::default();
        let failed =
            |failed: bool| failed.then(|| (Column(0), "full".to_owned())).into_iter().collect();
        let is_given_up = |&now: &bool| {
            !history.note(&BTreeSet::from([Column(0)]), failed(now)).for_good.is_empty()
        };
        processes.iter().map(is_given_up).collect()
    }

    #[test]
    fn the_first_process_decides() {
        assert_eq!(given_up(&[true]), [true]);
    }

    #[test]
    fn later_failures_need_two_in_a_row() {
        assert_eq!(given_up(&[false, true, false, true]), [false; 4]);
        assert_eq!(given_up(&[false, true, true]), [false, false, true]);
    }

    #[test]
    fn processes_that_did_not_try_do_not_count() {
        let mut history = FailureHistory::default();
        let failure = || BTreeMap::from([(Column(3), "pages moved".to_owned())]);
        history.note(&BTreeSet::from([Column(3)]), BTreeMap::new());
        assert_eq!(history.note(&BTreeSet::from([Column(3)]), failure()).passing, failure());
        history.note(&BTreeSet::from([Column(1)]), BTreeMap::new());
        assert_eq!(history.note(&BTreeSet::from([Column(3)]), failure()).for_good, failure());
    }
}
