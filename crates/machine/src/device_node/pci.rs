//! PCI functions by their address; `/sys/bus/pci/devices` lists them behind all bridges.

use std::fmt;

use super::parents::{DeviceNodes, node_of_parents};
use crate::attribute::shorten;
use crate::source::Source;

/// `segment:bus:device.function`, in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PciAddress {
    segment: u32,
    bus: u32,
    device: u32,
    function: u32,
}

impl PciAddress {
    /// Parses `[segment:]bus:device[.function]`; omitted parts are 0.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'pci:{}' is no PCI address: write [segment:]bus:device[.function] in \
                 hexadecimal, as lspci -D does",
                shorten(text)
            )
        };
        let (place, function) = text.split_once('.').unwrap_or((text, "0"));
        let parts: Vec<&str> = place.split(':').collect();
        let (segment, bus, device) = match parts[..] {
            [segment, bus, device] => (segment, bus, device),
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
                segment: number(segment, u32::MAX)?,
                bus: number(bus, 0xff)?,
                device: number(device, 0x1f)?,
                function: number(function, 7)?,
            })
        };
        read().ok_or_else(wrong)
    }

    /// Nodes of the function.
    pub(super) fn locate(self, source: &Source) -> Result<DeviceNodes, String> {
        let folder = format!("/sys/bus/pci/devices/{self}");
        if !source.exists(&folder) {
            return Err("there is no such PCI device: lspci -D lists them".to_owned());
        }
        node_of_parents(source, &folder).ok_or_else(|| {
            "the kernel reports no nodes of PCI devices: give the node by its number".to_owned()
        })
    }
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.segment, self.bus, self.device, self.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segment_and_function_may_be_left_out() {
        let read = |text| PciAddress::parse(text).map(|address| address.to_string());
        assert_eq!(read("0000:3b:00.1").unwrap(), "0000:3b:00.1");
        assert_eq!(read("3b:0").unwrap(), "0000:3b:00.0");
        assert_eq!(read("0:0.0").unwrap(), "0000:00:00.0");
        assert_eq!(read("10000:e1:1f").unwrap(), "10000:e1:1f.0");
        for wrong in ["", "3b", "3b:20", "3b:0.8", "100:0", "a:b:c:d", "3b:0.", "+1:0", "x:0"] {
            assert!(read(wrong).unwrap_err().contains("is no PCI address"), "{wrong}");
        }
    }
}
