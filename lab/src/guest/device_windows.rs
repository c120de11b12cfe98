//! Where a guest's drivers have mapped the registers of devices, as the guest reports it, for the
//! plugin.

use std::fs;
use std::path::PathBuf;

use nearfar_lab_cost::DeviceWindow;

use super::GuestError;

/// A device whose registers are charged.
#[derive(Clone, Debug)]
pub(crate) struct ChargedDevice {
    /// Its position in the description.
    pub(crate) device: usize,
    /// The PCI bus that it has for itself.
    pub(crate) bus: u8,
    /// Groups whose CPUs are near.
    pub(crate) near: Vec<usize>,
}

/// Physical addresses of a device's registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    pub(super) bus: u8,
    pub(super) start: u64,
    pub(super) last: u64,
}

/// Kernel addresses, and the physical ones that they lead to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) physical: u64,
}

/// What the guest has reported so far.
#[derive(Debug)]
pub(super) struct DeviceWindows {
    path: PathBuf,
    devices: Vec<ChargedDevice>,
    bars: Vec<Bar>,
    mappings: Vec<Mapping>,
}

impl DeviceWindows {
    /// Those of devices, to be written to `path`.
    pub(super) fn new(path: PathBuf, devices: Vec<ChargedDevice>) -> Self {
        Self { path, devices, bars: Vec::new(), mappings: Vec::new() }
    }

    pub(super) fn add_bar(&mut self, bar: Bar) {
        self.bars.push(bar);
    }

    pub(super) fn add_mapping(&mut self, mapping: Mapping) {
        self.mappings.push(mapping);
    }

    /// Writes them: the file appears whole.
    pub(super) fn write(&self) -> Result<(), GuestError> {
        let text = serde_json::to_vec(&self.windows()).unwrap_or_default();
        let new = self.path.with_extension("new");
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &self.path))
            .map_err(|source| GuestError::Scratch { path: self.path.clone(), source })
    }

    fn windows(&self) -> Vec<DeviceWindow> {
        let bars = self.bars.iter().flat_map(|bar| {
            let mapped = self.mappings.iter().filter_map(|mapping| mapping.part(*bar));
            mapped.map(|(start, end)| (bar.bus, start, end))
        });
        let window = |(bus, start, end)| {
            let found = self.devices.iter().find(|device| device.bus == bus)?;
            Some(DeviceWindow { start, end, device: found.device, near: found.near.clone() })
        };
        bars.filter_map(window).collect()
    }
}

impl Mapping {
    /// The kernel addresses of a device's registers in it.
    fn part(self, bar: Bar) -> Option<(u64, u64)> {
        let physical_end = self.physical.checked_add(self.end.checked_sub(self.start)?)?;
        let start = bar.start.max(self.physical);
        let end = bar.last.checked_add(1)?.min(physical_end);
        let kernel = |physical: u64| self.start + (physical - self.physical);
        (start < end).then(|| (kernel(start), kernel(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_where_mappings_and_registers_meet() {
        let charged = |device, bus, near| ChargedDevice { device, bus, near };
        let devices = vec![charged(0, 0x21, vec![0]), charged(3, 0x2b, vec![1])];
        let mut windows = DeviceWindows::new(PathBuf::new(), devices);
        for (bus, start, last) in [
            (0x21, 0xfe00_0000, 0xfe00_3fff),
            (0x2b, 0xfe20_1000, 0xfe20_1fff),
            (0x30, 0, u64::MAX),
        ] {
            windows.add_bar(Bar { bus, start, last });
        }
        for (start, end, physical) in [
            (0x1000, 0x4000, 0xfe00_0000),
            (0x8000, 0xc000, 0xfe20_0000),
            (0xc000, 0xd000, 0xfee0_0000),
            (5, 4, 0xfe00_0000),
        ] {
            windows.add_mapping(Mapping { start, end, physical });
        }
        let window =
            |start, end, device, near| DeviceWindow { start, end, device, near: vec![near] };
        assert_eq!(windows.windows(), [window(0x1000, 0x4000, 0, 0), window(0x9000, 0xa000, 3, 1)]);
    }
}
