//! Sources of a machine's files: live, a folder, an archive, or handwritten.
//!
//! All data of this crate comes from small files of the kernel. Readers are independent of where
//! the files are: they ask a [`Source`] for `/sys/...` and `/proc/...` by their names on the
//! machine.

mod archive;
mod device_numbers;
mod folder;
mod gzip;
mod live;
mod machine_files;
mod overlay;
mod recorder;
mod resolve;
mod root;
mod topology_xml;
mod tree;
mod xz;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::BufRead;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use nearfar_firmware::linux::KernelLog;
use nearfar_model::{Bytes, Id, IdSet, MAX_ID, NodeSet};

use crate::error::MachineError;
pub(crate) use device_numbers::DeviceNumbers;
use folder::Folder;
pub(crate) use machine_files::{MachineFiles, PciFacts, RefusedText, SYSTEM, SentTable};
pub(crate) use overlay::Overlay;
pub(crate) use recorder::RecordedPath;
use recorder::Recorder;
use tree::{FileTree, TreeFile, TreeNode};

/// Maximum size of a file. Attributes are small; `/proc/cpuinfo` of 4,096 CPUs has about 6 MiB.
pub const MAX_FILE_SIZE: Bytes = Bytes::mib(16);

/// The files of a machine: the live one, a folder, an archive, or handwritten ones.
///
/// Symbolic links in folders and archives stay inside them; they never lead to this host's `/sys`.
#[derive(Debug)]
pub struct Source {
    way: SourceKind,
    origin: String,
    /// Whether it has only what programs printed: what is not there was not sent.
    is_sent: bool,
    /// Its kernel log, where it was read to recognise it: large logs are parsed once.
    parsed_log: Option<KernelLog>,
    /// Where firmware's tables are in what was sent, by their path on the machine.
    sent_tables: BTreeMap<String, SentTable>,
}

#[derive(Debug)]
enum SourceKind {
    Live,
    Folder(Folder),
    FileTree(FileTree),
    Recorder(Box<Recorder>),
}

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContents {
    /// Its content.
    Bytes(Vec<u8>),
    /// It does not exist, is too large, or cannot be read (some attributes return EIO or EINVAL).
    Absent,
    /// It exists and permission is denied.
    Denied,
}

impl Source {
    /// The live machine.
    pub fn live() -> Self {
        Self::new(SourceKind::Live, "this machine", false)
    }

    /// Opens a captured machine: a folder with `sys` (at most three levels down), or a tar archive
    /// of one, plain or compressed with gzip, bzip2 or xz; or a topology file of hwloc or NCCL
    /// (XML). The content decides the format. `/` is the live machine.
    ///
    /// # Errors
    ///
    /// [`MachineError::Open`], [`MachineError::NotAnArchive`], [`MachineError::Damaged`],
    /// [`MachineError::UnsupportedArchive`], [`MachineError::NoTopology`],
    /// [`MachineError::TooLarge`] above 512 MiB, [`MachineError::NoMachine`] or
    /// [`MachineError::SeveralMachines`].
    ///
    /// # References
    ///
    /// tar(5)
    pub fn open(path: &Path) -> Result<Self, MachineError> {
        if fs::canonicalize(path).is_ok_and(|path| path == Path::new("/")) {
            return Ok(Self::live());
        }
        let origin = path.display().to_string();
        let found = fs::metadata(path)
            .map_err(|cause| MachineError::Open { path: path.to_owned(), cause })?;
        if found.is_dir() {
            let way = SourceKind::Folder(Folder::open(path)?);
            return Ok(Self::new(way, origin, false));
        }
        let (tree, is_sent) = archive::open(path)?;
        Ok(Self::new(SourceKind::FileTree(tree), origin, is_sent))
    }

