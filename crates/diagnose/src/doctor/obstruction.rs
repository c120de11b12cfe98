//! Why a facility is not available.

use nearfar_machine::pmu::PmuRefusal;
use nearfar_machine::{FileAccess, HiddenBy, NoCpusets};
use nearfar_model::Bytes;
use nearfar_place::{Feature, PlaceError};
use serde::{Deserialize, Serialize};

use crate::doctor::CheckState;
use crate::doctor::{MissingCause, MissingPolicy};

/// Why a facility is not available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Obstruction {
    /// A sandbox, or the kernel's rules for this user, refuse a call.
    CallRefused {
        /// The call.
        call: String,
    },
    /// The kernel has no such call, or a sandbox hides it.
    CallMissing {
        /// The call.
        call: String,
    },
    /// Another error of a call.
    CallFailed {
        /// The error, with the call.
        error: String,
    },
    /// Some policies do not work.
    Policies {
        /// Those.
        missing: Vec<MissingPolicy>,
    },
    /// Events cannot be counted.
    Pmu {
        /// Why.
        refusal: PmuRefusal,
    },
    /// A file exists, and this user may not read it.
    Unreadable {
        /// The file.
        path: String,
    },
    /// A file exists, and this user may not write it.
    Unwritable {
        /// The file.
        path: String,
    },
    /// A file system is mounted read-only.
    ReadOnly {
        /// A file on it.
        path: String,
    },
    /// A file, or the device behind it, does not exist.
    Absent {
        /// The file.
        path: String,
    },
    /// A file shows users without a capability zeros instead of addresses.
    HiddenContents {
        /// The file.
        path: String,
    },
    /// This process may lock only a part of memory.
    LockLimit {
        /// The limit.
        #[schemars(with = "u64")]
        bytes: Bytes,
    },
    /// A setting switches it off.
    SwitchedOff {
        /// The file of the setting.
        path: String,
        /// Its value.
        value: String,
    },
    /// The kernel accepts memory policies and ignores them.
    PoliciesIgnored {
        /// The file of the setting.
        path: String,
        /// Its value.
        value: String,
    },
    /// No huge pages are reserved.
    EmptyPool,
    /// No control groups with cpusets are mounted.
    CpusetsNotMounted,
    /// The control group of this process is not visible, as in containers.
    GroupHidden {
        /// Its name.
        group: String,
    },
    /// `/proc` does not show all processes.
    HiddenProcesses {
        /// Why.
        by: HiddenBy,
    },
    /// The controller is not delegated to the control group of this process.
    CpusetsNotDelegated {
        /// Its name.
        group: String,
    },
}

impl Obstruction {
    /// The reason for an error of placing.
    pub fn from_place_error(error: &PlaceError) -> Self {
        match error {
            PlaceError::NotPermitted { call } => Self::CallRefused { call: (*call).to_owned() },
            PlaceError::NotInKernel { call } => Self::CallMissing { call: (*call).to_owned() },
            error => Self::CallFailed { error: error.to_string() },
        }
    }

    /// Why there are no cpusets.
    pub fn from_no_cpusets(reason: NoCpusets) -> Self {
        match reason {
            NoCpusets::NotMounted => Self::CpusetsNotMounted,
            NoCpusets::Hidden { group } => Self::GroupHidden { group },
            NoCpusets::NotDelegated { group } => Self::CpusetsNotDelegated { group },
        }
    }

    /// Why a file cannot be read; `None` if it can.
    pub fn to_reading(path: &str, access: FileAccess) -> Option<Self> {
        let path = path.to_owned();
        match access {
            FileAccess::Allowed => None,
            FileAccess::Denied => Some(Self::Unreadable { path }),
            FileAccess::ReadOnly => Some(Self::ReadOnly { path }),
            FileAccess::Absent => Some(Self::Absent { path }),
        }
    }

    /// Why a file cannot be written; `None` if it can.
    pub fn to_writing(path: &str, access: FileAccess) -> Option<Self> {
        match access {
            FileAccess::Denied => Some(Self::Unwritable { path: path.to_owned() }),
            access => Self::to_reading(path, access),
        }
    }

    /// What the list shows of it.
    pub fn state(&self) -> CheckState {
        match self {
            Self::Policies { missing } if missing.len() < Feature::ALL.len() => CheckState::Limited,
            Self::Policies { missing } => {
                let is_refused = missing.iter().any(|one| one.cause == MissingCause::Refused);
                if is_refused { CheckState::Refused } else { CheckState::Absent }
            }
            Self::Unreadable { .. } | Self::HiddenContents { .. } => CheckState::Unreadable,
            Self::CallMissing { .. }
            | Self::Absent { .. }
            | Self::CpusetsNotMounted
            | Self::GroupHidden { .. }
            | Self::Pmu {
                refusal:
                    PmuRefusal::NoPmu { .. }
                    | PmuRefusal::UnknownCpu { .. }
                    | PmuRefusal::UnknownArchitecture
                    | PmuRefusal::NotSupported,
            } => CheckState::Absent,
            Self::LockLimit { .. } | Self::HiddenProcesses { .. } => CheckState::Limited,
            Self::SwitchedOff { .. } | Self::PoliciesIgnored { .. } | Self::EmptyPool => {
                CheckState::Off
            }
            Self::CallRefused { .. }
            | Self::CallFailed { .. }
            | Self::Unwritable { .. }
            | Self::ReadOnly { .. }
            | Self::CpusetsNotDelegated { .. }
            | Self::Pmu { .. } => CheckState::Refused,
        }
    }
}
