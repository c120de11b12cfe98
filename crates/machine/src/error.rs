//! Why a machine could not be read at all. Anything less is an oddity, kept beside what was read.

use std::io;
use std::path::PathBuf;

use nearfar_model::Bytes;
use thiserror::Error;

/// The most an archive may unpack to. A machine of 4,096 CPUs has some 200,000 attributes: 200 MiB
/// of tar blocks.
pub(crate) const MAX_UNPACKED_SIZE: Bytes = Bytes::mib(512);

/// Why a source could not be opened, or does not tell what was asked.
#[derive(Debug, Error)]
pub enum MachineError {
    /// The path given is not there or may not be read.
    #[error("cannot open {}: {cause}; give a folder that holds 'sys', or a tar archive of one", path.display())]
    Open {
        /// What was to be opened.
        path: PathBuf,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// A file of another kind.
    #[error("{} is not a tar archive: give a folder that holds 'sys', or its .tar, .tar.gz, .tar.bz2 or .tar.xz", path.display())]
    NotAnArchive {
        /// The file.
        path: PathBuf,
    },
    /// An archive that starts well and cannot be read to its end.
    #[error("{} is damaged or cut short ({cause}): fetch or capture it again", path.display())]
    Damaged {
        /// The archive.
        path: PathBuf,
        /// What the reader stumbled over.
        #[source]
        cause: io::Error,
    },
    /// An archive that is whole and packed with options that are not read.
    #[error("{} is packed in a way that is not supported ({cause}): unpack it, and pack it with gzip", path.display())]
    UnsupportedArchive {
        /// The archive.
        path: PathBuf,
        /// Which option.
        #[source]
        cause: io::Error,
    },
    /// An archive larger than any capture of a machine.
    #[error("{} unpacks to more than {MAX_UNPACKED_SIZE}: keep only its 'sys' and 'proc'", path.display())]
    TooLarge {
        /// The archive.
        path: PathBuf,
    },
    /// Nothing in there looks like a machine.
    #[error("{} holds no 'sys' folder: give the folder that holds 'sys' and 'proc', or an archive of it", path.display())]
    NoMachine {
        /// The folder or archive.
        path: PathBuf,
    },
    /// More than one machine in one folder or archive.
    #[error("{} holds several machines ({}): unpack it and give one of them", path.display(), names.join(", "))]
    SeveralMachines {
        /// The folder or archive.
        path: PathBuf,
        /// The folders that hold a `sys` each.
        names: Vec<String>,
    },
    /// sysfs tells of no CPU.
    #[error(
        "{origin} shows no CPU under /sys/devices/system/cpu: check that sysfs is mounted, or was \
         captured"
    )]
    NoCpus {
        /// What was read: "this machine", or the path.
        origin: String,
    },
    /// sysfs tells of no node.
    #[error(
        "{origin} shows no node under /sys/devices/system/node: sysfs is not mounted, or the \
         kernel is not NUMA aware"
    )]
    NoNodes {
        /// What was read: "this machine", or the path.
        origin: String,
    },
    /// A text that is no list of nodes or CPUs, on whatever machine.
    #[error("{noun} list '{list}': {why}")]
    MalformedList {
        /// What it should list: "node" or "CPU".
        noun: &'static str,
        /// The text, shortened.
        list: String,
        /// What is wrong with it.
        why: String,
    },
    /// A list of nodes or CPUs that names what is not there, or may not be used.
    #[error("{noun} list '{list}': {why}")]
    List {
        /// What it lists: "node" or "CPU".
        noun: &'static str,
        /// The list, shortened.
        list: String,
        /// Which item, why, and what there is.
        why: String,
    },
    /// procfs is not mounted.
    #[error(
        "/proc is empty on {origin}, so no process can be seen: mount it (mount -t proc proc \
         /proc)"
    )]
    NoProc {
        /// What was read: "this machine", or the path.
        origin: String,
    },
    /// No process has this number.
    #[error(
        "there is no process {pid} on {origin}: it may have ended; 'ps -e' lists those that run"
    )]
    NoSuchProcess {
        /// The number.
        pid: u32,
        /// What was read: "this machine", or the path.
        origin: String,
    },
    /// It was there, and is no more.
    #[error("process {pid} ended while it was looked at: nothing is left to see")]
    ProcessEnded {
        /// Its number.
        pid: u32,
    },
    /// Another user's process, or one that guards itself.
    #[error(
        "{file} may not be read: process {pid} is another user's or guards itself; root, or \
         CAP_SYS_PTRACE, may look"
    )]
    NotYourProcess {
        /// Its number.
        pid: u32,
        /// The file that was denied.
        file: String,
    },
    /// The kernel does not say where pages are.
    #[error(
        "/proc/{pid}/numa_maps is not there: this kernel was built without NUMA, and all memory \
         is one node"
    )]
    NoNumaMaps {
        /// The process.
        pid: u32,
    },
    /// A file that cannot be understood.
    #[error(
        "{file} cannot be read or makes no sense: is /proc mounted, and this a process's folder?"
    )]
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
        /// What was given.
        name: String,
    },
    /// The control group of everything.
    #[error(
        "{folder} is the group of every process on this machine, and not to be moved: name a \
         group below it"
    )]
    TopGroup {
        /// The group.
        folder: String,
    },
}
