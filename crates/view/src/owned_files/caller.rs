//! Who this process acts for, and what it trusts.

use std::fs;

use rustix::fs::Stat;
use rustix::process::{getegid, geteuid, getgid, getuid};

/// A user, and whether more depends on it than that user's own files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    user: u32,
    is_privileged: bool,
}

const ROOT: u32 = 0;
/// Write permission of a group and of all.
pub(crate) const WRITABLE_BY_OTHERS: u32 = 0o022;
const WRITABLE_BY_ALL: u32 = 0o002;
const STICKY: u32 = 0o1000;

impl Caller {
    /// This process.
    pub fn from_this_process() -> Self {
        let facts = StartFacts::read();
        let is_privileged = facts.user == ROOT || facts.has_changed_ids || facts.is_secure;
        Self { user: facts.user, is_privileged }
    }

    /// Any user, for tests and plans.
    pub const fn new(user: u32, is_privileged: bool) -> Self {
        Self { user, is_privileged }
    }

    /// The effective user.
    pub const fn user(self) -> u32 {
        self.user
    }

    /// Whether it is root, or has more rights than the user who started it.
    pub const fn is_privileged(self) -> bool {
        self.is_privileged
    }

    const fn trusts(self, owner: u32) -> bool {
        owner == ROOT || owner == self.user
    }

    /// Who decides where a link leads, if that is neither root nor this user.
    ///
    /// Users follow as with `fs.protected_symlinks`. The privileged follow no link of another user,
    /// and none in another user's folder: that user can move any link there. A link with two names
    /// may have been put there, too (`fs.protected_hardlinks` = 0).
    pub(crate) fn foreign_link(self, link: &Stat, folder: &Stat) -> Option<u32> {
        let others_write = folder.st_mode & WRITABLE_BY_OTHERS != 0;
        if !self.is_privileged {
            let may = self.trusts(link.st_uid)
                || folder.st_mode & WRITABLE_BY_ALL == 0
                || link.st_uid == folder.st_uid;
            return (!may).then_some(link.st_uid);
        }
        if !self.trusts(link.st_uid) {
            return Some(link.st_uid);
        }
        let is_put_there = others_write && link.st_nlink > 1;
        (is_put_there || !self.trusts(folder.st_uid)).then_some(folder.st_uid)
    }

    /// The owner of a file that is not replaced: as `fs.protected_regular`.
    pub(crate) fn foreign_file(self, file: &Stat, folder: &Stat) -> Option<u32> {
        let is_shared = folder.st_mode & STICKY != 0 && folder.st_mode & WRITABLE_BY_OTHERS != 0;
        let is_foreign = file.st_uid != self.user && file.st_uid != folder.st_uid;
        (is_shared && is_foreign).then_some(file.st_uid)
    }

    /// Which other user can change a program, or a folder that leads to one: its owner, or `None`
    /// for all that have write permission. In a sticky folder others change their own files only.
    pub(crate) fn changed_by(self, found: &Stat, is_folder: bool) -> Option<Option<u32>> {
        if !self.trusts(found.st_uid) {
            return Some(Some(found.st_uid));
        }
        let is_sticky = is_folder && found.st_mode & STICKY != 0;
        (found.st_mode & WRITABLE_BY_OTHERS != 0 && !is_sticky).then_some(None)
    }
}

/// Whether the program's file gave it another user or group (setuid, setgid).
pub fn has_changed_ids() -> bool {
    StartFacts::read().has_changed_ids
}

/// What the kernel states about the start of this process, which no filter of calls hides.
struct StartFacts {
    user: u32,
    has_changed_ids: bool,
    /// The file has capabilities, or changed the user.
    is_secure: bool,
}

