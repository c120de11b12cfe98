//! A machine of what people send: outputs of programs, logs, tables, each alone or several in one
//! paste.
//!
//! What a text is, its content decides, never its name. Each part becomes the files of sysfs and
//! procfs that its facts mean; together they are one [`Source`]. Parts of different machines are
//! refused by what differs; what only some of them get wrong is a [`SentConflict`].

mod cpu_table;
mod differences;
mod dmidecode;
mod facts;
mod forms;
mod gpu_lists;
mod guessed_cpus;
mod json_depth;
mod json_value;
mod kernel_tables;
mod lscpu;
mod lscpu_json;
mod lspci;
mod lspci_tree;
mod numactl;
mod own_document;
mod paste;
mod pci_classes;
mod smi_places;
mod table_files;
mod zone_info;

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, NodeSet};
use thiserror::Error;

use crate::error::{MAX_UNPACKED_SIZE, MachineError};
use crate::source::{Overlay, Source};
pub use differences::{ConflictKind, SentConflict};
use facts::PartFacts;
pub use facts::SentFacts;
pub use forms::LOG_FORM;
use forms::{Form, NodeList};

/// The largest text that is read.
const MAX_TEXT: Bytes = Bytes::mib(64);
/// Files that are given at most.
const MAX_FILES: usize = 64;
/// Parts of all files at most.
const MAX_PARTS: usize = 64;
/// Files of sysfs that all parts become at most: a small text may describe a large machine.
const MAX_MADE: usize = 2_000_000;

/// What was sent, as one machine.
#[derive(Debug)]
pub struct Sent {
    /// The machine of all parts together.
    pub source: Source,
    /// What each file is.
    pub parts: Vec<SentPart>,
    /// Parts that begin as a known output, and have nothing of it.
    pub not_understood: Vec<NotUnderstoodPart>,
    /// What the parts disagree about.
    pub conflicts: Vec<SentConflict>,
}

/// A part of a file that begins as a known output does, and cannot be read as one.
#[derive(Debug, PartialEq, Eq)]
pub struct NotUnderstoodPart {
    /// The file's name as it was given.
    pub file: String,
    /// The line that it begins in.
    pub line: usize,
    /// What it begins as: "lscpu".
    pub form: &'static str,
}

/// A recognised part of a file.
#[derive(Debug)]
pub struct SentPart {
    /// The file's name as it was given; "-" is the standard input.
    pub file: String,
    /// The line that it begins in.
    pub line: usize,
    /// Its form: "lscpu", "numactl -H".
    pub form: &'static str,
    /// What it is about.
    pub facts: SentFacts,
    /// Its text, where another reader needs it: a matrix of GPUs.
    pub text: Option<String>,
}

/// Why files are no machine.
#[derive(Debug, Error)]
pub enum SentError {
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// More files than anyone sends.
    #[error("{0} files are too many: give at most {MAX_FILES} of one machine")]
    TooMany(usize),
    /// Nothing in the file is known.
    #[error(
        "nothing in {} is a known output: give a capture, or all of what lscpu, numactl -H, lstopo \
         or dmesg printed ('nearfar diagnose --help')",
        path.display()
    )]
    NotUnderstood {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing in the file: the program that should have printed it failed.
    #[error("{} is empty: print the output again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// More than any machine has.
    #[error(
        "{} is more than a machine has: give at most {MAX_PARTS} outputs, {MAX_TEXT} of text",
        path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// A machine's folder beside other files.
    #[error(
        "{} is a whole machine: give it without the other files, or an archive of it with them",
        path.display()
    )]
    WholeMachine {
        /// The folder.
        path: PathBuf,
    },
    /// Two files of different machines.
    #[error(
        "{left} and {right} are of different machines: {what} {left_value} in one, {right_value} \
         in the other; give files of one machine and one boot (a cloud may start it on other \
         hardware each time)"
    )]
    Different {
        /// What differs: "the CPUs are".
        what: &'static str,
        /// A file.
        left: String,
        /// What it has.
        left_value: String,
        /// Another file.
        right: String,
        /// What that has.
        right_value: String,
    },
    /// A table of CPUs that has the first ones alone.
    #[error(
        "{file}: {form} has the CPUs {has}, and {other} has {all}: it is cut off after line \
         {line}, or of another machine; print it again, and give all of it"
    )]
    CutTable {
        /// The file.
        file: String,
        /// The output.
        form: &'static str,
        /// Its last line.
        line: usize,
        /// Its CPUs.
        has: String,
        /// The file that has more.
        other: String,
        /// The CPUs of that.
        all: String,
    },
    /// It is a machine's folder, an archive or XML, and cannot be opened.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// A part of a file, read.
