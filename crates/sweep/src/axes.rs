//! What is varied: placements, jobs, environment variables; and the configurations that come of it.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::SweepError;

/// Numbers of jobs, as "1,2,4", "1..8" or "1..64/2".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jobs(pub Vec<usize>);

/// More are a typing error, which would run for years.
const MAX_JOBS: usize = 65_536;
/// Nor waits for more points.
const MAX_POINTS: usize = 1_024;

impl FromStr for Jobs {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = || SweepError::BadJobs(text.to_owned());
        let parts: Option<Vec<_>> = text.split(',').map(|part| part_of(part.trim())).collect();
        let mut all = parts.ok_or_else(wrong)?.concat();
        all.sort_unstable();
        all.dedup();
        let is_sane = all.iter().all(|jobs| (1..=MAX_JOBS).contains(jobs))
            && (1..=MAX_POINTS).contains(&all.len());
        is_sane.then_some(Self(all)).ok_or_else(wrong)
    }
}

fn part_of(part: &str) -> Option<Vec<usize>> {
    let Some((first, last)) = part.split_once("..") else { return Some(vec![part.parse().ok()?]) };
    let (last, factor) = match last.split_once('/') {
        Some((last, factor)) => {
            (last, Some(factor.parse::<usize>().ok().filter(|factor| *factor > 1)?))
        }
        None => (last, None),
    };
    let (first, last): (usize, usize) =
        (first.parse().ok()?, last.trim_start_matches('=').parse().ok()?);
    if first == 0 || last < first || last > MAX_JOBS {
        return None;
    }
    let next = |jobs: &usize| factor.map_or(jobs.checked_add(1), |factor| jobs.checked_mul(factor));
    let mut all: Vec<usize> = std::iter::successors(Some(first), next)
        .take_while(|jobs| *jobs <= last)
        .take(MAX_POINTS + 1)
        .collect();
    // The largest is what people want to see.
    if all.last() != Some(&last) {
        all.push(last);
    }
    Some(all)
}

/// An environment variable and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is set to, one after the other.
    pub values: Vec<String>,
}

impl FromStr for Variable {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = || SweepError::BadEnvironment(text.to_owned());
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        if name.is_empty() || name.contains('\0') || values.contains('\0') {
            return Err(wrong());
        }
        let mut values: Vec<String> = values.split(',').map(str::to_owned).collect();
        values.dedup();
        Ok(Self { name: name.to_owned(), values })
    }
}

/// Every combination of the values of these axes, the last varying fastest; one empty one without
/// axes.
pub(crate) fn combinations<'a, Axis: Clone + 'a>(
    axes: impl Iterator<Item = (&'a Axis, &'a [String])>,
) -> Vec<Vec<(Axis, String)>> {
    axes.fold(vec![Vec::new()], |known, (axis, values)| {
        let with = |known: &Vec<(Axis, String)>, value: &String| {
            known.iter().cloned().chain([(axis.clone(), value.clone())]).collect()
        };
        known.iter().flat_map(|one| values.iter().map(move |value| with(one, value))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_as_lists_ranges_and_doublings() {
        for (text, expected) in [
            ("4", &[4][..]),
            ("1,2,8", &[1, 2, 8]),
            ("1..4", &[1, 2, 3, 4]),
            ("1..=4", &[1, 2, 3, 4]),
            ("1..96/2", &[1, 2, 4, 8, 16, 32, 64, 96]),
            ("8,1..2,2", &[1, 2, 8]),
        ] {
            assert_eq!(text.parse::<Jobs>().unwrap().0, expected, "{text}");
        }
        for nonsense in
            ["", "0", "4..1", "1..", "..4", "x", "1..8/1", "1..8/0", "1,,2", "1..99999999999", "-1"]
        {
            assert!(nonsense.parse::<Jobs>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn variables_combine() {
        let variables: Vec<Variable> =
            ["GOGC=50,100", "A=x"].iter().map(|text| text.parse().unwrap()).collect();
        let all = combinations(
            variables.iter().map(|variable| (&variable.name, variable.values.as_slice())),
        );
        assert_eq!(all.len(), 2);
        assert_eq!(
            all[1],
            [("GOGC".to_owned(), "100".to_owned()), ("A".to_owned(), "x".to_owned())]
        );
        assert_eq!(combinations::<String>([].into_iter()), [vec![]]);
        assert!("=1".parse::<Variable>().is_err() && "GOGC".parse::<Variable>().is_err());
    }
}
