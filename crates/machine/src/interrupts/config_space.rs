//! Whether a function offers messages besides its line: capabilities of its configuration space.

use serde::Serialize;

use crate::pci::PciAddress;
use crate::source::{FileContents, Source};

/// Bytes that every user may read.
const HEADER: usize = 64;
/// Bytes with all capabilities that are asked for here.
const CAPABILITIES: usize = 256;
/// Offsets and values (PCI Local Bus Specification 3.0, sections 6.2.3 and 6.7).
const STATUS: usize = 0x06;
const HAS_CAPABILITIES: u8 = 1 << 4;
const FIRST_CAPABILITY: usize = 0x34;
const MSI: u8 = 0x05;
const MSI_X: u8 = 0x11;

/// Whether a function can signal interrupts by messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageSupport {
    /// It offers MSI, and not MSI-X.
    Msi,
    /// It offers MSI-X.
    MsiX,
    /// It offers neither.
    Neither,
    /// Only root may read the capabilities.
    NotReadable,
    /// The source has no configuration space: captures have none.
    Absent,
}

impl MessageSupport {
    /// Reads the capabilities of a function.
    pub(super) fn read(source: &Source, address: PciAddress) -> Self {
        let path = format!("/sys/bus/pci/devices/{address}/config");
        match source.device(&path, 0, CAPABILITIES) {
            FileContents::Bytes(bytes) => Self::parse(&bytes),
            FileContents::Denied => Self::NotReadable,
            FileContents::Absent => match source.device(&path, 0, HEADER) {
                FileContents::Bytes(header) if has_capabilities(&header) => Self::NotReadable,
                FileContents::Bytes(_) => Self::Neither,
                FileContents::Denied => Self::NotReadable,
                FileContents::Absent => Self::Absent,
            },
        }
    }

    /// Walks the list of capabilities. A damaged list ends it.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let mut support = Self::Neither;
        if !has_capabilities(bytes) {
            return support;
        }
        let mut at = usize::from(byte(FIRST_CAPABILITY) & !3);
        // Each capability has at least four bytes: a longer list is a cycle.
        for _ in 0..CAPABILITIES / 4 {
            if at < HEADER {
                break;
            }
            match byte(at) {
                MSI_X => return Self::MsiX,
                MSI => support = Self::Msi,
                _ => {}
            }
            at = usize::from(byte(at + 1) & !3);
        }
        support
    }
}

fn has_capabilities(bytes: &[u8]) -> bool {
    bytes.get(STATUS).is_some_and(|status| status & HAS_CAPABILITIES != 0)
}