impl StartFacts {
    /// # References
    ///
    /// getauxval(3), proc_pid_auxv(5)
    fn read() -> Self {
        const UID: usize = 11;
        const EUID: usize = 12;
        const GID: usize = 13;
        const EGID: usize = 14;
        const SECURE: usize = 23;
        const WORD: usize = size_of::<usize>();
        let vector = fs::read("/proc/self/auxv").unwrap_or_default();
        let words: Vec<usize> = vector
            .chunks_exact(WORD)
            .map(|bytes| usize::from_ne_bytes(bytes.try_into().unwrap_or_default()))
            .collect();
        let value = |kind| words.chunks_exact(2).find(|pair| pair[0] == kind).map(|pair| pair[1]);
        let id = |kind| value(kind).and_then(|id| u32::try_from(id).ok());
        match (id(UID), id(EUID), id(GID), id(EGID)) {
            (Some(uid), Some(euid), Some(gid), Some(egid)) => Self {
                user: euid,
                has_changed_ids: uid != euid || gid != egid,
                is_secure: value(SECURE) != Some(0),
            },
            _ => Self {
                user: geteuid().as_raw(),
                has_changed_ids: geteuid() != getuid() || getegid() != getgid(),
                is_secure: false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of stat(2) that decide.
    fn stat(user: u32, mode: u32, names: u64) -> Stat {
        let mut found = rustix::fs::stat("/").unwrap();
        (found.st_uid, found.st_mode, found.st_nlink) = (user, mode, names as _);
        found
    }

    const MALLORY: u32 = 4242;
    const ALICE: u32 = 1000;

    #[test]
    fn the_kernel_states_who_started_the_process() {
        let caller = Caller::from_this_process();
        assert_eq!(caller.user(), geteuid().as_raw());
        assert_eq!((caller.is_privileged(), has_changed_ids()), (geteuid().is_root(), false));
    }

    #[test]
    fn root_follows_links_of_root_only() {
        let root = Caller::new(0, true);
        let (tmp, home, etc) = (stat(0, 0o1777, 2), stat(ALICE, 0o755, 2), stat(0, 0o755, 2));
        let link = |owner| stat(owner, 0o777, 1);
        for folder in [&tmp, &home, &etc] {
            assert_eq!(root.foreign_link(&link(MALLORY), folder), Some(MALLORY));
        }
        assert_eq!(root.foreign_link(&link(0), &tmp), None);
        assert_eq!(root.foreign_link(&link(0), &etc), None);
        assert_eq!(root.foreign_link(&link(0), &home), Some(ALICE), "she can move it there");
        assert_eq!(root.foreign_link(&stat(0, 0o777, 2), &tmp), Some(0), "put there by linkat");
    }

    #[test]
    fn users_follow_as_the_kernel_protects() {
        let alice = Caller::new(ALICE, false);
        let (tmp, shared) = (stat(0, 0o1777, 2), stat(7, 0o775, 2));
        let link = |owner| stat(owner, 0o777, 1);
        assert_eq!(alice.foreign_link(&link(MALLORY), &tmp), Some(MALLORY));
        assert_eq!(alice.foreign_link(&link(MALLORY), &shared), None);
        for own in [0, ALICE] {
            assert_eq!(alice.foreign_link(&link(own), &tmp), None);
        }
    }

    #[test]
    fn files_of_others_are_replaced_outside_shared_folders_only() {
        let root = Caller::new(0, true);
        let file = stat(MALLORY, 0o644, 1);
        assert_eq!(root.foreign_file(&file, &stat(0, 0o1777, 2)), Some(MALLORY));
        assert_eq!(root.foreign_file(&file, &stat(MALLORY, 0o755, 2)), None);
    }

    #[test]
    fn programs_are_trusted_by_owner_and_mode() {
        let root = Caller::new(0, true);
        let changed = |user, mode, is_folder| root.changed_by(&stat(user, mode, 1), is_folder);
        assert_eq!(changed(0, 0o755, false), None);
        assert_eq!(changed(ALICE, 0o755, false), Some(Some(ALICE)));
        for mode in [0o775, 0o757, 0o777, 0o1777] {
            assert_eq!(changed(0, mode, false), Some(None), "{mode:o}");
        }
        assert_eq!((changed(0, 0o1777, true), changed(0, 0o777, true)), (None, Some(None)));
        assert_eq!(Caller::new(ALICE, false).changed_by(&stat(ALICE, 0o755, 1), false), None);
    }
}
