//! The text of `acpidump`: several tables in one file, as hexadecimal digits.
//!
//! ```text
//! SRAT @ 0x00000000DF7F1000
//!     0000: 53 52 41 54 A0 00 00 00 03 5C 41 4D 44 20 20 20  SRAT.....\AMD
//! ```
//!
//! Other lines are skipped, so the text may be part of an email.

use super::super::acpi::HEADER_BYTES;

/// Maximum number of bytes in a line.
const BYTES_IN_A_LINE: usize = 16;

/// A table in the text of `acpidump`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpedTable {
    /// The signature in its heading.
    pub signature: String,
    /// Line number of the heading, from 1.
    pub line: usize,
    /// The decoded bytes.
    pub bytes: Vec<u8>,
    /// Line number of the first gap in the offsets, if there is one. The bytes before it are kept.
    pub gap: Option<usize>,
}

/// Parses all tables in a text. Never fails: without a table the list is empty.
///
/// # References
///
/// acpidump(8), acpixtract(8)
pub fn parse_acpidump(text: &[u8]) -> Vec<DumpedTable> {
    let mut tables: Vec<DumpedTable> = Vec::new();
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        if let Some(signature) = heading(line) {
            tables.push(DumpedTable { signature, line: number, bytes: Vec::new(), gap: None });
        } else if let (Some(table), Some((offset, digits))) = (tables.last_mut(), digits(line)) {
            if table.gap.is_none() && offset == table.bytes.len() {
                table.bytes.extend(bytes(digits));
            } else {
                table.gap.get_or_insert(number);
            }
        }
    }
    for table in &mut tables {
        cut_padding(table);
    }
    tables
}

/// The signature of a heading: "SRAT @ 0x00000000DF7F1000".
fn heading(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    let rest = line.get(4..)?.strip_prefix(b" @ 0x")?;
    let is_address = !rest.is_empty() && rest.iter().all(u8::is_ascii_hexdigit);
    let signature = std::str::from_utf8(&line[..4]).ok()?;
    (is_address && signature.bytes().all(|byte| byte.is_ascii_graphic()))
        .then(|| signature.to_owned())
}

/// A line's offset and its digits: "  0010: 41 4D 44".
fn digits(line: &[u8]) -> Option<(usize, &[u8])> {
    let line = line.trim_ascii_start();
    let colon = line.iter().position(|&byte| byte == b':').filter(|at| (4..=8).contains(at))?;
    let offset = std::str::from_utf8(&line[..colon]).ok()?;
    let offset = usize::from_str_radix(offset, 16).ok()?;
    Some((offset, line[colon + 1..].strip_prefix(b" ")?))
}

/// Pairs of digits, each followed by a blank. A second blank begins the text column.
fn bytes(digits: &[u8]) -> impl Iterator<Item = u8> {
    let pairs = digits.chunks(3).take(BYTES_IN_A_LINE);
    pairs.map_while(|pair| {
        let high = char::from(*pair.first()?).to_digit(16)?;
        let low = char::from(*pair.get(1)?).to_digit(16)?;
        let ends = pair.get(2).is_none_or(u8::is_ascii_whitespace);
        u8::try_from(high * 16 + low).ok().filter(|_| ends)
    })
}

/// Some tools pad the last line with zeros. Bytes beyond the table's length are not part of it.
fn cut_padding(table: &mut DumpedTable) {
    let Some(length) = table.bytes.get(4..8) else { return };
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    let beyond = table.bytes.len().saturating_sub(length);
    let is_padding = beyond < BYTES_IN_A_LINE && length >= HEADER_BYTES;
    if is_padding && table.bytes.iter().rev().take(beyond).all(|&byte| byte == 0) {
        table.bytes.truncate(length);
    }
}
