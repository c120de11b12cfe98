//! The operations on memory, and their traffic.

use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;

/// The streaming loops, by their option names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// Loads every line.
    Read,
    /// Stores to every line.
    Write,
    /// Stores to every line, bypassing the caches.
    NtWrite,
    /// a = b.
    Copy,
    /// a = b, with stores that bypass the caches.
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

/// Bytes read and written per byte of memory swept.
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

    /// Its option name.
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

    /// The kernel with this name; 1:0 is read.
    pub fn from_name(name: &str) -> Result<Self, ProbeError> {
        let wanted = if name == "1:0" { "read" } else { name };
        let found = Self::ALL.into_iter().find(|kernel| kernel.name() == wanted);
        found.ok_or_else(|| ProbeError::UnknownKernel(name.to_owned()))
    }

    /// The number of equal arrays in the memory; the written one comes first.
    pub(crate) const fn arrays(self) -> usize {
        match self {
            Self::Copy | Self::NtCopy => 2,
            Self::Triad => 3,
            _ => 1,
        }
    }

    /// The traffic that the program requests.
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

    /// The traffic at memory: a plain store to a line that was not loaded is a read for ownership
    /// and, later, a write-back.
    ///
    /// Processors that detect stores to whole lines (many of Arm's) may omit the read. On x86_64
    /// the loops request ownership themselves, so the read does take place.
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
            "unknown kernel '4:1': choose read, write, nt-write, copy, nt-copy, triad, \
             3:1, 2:1 or 1:1"
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
