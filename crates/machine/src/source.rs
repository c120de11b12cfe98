//! Where a machine is read from: one type, three ways in.
//!
//! All that this crate knows of a machine comes out of small files that the kernel writes. Whether
//! they are read from the running kernel, a folder that somebody copied or an archive that somebody
//! sent makes no difference to any reader: each asks a [`Source`] for `/sys/...` and `/proc/...` by
//! the names they have on the machine.

mod archive;
mod folder;
mod gzip;
mod live;
mod recorder;
mod resolve;
mod root;
mod tree;
mod xz;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nearfar_model::{Bytes, Id, IdSet, MAX_ID};

use crate::error::MachineError;
use folder::Folder;
pub(crate) use recorder::RecordedPath;
use recorder::Recorder;
use tree::{FileTree, TreeNode};

/// The largest single file that is read. Attributes are small; `/proc/cpuinfo` of 4,096 CPUs has
/// some 6 MiB.
pub const MAX_FILE_SIZE: Bytes = Bytes::mib(16);

/// A machine to read from: the live one, a folder, an archive, or files written by hand.
///
/// Symbolic links inside folders and archives lead to places in there only, never to this host's
/// own `/sys`.
#[derive(Debug)]
pub struct Source {
    way: SourceKind,
    origin: String,
}

#[derive(Debug)]
enum SourceKind {
    Live,
    Folder(Folder),
    FileTree(FileTree),
    Recorder(Box<Recorder>),
}

/// What came of looking at a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContents {
    /// What it holds.
    Bytes(Vec<u8>),
    /// There is no such file, it is too large, or it cannot be read (some attributes answer EIO or
    /// EINVAL).
    Absent,
    /// It is there, and this user may not read it.
    Denied,
}

impl Source {
    /// The machine this program runs on.
    pub fn live() -> Self {
        Self { way: SourceKind::Live, origin: "this machine".to_owned() }
    }

    /// A captured machine: a folder that holds `sys` (itself or a few levels down), or a tar
    /// archive of one, plain or packed with gzip, bzip2 or xz. The content decides what a file is,
    /// not its name.
    pub fn open(path: &Path) -> Result<Self, MachineError> {
        let origin = path.display().to_string();
        let found = fs::metadata(path)
            .map_err(|cause| MachineError::Open { path: path.to_owned(), cause })?;
        let way = if found.is_dir() {
            SourceKind::Folder(Folder::open(path)?)
        } else {
            SourceKind::FileTree(archive::open(path)?)
        };
        Ok(Self { way, origin })
    }

