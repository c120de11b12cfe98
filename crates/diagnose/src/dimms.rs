//! Missing and unequal DIMMs, from the slots that SMBIOS lists.
//!
//! A socket without a DIMM is a node without memory. Unequal sockets and empty channels reduce the
//! bandwidth of one side only. A module that the BIOS disables is missing from the kernel's memory.
//! Boards that do not name sockets and channels are skipped.

use std::collections::BTreeMap;

use nearfar_firmware::smbios::{MemoryDevice, Smbios};
use nearfar_model::Bytes;

use crate::document::{Advice, DiagnosisFinding, Evidence, FindingDetail, Severity};
use crate::vendor::Vendor;

/// The kernel's smallest normal share of the modules' memory. Firmware, its graphics and crash
/// kernels reserve the rest.
const MIN_SHARE: f64 = 0.75;

/// Findings about modules. `kernel_memory` is the memory that the kernel manages.
pub(crate) fn findings(
    path: &str,
    smbios: &Smbios,
    kernel_memory: Option<Bytes>,
    vendor: Option<Vendor>,
) -> Vec<DiagnosisFinding> {
    let populated: Vec<bool> =
        smbios.processors.iter().filter_map(|processor| processor.populated).collect();
    let processors = populated.iter().filter(|&&populated| populated).count();
    let slots = Slots {
        path,
        devices: smbios.system_memory(),
        processors: Some(processors).filter(|&count| count > 0),
    };
    let found = [
        slots.empty_socket(),
        slots.lopsided_sockets(),
        slots.lopsided_channels(),
        slots.empty_channels(),
        slots.left_out(kernel_memory, vendor),
    ];
    found.into_iter().flatten().collect()
}

/// Memory by socket, for sockets that the board names.
pub(crate) fn by_socket<'a>(
    devices: &[&'a MemoryDevice],
) -> BTreeMap<&'a str, Vec<&'a MemoryDevice>> {
    let mut sockets: BTreeMap<&str, Vec<&MemoryDevice>> = BTreeMap::new();
    for device in devices {
        if let Some(socket) = device.slot.socket.as_deref() {
            sockets.entry(socket).or_default().push(device);
        }
    }
    sockets
}

struct Slots<'a> {
    path: &'a str,
    devices: Vec<&'a MemoryDevice>,
    /// Number of sockets with a processor; none where the board does not report it.
    processors: Option<usize>,
}

