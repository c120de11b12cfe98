//! Objects by the word that names them: a name, or addresses.

use nearfar_machine::Source;
use nearfar_model::Bytes;

use crate::error::ProcessError;
use crate::objects::{MemoryObject, MovableMemory, ObjectKind, ObjectPart, ProcessObjects};
use crate::page_layout::SharedPages;
use crate::text::objects::why_unmovable;

/// Names in an error.
const MOST_NAMED: usize = 6;

/// The range of "7f00-7f10", "0x7f00..-0x7f10" or "4242:7f00-7f10", with its process.
fn range(word: &str) -> Option<(Option<u32>, u64, u64)> {
    let (pid, rest) = match word.split_once(':') {
        Some((pid, rest)) => (Some(pid.parse().ok()?), rest),
        None => (None, word),
    };
    let (start, end) = rest.split_once('-')?;
    let number = |text: &str| {
        let digits = text.trim_end_matches('.');
        u64::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16).ok()
    };
    let (start, end) = (number(start)?, number(end)?);
    (start < end).then_some((pid, start, end))
}

impl ProcessObjects {
    /// The object of these processes that a word names.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read); no such object, one that does not move, or addresses of one
    /// among several processes.
    pub fn named(
        source: &Source,
        pids: &[u32],
        word: &str,
        shared: SharedPages,
    ) -> Result<MemoryObject, ProcessError> {
        if let Some((pid, start, end)) = range(word) {
            let pid = match (pid, pids) {
                (Some(pid), all) if all.contains(&pid) => pid,
                (None, [only]) => *only,
                _ => return Err(ProcessError::AddressesOfSeveral { word: word.to_owned() }),
            };
            let parts = vec![ObjectPart { pid, start, end }];
            let bytes = Bytes(end - start);
            let kind = ObjectKind::Range;
            return Ok(MemoryObject { name: word.to_owned(), kind, bytes, parts });
        }
        let all =
            Self::read(source, pids, MovableMemory { shared, locked: true, huge_pool: false })?;
        if let Some(stuck) = all.unmovable.iter().find(|object| object.name == word) {
            if all.movable.iter().all(|object| object.name != word) {
                let why = why_unmovable(stuck.why);
                return Err(ProcessError::ObjectStays { name: word.to_owned(), why });
            }
        }
        let mut names: Vec<(Bytes, String)> =
            all.movable.iter().map(|object| (object.bytes, object.name.clone())).collect();
        names.sort();
        let largest = names.into_iter().rev().take(MOST_NAMED).map(|(_, name)| name);
        let names = largest.collect::<Vec<String>>().join(", ");
        let found = all.movable.into_iter().find(|object| object.name == word);
        found.ok_or_else(|| ProcessError::NoObject { word: word.to_owned(), names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::addresses;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        let part = ObjectPart { pid: 7, start: 0x7f00, end: 0x8000 };
        let written = addresses(&[part]);
        assert_eq!(written, "7f00-8000");
        assert_eq!(range(&written), Some((None, 0x7f00, 0x8000)));
        assert_eq!(range("0x7f00..-0x8000"), Some((None, 0x7f00, 0x8000)));
        assert_eq!(range("12:7f00-8000"), Some((Some(12), 0x7f00, 0x8000)));
        for word in ["/dev/shm/x", "[heap]", "8000-7f00", "x-y", "a:1-2", ""] {
            assert_eq!(range(word), None, "{word}");
        }
    }
}
