//! Errors that prevent reading a machine. Smaller problems are oddities beside the result.

use std::io;
use std::path::PathBuf;

use nearfar_model::Bytes;
use thiserror::Error;

use crate::hardware_error::HardwareError;
use crate::hidden_by::HiddenBy;

/// Maximum unpacked size of an archive. A machine of 4,096 CPUs has about 200,000 attributes: 200
/// MiB of tar blocks.
pub(crate) const MAX_UNPACKED_SIZE: Bytes = Bytes::mib(512);

/// Why a source cannot be opened, or lacks the requested data.
#[derive(Debug, Error)]
pub enum MachineError {
    /// The path does not exist or is not readable.
    #[error(
        "cannot open {}: {cause}; give a folder with 'sys', or a tar archive of one",
        path.display()
    )]
    Open {
        /// The path.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The file is no archive.
    #[error(
        "{} is not a tar archive: give a folder with 'sys', or its .tar, .tar.gz, .tar.bz2 or \
         .tar.xz",
        path.display()
    )]
    NotAnArchive {
        /// The file.
        path: PathBuf,
    },
    /// XML that is no topology.
    #[error(
        "{} is no topology of hwloc ('lstopo --of xml') or NCCL (NCCL_TOPO_DUMP_FILE): {why}",
        path.display()
    )]
    NoTopology {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// An output that ends too early.
    #[error(
        "{}: {of} is cut off after line {line}: print it again, and give all of it",
        path.display()
    )]
    CutOff {
        /// The file.
        path: PathBuf,
        /// The output.
        of: &'static str,
        /// Its last line.
        line: usize,
    },
    /// An output that is not as its program printed it.
    #[error(
        "{}: {of} is damaged in line {line}, perhaps folded by a terminal: write it to a file, and \
         give that file",
        path.display()
    )]
    DamagedText {
        /// The file.
        path: PathBuf,
        /// The output.
        of: &'static str,
        /// The line.
        line: usize,
    },
    /// An output with labels of another language.
    #[error(
        "{}: {of} is not in English: print it again with 'LC_ALL=C {of}', and give that",
        path.display()
    )]
    OtherLanguage {
        /// The file.
        path: PathBuf,
        /// The output.
        of: &'static str,
    },
    /// A table of firmware that is shorter than its own length.
    #[error(
        "{}: {table} is cut off: it has {has} of its {length} bytes; copy it again as root, and \
         give all of it",
        path.display()
    )]
    CutTable {
        /// The file.
        path: PathBuf,
        /// The table's signature.
        table: String,
        /// Bytes in the file.
        has: usize,
        /// The table's length.
        length: usize,
    },
    /// A document of nearfar that is not of a machine.
    #[error(
        "{} is a {schema} document, which has no machine: give that of 'nearfar topology --json', \
         or what lscpu, numactl -H, lstopo or dmesg printed",
        path.display()
    )]
    NoMachineIn {
        /// The file.
        path: PathBuf,
        /// The document's schema.
        schema: String,
    },
    /// The archive is valid at first and cannot be read to its end.
    #[error("{} is damaged or cut short ({cause}): fetch or capture it again", path.display())]
    Damaged {
        /// The archive.
        path: PathBuf,
        /// The decoder's error.
        cause: io::Error,
    },
    /// The archive's compression has an unsupported option.
    #[error(
        "{} has an unsupported compression ({cause}): unpack it, and compress it with gzip",
        path.display()
    )]
    UnsupportedArchive {
        /// The archive.
        path: PathBuf,
        /// The decoder's error.
        cause: io::Error,
    },
    /// The archive is larger than any capture.
    #[error(
        "{} unpacks to more than {MAX_UNPACKED_SIZE}: keep only its 'sys' and 'proc'",
        path.display()
    )]
    TooLarge {
        /// The archive.
        path: PathBuf,
    },
    /// There is no machine in the folder or archive.
    #[error(
        "{} has no 'sys' folder: give the folder with 'sys' and 'proc', or an archive of it",
        path.display()
    )]
    NoMachine {
        /// The folder or archive.
        path: PathBuf,
    },
    /// There are several machines in the folder or archive.
    #[error(
        "{} has several machines ({}): unpack it and give one of them",
        path.display(),
        names.join(", ")
    )]
    SeveralMachines {
        /// The folder or archive.
        path: PathBuf,
        /// The folders with a `sys` each.
        names: Vec<String>,
    },
    /// sysfs has no CPU.
    #[error(
        "{origin} has no CPU under /sys/devices/system/cpu: check that sysfs is mounted, or was \
         captured"
    )]
    NoCpus {
        /// The source: "this machine", or a path.
        origin: String,
    },
    /// Outputs of programs without a list of CPUs.
    #[error("{origin} has no list of CPUs: give what lscpu printed on that machine, too")]
    CpusNotSent {
        /// The files.
        origin: String,
    },
    /// sysfs has no node.
    #[error(
        "{origin} has no node under /sys/devices/system/node: sysfs is not mounted, or the \
         kernel is not NUMA aware"
    )]
    NoNodes {
        /// The source: "this machine", or a path.
        origin: String,
    },
    /// The text is not a list of nodes or CPUs, on any machine.
    #[error("{noun} list '{list}': {why}")]
    MalformedList {
        /// The kind of list: "node" or "CPU".
        noun: &'static str,
        /// The text, shortened.
        list: String,
        /// What is wrong with it.
        why: String,
    },
    /// The list names nodes or CPUs that do not exist or are not allowed.
    #[error("{noun} list '{list}': {why}")]
    List {
        /// The kind of list: "node" or "CPU".
        noun: &'static str,
        /// The list, shortened.
        list: String,
        /// The item, the reason, and the valid ones.
        why: String,
    },
    /// The text names no device, on any machine.
    #[error("device '{word}': {why}")]
    MalformedDevice {
        /// The text, shortened.
        word: String,
        /// What is wrong with it.
        why: String,
    },
    /// No device has this name.
    #[error("there is no device '{word}': {nearest}")]
    NoSuchDevice {
        /// The name, shortened.
        word: String,
        /// The most similar names.
        nearest: String,
    },
    /// The device leads to no hardware.
    #[error("device '{word}': {why}")]
    NoHardware {
        /// The name, shortened.
        word: String,
        /// The reason.
        why: Box<HardwareError>,
    },
    /// procfs is not mounted.
    #[error(
        "/proc is empty on {origin}, so no process is visible: mount it (mount -t proc proc \
         /proc)"
    )]
    NoProc {
        /// The source: "this machine", or a path.
        origin: String,
    },
    /// procfs is of another PID namespace.
    #[error(
        "/proc shows processes of another PID namespace, whose numbers are others: mount it \
         (mount -t proc proc /proc)"
    )]
    ForeignProc,
    /// No process has this ID, or none that is visible.
    #[error("{}", no_such_process(*pid, origin, *hidden_by))]
    NoSuchProcess {
        /// The process ID.
        pid: u32,
        /// The source: "this machine", or a path.
        origin: String,
        /// Why it may exist and not be visible; `None` if it does not exist.
        hidden_by: Option<HiddenBy>,
    },
    /// The process exists and is not visible.
    #[error(
        "process {pid} exists, and /proc hides it: it belongs to another user or is protected; \
         use root or CAP_SYS_PTRACE"
    )]
    HiddenProcess {
        /// The process ID.
        pid: u32,
    },
    /// The process ended while it was read.
    #[error("process {pid} ended while it was read")]
    ProcessEnded {
        /// The process ID.
        pid: u32,
    },
    /// The process belongs to another user, or is protected.
    #[error("{file} is not readable: {}", not_your_process(*pid, *is_root))]
    NotYourProcess {
        /// The process ID.
        pid: u32,
        /// The file.
        file: String,
        /// Whether this user is root already.
        is_root: bool,
    },
    /// The kernel does not report pages by node.
    #[error(
        "/proc/{pid}/numa_maps does not exist: this kernel was built without NUMA, and all \
         memory is one node"
    )]
    NoNumaMaps {
        /// The process.
        pid: u32,
    },
    /// The file is malformed.
    #[error("{file} is unreadable or malformed: check that /proc is mounted")]
    ProcessUnreadable {
        /// The file.
        file: String,
    },
    /// No control group has this name.
    #[error(
        "there is no control group '{name}': give its folder below /sys/fs/cgroup, as \
         systemd-cgls or /proc/PID/cgroup name it"
    )]
    NoSuchGroup {
        /// The given name.
        name: String,
    },
    /// The root control group.
    #[error(
        "{folder} is the group of all processes on this machine and cannot be moved: name a \
         group below it"
    )]
    TopGroup {
        /// The group.
        folder: String,
    },
}

