//! What nearfar measures with.

use std::fmt;

/// Declares the instruments: their variants, names and order in one list.
macro_rules! instruments {
    ($($(#[$about:meta])* $variant:ident = $name:literal,)*) => {
        /// An instrument: one kind of measurement, with a part of the document of its own. In the
        /// order in which screens show them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Instrument {
            $($(#[$about])* $variant,)*
        }

        impl Instrument {
            /// All of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Its name in commands and documents.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

instruments! {
    /// The cost of one access, from every CPU group to every node.
    Latency = "latency",
    /// The cost of base pages beside huge ones.
    PageSize = "page size",
    /// Bytes per second from every CPU group to every node.
    Bandwidth = "bandwidth",
    /// Latency while other CPUs stream.
    Loaded = "loaded",
    /// Lines handed from CPU to CPU.
    CoreToCore = "core-to-core",
    /// The cost of an access by the size of the buffer.
    Caches = "caches",
    /// Memory interleaved over nodes.
    Interleave = "interleave",
    /// Pages that differ though the system shows one memory.
    Hidden = "hidden",
}

impl fmt::Display for Instrument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_instrument_has_a_name_of_its_own() {
        let names: BTreeSet<&str> =
            Instrument::ALL.iter().map(|instrument| instrument.name()).collect();
        assert_eq!(names.len(), Instrument::ALL.len());
        assert!(Instrument::ALL.is_sorted());
    }
}
