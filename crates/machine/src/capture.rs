//! One archive of everything that the other commands read of a machine, so that a person can send
//! it.
//!
//! What is in it is decided by the readers themselves: they read through a source that
//! [remembers](crate::source) what it was asked. What a reader will read one day is captured that
//! day. Private data (serial numbers, UUIDs, asset tags, MAC addresses, host names) is taken out
//! unless it was asked for; docs/capture.md lists what. A file named MANIFEST says what is in the
//! archive, what was taken out of which file, and what could not be read.
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
mod scrub;

use std::collections::BTreeMap;
use std::io::{self, Write};

use nearfar_linux::KernelLog;

use crate::activity::Activity;
use crate::environment::{Environment, hypervisor};
use crate::firmware_tables;
use crate::kernel_log;
use crate::physical_map::PhysicalMap;
use crate::source::{RecordedPath, Source};
use crate::topology::Topology;
use scrub::Scrub;

/// The layout of a capture; its MANIFEST begins with it.
pub const CAPTURE_SCHEMA: &str = "nearfar.capture/1";

/// Where the kernel's log stands in a capture: where some distributions put it.
const LOG: &str = "/var/log/dmesg";
/// What is kept though no reader asks for it: what a person looks at first.
const KEPT_ANYWAY: [&str; 4] =
    ["/proc/version", "/proc/cmdline", "/proc/meminfo", "/proc/zoneinfo"];

/// Whether private data is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// Taken out.
    Removed,
    /// Left as it is.
    Kept,
}

/// Everything that the other commands read of a machine.
#[derive(Debug)]
pub struct Capture {
    origin: &'static str,
    privacy: Privacy,
    items: BTreeMap<String, CapturedItem>,
    notes: Vec<String>,
}

/// What stands at a path.
#[derive(Debug)]
enum CapturedItem {
    /// A file, and what was taken out of it, in words.
    File { bytes: Vec<u8>, removed: Vec<&'static str> },
    /// A file that this user may not read.
    Denied,
    /// A folder, or something of which only that is known, whether it is there.
    Folder,
    /// A link, and the path it leads to.
    Link(String),
}

impl Capture {
    /// Reads a machine. `more` are readers that this crate does not know: what they read is in the
    /// capture too. Nothing is needed, so nothing fails: what cannot be read is told in the
    /// [manifest](Self::manifest).
    pub fn read(source: Source, privacy: Privacy, more: impl FnOnce(&Source)) -> Self {
        let source = source.recorder();
        let log = read_all(&source);
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
            Privacy::Removed => Some(Scrub::for_machine(&source, &seen)),
            Privacy::Kept => None,
        };
        let mut items = BTreeMap::new();
        for (path, seen) in seen {
            add(&mut items, &path, seen, scrub.as_ref());
        }
        // A path may name a person.
        let origin = if source.is_live() { "this machine" } else { "a captured machine" };
        Self { origin, privacy, items, notes }
    }

    /// Which files are in it, what was taken out of them, and what could not be read.
    pub fn manifest(&self) -> String {
        manifest::text(self)
    }

    /// How many files are in it.
    pub fn files(&self) -> usize {
        self.items.values().filter(|item| matches!(item, CapturedItem::File { .. })).count()
    }

    /// The files that this user may not read.
    pub fn denied(&self) -> impl Iterator<Item = &str> {
        self.items
            .iter()
            .filter(|(_, item)| matches!(item, CapturedItem::Denied))
            .map(|(path, _)| path.as_str())
    }

    /// Writes it as a tar archive packed with gzip. The same capture gives the same bytes.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        archive::write(self, out)
    }
}

/// Has every reader read what it reads; the kernel's log alone is not read through the source.
fn read_all(source: &Source) -> KernelLog {
    // What they make of it does not matter here: a machine without CPUs is captured all the same.
    let _ = Topology::read(source);
    Environment::read(source);
    Activity::read(source);
    let firmware = firmware_tables::read(source);
    let log = kernel_log::read(source);
    PhysicalMap::read(&firmware, Some(source), &log);
    for path in KEPT_ANYWAY {
        source.contents(path);
    }
    log
}

/// Adds what was seen at a path; names in a folder that no reader looked at are kept as names.
fn add(
    items: &mut BTreeMap<String, CapturedItem>,
    path: &str,
    seen: RecordedPath,
    scrub: Option<&Scrub>,
) {
    // A way up cannot be written down in an archive.
    if path.split('/').any(|part| part == "..") {
        return;
    }
    let kept = |path: &str| scrub.map_or_else(|| path.to_owned(), |scrub| scrub.path(path));
    let item = match seen {
        RecordedPath::File(bytes) => {
            let (bytes, removed) = match scrub {
                Some(scrub) => scrub.file(path, bytes),
                None => (bytes, Vec::new()),
            };
            CapturedItem::File { bytes, removed }
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
