//! What nearfar measures with.

use std::fmt;

/// An instrument: one kind of measurement, with a part of the document of its own. In the order in
/// which screens show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Instrument {
    /// The cost of one access, from every CPU group to every node.
    Latency,
    /// The cost of base pages beside huge ones.
    PageSize,
    /// Bytes per second from every CPU group to every node.
    Bandwidth,
    /// Latency while other CPUs stream.
    Loaded,
    /// Lines handed from CPU to CPU.
    CoreToCore,
    /// The cost of an access by the size of the buffer.
    Caches,
    /// Memory interleaved over nodes.
    Interleave,
    /// Pages that differ though the system shows one memory.
    Hidden,
}

impl Instrument {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Latency,
        Self::PageSize,
        Self::Bandwidth,
        Self::Loaded,
        Self::CoreToCore,
        Self::Caches,
        Self::Interleave,
        Self::Hidden,
    ];

    /// The instrument of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|instrument| instrument.name() == name)
    }

    /// Its name in commands and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::PageSize => "page size",
            Self::Hidden => "hidden",
            Self::Bandwidth => "bandwidth",
            Self::CoreToCore => "core-to-core",
            Self::Loaded => "loaded",
            Self::Caches => "caches",
            Self::Interleave => "interleave",
        }
    }
}

impl fmt::Display for Instrument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instrument_is_known_by_its_name() {
        for instrument in Instrument::ALL {
            assert_eq!(Instrument::from_name(instrument.name()), Some(instrument));
        }
        assert_eq!(Instrument::from_name("colour"), None);
    }
}
