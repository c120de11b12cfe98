//! What held programs in their place, as the document keeps it.

use serde::{Deserialize, Serialize};

use super::CpusetRefusal;

/// What programs could not shake off. Affinity and memory policy are always had; programs can change those themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforcement {
    /// "cgroup v1" or "cgroup v2": cpusets were around every run. None where there were no cpusets.
    pub cpusets: Option<String>,
    /// Why there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<CpusetRefusal>,
    /// Whether an earlier part of the sweep, before it was resumed, was held otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

impl Enforcement {
    /// Cpusets of this interface, or why there are none.
    pub fn of(cpusets: Result<&str, CpusetRefusal>) -> Self {
        match cpusets {
            Ok(interface) => Self { cpusets: Some(interface.to_owned()), ..Self::default() },
            Err(why) => Self { why_not: Some(why), ..Self::default() },
        }
    }

    /// The same, as it goes on from what an earlier part had.
    #[must_use]
    pub fn after(self, earlier: Option<&Self>) -> Self {
        let changed = earlier.is_some_and(|earlier| earlier.changed || earlier.cpusets != self.cpusets);
        Self { changed, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_that_is_held_otherwise_once_it_is_resumed_tells() {
        let (had, lacking) = (Enforcement::of(Ok("cgroup v1")), Enforcement::of(Err(CpusetRefusal::Unwanted)));
        assert!(!had.clone().after(None).changed && !had.clone().after(Some(&had)).changed);
        let changed = lacking.clone().after(Some(&had));
        assert!(changed.changed);
        assert!(lacking.after(Some(&changed)).changed, "it stays said");
    }
}
