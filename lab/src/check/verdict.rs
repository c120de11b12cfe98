//! Which verdict does a machine deserve?

use std::fmt;

use nearfar_infer::Numa;

use crate::machine::Machine;

/// The verdicts that are right for a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expected {
    /// Memory differs by more than matters, and the kernel tells the nodes apart.
    Yes,
    /// Memory differs by less than matters, or cannot be told apart by whole pages: anything but "yes".
    NotYes,
    /// Whole pages differ, and the kernel does not say which: it depends on the pages that a survey gets.
    Any,
}

impl Expected {
    pub(crate) fn of(machine: &Machine, threshold: f64) -> Self {
        let matters = effect(machine) > threshold;
        let interleaved = machine.description.interleave.is_some();
        match machine.shows_nodes() {
            true if matters => Self::Yes,
            false if matters && !interleaved => Self::Any,
            _ => Self::NotYes,
        }
    }

    pub(crate) fn allows(self, found: Numa) -> bool {
        match self {
            Self::Yes => found == Numa::Yes,
            Self::NotYes => found != Numa::Yes,
            Self::Any => true,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "\"yes\"",
            Self::NotYes => "\"no\" or \"undetermined\"",
            Self::Any => "any",
        })
    }
}

/// The largest ratio of two memories as one node's CPUs see them, minus 1: what a survey calls the effect.
pub(crate) fn effect(machine: &Machine) -> f64 {
    machine.largest_ratio() - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(machine: &str) -> Expected {
        Expected::of(&Machine::load(machine).unwrap(), 0.05)
    }

    #[test]
    fn a_machine_deserves_yes_only_where_the_kernel_tells_different_memories_apart() {
        assert_eq!(expected("epyc-7451-2p"), Expected::Yes);
        assert_eq!(expected("uma-claims-8-nodes"), Expected::NotYes);
        assert_eq!(expected("firmware-interleaved"), Expected::NotYes);
        assert_eq!(expected("hidden-2n"), Expected::Any);
        assert_eq!(expected("tests/machines/xeon-3-percent.toml"), Expected::NotYes);
        assert_eq!(expected("tests/machines/xeon-10-percent.toml"), Expected::Yes);
    }

    #[test]
    fn where_a_kernel_argument_hides_nodes_the_pages_decide() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("off.toml");
        let xeon = Machine::load("xeon-2s").unwrap();
        std::fs::write(&path, format!("kernel_args = \"numa=off\"\n{}", xeon.text)).unwrap();
        assert_eq!(expected(path.to_str().unwrap()), Expected::Any);
    }

    #[test]
    fn the_effect_is_that_of_the_row_that_sees_most() {
        let epyc = effect(&Machine::load("epyc-7451-2p").unwrap());
        assert!((epyc - 2.43).abs() < 0.001, "{epyc}");
        assert_eq!(effect(&Machine::load("uma-claims-8-nodes").unwrap()), 0.0);
    }

    #[test]
    fn undetermined_is_right_wherever_yes_is_not_deserved() {
        assert!(!Expected::Yes.allows(Numa::Undetermined));
        assert!(Expected::NotYes.allows(Numa::Undetermined) && !Expected::NotYes.allows(Numa::Yes));
    }
}
