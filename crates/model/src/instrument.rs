//! The instruments of nearfar.

use std::fmt;

/// Declares the instruments in one list: variants, names and order.
macro_rules! instruments {
    ($($(#[$about:meta])* $variant:ident = $name:literal,)*) => {
        /// An instrument: one kind of measurement, with its own part of the document. Screens show
        /// them in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Instrument {
            $($(#[$about])* $variant,)*
        }

        impl Instrument {
            /// All instruments, in order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in commands and documents.
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
    /// The cost of base pages compared with huge pages.
    PageSize = "page size",
    /// Bytes per second from every CPU group to every node.
    Bandwidth = "bandwidth",
    /// Latency while other CPUs generate load.
    Loaded = "loaded",
    /// Latency of passing a cache line from one CPU to another.
    CoreToCore = "core-to-core",
    /// The cost of an access by buffer size.
    Caches = "caches",
    /// Memory interleaved over nodes.
    Interleave = "interleave",
    /// Reads of disks from every CPU group into every node's memory.
    Io = "io",
    /// Copies between every node's memory and every GPU.
    Gpu = "gpu",
    /// Pages with different costs in memory that the system shows as one node.
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
    fn instruments_have_distinct_names() {
        let names: BTreeSet<&str> =
            Instrument::ALL.iter().map(|instrument| instrument.name()).collect();
        assert_eq!(names.len(), Instrument::ALL.len());
        assert!(Instrument::ALL.is_sorted());
    }
}
