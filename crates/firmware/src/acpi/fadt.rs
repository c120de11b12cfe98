//! FADT: the preferred power profile. Nothing else of it is decoded.

use serde::Serialize;

use crate::byte_view::ByteView;

/// The table's signature, which is older than its name.
pub const FADT: &str = "FACP";
/// Offset of `Preferred_PM_Profile`, a reserved byte before ACPI 2.0.
const PROFILE_AT: usize = 45;

/// The kind of machine, by the FADT's preferred power profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PowerProfile {
    /// 1: a desktop. Server boards use this too.
    Desktop,
    /// 2: a notebook.
    Mobile,
    /// 3: a workstation.
    Workstation,
    /// 4, 5, 7: an enterprise, a small-office and a performance server.
    Server,
    /// 6: a thin client or similar.
    Appliance,
    /// 8: a tablet.
    Tablet,
}

impl PowerProfile {
    /// Reads it from the bytes of a FADT. `None` if it is unspecified, or the bytes are another
    /// table.
    ///
    /// # References
    ///
    /// ACPI 6.6, section 5.2.9, Preferred_PM_Profile
    pub fn from_fadt(bytes: &[u8]) -> Option<Self> {
        let profile =
            ByteView(bytes).at::<u8>(PROFILE_AT).filter(|_| bytes.starts_with(FADT.as_bytes()))?;
        match profile {
            1 => Some(Self::Desktop),
            2 => Some(Self::Mobile),
            3 => Some(Self::Workstation),
            4 | 5 | 7 => Some(Self::Server),
            6 => Some(Self::Appliance),
            8 => Some(Self::Tablet),
            _ => None,
        }
    }

    /// Whether it is a portable machine, which never has two sockets.
    pub fn is_portable(self) -> bool {
        matches!(self, Self::Mobile | Self::Tablet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_is_read_from_the_fadt() {
        let mut bytes = b"FACP".to_vec();
        bytes.resize(116, 0);
        assert_eq!(PowerProfile::from_fadt(&bytes), None);
        bytes[PROFILE_AT] = 2;
        assert_eq!(PowerProfile::from_fadt(&bytes), Some(PowerProfile::Mobile));
        assert_eq!(PowerProfile::from_fadt(&bytes[..PROFILE_AT]), None);
        bytes[0] = b'X';
        assert_eq!(PowerProfile::from_fadt(&bytes), None);
    }
}
