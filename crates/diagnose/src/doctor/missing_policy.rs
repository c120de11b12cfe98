//! Policies that newer kernels have, and why one does not work.

use nearfar_firmware::linux::KernelVersion;
use nearfar_machine::ProcessRights;
use nearfar_place::{Feature, PlaceError};
use serde::{Deserialize, Serialize};

/// A policy that does not work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MissingPolicy {
    /// Its name within a sentence.
    pub name: String,
    /// The Linux release that added it.
    pub since: String,
    /// What needs it: a command, or a function of the library.
    pub used_by: String,
    /// Why it does not work.
    pub cause: MissingCause,
}

/// Why a policy does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingCause {
    /// The kernel does not have it.
    Kernel,
    /// The kernel does not have its call, or a seccomp filter hides it: both answer ENOSYS.
    KernelOrFilter,
    /// A seccomp filter hides its call, which the running release has.
    Filter,
    /// The call is refused.
    Refused,
}

impl MissingPolicy {
    /// What an attempt found; `None` if the policy works. `release` is the running kernel's.
    ///
    /// # Errors
    ///
    /// What else the call fails with.
    pub fn from_attempt(
        feature: Feature,
        attempt: Result<bool, PlaceError>,
        process: &ProcessRights,
        release: Option<&str>,
    ) -> Result<Option<Self>, PlaceError> {
        let cause = match attempt {
            Ok(true) => return Ok(None),
            Err(PlaceError::NotPermitted { .. }) => MissingCause::Refused,
            Err(error) => return Err(error),
            // The other features are arguments of mbind, which no filter hides one by one.
            Ok(false) if feature != Feature::HomeNode => MissingCause::Kernel,
            Ok(false) if process.has_seccomp_filter == Some(false) => MissingCause::Kernel,
            Ok(false) if process.has_seccomp_filter == Some(true) && has_call(release, feature) => {
                MissingCause::Filter
            }
            Ok(false) => MissingCause::KernelOrFilter,
        };
        let used_by = match feature {
            Feature::PreferredMany => "nearfar run -P",
            Feature::WeightedInterleave => "nearfar run -w",
            Feature::Balancing => "nearfar run -b",
            Feature::HomeNode => "nearfar_place::set_home_node",
        };
        Ok(Some(Self {
            name: feature.name().to_owned(),
            since: feature.since().to_owned(),
            used_by: used_by.to_owned(),
            cause,
        }))
    }
}

/// Whether a release has a feature's call. A distribution may add it to an older one.
fn has_call(release: Option<&str>, feature: Feature) -> bool {
    let version = release.and_then(KernelVersion::parse);
    version.is_some() && version >= KernelVersion::parse(feature.since())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(filter: Option<bool>, release: Option<&str>) -> MissingCause {
        let process = ProcessRights { has_seccomp_filter: filter, ..ProcessRights::default() };
        let missing = MissingPolicy::from_attempt(Feature::HomeNode, Ok(false), &process, release);
        missing.unwrap().unwrap().cause
    }

    #[test]
    fn a_newer_release_has_the_call_that_a_filter_hides() {
        for release in ["5.17-rc1", "6.1.0-28-amd64", "6.18.44-fc"] {
            assert_eq!(cause(Some(true), Some(release)), MissingCause::Filter, "{release}");
        }
        for release in ["5.16.9", "4.18.0-553.el8", "", "linux"] {
            assert_eq!(cause(Some(true), Some(release)), MissingCause::KernelOrFilter, "{release}");
        }
        assert_eq!(cause(Some(true), None), MissingCause::KernelOrFilter);
    }

    #[test]
    fn without_a_filter_none_is_blamed() {
        assert_eq!(cause(Some(false), Some("6.18.0")), MissingCause::Kernel);
        assert_eq!(cause(None, Some("6.18.0")), MissingCause::KernelOrFilter);
    }

    #[test]
    fn arguments_of_calls_are_the_kernels() {
        let process = ProcessRights { has_seccomp_filter: Some(true), ..ProcessRights::default() };
        let attempt = |result| {
            MissingPolicy::from_attempt(Feature::Balancing, result, &process, Some("6.18.0"))
        };
        assert_eq!(attempt(Ok(false)).unwrap().unwrap().cause, MissingCause::Kernel);
        assert_eq!(attempt(Ok(true)).unwrap(), None);
    }
}
