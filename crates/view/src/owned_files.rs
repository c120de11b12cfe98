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
mod environment;
mod folder;
mod note;
mod path_refusal;
mod private_folder;
mod trusted_programs;
mod whole_file;

pub use caller::{Caller, has_changed_ids};
pub use environment::restrict;
pub use folder::{Folder, by_number};
pub use note::{Note, NoteError, NoteFault};
pub use path_refusal::PathRefusal;
pub use private_folder::PrivateFolder;
pub use trusted_programs::TrustedPrograms;
pub use whole_file::{IfExists, WholeFile, open_device, open_file};
