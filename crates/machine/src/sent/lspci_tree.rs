//! `lspci -tv`: the tree of buses. It has no classes and no nodes.
//!
//! # References
//!
//! pciutils' ls-tree.c

use super::lspci::ids;
use crate::source::{MachineFiles, PciFacts};

/// Bridges above a function at most.
const MAX_DEPTH: usize = 32;

/// "-[0000:00]-+-00.0  Intel ..."
pub(super) fn begins(line: &str) -> bool {
    let rest = line.trim_start_matches(['-', '+', '|', ' ', '\\']);
    line.starts_with(['-', '+']) && root(rest).is_some()
}

/// A bus whose functions stand in further lines, below this column.
struct OpenBus {
    column: usize,
    bus: Bus,
}

#[derive(Clone)]
struct Bus {
    domain: String,
    number: String,
    folder: String,
    depth: usize,
}

/// The root bus of "[0000:00]", and what follows it.
fn root(text: &str) -> Option<(Bus, &str)> {
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    let (domain, bus) = inner.split_once(':')?;
    let number = bus.split('-').next()?;
    let is_hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    let is_root = (4..=8).contains(&domain.len()) && number.len() == 2;
    (is_root && is_hex(domain) && is_hex(number)).then(|| {
        let folder = format!("/sys/devices/pci{domain}:{number}");
        let (domain, number) = (domain.to_owned(), number.to_owned());
        (Bus { domain, number, folder, depth: 0 }, rest)
    })
}

/// Reads the tree.
pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let mut open: Vec<OpenBus> = Vec::new();
    let mut is_known = false;
    for line in text.lines() {
        let drawn = line.find(|c: char| !" |".contains(c)).unwrap_or(line.len());
        let rest = line[drawn..].trim_start_matches(['-', '+', '\\']);
        let at = line.len() - rest.len();
        if let Some((bus, rest)) = root(rest) {
            open.clear();
            is_known |= walk(line, line.len() - rest.len(), bus, &mut open, files);
            continue;
        }
        open.retain(|one| one.column <= drawn);
        let Some(here) = open.iter().rev().find(|one| one.column == drawn) else { continue };
        let bus = here.bus.clone();
        is_known |= walk(line, at, bus, &mut open, files);
    }
    is_known
}

/// Reads the functions of a line, each below the one before it.
fn walk(
    line: &str,
    mut at: usize,
    mut bus: Bus,
    open: &mut Vec<OpenBus>,
    files: &mut MachineFiles,
) -> bool {
    let mut is_known = false;
    while bus.depth <= MAX_DEPTH {
        // "-+-00.0": further functions of this bus stand below the plus.
        let mark = line[at..].find(|c: char| c != '-').map_or(line.len(), |gap| at + gap);
        if line[mark..].starts_with('+') {
            open.push(OpenBus { column: mark, bus: bus.clone() });
        }
        let rest = line[mark..].trim_start_matches(['+', '-']);
        let Some(slot) = rest.get(..4).filter(|slot| is_slot(slot)) else { break };
        let after = &rest[4..];
        let address = format!("{}:{}:{slot}", bus.domain, bus.number);
        let known = ids(after).map(|ids| ids.map(|id| format!("0x{id:04x}")));
        let [vendor, device] = known.as_ref().map_or(["", ""], |[v, d]| [v.as_str(), d.as_str()]);
        let facts = PciFacts { vendor, device, ..PciFacts::default() };
        let folder = files.pci(&bus.folder, &address, &facts);
        is_known = true;
        // "-[01-02]--": a bridge with its buses.
        let Some((inner, below)) = after.strip_prefix("-[").and_then(|rest| rest.split_once(']'))
        else {
            break;
        };
        let number = inner.rsplit(':').next().and_then(|range| range.get(..2));
        let Some(number) = number.filter(|n| n.bytes().all(|b| b.is_ascii_hexdigit())) else {
            break;
        };
        bus = Bus { number: number.to_owned(), folder, depth: bus.depth + 1, ..bus };
        at = line.len() - below.len();
    }
    is_known
}

/// "1f.2"
fn is_slot(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 4
        && bytes[2] == b'.'
        && [bytes[0], bytes[1], bytes[3]].iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn functions_stand_below_their_bridges() {
        let text = "\
-+-[0000:80]-+-00.0  Intel Corporation Device 09a2
 |           \\-02.0-[81-83]----00.0-[82-83]--+-00.0  NVIDIA Corporation GA100
 |                                           \\-01.0-[83]----00.0  Mellanox
 \\-[0000:00]-+-00.0  Intel Corporation DMI2
             +-1f.2  Intel Corporation SATA [8086:8d02]
             \\-1f.3  Intel Corporation SMBus
";
        assert!(text.lines().next().is_some_and(begins));
        let mut files = MachineFiles::new();
        assert!(read(text, &mut files));
        let source = Source::sent(files, "x");
        let folders: Vec<String> = source
            .list("/sys/bus/pci/devices")
            .iter()
            .map(|name| source.real_path(&format!("/sys/bus/pci/devices/{name}")).unwrap())
            .collect();
        assert_eq!(
            folders,
            [
                "/sys/devices/pci0000:00/0000:00:00.0",
                "/sys/devices/pci0000:00/0000:00:1f.2",
                "/sys/devices/pci0000:00/0000:00:1f.3",
                "/sys/devices/pci0000:80/0000:80:00.0",
                "/sys/devices/pci0000:80/0000:80:02.0",
                "/sys/devices/pci0000:80/0000:80:02.0/0000:81:00.0",
                "/sys/devices/pci0000:80/0000:80:02.0/0000:81:00.0/0000:82:00.0",
                "/sys/devices/pci0000:80/0000:80:02.0/0000:81:00.0/0000:82:01.0",
                "/sys/devices/pci0000:80/0000:80:02.0/0000:81:00.0/0000:82:01.0/0000:83:00.0",
            ]
        );
        let vendor = source.text("/sys/bus/pci/devices/0000:00:1f.2/vendor");
        assert_eq!(vendor.as_deref(), Some("0x8086"));
    }
}
