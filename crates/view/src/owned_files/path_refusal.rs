//! Why a path is not used.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use thiserror::Error;

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
