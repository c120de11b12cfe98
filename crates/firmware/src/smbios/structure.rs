//! The structures of the table: fixed bytes, followed by strings that fields refer to by number.

use crate::byte_view::{ByteView, Number, printable};
use crate::fault::{FaultKind, Faults};

/// Type of the structure that ends the table.
const END: u8 = 127;
/// Maximum length of a string that is kept; the specification allows 64 characters.
const MAX_TEXT_BYTES: usize = 256;

#[derive(Clone, Copy, Debug)]
pub(super) struct SmbiosStructure<'a> {
    pub(super) kind: u8,
    /// Handle by which other structures refer to it.
    pub(super) handle: u16,
    /// Offset in the table.
    pub(super) offset: usize,
    /// Its fixed bytes, including type, length and handle: offsets are those of the specification.
    pub(super) fields: ByteView<'a>,
    texts: &'a [u8],
}

impl SmbiosStructure<'_> {
    /// The number at an offset.
    pub(super) fn at<T: Number>(&self, at: usize) -> Option<T> {
        self.fields.at(at)
    }

    /// The string whose number is at an offset; `None` for number 0, a missing string, or blanks.
    pub(super) fn text(&self, at: usize) -> Option<String> {
        let number = self.at::<u8>(at)?.checked_sub(1)?;
        let text = self.texts.split(|&byte| byte == 0).nth(number.into())?;
        let text = printable(&text[..text.len().min(MAX_TEXT_BYTES)]);
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

/// Iterates over the structures, up to and including END.
pub(super) struct SmbiosStructures<'a, 'f> {
    table: &'a [u8],
    at: usize,
    faults: &'f mut Faults,
}

impl<'a, 'f> SmbiosStructures<'a, 'f> {
    pub(super) fn new(table: &'a [u8], faults: &'f mut Faults) -> Self {
        Self { table, at: 0, faults }
    }

    /// Adds a fault: the structure is too short for its type.
    pub(super) fn too_short(&mut self, structure: &SmbiosStructure<'_>) {
        let &SmbiosStructure { kind, handle, offset, fields, .. } = structure;
        self.faults.add(offset, FaultKind::ShortEntry, || {
            format!(
                "structure {handle:#06x} of type {kind} has {} bytes, fewer than its type needs",
                fields.len()
            )
        });
    }
}

impl<'a> Iterator for SmbiosStructures<'a, '_> {
    type Item = SmbiosStructure<'a>;

    fn next(&mut self) -> Option<SmbiosStructure<'a>> {
        let at = self.at;
        let rest = self.table.get(at..).filter(|rest| !rest.is_empty())?;
        let Some((structure, end)) = structure(rest, at) else {
            self.at = self.table.len();
            self.faults
                .add(at, FaultKind::Damaged, || "no structure can be read from here on".to_owned());
            return None;
        };
        self.at = if structure.kind == END { self.table.len() } else { at + end };
        Some(structure)
    }
}

/// The structure at the start of these bytes, and where the next one begins.
fn structure(bytes: &[u8], offset: usize) -> Option<(SmbiosStructure<'_>, usize)> {
    let view = ByteView(bytes);
    let (kind, length, handle) = (view.at(0)?, usize::from(view.at::<u8>(1)?), view.at(2)?);
    // Type, length and handle are part of the length.
    let fields = ByteView(bytes.get(..length).filter(|fields| fields.len() >= 4)?);
    let texts = &bytes[length..];
    let end = texts.windows(2).position(|two| two == [0, 0])?;
    Some((SmbiosStructure { kind, handle, offset, fields, texts: &texts[..end] }, length + end + 2))
}

/// Whether bytes are a bare table: structures from the first byte on, including END.
pub(super) fn is_bare_table(bytes: &[u8]) -> bool {
    let mut faults = Faults::default();
    SmbiosStructures::new(bytes, &mut faults)
        .any(|structure| structure.kind == END && structure.fields.len() == 4)
}