struct ReadPart {
    file: String,
    line: usize,
    /// The line that it ends in.
    last: usize,
    form: &'static Form,
    facts: PartFacts,
    source: Source,
    text: Option<String>,
}

impl ReadPart {
    /// A whole file.
    fn whole(path: &Path, form: &'static Form, source: Source) -> Self {
        let facts = PartFacts::read(&source);
        let file = path.display().to_string();
        Self { file, line: 1, last: 1, form, facts, source, text: None }
    }
}

impl Sent {
    /// Opens files of one machine: outputs of programs in text files or on standard input ("-"),
    /// firmware's tables, an archive of a machine; or one folder of a machine.
    ///
    /// # Errors
    ///
    /// [`SentError`].
    pub fn open(paths: &[PathBuf]) -> Result<Self, SentError> {
        if paths.len() > MAX_FILES {
            return Err(SentError::TooMany(paths.len()));
        }
        let (mut parts, mut not_understood) = (Vec::new(), Vec::new());
        for path in paths {
            match opened(path)? {
                Opened::Text(bytes) => parts.extend(read(path, &bytes, &mut not_understood)?),
                Opened::Tables(source) => parts.push(ReadPart::whole(path, forms::TABLES, source)),
                Opened::Machine(source) if paths.len() == 1 => return Ok(Self::whole(source)),
                // A folder is not in memory.
                Opened::Machine(source) if source.made() == 0 => {
                    return Err(SentError::WholeMachine { path: path.clone() });
                }
                Opened::Machine(source) => {
                    parts.push(ReadPart::whole(path, forms::CAPTURE, source));
                }
            }
            let made: usize = parts.iter().map(|part| part.source.made()).sum();
            if parts.len() > MAX_PARTS || made > MAX_MADE {
                return Err(SentError::TooLarge { path: path.clone() });
            }
        }
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Ok(Self { not_understood, ..Self::join(parts, &names.join(", "))? })
    }

    /// A whole machine: everything of it is known.
    pub fn whole(source: Source) -> Self {
        Self { source, parts: Vec::new(), not_understood: Vec::new(), conflicts: Vec::new() }
    }

    fn join(mut parts: Vec<ReadPart>, origin: &str) -> Result<Self, SentError> {
        let conflicts = differences::all(&parts)?;
        // The most exact first; of equals, in the order of the files.
        parts.sort_by_key(|part| part.form.rank);
        let is_sent = parts.iter().all(|part| part.source.is_sent());
        let listing = listing(&parts);
        let nodes = listing.map(|at| parts[at].facts.node_set());
        let mut overlay = Overlay::new(nodes.unwrap_or_default());
        if listing.is_none() {
            let named = parts.iter().fold(NodeSet::new(), |named, part| {
                named.union(&part.facts.node_set()).union(&part.facts.device_nodes())
            });
            overlay.add_named_nodes(&named);
        }
        let mut described = Vec::new();
        for (at, part) in parts.into_iter().enumerate() {
            overlay.add(part.source, listing == Some(at));
            described.push(SentPart {
                file: part.file,
                line: part.line,
                form: part.form.name,
                facts: part.facts.summary(),
                text: part.text,
            });
        }
        described.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        let source = overlay.finish(origin, is_sent);
        Ok(Self { source, parts: described, not_understood: Vec::new(), conflicts })
    }
}

/// The part whose form lists most nodes, of equals the most exact; none where all name some.
fn listing(parts: &[ReadPart]) -> Option<usize> {
    let has_list =
        |part: &ReadPart| part.form.nodes > NodeList::Near && !part.facts.nodes.is_empty();
    let all = parts.iter().enumerate().filter(|(_, part)| has_list(part));
    all.rev().max_by_key(|(_, part)| part.form.nodes).map(|(at, _)| at)
}

/// A file that was opened.
enum Opened {
    /// A folder or an archive.
    Machine(Source),
    /// Firmware's tables.
    Tables(Source),
    Text(Vec<u8>),
}

