//! The header of a table in two lines.

use crate::TableFile;
use crate::acpi::TableHeader;

pub(super) fn text(file: &TableFile, header: &TableHeader) -> String {
    let name = if header.signature == "APIC" { "MADT (signature APIC)" } else { &header.signature };
    let (revision, bytes, checksum) = (header.revision, header.length_bytes, checksum(header));
    let (maker, place) = (maker(header), place(file));
    format!(
        "{name}, revision {revision}, {bytes} bytes, checksum {checksum}, by {maker}\n{place}\n"
    )
}

/// "good", "bad", or why there is neither.
pub(super) fn checksum(header: &TableHeader) -> &'static str {
    match header.checksum_holds {
        Some(true) => "good",
        Some(false) => "bad",
        None if header.signature == "FACS" => "none",
        None => "unknown",
    }
}

/// Who made the table, and their name for it: "ALASKA A M I".
pub(super) fn maker(header: &TableHeader) -> String {
    let words = [header.oem_id.trim(), header.oem_table_id.trim()];
    let named: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if named.is_empty() { "unknown".to_owned() } else { named.join(" ") }
}

/// The file, and the line in a text of several tables.
pub(super) fn place(file: &TableFile) -> String {
    match file.line {
        Some(line) => format!("{}, line {line}", file.path),
        None => file.path.clone(),
    }
}
