//! SMBIOS: removes fields that identify the machine.
//!
//! Listed types keep their numbers, and of their texts the known words: a user may have set any of
//! them. Of other types only type, length and handle are kept, since
//! vendors put addresses and serial numbers anywhere. Layouts: DMTF DSP0134, 3.7, section 7.

use super::Removed;
use super::words::{Grammar, known_bytes};

/// Size of type, length and handle.
const HEADER_BYTES: usize = 4;
/// The structure that ends a table.
const END: u8 = 127;

/// What is removed from a type: the strings at these offsets, a range of bytes, and what follows
/// the fields of the specification.
struct ScrubRule {
    kind: u8,
    texts: &'static [usize],
    bytes: std::ops::Range<usize>,
    fields: usize,
}

/// The types that are kept: firmware, system, board, chassis, processor, cache, card slots, memory
/// arrays, memory slots, and memory address maps.
const RULES: [ScrubRule; 12] = [
    ScrubRule { kind: 0, texts: &[], bytes: 0..0, fields: 26 },
    // Serial number, UUID.
    ScrubRule { kind: 1, texts: &[7], bytes: 8..24, fields: 27 },
    // Serial number, asset tag.
    ScrubRule { kind: 2, texts: &[7, 8], bytes: 0..0, fields: 15 },
    ScrubRule { kind: 3, texts: &[7, 8], bytes: 0..0, fields: 22 },
    ScrubRule { kind: 4, texts: &[32, 33], bytes: 0..0, fields: 50 },
    ScrubRule { kind: 7, texts: &[], bytes: 0..0, fields: 27 },
    ScrubRule { kind: 9, texts: &[], bytes: 0..0, fields: 20 },
    ScrubRule { kind: 16, texts: &[], bytes: 0..0, fields: 23 },
    ScrubRule { kind: 17, texts: &[24, 25], bytes: 0..0, fields: 100 },
    ScrubRule { kind: 19, texts: &[], bytes: 0..0, fields: 31 },
    ScrubRule { kind: 20, texts: &[], bytes: 0..0, fields: 35 },
    ScrubRule { kind: END, texts: &[], bytes: 0..0, fields: 4 },
];

/// Overwrites what identifies the machine. Every structure keeps its offset and length.
pub(super) fn scrub(mut table: Vec<u8>, removed: &mut Removed) -> Vec<u8> {
    let structures: Vec<StructureSpan> = structures(&table).collect();
    for structure in &structures {
        structure.scrub(&mut table, removed);
    }
    // Bytes after the structures may be anything.
    let end = structures.last().map_or(0, |last| last.next);
    if table[end..].iter().any(|&byte| byte != 0) {
        removed.note("what follows its structures");
        table[end..].fill(0);
    }
    table
}

/// The structures of a table, up to and including END. Bytes after END are not part of the table
/// (DSP0134, section 7.45).
fn structures(table: &[u8]) -> impl Iterator<Item = StructureSpan> {
    let first = StructureSpan::at(table, 0);
    std::iter::successors(first, |structure| match structure.kind {
        END => None,
        _ => StructureSpan::at(table, structure.next),
    })
}

/// The position of a structure in the table.
#[derive(Clone, Copy)]
struct StructureSpan {
    kind: u8,
    at: usize,
    /// End of the fixed bytes and start of the strings.
    texts: usize,
    /// End of the strings, without the two NULs that follow.
    end: usize,
    next: usize,
}

impl StructureSpan {
    fn at(table: &[u8], at: usize) -> Option<Self> {
        let kind = *table.get(at)?;
        let length = usize::from(*table.get(at + 1)?);
        let texts = at + length;
        if length < HEADER_BYTES {
            return None;
        }
        let end = texts + table.get(texts..)?.windows(2).position(|two| two == [0, 0])?;
        Some(Self { kind, at, texts, end, next: end + 2 })
    }

    /// Position of the string whose number is at an offset of the fixed bytes.
    fn text(&self, table: &[u8], offset: usize) -> Option<std::ops::Range<usize>> {
        let number = table[self.at..self.texts].get(offset)?.checked_sub(1)?;
        let mut start = self.texts;
        for (index, text) in table[self.texts..self.end].split(|&byte| byte == 0).enumerate() {
            if index == usize::from(number) {
                return Some(start..start + text.len());
            }
            start += text.len() + 1;
        }
        None
    }

    fn scrub(&self, table: &mut [u8], removed: &mut Removed) {
        let Some(rule) = RULES.iter().find(|rule| rule.kind == self.kind) else {
            removed.note("structures that are not about processors and memory");
            table[self.at + HEADER_BYTES..self.texts].fill(0);
            overwrite_texts(&mut table[self.texts..self.end]);
            return;
        };
        let texts: Vec<_> =
            rule.texts.iter().filter_map(|&offset| self.text(table, offset)).collect();
        for range in texts {
            removed.note("serial numbers and asset tags");
            overwrite_texts(&mut table[range]);
        }
        let beyond = self.at + rule.fields..self.texts;
        if table.get(beyond.clone()).is_some_and(|rest| rest.iter().any(|&byte| byte != 0)) {
            removed.note("what follows the known fields");
            table[beyond].fill(0);
        }
        let bytes = self.at + rule.bytes.start..(self.at + rule.bytes.end).min(self.texts);
        if !rule.bytes.is_empty() && bytes.start < bytes.end {
            removed.note("the UUID");
            table[bytes].fill(0);
        }
        for text in table[self.texts..self.end].split_mut(|&byte| byte == 0) {
            if let Some(known) = known_bytes(text, Grammar::Models) {
                removed.note("words that are not known");
                text.copy_from_slice(&known);
            }
        }
    }
}

/// Strings keep their length: an empty one would end the structure.
fn overwrite_texts(texts: &mut [u8]) {
    texts.iter_mut().filter(|byte| **byte != 0).for_each(|byte| *byte = b'0');
}

/// The entry point: anchor, version, addresses.
pub(super) fn entry_point(mut bytes: Vec<u8>, removed: &mut Removed) -> Vec<u8> {
    let length = match bytes.as_slice() {
        [b'_', b'S', b'M', b'3', b'_', ..] => 24,
        [b'_', b'S', b'M', b'_', ..] => 31,
        _ => 0,
    };
    let rest = bytes.get_mut(length..).unwrap_or_default();
    if rest.iter().any(|&byte| byte != 0) {
        removed.note("what follows its end");
        rest.fill(0);
    }
    bytes
}
