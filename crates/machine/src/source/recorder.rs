//! A source that records accesses, so that a capture has exactly what readers read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nearfar_model::Bytes;

use super::{FileContents, FolderNames, Source};

/// A source and its recording.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) inner: Source,
    recording: Mutex<Recording>,
}

/// The recorded contents by requested path, and the targets of resolved paths.
#[derive(Debug, Default)]
struct Recording {
    seen: BTreeMap<String, RecordedPath>,
    links: BTreeMap<String, String>,
    /// Files that their owner may not write, of those whose mode was read.
    read_only: BTreeSet<String>,
}

/// The recorded content of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordedPath {
    /// A file, and what it holds.
    File(Vec<u8>),
    /// A file that is not readable.
    Denied,
    /// A folder, and the names in it.
    Folder(Vec<String>),
    /// A path whose existence was checked.
    Exists,
    /// A path with links, and the resolved path.
    Link(String),
}

impl Recorder {
    pub(super) fn new(inner: Source) -> Self {
        Self { inner, recording: Mutex::default() }
    }

    pub(super) fn contents(&self, path: &str, most: Bytes) -> FileContents {
        let contents = self.inner.contents_up_to(path, most);
        let seen = match &contents {
            FileContents::Bytes(bytes) => Some(RecordedPath::File(bytes.clone())),
            FileContents::Denied => Some(RecordedPath::Denied),
            FileContents::Absent => None,
        };
        if let Some(seen) = seen {
            self.recording().seen.insert(path.to_owned(), seen);
        }
        contents
    }

    pub(super) fn list(&self, folder: &str) -> FolderNames {
        let names = self.inner.names(folder);
        let seen = match &names {
            FolderNames::Names(names) if !names.is_empty() => {
                Some(RecordedPath::Folder(names.clone()))
            }
            FolderNames::Denied => Some(RecordedPath::Denied),
            FolderNames::Names(_) | FolderNames::Absent => None,
        };
        if let Some(seen) = seen {
            self.recording().seen.insert(folder.to_owned(), seen);
        }
        names
    }

    pub(super) fn is_owner_writable(&self, path: &str) -> Option<bool> {
        let is_writable = self.inner.is_owner_writable(path)?;
        if !is_writable {
            self.recording().read_only.insert(path.to_owned());
        }
        Some(is_writable)
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        let there = self.inner.exists(path);
        if there {
            self.recording().seen.entry(path.to_owned()).or_insert(RecordedPath::Exists);
        }
        there
    }

    pub(super) fn real_path(&self, path: &str) -> Option<String> {
        let real = self.inner.real_path(path)?;
        let mut recording = self.recording();
        recording.seen.entry(real.clone()).or_insert(RecordedPath::Exists);
        if real != path {
            recording.links.insert(path.to_owned(), real.clone());
        }
        drop(recording);
        Some(real)
    }

    /// The recorded contents by resolved path, and the links.
    pub(super) fn all(&self) -> BTreeMap<String, RecordedPath> {
        let recording = self.recording();
        let mut all = BTreeMap::new();
        for (path, what) in &recording.seen {
            let place = recording.behind_links(path);
            if *what != RecordedPath::Exists || !all.contains_key(&place) {
                all.insert(place, what.clone());
            }
        }
        without_used_folders(&mut all);
        all.extend(recording.links.iter().map(|(path, target)| {
            (recording.place_of_link(path), RecordedPath::Link(target.clone()))
        }));
        all
    }

    /// The resolved paths of the files that their owner may not write.
    pub(super) fn read_only(&self) -> BTreeSet<String> {
        let recording = self.recording();
        recording.read_only.iter().map(|path| recording.behind_links(path)).collect()
    }