    /// A handwritten machine from paths (`/sys/devices/system/cpu/online`) and contents, for tests.
    pub fn from_files<P: AsRef<str>, C: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, C)>,
    ) -> Self {
        let mut tree = FileTree::new();
        for (path, content) in files {
            let content: Vec<u8> = content.into();
            tree.put(path.as_ref(), TreeNode::File(TreeFile::new(content, None)));
        }
        Self::new(SourceKind::FileTree(tree), "a handwritten machine", false)
    }

    /// An archive that is open.
    pub(crate) fn from_reader(path: &Path, file: impl BufRead) -> Result<Self, MachineError> {
        let (tree, is_sent) = archive::open_reader(path, file)?;
        let origin = path.display().to_string();
        Ok(Self::new(SourceKind::FileTree(tree), origin, is_sent))
    }

    /// A machine of what programs printed.
    pub(crate) fn sent(mut files: MachineFiles, origin: &str) -> Self {
        let parsed_log = files.take_log();
        let sent_tables = std::mem::take(&mut files.tables);
        let way = SourceKind::FileTree(files.finish());
        Self { parsed_log, sent_tables, ..Self::new(way, origin, true) }
    }

    /// The machine of a topology file's text.
    pub(crate) fn from_topology_xml(text: &str, origin: &str) -> Result<Self, MachineError> {
        let tree = topology_xml::read(text.as_bytes());
        let tree = tree.map_err(|why| why.for_file(Path::new(origin)))?;
        Ok(Self::new(SourceKind::FileTree(tree), origin, true))
    }

    /// The same source, recording every access.
    pub(crate) fn recorder(self) -> Self {
        let (origin, is_sent) = (self.origin.clone(), self.is_sent);
        Self::new(SourceKind::Recorder(Box::new(Recorder::new(self))), origin, is_sent)
    }

    fn new(way: SourceKind, origin: impl Into<String>, is_sent: bool) -> Self {
        let sent_tables = BTreeMap::new();
        Self { way, origin: origin.into(), is_sent, parsed_log: None, sent_tables }
    }

    /// The kernel log of a sent machine, if it is parsed.
    pub(crate) fn parsed_log(&self) -> Option<&KernelLog> {
        self.parsed_log.as_ref()
    }

    /// Where a table of firmware is in what was sent.
    pub(crate) fn sent_table(&self, path: &str) -> Option<&SentTable> {
        self.sent_tables.get(path)
    }

    /// The recorded paths and contents.
    pub(crate) fn recorded(&self) -> BTreeMap<String, RecordedPath> {
        match &self.way {
            SourceKind::Recorder(recorder) => recorder.all(),
            SourceKind::Live | SourceKind::Folder(_) | SourceKind::FileTree(_) => BTreeMap::new(),
        }
    }

    /// The recorded files that even their owner may not write, of those whose mode was read.
    pub(crate) fn recorded_read_only(&self) -> BTreeSet<String> {
        match &self.way {
            SourceKind::Recorder(recorder) => recorder.read_only(),
            SourceKind::Live | SourceKind::Folder(_) | SourceKind::FileTree(_) => BTreeSet::new(),
        }
    }

    /// The same source without recording.
    pub(crate) fn unrecorded(&self) -> &Self {
        match &self.way {
            SourceKind::Recorder(recorder) => &recorder.inner,
            SourceKind::Live | SourceKind::Folder(_) | SourceKind::FileTree(_) => self,
        }
    }

    /// Whether it reads files on demand: several threads are faster than one.
    pub(crate) fn reads_on_demand(&self) -> bool {
        !matches!(self.unrecorded().way, SourceKind::FileTree(_))
    }

    /// Whether this is the live machine.
    pub fn is_live(&self) -> bool {
        matches!(self.unrecorded().way, SourceKind::Live)
    }

    /// The number of files and folders in memory.
    pub(crate) fn made(&self) -> usize {
        match &self.way {
            SourceKind::FileTree(tree) => tree.len(),
            SourceKind::Live | SourceKind::Folder(_) | SourceKind::Recorder(_) => 0,
        }
    }

    /// Whether it has only what programs printed (`lscpu`, a topology file): what is not there was
    /// not sent.
    pub fn is_sent(&self) -> bool {
        self.is_sent
    }

    /// The nodes that are named, where the machine's nodes were not sent.
    pub fn named_nodes(&self) -> NodeSet {
        let list = self.text(machine_files::NAMED_NODES).filter(|_| self.is_sent);
        list.and_then(|list| NodeSet::parse_list(&list).ok()).unwrap_or_default()
    }

    /// Its name: "this machine", or the path that was opened.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Reads a file, distinguishing absent from denied.
    pub fn contents(&self, path: &str) -> FileContents {
        self.contents_up_to(path, MAX_FILE_SIZE)
    }

    /// Like [`contents`](Self::contents), with another maximum size for files outside an archive.
    pub(crate) fn contents_up_to(&self, path: &str, most: Bytes) -> FileContents {
        match &self.way {
            SourceKind::Live => live::contents(Path::new(path), most),
            SourceKind::Folder(folder) => folder.contents(path, most),
            SourceKind::FileTree(tree) => tree.contents(path),
            SourceKind::Recorder(recorder) => recorder.contents(path, most),
        }
    }

    /// The beginning of a file, as text. `None` if it cannot be read.
    pub(crate) fn beginning(&self, path: &str, length: Bytes) -> Option<String> {
        let contents = match &self.way {
            SourceKind::Live => live::beginning(Path::new(path), length.0),
            _ => self.contents(path),
        };
        let FileContents::Bytes(mut bytes) = contents else { return None };
        bytes.truncate(usize::try_from(length.0).unwrap_or(usize::MAX));
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads `length` bytes at an offset of a device file, such as a register of `/dev/cpu/0/msr`.
    /// Captured machines have none.
    pub fn device(&self, path: &str, offset: u64, length: usize) -> FileContents {
        if self.is_live() {
            live::device(Path::new(path), offset, length)
        } else {
            FileContents::Absent
        }
    }

    /// Reads a file; `None` if it is absent or denied.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.contents(path) {
            FileContents::Bytes(bytes) => Some(bytes),
            FileContents::Absent | FileContents::Denied => None,
        }
    }

    /// Reads a file as text, without surrounding whitespace and NULs (device trees end strings with
    /// NUL).
    pub fn text(&self, path: &str) -> Option<String> {
        Some(trimmed_text(&self.read(path)?))
    }

    /// Why no process can be read: [`MachineError::NoProc`], such as in a chroot without `/proc`,
    /// or [`MachineError::ForeignProc`]. `None` if they can.
    ///
    /// # References
    ///
    /// pid_namespaces(7): `/proc` shows the namespace of the process that mounted it
    pub fn proc_fault(&self) -> Option<MachineError> {
        let source = self.unrecorded();
        let own = std::process::id().to_string();
        let is_own = || match source.link("/proc/self") {
            Some(number) => number == own,
            None => source.exists("/proc/self/stat"),
        };
        if source.is_live() && is_own() {
            return None;
        }
        if source.list("/proc").is_empty() {
            return Some(MachineError::NoProc { origin: self.origin().to_owned() });
        }
        source.is_live().then_some(MachineError::ForeignProc)
    }

    /// Whether a file's mode allows its owner to write; `None` if it does not exist, or the source
    /// keeps no modes.
    pub(crate) fn is_owner_writable(&self, path: &str) -> Option<bool> {
        let mode = match &self.way {
            SourceKind::Live => live::mode(Path::new(path)),
            SourceKind::Folder(folder) => folder.mode(path),
            SourceKind::FileTree(tree) => tree.mode(path),
            SourceKind::Recorder(recorder) => return recorder.is_owner_writable(path),
        };
        mode.map(|mode| mode & 0o200 != 0)
    }

    /// The user who owns a file of the live machine.
    pub(crate) fn owner(&self, path: &str) -> Option<u32> {
        self.is_live().then(|| live::owner(Path::new(path)))?
    }

    /// Names in a folder, sorted; empty if it does not exist or cannot be listed.
    pub fn list(&self, folder: &str) -> Vec<String> {
        match self.names(folder) {
            FolderNames::Names(names) => names,
            FolderNames::Absent | FolderNames::Denied => Vec::new(),
        }
    }

    /// Lists a folder, distinguishing absent from denied.
    pub(crate) fn names(&self, folder: &str) -> FolderNames {
        match &self.way {
            SourceKind::Live => live::list(Path::new(folder)),
            SourceKind::Folder(root) => root.list(folder),
            SourceKind::FileTree(tree) => tree.list(folder),
            SourceKind::Recorder(recorder) => recorder.list(folder),
        }
    }

    /// Resolves all links in a path; `None` if it does not exist.
    pub(crate) fn real_path(&self, path: &str) -> Option<String> {
        match &self.way {
            SourceKind::Live => live::real_path(Path::new(path)),
            SourceKind::Folder(folder) => folder.real_path(path),
            SourceKind::FileTree(tree) => tree.real_path(path),
            SourceKind::Recorder(recorder) => recorder.real_path(path),
        }
    }

    /// The target of a link, which need not exist; `None` for other files.
    pub(crate) fn link(&self, path: &str) -> Option<String> {
        match &self.way {
            SourceKind::Live => live::link(Path::new(path)),
            SourceKind::Folder(folder) => folder.link(path),
            SourceKind::FileTree(tree) => tree.link(path),
            SourceKind::Recorder(recorder) => recorder.inner.link(path),
        }
    }

    /// Whether the names in a folder of the live machine are not readable.
    pub(crate) fn is_folder_denied(&self, folder: &str) -> bool {
        self.is_live() && live::is_folder_denied(Path::new(folder))
    }

    /// The numbers of a device file of the live machine.
    pub(crate) fn device_numbers(&self, path: &str) -> Option<DeviceNumbers> {
        let found = self.is_live().then(|| fs::metadata(path).ok())??;
        DeviceNumbers::from_metadata(&found)
    }

    /// Whether a file of the live machine is a pipe or a socket.
    pub(crate) fn is_pipe_or_socket(&self, path: &str) -> bool {
        let kind = self.is_live().then(|| fs::metadata(path).ok()).flatten();
        kind.map(|found| found.file_type()).is_some_and(|kind| kind.is_fifo() || kind.is_socket())
    }

    /// Whether a file or folder exists.
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
        numbers(&self.list(folder), prefix)
    }

    /// Like [`numbered`](Self::numbered), as IDs. Too large numbers are skipped.
    pub(crate) fn ids<T: Id>(&self, folder: &str, prefix: &str) -> IdSet<T> {
        let numbers = self.numbered(folder, prefix).into_iter();
        numbers.filter(|&number| number <= MAX_ID).map(T::from_number).collect()
    }
}

/// The result of listing a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FolderNames {
    Names(Vec<String>),
    /// It does not exist, or is no folder.
    Absent,
    /// It exists and permission is denied.
    Denied,
}

/// The numbers N of names `prefixN`, ascending.
pub(crate) fn numbers(names: &[String], prefix: &str) -> Vec<u32> {
    let number = |name: &String| {
        let digits = name.strip_prefix(prefix)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let mut numbers: Vec<u32> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Text without surrounding whitespace and NULs.
pub(crate) fn trimmed_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned()
}

/// Whether a file's mode allows no reader.
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
    fn numbered_entries_are_sorted() {
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
