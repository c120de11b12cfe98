//! Constants of AML, and what is not one.

use std::fmt;

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::bytes::{AmlBytes, EndOfPackage};
use crate::byte_view::printable;

/// Maximum number of ids of a `_CID` that are kept. Linux's tables have at most five.
const MAX_IDS: usize = 8;

/// The value of an object as far as it is known without running AML code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AmlValue<T> {
    /// A constant: `Name (_PXM, 1)`, or a method whose body is `Return (1)`.
    Constant(T),
    /// Code computes it, or an `If` around it decides whether it exists. It is not evaluated.
    Computed,
    /// A constant of a wrong type or size, such as a package instead of an integer.
    Malformed,
}

impl<T> AmlValue<T> {
    /// Applies a function to the constant.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> AmlValue<U> {
        match self {
            Self::Constant(value) => AmlValue::Constant(f(value)),
            Self::Computed => AmlValue::Computed,
            Self::Malformed => AmlValue::Malformed,
        }
    }

    /// The constant.
    pub fn constant(self) -> Option<T> {
        match self {
            Self::Constant(value) => Some(value),
            Self::Computed | Self::Malformed => None,
        }
    }
}

impl<T: fmt::Display> fmt::Display for AmlValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => value.fmt(f),
            Self::Computed => f.write_str("computed"),
            Self::Malformed => f.write_str("malformed"),
        }
    }
}

/// Data of any type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AmlData {
    Integer(u64),
    Text(Box<str>),
    /// The ids in a package: integers of 32 bits and texts. Other elements are left out.
    Ids(Box<[Self]>),
    Computed,
}

impl AmlData {
    /// The data object at a position. The position is not moved.
    pub(super) fn read(mut bytes: AmlBytes<'_>) -> Result<Self, EndOfPackage> {
        Self::take(&mut bytes)
    }

    fn take(bytes: &mut AmlBytes<'_>) -> Result<Self, EndOfPackage> {
        Ok(match bytes.byte()? {
            0x00 => Self::Integer(0),
            0x01 => Self::Integer(1),
            0xff => Self::Integer(u64::MAX),
            0x0a => Self::Integer(bytes.number(1)?),
            0x0b => Self::Integer(bytes.number(2)?),
            0x0c => Self::Integer(bytes.number(4)?),
            0x0e => Self::Integer(bytes.number(8)?),
            0x0d => Self::Text(printable(bytes.text()?).into()),
            0x12 => Self::Ids(ids(bytes.package()?)),
            _ => Self::Computed,
        })
    }

    /// The value of a method whose body is exactly `Return (constant)`.
    pub(super) fn returned(mut body: AmlBytes<'_>) -> Self {
        let is_return = body.byte() == Ok(0xa4);
        match Self::take(&mut body) {
            Ok(value) if is_return && body.is_at_end() => value,
            _ => Self::Computed,
        }
    }

    pub(super) fn integer(&self) -> AmlValue<u64> {
        match self {
            Self::Integer(number) => AmlValue::Constant(*number),
            Self::Computed => AmlValue::Computed,
            Self::Text(_) | Self::Ids(_) => AmlValue::Malformed,
        }
    }

    /// As a proximity domain: an integer of 32 bits.
    pub(super) fn domain(&self) -> AmlValue<ProximityDomain> {
        match self.integer().map(u32::try_from) {
            AmlValue::Constant(Ok(number)) => AmlValue::Constant(ProximityDomain(number)),
            AmlValue::Computed => AmlValue::Computed,
            AmlValue::Constant(Err(_)) | AmlValue::Malformed => AmlValue::Malformed,
        }
    }

    /// As a device's id: text, or an EISA id as the kernel prints it ("PNP0A08").
    pub(super) fn device_id(&self) -> AmlValue<String> {
        match self {
            Self::Text(text) => AmlValue::Constant(text.to_string()),
            Self::Integer(number) => u32::try_from(*number)
                .ok()
                .and_then(eisa_id)
                .map_or(AmlValue::Malformed, AmlValue::Constant),
            Self::Computed => AmlValue::Computed,
            Self::Ids(_) => AmlValue::Malformed,
        }
    }

    /// As a `_UID`: text, or a number in decimal digits.
    pub(super) fn unique_id(&self) -> AmlValue<String> {
        match self {
            Self::Text(text) => AmlValue::Constant(text.to_string()),
            Self::Integer(number) => AmlValue::Constant(number.to_string()),
            Self::Computed => AmlValue::Computed,
            Self::Ids(_) => AmlValue::Malformed,
        }
    }

