//! `dmidecode`: names of the machine, its processors and modules, as text. They become the table
//! that the text is of, as far as it shows that.
//!
//! # References
//!
//! dmidecode(8); DMTF DSP0134, 3.7

use crate::source::MachineFiles;

/// Structures of a table at most.
const MAX_STRUCTURES: usize = 4096;
/// Names: the structure's title, its field, and the kernel's file.
const NAMES: [(&str, &str, &str); 8] = [
    ("System Information", "Manufacturer", "sys_vendor"),
    ("System Information", "Product Name", "product_name"),
    ("System Information", "Version", "product_version"),
    ("Base Board Information", "Manufacturer", "board_vendor"),
    ("Base Board Information", "Product Name", "board_name"),
    ("BIOS Information", "Vendor", "bios_vendor"),
    ("BIOS Information", "Version", "bios_version"),
    ("BIOS Information", "Release Date", "bios_date"),
];

/// "# dmidecode 3.3" or "Handle 0x0001, DMI type 1, 27 bytes"
pub(super) fn begins(line: &str) -> bool {
    line.starts_with("# dmidecode ")
        || (line.starts_with("Handle 0x") && line.contains("DMI type "))
}

/// A structure as it is printed.
struct Structure<'t> {
    kind: u8,
    handle: u16,
    title: &'t str,
    fields: Vec<(&'t str, &'t str)>,
}

impl Structure<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(field, _)| *field == name);
        found.map(|(_, value)| *value)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.split_whitespace().next()?.parse().ok()
    }

    fn handle(&self, name: &str) -> Option<u16> {
        u16::from_str_radix(self.get(name)?.strip_prefix("0x")?, 16).ok()
    }
}

/// Reads the text.
pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let structures = structures(text);
    for (title, field, file) in NAMES {
        let of = structures.iter().find(|structure| structure.title == title);
        if let Some(value) = of.and_then(|structure| structure.get(field)) {
            files.put(&format!("/sys/class/dmi/id/{file}"), value);
        }
    }
    let table: Vec<u8> = structures.iter().flat_map(encoded).collect();
    if !table.is_empty() {
        files.put_bytes("/sys/firmware/dmi/tables/DMI", table);
    }
    !structures.is_empty()
}

fn structures(text: &str) -> Vec<Structure<'_>> {
    let mut structures: Vec<Structure<'_>> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix("Handle 0x") {
            let (handle, rest) = rest.split_once(',').unwrap_or((rest, ""));
            let kind = rest.split("DMI type ").nth(1).and_then(|rest| rest.split(',').next());
            let handle = u16::from_str_radix(handle, 16).unwrap_or_default();
            let Some(kind) = kind.and_then(|kind| kind.trim().parse().ok()) else { continue };
            if structures.len() == MAX_STRUCTURES {
                break;
            }
            structures.push(Structure { kind, handle, title: "", fields: Vec::new() });
        } else if let Some(structure) = structures.last_mut() {
            match trimmed.split_once(':') {
                _ if trimmed.is_empty() => {}
                Some((name, value)) => structure.fields.push((name.trim(), value.trim())),
                None if structure.title.is_empty() => structure.title = trimmed,
                None => {}
            }
        }
    }
    structures
}

/// The bytes of a processor, an array of slots, or a slot; empty for other structures.
fn encoded(structure: &Structure<'_>) -> Vec<u8> {
    let mut strings = Strings::default();
    let mut body = match structure.kind {
        4 => processor(structure, &mut strings),
        16 => array(structure),
        17 => slot(structure, &mut strings),
        _ => return Vec::new(),
    };
    body[0] = structure.kind;
    body[1] = u8::try_from(body.len()).unwrap_or(u8::MAX);
    body[2..4].copy_from_slice(&structure.handle.to_le_bytes());
    body.extend(strings.end());
    body
}

/// The strings after a structure.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    count: u8,
}

impl Strings {
    /// The number of a string; 0 without one.
    fn add(&mut self, text: Option<&str>) -> u8 {
        let Some(text) = text.filter(|text| !text.is_empty() && *text != "Not Specified") else {
            return 0;
        };
        self.bytes.extend(text.bytes().filter(|byte| *byte != 0));
        self.bytes.push(0);
        self.count += 1;
        self.count
    }

    fn end(mut self) -> Vec<u8> {
        if self.bytes.is_empty() {
            self.bytes.push(0);
        }
        self.bytes.push(0);
        self.bytes
    }
}

fn processor(structure: &Structure<'_>, strings: &mut Strings) -> Vec<u8> {
    let mut body = vec![0; 48];
    body[4] = strings.add(structure.get("Socket Designation"));
    body[5] = 3;
    let is_populated = structure.get("Status").is_some_and(|text| text.starts_with("Populated"));
    body[24] = if is_populated { 0x41 } else { 0 };
    body
}

