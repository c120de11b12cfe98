//! How addresses, sizes and tables of entries are written in every section.

use nearfar_model::Bytes;

use crate::acpi::TableEntry;

pub use nearfar_view::text::table;
pub(super) use nearfar_view::text::{or_dash, or_empty};

/// What `line` makes of entries that are known, with their offsets.
pub(super) fn lines<B, L>(
    entries: &[TableEntry<B>],
    line: impl Fn(&B, String) -> Option<L>,
) -> Vec<L> {
    known(entries).filter_map(|(offset, entry)| line(entry, offset.to_string())).collect()
}

/// The entries that are known, with their offsets.
pub(super) fn known<B>(entries: &[TableEntry<B>]) -> impl Iterator<Item = (usize, &B)> {
    entries.iter().filter_map(|entry| Some((entry.offset, entry.known()?)))
}

/// "0x100000000".
pub fn hex(number: impl Into<u64>) -> String {
    format!("{:#x}", number.into())
}

/// "16 GiB".
pub fn size(bytes: impl Into<u64>) -> String {
    Bytes(bytes.into()).to_string()
}

/// The last address of a range, or what is wrong with it.
pub(super) fn last_address(base: u64, size: u64) -> String {
    match size.checked_sub(1).map(|size| base.checked_add(size)) {
        None => "empty".to_owned(),
        Some(None) => "beyond 64 bits".to_owned(),
        Some(Some(last)) => hex(last),
    }
}

/// What a number stands for; the numbers of `names` are 0 and up.
pub(super) fn named(number: impl Into<u64>, names: &[&str]) -> String {
    let number = number.into();
    let name = usize::try_from(number).ok().and_then(|at| names.get(at));
    name.map_or_else(|| format!("unknown ({number})"), |name| (*name).to_owned())
}

/// The words that hold, in a list: "hot-pluggable, non-volatile".
pub fn words(words: &[(bool, &str)]) -> String {
    words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect::<Vec<_>>().join(", ")
}
