//! Addresses of PCI functions.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::attribute::shorten;

/// `domain:bus:device.function`, in hexadecimal. Bus numbers are unique within a domain only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PciAddress {
    /// The domain (ACPI: segment). Linux gives 32-bit numbers to domains behind VMD controllers.
    pub domain: u32,
    /// The bus, 0 to 255.
    pub bus: u8,
    /// The device, 0 to 31.
    pub device: u8,
    /// The function, 0 to 7.
    pub function: u8,
}

impl PciAddress {
    /// Parses `[domain:]bus:device[.function]`; omitted parts are 0.
    ///
    /// # Errors
    ///
    /// A sentence with the expected form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'pci:{}' is no PCI address: write [domain:]bus:device[.function] in \
                 hexadecimal, as lspci -D does",
                shorten(text)
            )
        };
        let (place, function) = text.split_once('.').unwrap_or((text, "0"));
        let parts: Vec<&str> = place.split(':').collect();
        let (domain, bus, device) = match parts[..] {
            [domain, bus, device] => (domain, bus, device),
            [bus, device] => ("0", bus, device),
            _ => return Err(wrong()),
        };
        let number = |text: &str, most: u32| {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
            let number = digits.then(|| u32::from_str_radix(text, 16).ok())?;
            number.filter(|&number| number <= most)
        };
        let read = || {
            Some(Self {
                domain: number(domain, u32::MAX)?,
                bus: number(bus, 0xff)?.try_into().ok()?,
                device: number(device, 0x1f)?.try_into().ok()?,
                function: number(function, 7)?.try_into().ok()?,
            })
        };
        read().ok_or_else(wrong)
    }

    /// An address as the kernel writes it in paths: all parts are there.
    pub(crate) fn for_folder(name: &str) -> Option<Self> {
        let is_whole = name.contains('.') && name.matches(':').count() == 2;
        is_whole.then(|| Self::parse(name).ok())?
    }
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.domain, self.bus, self.device, self.function)
    }
}

nearfar_model::schema_as!(PciAddress: String);

impl Serialize for PciAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_and_function_may_be_left_out() {
        let read = |text| PciAddress::parse(text).map(|address| address.to_string());
        assert_eq!(read("0000:3b:00.1").unwrap(), "0000:3b:00.1");
        assert_eq!(read("3b:0").unwrap(), "0000:3b:00.0");
        assert_eq!(read("0:0.0").unwrap(), "0000:00:00.0");
        assert_eq!(read("10000:e1:1f").unwrap(), "10000:e1:1f.0");
        assert_eq!(
            PciAddress::for_folder("10000:e1:1f.0").map(|folder| folder.domain),
            Some(0x10000)
        );
        assert_eq!(
            (PciAddress::for_folder("e1:1f.0"), PciAddress::for_folder("virtio0")),
            (None, None)
        );
        for wrong in ["", "3b", "3b:20", "3b:0.8", "100:0", "a:b:c:d", "3b:0.", "+1:0", "x:0"] {
            assert!(read(wrong).unwrap_err().contains("is no PCI address"), "{wrong}");
        }
    }
}
