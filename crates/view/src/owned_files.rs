//! Files by their owner: what root may write, keep, lock and start where other users can write.
//!
//! - [`Caller`]: who this process acts for. Root, and a program with more rights than its user,
//!   are *privileged*: they trust files of root and their own only.
//! - [`Folder`]: an open folder. Its path was walked component by component, and links of other
//!   users were refused, so that a rename by others changes nothing.
//! - [`WholeFile`]: a file that appears whole or not at all, in such a folder.
//! - [`PrivateFolder`]: notes and locks, which no other user reads, writes or holds.
//! - [`Note`]: the state before a change, in such a folder.
//! - [`TrustedPrograms`]: which program a privileged process starts, with which environment.
//!
//! The rules do not depend on `fs.protected_symlinks` and `fs.protected_regular`.

mod caller;
mod draft;
mod folder;
mod note;
mod private_folder;
mod trusted_programs;
mod whole_file;

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;
use std::{env, io};

use thiserror::Error;

pub use caller::{Caller, has_changed_ids};
pub use folder::{Folder, by_number};
pub use note::{Note, NoteError, NoteFault};
pub use private_folder::PrivateFolder;
pub use trusted_programs::TrustedPrograms;
pub use whole_file::{IfExists, WholeFile, open_device, open_file};

/// `PATH` of a privileged program.
const SYSTEM_PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// Folders of libraries: each is checked as a program is.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// What a privileged program keeps. Others can name code: `LD_PRELOAD`, `CUDA_INJECTION64_PATH`,
/// `HSA_TOOLS_LIB`, `GCONV_PATH`.
const KEPT: [&str; 13] = [
    "CUDA_DEVICE_ORDER",
    "CUDA_MODULE_LOADING",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_VISIBLE_DEVICES",
    "HSA_ENABLE_SDMA",
    "HSA_OVERRIDE_GFX_VERSION",
    "LANG",
    "LC_ALL",
    "NEARFAR_LAB_GPUS", // data of the lab's driver
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
];

/// Takes from a command what the environment of a privileged process could make it load. Of other
/// processes it takes nothing.
pub fn restrict(command: &mut Command) {
    let programs = TrustedPrograms::from_this_process();
    if !programs.distrusts_environment() {
        return;
    }
    command.env_clear().env("PATH", SYSTEM_PATH);
    for name in KEPT {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    let folders = env::var_os(LIBRARY_PATH).map(|path| programs.folders(&path));
    let joined = folders.filter(|folders| !folders.is_empty()).map(env::join_paths);
    if let Some(Ok(path)) = joined {
        command.env(LIBRARY_PATH, path);
    }
}

/// Whose it is, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathRefusal {
    /// Another user decides where the link leads.
    #[error(
        "{} is a link that user {owner} can change, so it is not followed: name what it leads to",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
        /// The owner of the link, or of its folder.
        owner: u32,
    },
    /// Another user made the file in a folder that others may write.
    #[error(
        "{} is a file of user {owner} in a folder that others may write: name another file",
        path.display()
    )]
    File {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Notes and locks are of the user who runs nearfar.
    #[error(
        "{} belongs to user {owner}, and not to user {user}, who runs nearfar: remove it",
        path.display()
    )]
    NotOwn {
        /// The file or folder.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Who runs nearfar.
        user: u32,
    },
    /// A note, a lock or their folder is something else.
    #[error("{} is no {wanted}: remove it", path.display())]
    OtherKind {
        /// The path.
        path: PathBuf,
        /// "folder" or "regular file".
        wanted: &'static str,
    },
    /// Longer than any note.
    #[error("{} is larger than any note: remove it", path.display())]
    Large {
        /// The file.
        path: PathBuf,
    },
    /// A program, or a folder above it, that another user can replace.
    #[error(
        "{} can be changed by {}: a program there does not run with these rights; make root its \
         owner, and remove write permission of others (chmod go-w)",
        path.display(),
        changers(*owner)
    )]
    Program {
        /// The program, or the folder.
        path: PathBuf,
        /// Its owner; `None` where others have write permission.
        owner: Option<u32>,
    },
}

impl PathRefusal {
    /// The refusal in an error of this module.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

fn changers(owner: Option<u32>) -> String {
    owner.map_or_else(|| "other users".to_owned(), |owner| format!("user {owner}"))
}

impl From<PathRefusal> for io::Error {
    fn from(refusal: PathRefusal) -> Self {
        Self::new(ErrorKind::PermissionDenied, refusal)
    }
}