fn array(structure: &Structure<'_>) -> Vec<u8> {
    let mut body = vec![0; 23];
    let is_system = structure.get("Use").is_none_or(|text| text == "System Memory");
    body[4] = 3;
    body[5] = if is_system { 3 } else { 1 };
    body
}

fn slot(structure: &Structure<'_>, strings: &mut Strings) -> Vec<u8> {
    let mut body = vec![0; 92];
    let array = structure.handle("Array Handle").unwrap_or(u16::MAX);
    body[4..6].copy_from_slice(&array.to_le_bytes());
    body[6..8].copy_from_slice(&0xfffe_u16.to_le_bytes());
    let width = |name: &str| structure.number(name).and_then(|bits| u16::try_from(bits).ok());
    body[8..10].copy_from_slice(&width("Total Width").unwrap_or(u16::MAX).to_le_bytes());
    body[10..12].copy_from_slice(&width("Data Width").unwrap_or(u16::MAX).to_le_bytes());
    let mib = mebibytes(structure.get("Size"));
    let (short, long) = match mib {
        None => (u16::MAX, 0),
        Some(mib) => u16::try_from(mib)
            .ok()
            .filter(|&mib| mib < 0x7fff)
            .map_or((0x7fff, u32::try_from(mib).unwrap_or(0)), |short| (short, 0)),
    };
    body[12..14].copy_from_slice(&short.to_le_bytes());
    body[28..32].copy_from_slice(&long.to_le_bytes());
    body[14] = 9;
    body[16] = strings.add(structure.get("Locator"));
    body[17] = strings.add(structure.get("Bank Locator"));
    let kinds = [("DDR3", 24), ("DDR4", 26), ("DDR5", 34), ("HBM", 32)];
    let kind = kinds.iter().find(|(name, _)| structure.get("Type") == Some(*name));
    body[18] = kind.map_or(2, |(_, kind)| *kind);
    let speed = |name: &str| structure.number(name).and_then(|speed| u16::try_from(speed).ok());
    let configured = speed("Configured Memory Speed").or_else(|| speed("Configured Clock Speed"));
    body[21..23].copy_from_slice(&speed("Speed").unwrap_or(0).to_le_bytes());
    body[32..34].copy_from_slice(&configured.unwrap_or(0).to_le_bytes());
    body
}

/// "32 GB", "16384 MB"; 0 for an empty slot.
fn mebibytes(size: Option<&str>) -> Option<u64> {
    let size = size?;
    if size.starts_with("No Module") {
        return Some(0);
    }
    let (number, unit) = size.split_once(' ')?;
    let number: u64 = number.parse().ok()?;
    match unit {
        "MB" | "MiB" => Some(number),
        "GB" | "GiB" => number.checked_mul(1024),
        "TB" | "TiB" => number.checked_mul(1 << 20),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::firmware_tables;
    use crate::source::Source;

    #[test]
    fn slots_and_processors_are_those_of_the_table() {
        let text = "# dmidecode 3.3\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\
            \tManufacturer: Dell Inc.\n\tProduct Name: PowerEdge R740\n\n\
            Handle 0x0004, DMI type 4, 48 bytes\nProcessor Information\n\
            \tSocket Designation: CPU1\n\tStatus: Populated, Enabled\n\n\
            Handle 0x1000, DMI type 16, 23 bytes\nPhysical Memory Array\n\tUse: System Memory\n\n\
            Handle 0x1100, DMI type 17, 84 bytes\nMemory Device\n\tArray Handle: 0x1000\n\
            \tSize: 64 GB\n\tLocator: A1\n\tType: DDR4\n\n\
            Handle 0x1101, DMI type 17, 84 bytes\nMemory Device\n\tArray Handle: 0x1000\n\
            \tSize: No Module Installed\n\tLocator: A2\n";
        let mut files = MachineFiles::new();
        assert!(text.lines().next().is_some_and(begins) && read(text, &mut files));
        let source = Source::sent(files, "x");
        let name = source.text("/sys/class/dmi/id/product_name");
        assert_eq!(name.as_deref(), Some("PowerEdge R740"));
        let firmware = firmware_tables::read(&source);
        let smbios = firmware.smbios.as_ref().and_then(|part| part.state.decoded()).unwrap();
        let sizes: Vec<Option<u64>> =
            smbios.system_memory().iter().map(|slot| slot.size_bytes).collect();
        assert_eq!(sizes, [Some(64 << 30), Some(0)]);
        assert_eq!(smbios.processors[0].populated, Some(true));
    }
}
