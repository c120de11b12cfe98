//! How placements were enforced, as the document keeps it.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What programs cannot change. Affinity and memory policy are always set, but programs can
/// change those.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Enforcement {
    /// "cgroup v1" or "cgroup v2": cpusets were around every run. Null where there were no
    /// cpusets.
    pub cpusets: Option<String>,
    /// Why there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<CpusetError>,
    /// Whether an earlier part of the sweep, before it was resumed, was enforced differently.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// Why there are no cpusets around runs. Each `error` is the kernel's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CpusetError {
    /// Disabled by `--no-cpusets`.
    Unwanted,
    /// No control group for them is available.
    NoHome {
        /// What it lacks.
        error: String,
    },
    /// The controller cannot be switched on.
    NotSwitchedOn {
        /// The file that does it.
        file: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be made.
    NotMade {
        /// Its folder.
        folder: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be bound.
    NotBound {
        /// The file that does it.
        file: String,
        /// What it shall hold.
        value: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be entered.
    NotEntered {
        /// The file that does it.
        file: String,
        /// Why not.
        error: String,
    },
    /// The thread that starts programs in a group cannot be started.
    NoThread {
        /// Why not.
        error: String,
    },
    /// That thread ended.
    ThreadEnded,
}

impl CpusetError {
    pub(super) fn not_made(folder: &Path, error: &io::Error) -> Self {
        Self::NotMade { folder: folder.display().to_string(), error: error.to_string() }
    }

    pub(super) fn not_bound(file: &Path, value: String, error: &io::Error) -> Self {
        Self::NotBound { file: file.display().to_string(), value, error: error.to_string() }
    }

    pub(super) fn not_entered(file: &Path, error: &io::Error) -> Self {
        Self::NotEntered { file: file.display().to_string(), error: error.to_string() }
    }
}

impl Enforcement {
    /// Cpusets of this interface, or why there are none.
    pub fn from_cpusets(cpusets: Result<&str, CpusetError>) -> Self {
        match cpusets {
            Ok(interface) => Self { cpusets: Some(interface.to_owned()), ..Self::default() },
            Err(why) => Self { why_not: Some(why), ..Self::default() },
        }
    }

    /// The same, as it goes on from what an earlier part had.
    #[must_use]
    pub fn after(self, earlier: Option<&Self>) -> Self {
        let changed =
            earlier.is_some_and(|earlier| earlier.changed || earlier.cpusets != self.cpusets);
        Self { changed, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_enforcement_is_recorded() {
        let (had, lacking) = (
            Enforcement::from_cpusets(Ok("cgroup v1")),
            Enforcement::from_cpusets(Err(CpusetError::Unwanted)),
        );
        assert!(!had.clone().after(None).changed && !had.clone().after(Some(&had)).changed);
        let changed = lacking.clone().after(Some(&had));
        assert!(changed.changed);
        assert!(lacking.after(Some(&changed)).changed, "it stays reported");
    }
}