    /// A machine written by hand, from paths (`/sys/devices/system/cpu/online`) and what the files
    /// hold. For tests.
    pub fn from_files<P: AsRef<str>, C: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, C)>,
    ) -> Self {
        let mut tree = FileTree::new();
        for (path, content) in files {
            let content: Vec<u8> = content.into();
            tree.put(path.as_ref(), TreeNode::File(content.into()));
        }
        Self { way: SourceKind::FileTree(tree), origin: "a machine written by hand".to_owned() }
    }

    /// The same machine, remembering what it is asked for.
    pub(crate) fn recorder(self) -> Self {
        let origin = self.origin.clone();
        Self { way: SourceKind::Recorder(Box::new(Recorder::of(self))), origin }
    }

    /// What was asked of a recorder and found, by path.
    pub(crate) fn recorded(&self) -> BTreeMap<String, RecordedPath> {
        match &self.way {
            SourceKind::Recorder(recorder) => recorder.all(),
            SourceKind::Live | SourceKind::Folder(_) | SourceKind::FileTree(_) => BTreeMap::new(),
        }
    }

    /// The same machine, without remembering what it is asked for.
    pub(crate) fn unrecorded(&self) -> &Self {
        match &self.way {
            SourceKind::Recorder(recorder) => &recorder.inner,
            SourceKind::Live | SourceKind::Folder(_) | SourceKind::FileTree(_) => self,
        }
    }

    /// Whether this is the machine that the program runs on.
    pub fn is_live(&self) -> bool {
        matches!(self.unrecorded().way, SourceKind::Live)
    }

    /// What is read, in words: "this machine", or the path that was opened.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// What a file holds, telling what is absent from what is denied.
    pub fn contents(&self, path: &str) -> FileContents {
        self.contents_up_to(path, MAX_FILE_SIZE)
    }

    /// The same where the live machine may say more than attributes do; one that says more than
    /// `most` counts as absent.
    pub(crate) fn contents_up_to(&self, path: &str, most: Bytes) -> FileContents {
        match &self.way {
            SourceKind::Live => live::contents(Path::new(path), most),
            SourceKind::Folder(folder) => folder.contents(path),
            SourceKind::FileTree(tree) => tree.contents(path),
            SourceKind::Recorder(recorder) => recorder.contents(path),
        }
    }

    /// So many bytes at an offset of a device file, such as a register of `/dev/cpu/0/msr`.
    /// Captured machines have none.
    pub fn device(&self, path: &str, offset: u64, length: usize) -> FileContents {
        if self.is_live() {
            live::device(Path::new(path), offset, length)
        } else {
            FileContents::Absent
        }
    }

    /// What a file holds, if it can be read.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.contents(path) {
            FileContents::Bytes(bytes) => Some(bytes),
            FileContents::Absent | FileContents::Denied => None,
        }
    }

    /// What a file holds as text, without blanks, line ends and NULs at its ends. Device trees end
    /// strings in NUL.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = self.read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    /// The error of a source without processes, as in a chroot without `/proc`; `None` where it has
    /// some.
    pub fn lacks_proc(&self) -> Option<MachineError> {
        let error = || MachineError::NoProc { origin: self.origin().to_owned() };
        self.list("/proc").is_empty().then(error)
    }

    /// The names in a folder, sorted; none when there is no such folder.
    pub fn list(&self, folder: &str) -> Vec<String> {
        match &self.way {
            SourceKind::Live => live::list(Path::new(folder)),
            SourceKind::Folder(root) => root.list(folder),
            SourceKind::FileTree(tree) => tree.list(folder),
            SourceKind::Recorder(recorder) => recorder.list(folder),
        }
    }

    /// The path without links that a path leads to; none where nothing is there.
    pub(crate) fn real_path(&self, path: &str) -> Option<String> {
        match &self.way {
            SourceKind::Live => live::real_path(Path::new(path)),
            SourceKind::Folder(folder) => folder.real_path(path),
            SourceKind::FileTree(tree) => tree.real_path(path),
            SourceKind::Recorder(recorder) => recorder.real_path(path),
        }
    }

    /// Whether there is a file or folder of this path.
    pub fn exists(&self, path: &str) -> bool {
        match &self.way {
            SourceKind::Live => Path::new(path).exists(),
            SourceKind::Folder(_) | SourceKind::FileTree(_) => self.real_path(path).is_some(),
            SourceKind::Recorder(recorder) => recorder.exists(path),
        }
    }

    /// The numbers N of the entries `prefixN` of a folder, ascending: `numbered(".../cpu", "cpu")`
    /// for cpu0, cpu1, ...
    pub(crate) fn numbered(&self, folder: &str, prefix: &str) -> Vec<u32> {
        let number = |name: &String| {
            let digits = name.strip_prefix(prefix)?;
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let mut numbers: Vec<u32> = self.list(folder).iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The same as ids; numbers that are too large for one are left out.
    pub(crate) fn ids<T: Id>(&self, folder: &str, prefix: &str) -> IdSet<T> {
        let numbers = self.numbered(folder, prefix).into_iter();
        numbers.filter(|&number| number <= MAX_ID).map(T::from_number).collect()
    }
}

/// Whether a file's mode says that nobody may read it.
fn is_denied(mode: u32) -> bool {
    mode & 0o444 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_of_line_ends_and_nuls() {
        let source = Source::from_files([
            ("/proc/device-tree/model", b"Milk-V Pioneer\0".to_vec()),
            ("/a", vec![0xff]),
        ]);
        assert_eq!(source.text("/proc/device-tree/model").as_deref(), Some("Milk-V Pioneer"));
        assert_eq!(source.text("/a").as_deref(), Some("\u{fffd}"));
        assert_eq!(source.text("/proc/absent"), None);
    }

    #[test]
    fn numbered_entries_come_in_order_and_others_are_left_out() {
        let files = ["cpu10/x", "cpu9/x", "cpufreq/x", "cpu/x", "cpu99999999999/x", "online"];
        let source =
            Source::from_files(files.map(|name| (format!("/sys/devices/system/cpu/{name}"), "")));
        assert_eq!(source.numbered("/sys/devices/system/cpu", "cpu"), [9, 10]);
    }

    #[test]
    fn the_live_machine_has_a_proc_folder() {
        let live = Source::live();
        assert!(live.is_live() && live.exists("/proc/self"));
        assert!(live.text("/proc/version").is_some_and(|text| text.contains("Linux")));
        assert_eq!(live.contents("/proc/self/no-such-file"), FileContents::Absent);
        assert_eq!(live.contents("/proc/self"), FileContents::Absent);
        assert_eq!(live.device("/dev/zero", 8, 4), FileContents::Bytes(vec![0; 4]));
    }
}