impl MachineError {
    /// Whether the process that was read has ended, or its ID never was one of this namespace.
    pub fn is_of_ended_process(&self) -> bool {
        match self {
            Self::ProcessEnded { .. } => true,
            Self::NoSuchProcess { hidden_by, .. } => {
                !hidden_by.is_some_and(HiddenBy::is_within_namespace)
            }
            _ => false,
        }
    }
}

/// Root needs other advice than to be root: the kernel denied it all the same.
fn not_your_process(pid: u32, is_root: bool) -> String {
    if is_root {
        format!(
            "process {pid} is protected from this root, by a user namespace (a container's root \
             is none outside of it) or a security module; run nearfar outside of the container"
        )
    } else {
        format!("process {pid} belongs to another user or is protected; use root or CAP_SYS_PTRACE")
    }
}

fn no_such_process(pid: u32, origin: &str, hidden_by: Option<HiddenBy>) -> String {
    match hidden_by {
        Some(HiddenBy::PidNamespace) => {
            format!("this PID namespace has no process {pid}: it may have ended, or run outside")
        }
        Some(by) => format!("no visible process has the ID {pid}: {by}"),
        None => format!(
            "there is no process {pid} on {origin}: it may have ended; 'ps -e' lists those that \
             run"
        ),
    }
}
