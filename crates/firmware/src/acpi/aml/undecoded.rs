//! Code that is not decoded, and the reason.

use std::fmt;

use serde::Serialize;

use super::bytes::EndOfPackage;
use super::opcode::Opcode;
use super::scopes::{MAX_DEPTH, NoScope};

/// A range of code that was not decoded. It may declare devices and claim domains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UndecodedCode {
    /// Offset of its first byte from the start of the table.
    pub offset: usize,
    /// Its length in bytes.
    pub length_bytes: usize,
    /// Path of the scope around it.
    pub scope: String,
    /// The reason.
    pub why: String,
}

/// Why code is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UndecodedReason {
    /// An opcode without a meaning at this place.
    Opcode(u16),
    /// A call of a method that the table does not declare before: the number of its arguments is
    /// unknown.
    Call,
    /// A term or a package is longer than the package around it.
    EndOfPackage,
    /// Bytes that are no name where a name has to be, or a name that leads nowhere.
    Name,
    /// Too many packages or names in each other.
    Depth,
    /// More devices than any machine has.
    TooManyDevices,
    /// The table has no content but zeros.
    Zeros,
}

impl From<EndOfPackage> for UndecodedReason {
    fn from(EndOfPackage: EndOfPackage) -> Self {
        Self::EndOfPackage
    }
}

impl From<NoScope> for UndecodedReason {
    fn from(NoScope: NoScope) -> Self {
        Self::Name
    }
}

impl From<Opcode> for UndecodedReason {
    fn from(opcode: Opcode) -> Self {
        Self::Opcode(opcode.number())
    }
}

impl fmt::Display for UndecodedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opcode(number) => write!(f, "opcode {number:#04x} has no meaning here"),
            Self::Call => {
                f.write_str("it calls a method whose number of arguments this table does not state")
            }
            Self::EndOfPackage => f.write_str("a term is longer than the package around it"),
            Self::Name => f.write_str("a name is malformed, too long, or leads above the root"),
            Self::Depth => write!(f, "more than {MAX_DEPTH} packages or expressions in each other"),
            Self::TooManyDevices => f.write_str("the table has too many devices"),
            Self::Zeros => {
                f.write_str("the content is only zeros: 'nearfar capture' removes it from a copy")
            }
        }
    }
}