    /// As a `_CID`: one id or a package of them. Elements that are no id are left out.
    pub(super) fn device_ids(&self) -> AmlValue<Vec<String>> {
        match self {
            Self::Ids(ids) => {
                AmlValue::Constant(ids.iter().filter_map(|id| id.device_id().constant()).collect())
            }
            one => one.device_id().map(|id| vec![id]),
        }
    }
}

/// The ids of a package: EISA ids and texts, at most [`MAX_IDS`]. Ends at the first element that
/// is no constant, such as a package, because what follows is not read.
fn ids(mut package: AmlBytes<'_>) -> Box<[AmlData]> {
    let mut ids = Vec::new();
    // The number of elements comes first; the package's length decides.
    let mut more = package.byte().is_ok();
    while more && ids.len() < MAX_IDS && package.peek() != Ok(0x12) {
        match AmlData::take(&mut package) {
            // No EISA id is that small.
            Ok(AmlData::Integer(number)) if number <= 0xffff => {}
            Ok(AmlData::Text(text)) if text.is_empty() => {}
            Ok(id @ (AmlData::Integer(_) | AmlData::Text(_))) => ids.push(id),
            Ok(AmlData::Ids(_) | AmlData::Computed) | Err(EndOfPackage) => more = false,
        }
    }
    ids.into()
}

/// "PNP0A08" from 0x080AD041: three letters of five bits and four digits, in big-endian order.
///
/// # References
///
/// ACPI 6.5, section 19.6.37 (EISAID)
fn eisa_id(number: u32) -> Option<String> {
    let id = number.swap_bytes();
    let letter = |shift: u32| {
        let letter = char::from_u32('@' as u32 + (id >> shift & 0x1f))?;
        letter.is_ascii_uppercase().then_some(letter)
    };
    Some(format!("{}{}{}{:04X}", letter(26)?, letter(21)?, letter(16)?, id & 0xffff))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<AmlData, EndOfPackage> {
        AmlData::read(AmlBytes::new(bytes, 0, bytes.len()))
    }

    fn returned(body: &[u8]) -> AmlData {
        AmlData::returned(AmlBytes::new(body, 0, body.len()))
    }

    #[test]
    fn integers_of_each_size_are_constants() {
        for (bytes, number) in [
            (&[0x00][..], 0),
            (&[0x01], 1),
            (&[0x0a, 7], 7),
            (&[0x0b, 1, 2], 0x0201),
            (&[0x0c, 1, 0, 0, 0x80], 0x8000_0001),
            (&[0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80], 0x8000_0000_0000_0001),
            (&[0xff], u64::MAX),
        ] {
            assert_eq!(read(bytes), Ok(AmlData::Integer(number)));
        }
        assert_eq!((read(&[0x0b, 1]), read(&[])), (Err(EndOfPackage), Err(EndOfPackage)));
    }

    #[test]
    fn domains_have_32_bits() {
        let domain = |number| AmlData::Integer(number).domain();
        assert_eq!(domain(u32::MAX.into()), AmlValue::Constant(ProximityDomain(u32::MAX)));
        assert_eq!(domain(1 << 32), AmlValue::Malformed);
        assert_eq!(AmlData::Ids(Box::new([])).domain(), AmlValue::Malformed);
        assert_eq!(AmlData::Computed.domain(), AmlValue::Computed);
    }

    #[test]
    fn eisa_ids_are_decoded_as_in_the_specification() {
        assert_eq!(eisa_id(0x080a_d041).as_deref(), Some("PNP0A08"));
        assert_eq!(eisa_id(0x030a_d041).as_deref(), Some("PNP0A03"));
        assert_eq!((eisa_id(0), eisa_id(7)), (None, None));
    }

    #[test]
    fn method_is_constant_only_if_it_just_returns_one() {
        assert_eq!(returned(&[0xa4, 0x0a, 3]), AmlData::Integer(3));
        for body in
            [&[][..], &[0xa4], &[0xa4, 0x60], &[0xa4, 1, 0xa3], &[0xa3, 0xa4, 1], &[0x70, 1, 0x60]]
        {
            assert_eq!(returned(body), AmlData::Computed, "{body:x?}");
        }
    }

    #[test]
    fn ids_are_text_or_eisa_ids() {
        let package =
            [&[0x12, 18, 3, 0x0c][..], &0x030a_d041u32.to_le_bytes(), b"\x0dPNP0A08\0", &[0x0a, 7]]
                .concat();
        let ids = read(&package).map(|ids| ids.device_ids());
        assert_eq!(ids, Ok(AmlValue::Constant(vec!["PNP0A03".to_owned(), "PNP0A08".to_owned()])));
        let one = read(b"\x0dACPI0016\0").map(|id| id.device_ids());
        assert_eq!(one, Ok(AmlValue::Constant(vec!["ACPI0016".to_owned()])));
    }
}
