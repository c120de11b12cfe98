//! A source that remembers what it was asked: so a capture holds what readers read, whatever they will read one day.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Contents, Source};

/// A source, and all that was asked of it.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) inner: Source,
    seen: Mutex<BTreeMap<String, Seen>>,
}

/// What was found at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A file, and what it holds.
    File(Vec<u8>),
    /// A file that this user may not read.
    Denied,
    /// A folder, and the names in it.
    Folder(Vec<String>),
    /// Something of which only that was asked, whether it is there.
    There,
    /// A path that leads elsewhere, by links at or above its end, and the path without links.
    Link(String),
}

impl Recorder {
    pub(super) fn of(inner: Source) -> Self {
        Self { inner, seen: Mutex::default() }
    }

    pub(super) fn contents(&self, path: &str) -> Contents {
        let contents = self.inner.contents(path);
        let seen = match &contents {
            Contents::Found(bytes) => Some(Seen::File(bytes.clone())),
            Contents::Denied => Some(Seen::Denied),
            Contents::Absent => None,
        };
        if let Some(seen) = seen {
            self.seen().insert(path.to_owned(), seen);
        }
        contents
    }

    pub(super) fn list(&self, folder: &str) -> Vec<String> {
        let names = self.inner.list(folder);
        if !names.is_empty() {
            self.seen().insert(folder.to_owned(), Seen::Folder(names.clone()));
        }
        names
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        let there = self.inner.exists(path);
        if there {
            self.seen().entry(path.to_owned()).or_insert(Seen::There);
        }
        there
    }

    pub(super) fn real_path(&self, path: &str) -> Option<String> {
        let real = self.inner.real_path(path)?;
        let mut seen = self.seen();
        seen.entry(real.clone()).or_insert(Seen::There);
        if real != path {
            seen.insert(path.to_owned(), Seen::Link(real.clone()));
        }
        drop(seen);
        Some(real)
    }

    /// All that was found, by path.
    pub(super) fn all(&self) -> BTreeMap<String, Seen> {
        self.seen().clone()
    }

    /// What a reader that panicked has left behind is still true.
    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_remembered_and_nothing_else() {
        let source = Source::from_files([("/sys/a/b", "1"), ("/sys/a/c", "2"), ("/sys/d", "3")]).recorder();
        assert_eq!(source.text("/sys/a/b").as_deref(), Some("1"));
        assert_eq!(source.list("/sys/a"), ["b", "c"]);
        assert!(source.exists("/sys/d") && source.read("/sys/e").is_none());
        let names = vec!["b".to_owned(), "c".to_owned()];
        let expected =
            [("/sys/a", Seen::Folder(names)), ("/sys/a/b", Seen::File(b"1".to_vec())), ("/sys/d", Seen::There)];
        assert_eq!(source.list_in_passing("/sys"), ["a", "d"]);
        assert!(source.recorded().into_iter().eq(expected.map(|(path, seen)| (path.to_owned(), seen))));
        assert!(!source.is_live());
    }
}