fn opened(path: &Path) -> Result<Opened, SentError> {
    if path == Path::new("-") {
        return text(path, io::stdin().lock());
    }
    if path.is_dir() {
        return match Source::open(path) {
            Err(error @ MachineError::NoMachine { .. }) => {
                Ok(Opened::Tables(table_files::open(path)?.ok_or(error)?))
            }
            machine => Ok(Opened::Machine(machine?)),
        };
    }
    let unreadable = |cause| MachineError::Open { path: path.to_owned(), cause };
    let file = nearfar_view::input::open(path, MAX_UNPACKED_SIZE).map_err(unreadable)?;
    let mut file = BufReader::new(file);
    // A pipe may have no writer, and can be read only once.
    if is_archive(file.fill_buf().map_err(unreadable)?) {
        return Ok(Opened::Machine(Source::from_reader(path, file)?));
    }
    match text(path, file)? {
        Opened::Text(bytes) if table_files::are_begun_by(&bytes) => {
            Ok(table_files::of_bytes(path, &bytes)?.map_or(Opened::Text(bytes), Opened::Tables))
        }
        text => Ok(text),
    }
}

fn text(path: &Path, file: impl Read) -> Result<Opened, SentError> {
    let mut bytes = Vec::new();
    let unreadable = |cause| SentError::Unreadable { path: path.to_owned(), cause };
    file.take(MAX_TEXT.0 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_TEXT.0 {
        return Err(SentError::TooLarge { path: path.to_owned() });
    }
    Ok(Opened::Text(bytes))
}

/// Whether bytes are of an archive, plain or compressed.
fn is_archive(bytes: &[u8]) -> bool {
    let packed: [&[u8]; 3] = [&[0x1f, 0x8b], b"BZh", &[0xfd, b'7', b'z', b'X', b'Z', 0]];
    packed.iter().any(|start| bytes.starts_with(start))
        || bytes.get(257..262).is_some_and(|magic| magic == b"ustar")
}

/// The parts of a file, and those that are not understood.
fn read(
    path: &Path,
    bytes: &[u8],
    not_understood: &mut Vec<NotUnderstoodPart>,
) -> Result<Vec<ReadPart>, SentError> {
    let name = path.display().to_string();
    let text = paste::cleaned(&String::from_utf8_lossy(bytes));
    let mut parts = Vec::new();
    let mut refused = None;
    let mut made = 0;
    for piece in paste::pieces(&text) {
        if parts.len() == MAX_PARTS || made > MAX_MADE {
            return Err(SentError::TooLarge { path: path.to_owned() });
        }
        match piece.form.read(piece.text, piece.line, &name) {
            Ok(Some(source)) => {
                made += source.made();
                parts.push(ReadPart {
                    file: name.clone(),
                    line: piece.line,
                    last: piece.line - 1 + piece.text.trim_end().lines().count(),
                    form: piece.form,
                    facts: PartFacts::read(&source),
                    source,
                    text: piece.form.keeps_text.then(|| piece.text.to_owned()),
                });
            }
            // What stands between outputs may be anything.
            Ok(None) if piece.form.name == LOG_FORM => {}
            Ok(None) => not_understood.push(NotUnderstoodPart {
                file: name.clone(),
                line: piece.line,
                form: piece.form.name,
            }),
            // Another output in the file does not make it whole.
            Err(
                error @ (MachineError::CutOff { .. }
                | MachineError::DamagedText { .. }
                | MachineError::OtherLanguage { .. }
                | MachineError::NoMachineIn { .. }),
            ) => return Err(error.into()),
            Err(error) => refused = Some(error),
        }
    }
    match (parts.is_empty(), refused) {
        (false, _) => Ok(parts),
        (true, Some(error)) => Err(error.into()),
        // XML of another program has its own reasons.
        (true, None) if text.trim_start().starts_with('<') => Err(Source::from_topology_xml(
            &text, &name,
        )
        .err()
        .map_or_else(|| SentError::NotUnderstood { path: path.to_owned() }, SentError::Machine)),
        (true, None) if text.trim().is_empty() => Err(SentError::Empty { path: path.to_owned() }),
        (true, None) => Err(SentError::NotUnderstood { path: path.to_owned() }),
    }
}

/// Reads one text, for fuzzing.
#[doc(hidden)]
pub fn parse(bytes: &[u8]) -> Result<Sent, SentError> {
    let mut not_understood = Vec::new();
    let parts = read(Path::new("x"), bytes, &mut not_understood)?;
    Ok(Sent { not_understood, ..Sent::join(parts, "x")? })
}

#[cfg(test)]
mod tests;