impl Slots<'_> {
    /// Total memory of each named socket; empty with fewer than two sockets or an unknown size.
    fn sockets(&self) -> Vec<(&str, u64)> {
        let known = self
            .devices
            .iter()
            .all(|device| device.size_bytes.is_some() && device.slot.socket.is_some());
        let sockets = by_socket(&self.devices);
        if !known || sockets.len() < 2 {
            return Vec::new();
        }
        sockets.into_iter().map(|(name, devices)| (name, total(&devices))).collect()
    }

    fn empty_socket(&self) -> Option<DiagnosisFinding> {
        let sockets = self.sockets();
        let empty: Vec<&str> =
            sockets.iter().filter(|(_, bytes)| *bytes == 0).map(|(name, _)| *name).collect();
        let filled = sockets.len() - empty.len();
        // An empty socket needs no memory.
        if empty.is_empty()
            || filled == 0
            || self.processors.is_some_and(|processors| processors <= filled)
        {
            return None;
        }
        let what =
            FindingDetail::EmptySockets { sockets: empty.into_iter().map(str::to_owned).collect() };
        let finding = DiagnosisFinding::new("dimms-missing", Severity::Error)
            .with_detail(what)
            .advise(Advice::OfCode);
        Some(self.with_sockets(finding, &sockets))
    }

    fn lopsided_sockets(&self) -> Option<DiagnosisFinding> {
        let sockets = self.sockets();
        let filled: Vec<u64> =
            sockets.iter().map(|(_, bytes)| *bytes).filter(|bytes| *bytes > 0).collect();
        let (least_bytes, most_bytes) = (*filled.iter().min()?, *filled.iter().max()?);
        if least_bytes == most_bytes {
            return None;
        }
        let what = FindingDetail::UnequalSockets { least_bytes, most_bytes };
        let finding = DiagnosisFinding::new("dimms-lopsided", Severity::Warning)
            .with_detail(what)
            .advise(Advice::OfCode);
        Some(self.with_sockets(finding, &sockets))
    }

    fn with_sockets(&self, finding: DiagnosisFinding, sockets: &[(&str, u64)]) -> DiagnosisFinding {
        sockets.iter().fold(finding, |finding, (name, bytes)| {
            let count = self
                .devices
                .iter()
                .filter(|device| device.slot.socket.as_deref() == Some(*name) && filled(device))
                .count();
            finding.shown_by(self.evidence(
                &format!("socket {name}"),
                &format!("{count} modules, {}", Bytes(*bytes)),
            ))
        })
    }

    /// Memory of each channel that the board names, by socket and channel.
    fn channels(&self) -> BTreeMap<(Option<&str>, &str), u64> {
        let mut channels = BTreeMap::new();
        for device in &self.devices {
            let Some(channel) = device.slot.channel.as_deref() else { return BTreeMap::new() };
            let bytes = device.size_bytes.unwrap_or_default();
            *channels.entry((device.slot.socket.as_deref(), channel)).or_default() += bytes;
        }
        channels
    }

    fn lopsided_channels(&self) -> Option<DiagnosisFinding> {
        let channels = self.channels();
        let what = channels.iter().find_map(|(&(socket, _), &bytes)| {
            let others = channels.iter().filter(|((of, _), other)| *of == socket && **other > 0);
            let uneven =
                others.map(|(_, &other)| other).find(|&other| bytes > 0 && other != bytes)?;
            let socket = socket.map(str::to_owned);
            Some(FindingDetail::UnequalChannels { socket, by_bytes: uneven.abs_diff(bytes) })
        })?;
        let finding =
            DiagnosisFinding::new("dimm-channels-lopsided", Severity::Warning).with_detail(what);
        Some(self.with_channels(finding, &channels).advise(Advice::OfCode))
    }

    fn empty_channels(&self) -> Option<DiagnosisFinding> {
        let channels = self.channels();
        let empty = channels.values().filter(|&&bytes| bytes == 0).count();
        if empty == 0 || empty == channels.len() {
            return None;
        }
        let what = FindingDetail::EmptyChannels { empty, channels: channels.len() };
        let finding =
            DiagnosisFinding::new("dimm-channels-empty", Severity::Note).with_detail(what);
        Some(self.with_channels(finding, &channels).advise(Advice::OfCode))
    }

    fn with_channels(
        &self,
        finding: DiagnosisFinding,
        channels: &BTreeMap<(Option<&str>, &str), u64>,
    ) -> DiagnosisFinding {
        channels.iter().fold(finding, |finding, ((socket, channel), bytes)| {
            let place = format!("channel {channel}{}", at_socket(*socket));
            let holds = if *bytes == 0 { "empty".to_owned() } else { Bytes(*bytes).to_string() };
            finding.shown_by(self.evidence(&place, &holds))
        })
    }

    /// Modules that SMBIOS lists and the kernel does not have.
    fn left_out(
        &self,
        kernel_memory: Option<Bytes>,
        vendor: Option<Vendor>,
    ) -> Option<DiagnosisFinding> {
        let (installed, kernel) = (total(&self.devices), kernel_memory?);
        if kernel.0 as f64 >= installed as f64 * MIN_SHARE {
            return None;
        }
        let what =
            FindingDetail::MemoryLeftOut { modules_bytes: installed, kernel_bytes: kernel.0 };
        let finding = DiagnosisFinding::new("memory-left-out", Severity::Warning).with_detail(what);
        let shown = finding.shown_by(self.evidence("all slots", &Bytes(installed).to_string()));
        Some(shown.advise(Advice::AllMemory { vendor }))
    }

    fn evidence(&self, place: &str, excerpt: &str) -> Evidence {
        Evidence::in_file("SMBIOS", self.path, Some(place), excerpt)
    }
}

