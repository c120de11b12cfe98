//! The predefined objects that are kept: those that locate a device and its domain.

use super::bytes::NamePath;
use super::scopes::ScopeId;
use super::value::AmlData;

/// A predefined object by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectName {
    Address,
    Bus,
    CompatibleIds,
    HardwareId,
    Proximity,
    Segment,
    UniqueId,
}

impl ObjectName {
    /// The object that a name declares; `None` for all others.
    pub(super) fn from_path(name: &NamePath<'_>) -> Option<Self> {
        Some(match name.segments.rchunks_exact(4).next()? {
            b"_ADR" => Self::Address,
            b"_BBN" => Self::Bus,
            b"_CID" => Self::CompatibleIds,
            b"_HID" => Self::HardwareId,
            b"_PXM" => Self::Proximity,
            b"_SEG" => Self::Segment,
            b"_UID" => Self::UniqueId,
            _ => return None,
        })
    }
}

/// An object of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AmlObject {
    pub(super) scope: ScopeId,
    pub(super) name: ObjectName,
    /// Offset of its declaration in bytes from the start of the table.
    pub(super) offset: u32,
    pub(super) data: AmlData,
}
