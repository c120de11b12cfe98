//! The limit of configurations: axes multiply, and a typing error shall not fill memory.

use super::RequestedAxes;
use crate::error::SweepError;

/// A run of each, of a second, takes three hours.
const MOST: usize = 10_000;

/// Refuses axes that contradict themselves, or make too many configurations.
pub(super) fn check(named: &RequestedAxes) -> Result<(), SweepError> {
    let names: Vec<&str> = named.variables.iter().map(|variable| variable.name.as_str()).collect();
    if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        return Err(SweepError::RepeatedVariable(names[at].to_owned()));
    }
    let values = named.variables.iter().map(|variable| variable.values.len());
    let settings = named.switches.iter().map(|(_, values)| values.len());
    let axes =
        [named.placements.len(), named.jobs.len().max(1)].into_iter().chain(values).chain(settings);
    match axes.fold(1, usize::saturating_mul) {
        ..=MOST => Ok(()),
        count => Err(SweepError::TooMany(count, MOST)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::SweepPlacement;
    use crate::system::SystemSetting;

    fn error_of(jobs: usize, variables: &[&str]) -> Option<String> {
        let named = RequestedAxes {
            placements: vec![SweepPlacement::Unbound, SweepPlacement::Spread],
            jobs: (1..=jobs).collect(),
            variables: variables.iter().map(|text| text.parse().unwrap()).collect(),
            switches: vec![(SystemSetting::Thp, vec!["always".to_owned(), "never".to_owned()])],
            command: vec!["true".to_owned()],
        };
        check(&named).err().map(|error| error.to_string())
    }

    #[test]
    fn a_variable_has_one_list_of_values() {
        let refused = error_of(1, &["A=1", "B=1", "A=2"]).unwrap();
        assert_eq!(
            refused,
            "--env A is there twice: write all its values in one, as A=VALUE,VALUE"
        );
        assert_eq!(error_of(1, &["A=1,2", "B=1"]), None);
    }

    #[test]
    fn a_product_of_axes_has_an_end() {
        assert_eq!(error_of(500, &["A=1,2,3,4,5"]), None);
        let refused = error_of(501, &["A=1,2,3,4,5"]).unwrap();
        assert!(
            refused.starts_with("that makes 10020 configurations, more than 10000"),
            "{refused}"
        );
        let many = format!("A={}", vec!["1,2"; 32_000].join(","));
        let variables: Vec<String> =
            ('A'..='Z').map(|name| many.replace('A', &name.to_string())).collect();
        assert!(
            error_of(1, &variables.iter().map(String::as_str).collect::<Vec<_>>()).is_some(),
            "it does not overflow"
        );
    }
}
