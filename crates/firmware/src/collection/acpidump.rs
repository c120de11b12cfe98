//! The text of `acpidump`: many tables in one file, as digits.
//!
//! ```text
//! SRAT @ 0x00000000DF7F1000
//!     0000: 53 52 41 54 A0 00 00 00 03 5C 41 4D 44 20 20 20  SRAT.....\AMD
//! ```
//!
//! Lines between tables that are neither are skipped, so that the text may stand in a mail.

use super::super::acpi::HEADER_BYTES;

/// How many bytes a line can have.
const BYTES_IN_A_LINE: usize = 16;

/// A table found in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpedTable {
    /// The four letters of its heading.
    pub signature: String,
    /// The line of the heading, from 1.
    pub line: usize,
    /// What the digits say.
    pub bytes: Vec<u8>,
    /// The line at which the digits no longer follow on, if they break off; what is before is
    /// kept.
    pub gap: Option<usize>,
}

/// All tables in a text.
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

/// The offset that a line begins with, and the digits that follow: "  0010: 41 4D 44".
fn digits(line: &[u8]) -> Option<(usize, &[u8])> {
    let line = line.trim_ascii_start();
    let colon = line.iter().position(|&byte| byte == b':').filter(|at| (4..=8).contains(at))?;
    let offset = std::str::from_utf8(&line[..colon]).ok()?;
    let offset = usize::from_str_radix(offset, 16).ok()?;
    Some((offset, line[colon + 1..].strip_prefix(b" ")?))
}

/// Pairs of digits, a blank after each; the second blank in a row begins the column of letters.
fn bytes(digits: &[u8]) -> impl Iterator<Item = u8> {
    let pairs = digits.chunks(3).take(BYTES_IN_A_LINE);
    pairs.map_while(|pair| {
        let high = char::from(*pair.first()?).to_digit(16)?;
        let low = char::from(*pair.get(1)?).to_digit(16)?;
        let ends = pair.get(2).is_none_or(u8::is_ascii_whitespace);
        u8::try_from(high * 16 + low).ok().filter(|_| ends)
    })
}

/// Some tools fill the last line with zeros: what is beyond the length that the table tells is not
/// part of it.
fn cut_padding(table: &mut DumpedTable) {
    let Some(length) = table.bytes.get(4..8) else { return };
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    let beyond = table.bytes.len().saturating_sub(length);
    let is_padding = beyond < BYTES_IN_A_LINE && length >= HEADER_BYTES;
    if is_padding && table.bytes.iter().rev().take(beyond).all(|&byte| byte == 0) {
        table.bytes.truncate(length);
    }
}
