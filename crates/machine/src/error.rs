//! Why a machine could not be read at all. Anything less is an oddity, not an error.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::source::archive::MOST_UNPACKED;

/// Why a source could not be opened, or told nothing of CPUs.
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
    /// An archive larger than any capture of a machine.
    #[error("{} unpacks to more than {MOST_UNPACKED}: keep only its 'sys' and 'proc'", path.display())]
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
    #[error("{origin} shows no CPU under /sys/devices/system/cpu: check that sysfs is mounted, or was captured")]
    NoCpus {
        /// What was read: "this machine", or the path.
        origin: String,
    },
<<<<<<< HEAD
    /// sysfs tells of no node.
    #[error("{origin} shows no node under /sys/devices/system/node: sysfs is not mounted, or the kernel is not NUMA aware")]
    NoNodes {
        /// What was read: "this machine", or the path.
        origin: String,
=======
    /// A list of nodes or CPUs that is none, or names what is not there.
    #[error("{noun} list '{list}': {why}")]
    List {
        /// What it lists: "node" or "CPU".
        noun: &'static str,
        /// The list, shortened.
        list: String,
        /// Which item, why, and what there is.
        why: String,
>>>>>>> wt-lists
    },
}
