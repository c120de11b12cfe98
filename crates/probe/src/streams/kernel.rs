//! What is done to memory, and what traffic that makes.

use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;

/// The streaming loops, by the names users give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// Loads every line.
    Read,
    /// Stores to every line.
    Write,
    /// Stores to every line past the caches.
    NtWrite,
    /// a = b.
    Copy,
    /// a = b, with stores past the caches.
    NtCopy,
    /// a = b + q c, McCalpin's.
    Triad,
    /// Loads every line, and changes every third in place.
    #[serde(rename = "3:1")]
    Mix31,
    /// Loads every line, and changes every other in place.
    #[serde(rename = "2:1")]
    Mix21,
    /// Changes every line in place.
    #[serde(rename = "1:1")]
    Mix11,
}

/// Bytes read and written for each byte of the memory swept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// Bytes read.
    pub reads: f64,
    /// Bytes written.
    pub writes: f64,
}

impl Traffic {
    /// Both directions together.
    pub fn total(self) -> f64 {
        self.reads + self.writes
    }
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Read,
        Self::Write,
        Self::NtWrite,
        Self::Copy,
        Self::NtCopy,
        Self::Triad,
        Self::Mix31,
        Self::Mix21,
        Self::Mix11,
    ];

    /// The name users give it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::NtWrite => "nt-write",
            Self::Copy => "copy",
            Self::NtCopy => "nt-copy",
            Self::Triad => "triad",
            Self::Mix31 => "3:1",
            Self::Mix21 => "2:1",
            Self::Mix11 => "1:1",
        }
    }

    /// The kernel of that name; 1:0 is read.
    pub fn from_name(name: &str) -> Result<Self, ProbeError> {
        let wanted = if name == "1:0" { "read" } else { name };
        let found = Self::ALL.into_iter().find(|kernel| kernel.name() == wanted);
        found.ok_or_else(|| ProbeError::UnknownKernel(name.to_owned()))
    }

    /// Arrays of equal size that the memory is divided into: what is written comes first.
    pub(crate) const fn arrays(self) -> usize {
        match self {
            Self::Copy | Self::NtCopy => 2,
            Self::Triad => 3,
            _ => 1,
        }
    }

    /// What the program asks for.
    pub fn program(self) -> Traffic {
        let (reads, writes) = match self {
            Self::Read => (1.0, 0.0),
            Self::Write | Self::NtWrite => (0.0, 1.0),
            Self::Copy | Self::NtCopy => (0.5, 0.5),
            Self::Triad => (2.0 / 3.0, 1.0 / 3.0),
            Self::Mix31 => (1.0, 1.0 / 3.0),
            Self::Mix21 => (1.0, 0.5),
            Self::Mix11 => (1.0, 1.0),
        };
        Traffic { reads, writes }
    }

    /// What memory sees of it: a plain store to a line that was not loaded is a read for ownership
    /// and, later, a write back.
    ///
    /// This is so where processors do nothing clever. Those that notice that whole lines are
    /// written (many of Arm's) may leave the read out; on x86_64 the loops here ask for ownership
    /// themselves, so that the read does take place.
    pub fn memory(self) -> Traffic {
        let Traffic { reads, writes } = self.program();
        match self {
            Self::Write | Self::Copy | Self::Triad => Traffic { reads: reads + writes, writes },
            _ => Traffic { reads, writes },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_by_name() {
        for kernel in Kernel::ALL {
            assert_eq!(Kernel::from_name(kernel.name()).unwrap(), kernel);
            assert_eq!(serde_json::to_value(kernel).unwrap(), kernel.name());
        }
        assert_eq!(Kernel::from_name("1:0").unwrap(), Kernel::Read);
        assert_eq!(
            Kernel::from_name("4:1").unwrap_err().to_string(),
            "there is no kernel '4:1': choose of read, write, nt-write, copy, nt-copy, triad, \
             3:1, 2:1, 1:1"
        );
    }

    #[test]
    fn memory_traffic_has_the_known_ratios() {
        let ratio = |kernel: Kernel| kernel.memory().reads / kernel.memory().writes;
        assert_eq!([Kernel::Write, Kernel::Copy, Kernel::NtCopy].map(ratio), [1.0, 2.0, 1.0]);
        assert_eq!(
            [Kernel::Triad, Kernel::Mix31, Kernel::Mix21, Kernel::Mix11].map(ratio),
            [3.0, 3.0, 2.0, 1.0]
        );
        assert_eq!((Kernel::Read.memory().total(), Kernel::NtWrite.memory().reads), (1.0, 0.0));
    }

    #[test]
    fn memory_traffic_is_at_least_the_programs() {
        for kernel in Kernel::ALL {
            let (program, memory) = (kernel.program(), kernel.memory());
            assert!(memory.reads >= program.reads && memory.writes == program.writes, "{kernel:?}");
        }
    }
}
