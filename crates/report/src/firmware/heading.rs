//! What a table says of itself, in two lines.

use nearfar_firmware::TableFile;
use nearfar_firmware::acpi::Header;

pub(super) fn text(file: &TableFile, header: &Header) -> String {
    let name = match header.signature.as_str() {
        "APIC" => "MADT (signature APIC)",
        other => other,
    };
    format!(
        "{name}, revision {}, {} bytes, checksum {}, by {}\n{}\n",
        header.revision,
        header.length_bytes,
        checksum(header),
        maker(header),
        place(file),
    )
}

/// "good", "bad", or why there is neither.
pub(super) fn checksum(header: &Header) -> &'static str {
    match header.checksum_holds {
        Some(true) => "good",
        Some(false) => "bad",
        None if header.signature == "FACS" => "none",
        None => "unknown",
    }
}

/// Who made the table, and their name for it: "ALASKA A M I".
pub(super) fn maker(header: &Header) -> String {
    let words = [header.oem_id.trim(), header.oem_table_id.trim()];
    let named: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if named.is_empty() { "nobody".to_owned() } else { named.join(" ") }
}

/// The file, and the line in a text of several tables.
pub(super) fn place(file: &TableFile) -> String {
    match file.line {
        Some(line) => format!("{}, line {line}", file.path),
        None => file.path.clone(),
    }
}
