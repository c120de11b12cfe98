//! DSDT and SSDT: which proximity domain firmware's code claims for each device.
//!
//! The tables hold code (AML) that the kernel runs once to build its namespace of devices. It is
//! walked over here and not evaluated: names with a constant are read, everything else is
//! [`AmlValue::Computed`], and code that is not understood is listed. Grammar: ACPI 6.5,
//! section 20.2.

mod bytes;
mod device;
mod object;
mod opcode;
mod scopes;
mod value;
mod walk;

use std::fmt;

use nearfar_model::ProximityDomain;
use serde::{Serialize, Serializer};

use self::object::{AmlObject, ObjectName};
use self::scopes::ScopeId;
use self::walk::Walk;
use super::{HEADER_BYTES, TableReader};
use crate::fault::FaultKind;
use bytes::EndOfPackage;
use opcode::Opcode;
use scopes::{MAX_DEPTH, NoScope};

pub use device::{AcpiDevice, PciRoot};
pub use value::AmlValue;

/// The content of a DSDT or SSDT. Methods are not run: what they would add is unknown.
///
/// Serialised as `devices`, `claims` and `not_decoded`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionBlock {
    walk: Walk,
}

/// A `_PXM`: the claim that a device, and all devices below it, belong to a proximity domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ProximityClaim {
    /// Path of the device: `\_SB_.PC20`. Another table may declare the device itself.
    pub path: String,
    /// Offset of the object in bytes from the start of the table.
    pub offset: usize,
    /// The domain.
    pub domain: AmlValue<ProximityDomain>,
}

impl DefinitionBlock {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        let mut walk = Walk::new(table.bytes.0, HEADER_BYTES);
        // Sorted by scope, and in the order of the table within one.
        walk.objects.sort_by_key(|object| object.scope);
        for undecoded in &walk.undecoded {
            if matches!(undecoded.why, UndecodedReason::EndOfPackage | UndecodedReason::Name) {
                table.faults.add(undecoded.start as usize, FaultKind::Damaged, || {
                    undecoded.why.to_string()
                });
            }
        }
        Self { walk }
    }

    /// The devices that this table declares, in order. Objects that another table adds are missing
    /// ([`AcpiNamespace`](super::AcpiNamespace) joins all tables).
    pub fn devices(&self) -> impl Iterator<Item = AcpiDevice> {
        self.walk.devices.iter().map(|&(scope, offset)| {
            AcpiDevice::new(self.walk.scopes.path(scope), offset as usize, self.objects(scope))
        })
    }

    /// Scopes of other tables to which this table adds objects, as if they were devices.
    pub(super) fn additions(&self) -> impl Iterator<Item = AcpiDevice> {
        let runs = self.walk.objects.chunk_by(|a, b| a.scope == b.scope);
        runs.map(|objects| {
            let path = self.walk.scopes.path(objects[0].scope);
            AcpiDevice::new(path, objects[0].offset as usize, objects)
        })
    }

    /// Number of devices that the table declares.
    pub fn device_count(&self) -> usize {
        self.walk.devices.len()
    }

    /// All `_PXM` objects, by scope.
    ///
    /// # References
    ///
    /// ACPI 6.5, section 6.2.14 (`_PXM`)
    pub fn claims(&self) -> impl Iterator<Item = ProximityClaim> {
        let claims = self.walk.objects.iter().filter(|object| object.name == ObjectName::Proximity);
        claims.map(|claim| ProximityClaim {
            path: self.walk.scopes.path(claim.scope),
            offset: claim.offset as usize,
            domain: claim.data.domain(),
        })
    }

    /// Code that was not decoded: devices and claims in it are unknown.
    pub fn undecoded(&self) -> impl Iterator<Item = UndecodedCode> {
        self.walk.undecoded.iter().map(|undecoded| UndecodedCode {
            offset: undecoded.start as usize,
            length_bytes: (undecoded.end - undecoded.start) as usize,
            scope: self.walk.scopes.path(undecoded.scope),
            why: undecoded.why.to_string(),
        })
    }

    fn objects(&self, scope: ScopeId) -> &[AmlObject] {
        let objects = &self.walk.objects;
        let start = objects.partition_point(|object| object.scope < scope);
        let end = objects.partition_point(|object| object.scope <= scope);
        &objects[start..end]
    }
}

/// A definition block, as documents hold it.
#[derive(Serialize, schemars::JsonSchema)]
struct WrittenBlock {
    /// Devices with an address on a bus.
    devices: Vec<AcpiDevice>,
    /// Domains that the code claims.
    claims: Vec<ProximityClaim>,
    /// Code that was not decoded.
    not_decoded: Vec<UndecodedCode>,
}

nearfar_model::schema_as!(DefinitionBlock: WrittenBlock);

impl Serialize for DefinitionBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (devices, claims) = (self.devices().collect(), self.claims().collect());
        WrittenBlock { devices, claims, not_decoded: self.undecoded().collect() }
            .serialize(serializer)
    }
}

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
enum UndecodedReason {
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
