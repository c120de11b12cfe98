//! Captures everything that other commands read of a machine in one archive, for analysis
//! elsewhere.
//!
//! The readers define the content: they read through a source that [records](crate::source) every
//! path. New readers are captured automatically. By default a capture keeps known words, numbers,
//! and the kernel's parameters and messages that rules read; docs/start/capture.md lists what. The
//! file MANIFEST lists the content, the removed data by file, and the unreadable files.
//!
//! ```
//! use nearfar_machine::Source;
//! use nearfar_machine::capture::{Capture, Privacy};
//!
//! let machine = Source::from_files([
//!     ("/sys/devices/system/cpu/online", "0"),
//!     ("/proc/cmdline", "root=UUID=6b29fc40-ca47-1067-b31d-00dd010662da numa=off"),
//! ]);
//! let capture = Capture::read(machine, Privacy::Removed, |_| {});
//! assert!(capture.manifest().contains("/proc/cmdline"));
//! let mut archive = Vec::new();
//! capture.write(&mut archive)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod archive;
mod log;
mod manifest;
mod not_sent;
mod scrub;
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use nearfar_firmware::linux::KernelLog;
use nearfar_firmware::{Firmware, FirmwareItem};

use crate::activity::Activity;
use crate::environment::{Environment, hypervisor};
use crate::firmware_tables;
use crate::kernel_log;
use crate::physical_map::PhysicalMap;
use crate::process::NodeSummaries;
use crate::resctrl::TrafficDomains;
use crate::source::{RecordedPath, Source};
use crate::topology::Topology;
pub use not_sent::NotSent;
use scrub::{Removed, Scrub};

/// The schema of a capture, the first line of its MANIFEST.
pub const CAPTURE_SCHEMA: &str = "nearfar.capture/2";

/// Path of the kernel's log in a capture, as on some distributions.
const LOG: &str = "/var/log/dmesg";
/// Additional files for a human reader.
const KEPT_ANYWAY: [&str; 3] = ["/proc/version", "/proc/cmdline", "/proc/meminfo"];

/// Whether private data is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// Private data is removed.
    Removed,
    /// Private data is kept.
    Kept,
}

/// A captured machine.
#[derive(Debug)]
pub struct Capture {
    origin: &'static str,
    privacy: Privacy,
    items: BTreeMap<String, CapturedItem>,
    notes: Vec<String>,
}

/// The captured content of a path.
#[derive(Debug)]
enum CapturedItem {
    /// A file, and descriptions of the removed data.
    File { bytes: Vec<u8>, removed: Removed, access: FileAccess },
    /// A file that is not readable.
    Denied,
    /// A folder, or a path that is only known to exist.
    Folder,
    /// A link and its target.
    Link(String),
}

/// Whether its owner may write a file. Only readers that examine this have it recorded; for all
/// other files it is `Writable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileAccess {
    Writable,
    ReadOnly,
}

impl Capture {
    /// Captures a machine. `more` runs readers of other crates: what they read is captured too.
    /// Never fails: unreadable files are listed in the [manifest](Self::manifest).
    ///
    /// # References
    ///
    /// docs/start/capture.md
    pub fn read(source: Source, privacy: Privacy, more: impl FnOnce(&Source)) -> Self {
        let source = source.recorder();
        let (firmware, log) = read_all(&source);
        more(&source);
        let mut notes = Vec::new();
        let mut seen = source.recorded();
        if source.is_live() {
            if let Some(name) = hypervisor::cpuid() {
                seen.insert(hypervisor::CAPTURED.to_owned(), RecordedPath::File(name.into_bytes()));
            }
            match log::text(&source, &log) {
                Ok(text) => {
                    seen.insert(LOG.to_owned(), RecordedPath::File(text));
                }
                Err(why) => {
                    notes.extend(why);
                    seen.insert(LOG.to_owned(), RecordedPath::Denied);
                }
            }
        }
        let scrub = match privacy {
            Privacy::Removed => {
                keep_claims(&mut seen, &firmware);
                Some(Scrub::for_machine(&source, &seen))
            }
            Privacy::Kept => None,
        };
        let (mut items, read_only) = (BTreeMap::new(), source.recorded_read_only());
        for (path, seen) in seen {
            add(&mut items, &path, seen, (scrub.as_ref(), &read_only));
        }
        if scrub.is_some() {
            add_list(&mut items, NotSent::read(source.unrecorded()));
        }
        // The path may contain a user name.
        let origin = if source.is_live() { "this machine" } else { "a captured machine" };
        Self { origin, privacy, items, notes }
    }