fn filled(device: &MemoryDevice) -> bool {
    device.is_populated() == Some(true)
}

fn total(devices: &[&MemoryDevice]) -> u64 {
    devices.iter().filter_map(|device| device.size_bytes).fold(0, u64::saturating_add)
}

fn at_socket(socket: Option<&str>) -> String {
    socket.map_or_else(String::new, |socket| format!(" of socket {socket}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// Findings for slots, given as locator, bank and GiB.
    fn found(slots: &[(&str, &str, u64)], kernel: Option<Bytes>) -> Vec<DiagnosisFinding> {
        let smbios = Smbios::decode(&crate::handmade::memory_devices(slots));
        assert_eq!(smbios.devices.len(), slots.len());
        findings("DMI", &smbios, kernel, None)
    }

    fn codes(slots: &[(&str, &str, u64)], kernel: Option<Bytes>) -> Vec<String> {
        found(slots, kernel).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn equal_modules_have_no_finding() {
        let slots = [
            ("P0 CHANNEL A", "", 16),
            ("P0 CHANNEL B", "", 16),
            ("P1 CHANNEL A", "", 16),
            ("P1 CHANNEL B", "", 16),
        ];
        assert_eq!(codes(&slots, Some(Bytes(60 * GIB))), [""; 0]);
    }

    #[test]
    fn sockets_without_modules_are_listed() {
        let found = found(
            &[("PROC 1 DIMM 1", "", 32), ("PROC 1 DIMM 2", "", 32), ("PROC 2 DIMM 1", "", 0)],
            None,
        );
        assert_eq!(
            found.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(),
            ["dimms-missing"]
        );
        assert_eq!(
            found[0].what,
            Some(FindingDetail::EmptySockets { sockets: vec!["2".to_owned()] })
        );
        assert_eq!(found[0].evidence[1].excerpt, "0 modules, 0 B");
    }

    #[test]
    fn a_socket_without_a_processor_needs_no_modules() {
        let mut table = crate::handmade::processors(&[true, false]);
        table.extend(crate::handmade::memory_devices(&[("A1", "", 16), ("B1", "", 0)]));
        assert!(findings("DMI", &Smbios::decode(&table), None, None).is_empty());
        let mut table = crate::handmade::processors(&[true, true]);
        table.extend(crate::handmade::memory_devices(&[("A1", "", 16), ("B1", "", 0)]));
        assert_eq!(findings("DMI", &Smbios::decode(&table), None, None)[0].code, "dimms-missing");
    }

    #[test]
    fn unequal_sockets_and_channels_have_findings() {
        assert_eq!(
            codes(&[("PROC 1 DIMM 1", "", 32), ("PROC 2 DIMM 1", "", 16)], None),
            ["dimms-lopsided"]
        );
        let channels = [
            ("DIMM 0", "P0 CHANNEL A", 16),
            ("DIMM 0", "P0 CHANNEL B", 8),
            ("DIMM 0", "P0 CHANNEL C", 0),
        ];
        assert_eq!(codes(&channels, None), ["dimm-channels-lopsided", "dimm-channels-empty"]);
    }

    #[test]
    fn memory_missing_in_the_kernel_is_reported() {
        let slots = [("A1", "", 16), ("A2", "", 16)];
        assert_eq!(codes(&slots, Some(Bytes(15 * GIB))), ["memory-left-out"]);
        assert_eq!(codes(&slots, Some(Bytes(31 * GIB))), [""; 0]);
    }

    #[test]
    fn boards_without_names_are_skipped() {
        assert_eq!(codes(&[("DIMM 0", "BANK 0", 16), ("DIMM 1", "BANK 1", 0)], None), [""; 0]);
        assert_eq!(codes(&[], None), [""; 0]);
    }
}
