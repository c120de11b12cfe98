//! A machine in a topology file of another program: hwloc's XML (`lstopo --of xml`) or NCCL's
//! (`NCCL_TOPO_DUMP_FILE`).
//!
//! What the file has becomes the files of sysfs and procfs that the kernel would have shown.
//! Nothing else is there: no interrupts, no processes, no firmware tables.

mod cpu_kinds;
mod depth;
mod hwloc;
mod nccl;
mod os_devices;

use std::io::{BufRead, Read};
use std::path::Path;

use nearfar_model::{Bytes, Id, IdSet, MAX_ID};
use roxmltree::{Document, Error, Node, ParsingOptions};

use super::machine_files::MachineFiles;
use super::tree::FileTree;
use crate::error::MachineError;

/// The largest file: 4,096 CPUs with all caches have about 10 MiB.
const MAX_FILE: Bytes = Bytes::mib(64);
/// Elements of a file at most.
const MAX_ELEMENTS: u32 = 1_000_000;

/// Why a file has no machine.
#[derive(Debug)]
pub(super) enum NoTopology {
    /// It is larger than any such file.
    TooLarge,
    /// It cannot be read on.
    Unreadable(std::io::Error),
    /// It is no XML, or another program's.
    NotUnderstood(String),
}

impl NoTopology {
    pub(super) fn for_file(self, path: &Path) -> MachineError {
        let path = path.to_owned();
        match self {
            Self::TooLarge => MachineError::TooLarge { path },
            Self::Unreadable(cause) => MachineError::Open { path, cause },
            Self::NotUnderstood(why) => MachineError::NoTopology { path, why },
        }
    }
}

/// Whether a file that begins so is XML: white space and a byte order mark may stand before it.
pub(super) fn is_begun_by(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"<")
}

/// Reads the machine of a file that begins as XML does.
pub(super) fn read(file: impl BufRead) -> Result<FileTree, NoTopology> {
    let mut bytes = Vec::new();
    let limit = MAX_FILE.0 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(NoTopology::Unreadable)?;
    if bytes.len() as u64 == limit {
        return Err(NoTopology::TooLarge);
    }
    let text = String::from_utf8_lossy(&bytes);
    // The parser wants a declaration at the start.
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if let Some(why) = depth::refusal(text) {
        return Err(NoTopology::NotUnderstood(why.to_owned()));
    }
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_ELEMENTS };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| NoTopology::NotUnderstood(not_xml(&error, text)))?;
    let root = document.root_element();
    let mut files = MachineFiles::new();
    match root.tag_name().name() {
        "topology" => hwloc::read(root, &mut files),
        "system" => nccl::read(root, &mut files),
        other => {
            let start: String = other.chars().take(40).collect();
            return Err(NoTopology::NotUnderstood(format!("its first element is '{start}'")));
        }
    }
    if files.is_full() {
        return Err(NoTopology::TooLarge);
    }
    if files.cpus.is_empty() && files.nodes.is_empty() {
        return Err(NoTopology::NotUnderstood("it has no CPU and no node".to_owned()));
    }
    Ok(files.finish())
}

/// Why a text is no XML; a cut one is one up to its last line.
fn not_xml(error: &Error, text: &str) -> String {
    match error {
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            format!("it is cut off after line {}", text.lines().count())
        }
        other => format!("it is no XML ({other})"),
    }
}

/// A set in words of 32 bits, the highest first, with or without `0x`: `0x0000f06f`,
/// `00000000,00ffffff`.
fn set<T: Id>(mask: &str) -> IdSet<T> {
    let mut ids = IdSet::new();
    for (first, word) in (0..=MAX_ID).step_by(32).zip(mask.rsplit(',')) {
        let digits = word.trim().trim_start_matches("0x");
        let bits = u32::from_str_radix(digits, 16).unwrap_or(0);
        (0..32).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| {
            ids.insert(T::from_number(first + bit));
        });
    }
    ids
}

fn infos<'x>(object: Node<'x, 'x>) -> impl Iterator<Item = (&'x str, &'x str)> {
    let infos = object.children().filter(|child| child.has_tag_name("info"));
    infos.filter_map(|info| Some((info.attribute("name")?, info.attribute("value")?)))
}

fn number<T: std::str::FromStr>(element: Node<'_, '_>, name: &str) -> Option<T> {
    element.attribute(name)?.parse().ok()
}

#[cfg(test)]
mod tests;
