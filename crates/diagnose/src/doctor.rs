//! What this machine allows, what each refusal disables, and how to allow it.
//!
//! - [`Facility`]: what nearfar asks of a machine, and the commands that need it.
//! - [`Obstruction`]: why a facility is not available. A refused call, an unreadable file and a
//!   missing device are different.
//! - [`FacilityRemedy`]: what makes it available: on a host, in Docker, in Kubernetes.
//! - [`DoctorDocument`]: all of it, as `nearfar doctor --json` prints it.
//!
//! Only [`attempt`] makes calls and opens files; it changes nothing. All else is pure: the results
//! of attempts are arguments. Nothing here prints.

mod attempts;
mod facility;
mod obstruction;
mod remedies;
pub mod text;

use nearfar_firmware::linux::KernelVersion;
use nearfar_machine::ProcessRights;
use nearfar_place::{Feature, PlaceError};
use serde::{Deserialize, Serialize};

pub use attempts::{TryUring, attempt};
pub use facility::Facility;
pub use obstruction::Obstruction;

/// The document's name. Parts may be added, never changed, within a number.
pub const SCHEMA: &str = "nearfar.doctor/1";

/// What this machine allows to this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DoctorDocument {
    /// `nearfar.doctor/1`.
    pub schema: String,
    /// The rights of this process.
    pub process: ProcessRights,
    /// Each facility.
    pub checks: Vec<FacilityCheck>,
}

/// A facility, and whether it is available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FacilityCheck {
    /// The facility.
    pub facility: Facility,
    /// Whether it is available.
    pub state: CheckState,
    /// Why it is not; null if it is.
    pub reason: Option<Obstruction>,
    /// Commands, and functions of the library, that do not work for this reason.
    pub disables: Vec<String>,
    /// Commands that work with less for this reason.
    pub limits: Vec<String>,
    /// What makes it available, the easiest first.
    pub remedies: Vec<FacilityRemedy>,
}

impl DoctorDocument {
    /// What attempts found: a reason for each facility that is not available.
    pub fn new(
        process: ProcessRights,
        attempts: impl IntoIterator<Item = (Facility, Option<Obstruction>)>,
    ) -> Self {
        let check = |(facility, reason): (Facility, Option<Obstruction>)| match reason {
            None => FacilityCheck::allowed(facility),
            Some(reason) => FacilityCheck::obstructed(facility, reason, &process),
        };
        let checks = attempts.into_iter().map(check).collect();
        Self { schema: SCHEMA.to_owned(), process, checks }
    }
}

impl FacilityCheck {
    fn allowed(facility: Facility) -> Self {
        Self {
            facility,
            state: CheckState::Allowed,
            reason: None,
            disables: Vec::new(),
            limits: Vec::new(),
            remedies: Vec::new(),
        }
    }

    fn obstructed(facility: Facility, reason: Obstruction, process: &ProcessRights) -> Self {
        let owned = |all: &[&str]| -> Vec<String> { all.iter().map(ToString::to_string).collect() };
        let state = reason.state();
        let (disables, limits) = match &reason {
            Obstruction::Policies { missing } => {
                (missing.iter().map(|one| one.used_by.clone()).collect(), Vec::new())
            }
            // Other facilities that work in part disable nothing.
            _ if state == CheckState::Limited => {
                (Vec::new(), owned(&[facility.disables(), facility.limits()].concat()))
            }
            _ => (owned(facility.disables()), owned(facility.limits())),
        };
        Self {
            facility,
            state,
            disables,
            limits,
            remedies: remedies::remedies(facility, &reason, process),
            reason: Some(reason),
        }
    }
}

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

/// Whether a facility is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// It is.
    Allowed,
    /// In part, or up to a limit.
    Limited,
    /// It is there, and a setting switches it off.
    Off,
    /// A call is refused, or a file may not be written.
    Refused,
    /// A file exists, and is not readable.
    Unreadable,
    /// It is not here: the machine or the kernel does not have it, or a container hides it.
    Absent,
}

/// What makes a facility available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FacilityRemedy {
    /// Run the same command as root, or with a capability.
    RunAsRoot {
        /// The capability that suffices; null where none does.
        capability: Option<String>,
    },
    /// A command of the host's shell.
    Command {
        /// The command.
        command: String,
        /// Whether only root may run it.
        needs_root: bool,
    },
    /// A parameter of the kernel's command line, or an option of a hypervisor.
    Configure {
        /// What is configured.
        what: String,
        /// The setting.
        setting: String,
    },
    /// Options of `docker run` and `podman run`.
    Docker {
        /// The options.
        options: String,
    },
    /// Fields of a container in a pod, or of the pod.
    Kubernetes {
        /// The fields, in YAML's flow style.
        fields: String,
    },
    /// A newer kernel.
    Kernel {
        /// The release.
        since: String,
    },
}

impl FacilityRemedy {
    pub(crate) fn root() -> Self {
        Self::RunAsRoot { capability: None }
    }

    pub(crate) fn capability(name: &str) -> Self {
        Self::RunAsRoot { capability: Some(name.to_owned()) }
    }

    pub(crate) fn command(command: &str) -> Self {
        Self::Command { command: command.to_owned(), needs_root: true }
    }

    pub(crate) fn configure(what: &str, setting: &str) -> Self {
        Self::Configure { what: what.to_owned(), setting: setting.to_owned() }
    }

    pub(crate) fn docker(options: &str) -> Self {
        Self::Docker { options: options.to_owned() }
    }

    pub(crate) fn kubernetes(fields: &str) -> Self {
        Self::Kubernetes { fields: fields.to_owned() }
    }

    pub(crate) fn kernel(since: &str) -> Self {
        Self::Kernel { since: since.to_owned() }
    }
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
