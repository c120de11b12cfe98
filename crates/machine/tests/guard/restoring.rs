//! What is set, what is restored, and what stays as it is.

use std::cell::RefCell;
use std::fs;
use std::io;

use nearfar_machine::guard::{
    GuardError, RootedFiles, SettingFiles, SettingNote, SettingValues, Settled, settle,
};
use nearfar_view::owned_files::Note;

use crate::folder::{CARD, Folder, others, settings};

fn before(folder: &Folder) -> SettingValues {
    SettingValues::read(settings(), &folder.files()).unwrap()
}

fn set(folder: &Folder) {
    others().set(&folder.files(), &folder.files().source().unwrap()).unwrap();
}

fn restore(values: &SettingValues, folder: &Folder) -> Result<(), GuardError> {
    values.restore(&folder.files(), &folder.files().source().unwrap())
}

/// Files that refuse a write to one path.
struct RefusingFiles {
    inner: RootedFiles,
    refused: &'static str,
    written: RefCell<Vec<String>>,
}

impl SettingFiles for RefusingFiles {
    fn read(&self, path: &str) -> io::Result<String> {
        self.inner.read(path)
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        self.written.borrow_mut().push(path.to_owned());
        if path.contains(self.refused) {
            return Err(io::Error::from_raw_os_error(5));
        }
        self.inner.write(path, text)
    }

    fn check_writable(&self, path: &str) -> io::Result<()> {
        self.inner.check_writable(path)
    }
}

#[test]
fn exact_texts_are_restored() {
    let folder = Folder::new();
    let (state, before) = (folder.state(), before(&folder));
    set(&folder);
    assert_eq!(folder.state(), ["0", "2-3", "1"]);
    restore(&before, &folder).unwrap();
    assert_eq!(folder.state(), state);
}

#[test]
fn equal_settings_are_not_written() {
    let folder = Folder::new();
    folder.file("/proc/irq/25/smp_affinity_list", "0,1,2,3\n");
    let values: SettingValues =
        settings().into_iter().zip(["on", "0-3", "0-3"].map(str::to_owned)).collect();
    folder.file("/proc/sys/kernel/numa_balancing", "1\n");
    let files = RefusingFiles { inner: folder.files(), refused: "", written: RefCell::default() };
    values.set(&files, &folder.files().source().unwrap()).unwrap();
    assert!(files.written.borrow().is_empty());
}

#[test]
fn all_are_set_or_none() {
    let folder = Folder::new();
    let state = folder.state();
    let files =
        RefusingFiles { inner: folder.files(), refused: "irq/25", written: RefCell::default() };
    let error = others().set(&files, &folder.files().source().unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("cannot set irq 25 of "), "{error}");
    assert_eq!(folder.state(), state);
}

#[test]
fn all_settings_are_restored_despite_an_error() {
    let folder = Folder::new();
    let before = before(&folder);
    set(&folder);
    let files =
        RefusingFiles { inner: folder.files(), refused: "irq/24", written: RefCell::default() };
    let error = before.restore(&files, &folder.files().source().unwrap()).unwrap_err();
    let line = error.to_string();
    assert!(line.starts_with("cannot set irq 24 of 0000:00:03.0 to 0-3 (/proc/irq/24/"), "{line}");
    assert_eq!((folder.state(), files.written.borrow().len()), (texts(["2", "2-3", "0,2"]), 3));
}

fn texts(texts: [&str; 3]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

#[test]
fn interrupts_of_other_devices_stay_as_they_are() {
    let folder = Folder::new();
    let before = before(&folder);
    set(&folder);
    fs::remove_file(folder.path(&format!("{CARD}/msi_irqs/24"))).unwrap();
    restore(&before, &folder).unwrap();
    assert_eq!(folder.state(), texts(["2", "2-3", "0,2"]), "number 24 is no longer the card's");
    let line =
        others().set(&folder.files(), &folder.files().source().unwrap()).unwrap_err().to_string();
    assert!(line.ends_with("its device no longer has it"), "{line}");
}

#[test]
fn unreadable_settings_are_refused_before_anything_is_set() {
    let folder = Folder::new();
    folder.file("/proc/sys/kernel/numa_balancing", "\n");
    let line = SettingValues::read(settings(), &folder.files()).unwrap_err().to_string();
    assert!(line.starts_with("cannot read balancing (/proc/sys/kernel/numa_balancing)"), "{line}");
    fs::remove_file(folder.path("/proc/irq/24/smp_affinity_list")).unwrap();
    folder.file("/proc/sys/kernel/numa_balancing", "1\n");
    let line = SettingValues::read(settings(), &folder.files()).unwrap_err().to_string();
    assert!(line.starts_with("cannot read irq 24 of 0000:00:03.0"), "{line}");
}

#[test]
fn notes_of_killed_guards_are_settled() {
    let folder = Folder::new();
    let (run, state) = (folder.path("/run"), folder.state());
    assert_eq!(settle(&run, &folder.files()).unwrap(), Settled::Clear);
    let before = before(&folder);
    set(&folder);
    let own = std::process::id();
    let source = nearfar_machine::Source::live();
    let started = nearfar_machine::guard::start_time(&source, own).unwrap();
    let note = SettingNote::path(&run);
    let keep = |started| {
        SettingNote { guard: own, started, before: before.clone() }.keep_new(&note).unwrap();
    };
    keep(started);
    assert_eq!(settle(&run, &folder.files()).unwrap(), Settled::ChangedBy(own));
    fs::remove_file(&note).unwrap();
    keep(started + 1);
    assert_eq!(settle(&run, &folder.files()).unwrap(), Settled::Restored);
    assert_eq!((folder.state(), note.exists()), (state, false));
}
