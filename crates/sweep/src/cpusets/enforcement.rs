//! What held programs in their place, as the document keeps it.

use serde::{Deserialize, Serialize};

/// What programs could not shake off. Affinity and memory policy are always had; programs can change those themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforcement {
    /// "cgroup v1" or "cgroup v2": cpusets were around every run. None where there were no cpusets.
    pub cpusets: Option<String>,
    /// Why there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Whether an earlier part of the sweep, before it was resumed, was held otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

impl Enforcement {
    /// Cpusets of this interface, or why there are none.
    pub fn of(cpusets: Result<&str, String>) -> Self {
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

    /// A sentence or two.
    pub fn words(&self) -> String {
        let held = match (&self.cpusets, &self.why_not) {
            (Some(interface), _) => format!("cpusets ({interface}), affinity and memory policy."),
            (None, Some(why)) => {
                format!("affinity and memory policy, which programs can change themselves; no cpusets: {why}.")
            }
            (None, None) => "affinity and memory policy, which programs can change themselves.".to_owned(),
        };
        let changed = if self.changed { " Before the sweep was resumed it was otherwise." } else { "" };
        format!("{held}{changed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_had_and_why_not_more_is_said() {
        let had = Enforcement::of(Ok("cgroup v2"));
        assert_eq!(had.words(), "cpusets (cgroup v2), affinity and memory policy.");
        let lacking = Enforcement::of(Err("it is read-only".to_owned()));
        assert!(lacking.words().ends_with("change themselves; no cpusets: it is read-only."), "{}", lacking.words());
    }

    #[test]
    fn a_sweep_that_is_held_otherwise_once_it_is_resumed_tells() {
        let (had, lacking) = (Enforcement::of(Ok("cgroup v1")), Enforcement::of(Err("no".to_owned())));
        assert!(!had.clone().after(None).changed && !had.clone().after(Some(&had)).changed);
        let changed = lacking.clone().after(Some(&had));
        assert!(changed.changed && changed.words().contains("otherwise"));
        assert!(lacking.after(Some(&changed)).changed, "it stays said");
    }
}
