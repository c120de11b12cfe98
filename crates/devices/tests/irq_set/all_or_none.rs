//! Whatever fails at whichever write, the state after is the state before.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use nearfar_devices::irq_set::{ChangeSet, IrqSetError, UndoNote};
use nearfar_view::owned_files::Note;
use proptest::prelude::*;

use crate::folder::{FailingFiles, Folder, all_to, change, irq, xps};

const EIO: i32 = 5;
const EPERM: i32 = 1;
const EINVAL: i32 = 22;
const ENOSPC: i32 = 28;

#[test]
fn all_files_are_set_and_read_back() {
    let folder = Folder::new();
    let results = all_to("2-3", &folder.files()).apply(&folder.files(), &folder.note()).unwrap();
    assert_eq!(folder.state(), ["2-3", "2-3", "2-3", "2-3", "0000000c", "0000000c"]);
    let first = &results[0];
    assert_eq!((first.before.to_string(), first.is_different()), ("0".to_owned(), false));
    // The stand-in moves nothing: the effective CPU is the one from before.
    assert!(first.is_pending);
    assert!(!results[5].is_pending && results[5].effective.is_none());
}

#[test]
fn previews_write_nothing() {
    let folder = Folder::new();
    let before = folder.state();
    let preview = all_to("2", &folder.files()).preview(&folder.files());
    assert_eq!(preview[0].now.as_ref().unwrap().to_string(), "0");
    assert_eq!((folder.state(), folder.note().exists()), (before, false));
}

#[test]
fn refusals_have_their_reason() {
    for (errno, expected) in [
        (
            EIO,
            "NIC0: interrupt 25 is managed by the kernel: change the number of queues, or \
               isolcpus=managed_irq",
        ),
        (
            EPERM,
            "NIC0: interrupt 25 is managed by the kernel: change the number of queues, or \
                 isolcpus=managed_irq",
        ),
        (EINVAL, "cannot set interrupt 25: the kernel finds no online CPU in it"),
        (ENOSPC, "cannot set interrupt 25: these CPUs have no free interrupt vectors"),
    ] {
        let folder = Folder::new();
        let before = folder.state();
        let failing = BTreeSet::from([1]);
        let files = FailingFiles::new(&folder, &failing, errno);
        let error = all_to("2", &files).apply(&files, &folder.note()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!((folder.state(), folder.note().exists()), (before, false));
        let one = irq(24).path();
        assert_eq!(*files.written.borrow(), [one.clone(), irq(25).path(), one]);
    }
}

#[test]
fn unreadable_files_are_named_before_any_write() {
    let folder = Folder::new();
    let changes = vec![change(irq(24), "1"), change(irq(99), "1")];
    let error = ChangeSet::new("NIC0", changes, &folder.files()).unwrap_err().to_string();
    let path = "/proc/irq/99/smp_affinity_list";
    let hidden = "/proc/irq is not there: mount /proc, or show it to this container";
    assert_eq!(error, format!("cannot read interrupt 99 ({path}): {hidden}"));
    folder.file("/proc/irq/default_smp_affinity", "f");
    let changes = vec![change(irq(99), "1")];
    let error = ChangeSet::new("NIC0", changes, &folder.files()).unwrap_err().to_string();
    assert_eq!(error, format!("cannot read interrupt 99 ({path}): it has no handler now"));
    let error = ChangeSet::new("NIC0", vec![change(xps(7), "1")], &folder.files()).unwrap_err();
    let one_queue = "eth0 tx-7 (XPS) (/sys/class/net/eth0/queues/tx-7/xps_cpus): the kernel has \
                     no XPS for an interface with one transmit queue";
    assert_eq!(error.to_string(), format!("cannot read {one_queue}"));
    folder.file(&irq(26).path(), "zz");
    let error = ChangeSet::new("NIC0", vec![change(irq(26), "1")], &folder.files()).unwrap_err();
    assert!(matches!(error, IrqSetError::Malformed { .. }));
}

#[test]
fn files_that_are_no_files_refuse_first() {
    let folder = Folder::new();
    let changes = all_to("2", &folder.files());
    let path = folder.path(&irq(26).path());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = changes.apply(&folder.files(), &folder.note()).unwrap_err().to_string();
    assert!(error.starts_with("cannot set interrupt 26: "), "{error}");
    assert_eq!(fs::read_to_string(folder.path(&irq(24).path())).unwrap(), "0\n");
    assert!(!folder.note().exists());
}

#[test]
fn read_only_files_refuse_first() {
    let folder = Folder::new();
    let path = folder.path(&irq(27).path());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let changes = all_to("2", &folder.files());
    // Root may open it: then nothing refuses.
    if fs::OpenOptions::new().write(true).open(&path).is_err() {
        let error = changes.apply(&folder.files(), &folder.note()).unwrap_err().to_string();
        assert_eq!(error, "cannot set interrupt 27: permission denied: run it as root");
        assert!(!folder.note().exists());
    }
}

#[test]
fn without_a_note_nothing_is_set() {
    let folder = Folder::new();
    let before = folder.state();
    folder.file("/run/nearfar", "a file");
    let changes = all_to("2", &folder.files());
    let error = changes.apply(&folder.files(), &folder.note()).unwrap_err().to_string();
    assert!(error.starts_with("cannot use ") && error.contains("irq-0000:00:03.0.json"), "{error}");
    assert_eq!(folder.state(), before);
}

#[test]
fn files_that_stay_changed_are_listed() {
    let folder = Folder::new();
    // The third write fails, and so does the first that puts back.
    let failing = BTreeSet::from([2, 3]);
    let mut files = FailingFiles::new(&folder, &failing, EINVAL);
    files.changes_anyway = true;
    let error = all_to("2", &files).apply(&files, &folder.note()).unwrap_err().to_string();
    assert!(!error.contains("could not be put back"), "the write that failed did it: {error}");
    let folder = Folder::new();
    let files = FailingFiles::new(&folder, &failing, EINVAL);
    let error = all_to("2", &files).apply(&files, &folder.note()).unwrap_err().to_string();
    assert!(error.contains("; interrupt 25 could not be put back: "), "{error}");
    let note = UndoNote::read(&folder.note()).unwrap().unwrap();
    assert_eq!(note.settings.len(), 6, "undo can do it later");
}

proptest! {
    #[test]
    fn failures_leave_the_state_before(
        failing in 0_usize..6,
        errno in prop::sample::select(vec![EIO, EPERM, EINVAL, ENOSPC]),
        changes_anyway: bool,
        earlier: bool,
    ) {
        let folder = Folder::new();
        if earlier {
            all_to("1", &folder.files()).apply(&folder.files(), &folder.note()).unwrap();
        }
        let before = (folder.state(), UndoNote::read(&folder.note()).unwrap());
        let failing = BTreeSet::from([failing]);
        let mut files = FailingFiles::new(&folder, &failing, errno);
        files.changes_anyway = changes_anyway;
        all_to("2-3", &files).apply(&files, &folder.note()).unwrap_err();
        prop_assert_eq!((folder.state(), UndoNote::read(&folder.note()).unwrap()), before);
    }
}