    /// The recording, also after a panic in a reader.
    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes unreadable folders with recorded entries: an archive has a folder there. Files of a
/// folder may be readable although it cannot be listed.
fn without_used_folders(all: &mut BTreeMap<String, RecordedPath>) {
    let is_used = |path: &String| {
        let below = format!("{path}/");
        all.range(below.clone()..).next().is_some_and(|(next, _)| next.starts_with(&below))
    };
    let denied = all.iter().filter(|(_, what)| **what == RecordedPath::Denied);
    let used: Vec<String> = denied.map(|(path, _)| path.clone()).filter(is_used).collect();
    for path in used {
        all.remove(&path);
    }
}

impl Recording {
    /// The resolved path of a path with a recorded link.
    fn behind_links(&self, path: &str) -> String {
        let ends = [path.len()].into_iter().chain(path.rmatch_indices('/').map(|(end, _)| end));
        let mut through =
            ends.filter_map(|end| Some((self.links.get(&path[..end])?, &path[end..])));
        through.next().map_or_else(|| path.to_owned(), |(target, rest)| format!("{target}{rest}"))
    }

    /// Where a link is. The links above it are resolved: archives cannot have a path through a
    /// link.
    fn place_of_link(&self, path: &str) -> String {
        path.rsplit_once('/').map_or_else(
            || path.to_owned(),
            |(folder, name)| format!("{}/{name}", self.behind_links(folder)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requested_paths_are_recorded() {
        let source =
            Source::from_files([("/sys/a/b", "1"), ("/sys/a/c", "2"), ("/sys/d", "3")]).recorder();
        assert_eq!(source.text("/sys/a/b").as_deref(), Some("1"));
        assert_eq!(source.list("/sys/a"), ["b", "c"]);
        assert!(source.exists("/sys/d") && source.read("/sys/e").is_none());
        let names = vec!["b".to_owned(), "c".to_owned()];
        let expected = [
            ("/sys/a", RecordedPath::Folder(names)),
            ("/sys/a/b", RecordedPath::File(b"1".to_vec())),
            ("/sys/d", RecordedPath::Exists),
        ];
        assert_eq!(source.unrecorded().list("/sys"), ["a", "d"]);
        assert!(
            source.recorded().into_iter().eq(expected.map(|(path, seen)| (path.to_owned(), seen)))
        );
        assert!(!source.is_live());
    }

    #[test]
    fn files_behind_links_are_recorded_at_the_target() {
        let folder = tempfile::tempdir().unwrap();
        let sys = folder.path().join("sys");
        std::fs::create_dir_all(sys.join("devices/card")).unwrap();
        std::fs::create_dir_all(sys.join("class/eth0")).unwrap();
        std::fs::write(sys.join("devices/card/vendor"), "7").unwrap();
        std::os::unix::fs::symlink("../../devices/card", sys.join("class/eth0/device")).unwrap();
        let asked: [fn(&Source); 4] = [
            |source| {
                assert_eq!(
                    source.real_path("/sys/class/eth0/device").as_deref(),
                    Some("/sys/devices/card")
                );
            },
            |source| assert_eq!(source.text("/sys/class/eth0/device/vendor").as_deref(), Some("7")),
            |source| assert_eq!(source.list("/sys/class/eth0/device"), ["vendor"]),
            |source| assert!(source.exists("/sys/class/eth0/device")),
        ];
        let expected = [
            ("/sys/class/eth0/device", RecordedPath::Link("/sys/devices/card".to_owned())),
            ("/sys/devices/card", RecordedPath::Folder(vec!["vendor".to_owned()])),
            ("/sys/devices/card/vendor", RecordedPath::File(b"7".to_vec())),
        ];
        for turn in 0..asked.len() {
            let source = Source::open(folder.path()).unwrap().recorder();
            (0..asked.len()).for_each(|k| asked[(k + turn) % asked.len()](&source));
            assert!(
                source
                    .recorded()
                    .into_iter()
                    .eq(expected.clone().map(|(path, seen)| (path.to_owned(), seen))),
                "{turn}"
            );
        }
    }
}