    /// The MANIFEST: captured files, removed data and unreadable files.
    pub fn manifest(&self) -> String {
        manifest::text(self)
    }

    /// Lists what an archive holds, which may be an older capture or that of another program, and
    /// what this capture of it leaves out.
    pub fn show(&self, archive: &Source) -> String {
        shown::text(self, archive)
    }

    /// Number of captured files.
    pub fn files(&self) -> usize {
        self.items.values().filter(|item| matches!(item, CapturedItem::File { .. })).count()
    }

    /// Paths of the files that are not readable.
    pub fn denied(&self) -> impl Iterator<Item = &str> {
        self.items
            .iter()
            .filter(|(_, item)| matches!(item, CapturedItem::Denied))
            .map(|(path, _)| path.as_str())
    }

    /// Writes a gzip-compressed tar archive. The same capture always gives the same bytes.
    ///
    /// # Errors
    ///
    /// Only those of `out`.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        archive::write(self, out)
    }
}

/// Runs all readers. The kernel's log is not read through the source.
fn read_all(source: &Source) -> (Firmware, KernelLog) {
    // Results are ignored: a machine without CPUs is captured too.
    let _ = Topology::read(source);
    Environment::read(source);
    Activity::read(source);
    TrafficDomains::find(source, &NodeSummaries::read(source)).read_default_group(source);
    let firmware = firmware_tables::read(source);
    let log = kernel_log::read(source);
    PhysicalMap::read(&firmware, Some(source), &log);
    for path in KEPT_ANYWAY {
        source.contents(path);
    }
    (firmware, log)
}

/// Keeps what the DSDT and SSDTs claim: their code is removed.
fn keep_claims(seen: &mut BTreeMap<String, RecordedPath>, firmware: &Firmware) {
    if let Ok(namespace) = FirmwareItem::acpi_namespace(firmware) {
        let text = namespace.claims_text().into_bytes();
        seen.insert(firmware_tables::CAPTURED_CLAIMS.to_owned(), RecordedPath::File(text));
    }
}

/// Adds the list of what is kept. A capture of a capture lacks what that lacks.
fn add_list(items: &mut BTreeMap<String, CapturedItem>, mut not_sent: NotSent) {
    for item in items.values() {
        let CapturedItem::File { removed, .. } = item else { continue };
        not_sent.parameters.extend(removed.not_sent.iter().cloned());
        not_sent.messages += removed.messages;
    }
    let (bytes, removed) = (not_sent.list().into_bytes(), Removed::default());
    let item = CapturedItem::File { bytes, removed, access: FileAccess::Writable };
    items.insert(not_sent::KEPT.to_owned(), item);
}

/// Adds a recorded path. Names in a folder are kept even if no reader opened them.
fn add(
    items: &mut BTreeMap<String, CapturedItem>,
    path: &str,
    seen: RecordedPath,
    (scrub, read_only): (Option<&Scrub>, &BTreeSet<String>),
) {
    // Archives cannot have `..` in paths.
    if path.split('/').any(|part| part == "..") {
        return;
    }
    let kept = |path: &str| scrub.map_or_else(|| path.to_owned(), |scrub| scrub.path(path));
    let item = match seen {
        RecordedPath::File(bytes) => {
            let (bytes, removed) = match scrub {
                Some(scrub) => scrub.file(path, bytes),
                None => (bytes, Removed::default()),
            };
            let access = match read_only.contains(path) {
                true => FileAccess::ReadOnly,
                false => FileAccess::Writable,
            };
            CapturedItem::File { bytes, removed, access }
        }
        RecordedPath::Denied => CapturedItem::Denied,
        RecordedPath::Link(target) => CapturedItem::Link(kept(&target)),
        RecordedPath::Exists | RecordedPath::Folder(_) => {
            let names = if let RecordedPath::Folder(names) = seen { names } else { Vec::new() };
            for folder in
                names.iter().map(|name| kept(&format!("{path}/{name}"))).chain([kept(path)])
            {
                items.entry(folder).or_insert(CapturedItem::Folder);
            }
            return;
        }
    };
    items.insert(kept(path), item);
}

#[cfg(test)]
mod tests;
