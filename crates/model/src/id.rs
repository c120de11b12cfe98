//! Ids, one type for each kind.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An id that can be a member of an [`IdSet`](crate::IdSet).
pub trait Id: Copy + Ord + fmt::Display {
    /// The noun in messages ("node", "CPU").
    const NOUN: &'static str;
    /// The id with this number.
    fn from_number(number: u32) -> Self;
    /// The number of this id.
    fn number(self) -> u32;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $noun:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        $crate::schema_as!($name: u32);

        impl Id for $name {
            const NOUN: &'static str = $noun;
            fn from_number(number: u32) -> Self {
                Self(number)
            }
            fn number(self) -> u32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

id!(
    /// A memory node, in the kernel's numbering (`/sys/devices/system/node/nodeN`). Ids may be
    /// sparse.
    NodeId,
    "node"
);
id!(
    /// A logical CPU, in the kernel's numbering (`/sys/devices/system/cpu/cpuN`).
    CpuId,
    "CPU"
);
id!(
    /// A proximity domain, in firmware's numbering (ACPI SRAT, `_PXM`). The kernel maps domains to
    /// nodes with other numbers.
    ProximityDomain,
    "proximity domain"
);
