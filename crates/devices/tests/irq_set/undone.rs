//! Undo returns to the first state before.

use std::collections::BTreeSet;
use std::fs;

use nearfar_devices::irq_set::{SetLock, UndoNote, undo};
use nearfar_view::owned_files::Note;

use crate::folder::{FailingFiles, Folder, all_to, irq};

#[test]
fn undo_returns_to_the_first_state() {
    let folder = Folder::new();
    let before = folder.state();
    for cpus in ["2", "3", "1-2"] {
        all_to(cpus, &folder.files()).apply(&folder.files(), &folder.note()).unwrap();
    }
    let result = undo("NIC0", &folder.files(), &folder.note(), |_| true).unwrap();
    assert_eq!((result.restored.len(), result.gone.len(), result.refused.len()), (6, 0, 0));
    assert_eq!((folder.state(), folder.note().exists()), (before, false));
    let error = undo("NIC0", &folder.files(), &folder.note(), |_| true).unwrap_err().to_string();
    assert!(error.starts_with("nothing to undo for NIC0: "), "{error}");
}

#[test]
fn freed_interrupts_are_skipped() {
    let folder = Folder::new();
    all_to("2", &folder.files()).apply(&folder.files(), &folder.note()).unwrap();
    fs::remove_dir_all(folder.path("/proc/irq/24")).unwrap();
    let is_of_device = |setting: &_| *setting != irq(25);
    let result = undo("NIC0", &folder.files(), &folder.note(), is_of_device).unwrap();
    assert_eq!(result.gone, [irq(25), irq(24)]);
    assert_eq!((result.restored.len(), folder.note().exists()), (4, false));
    let other = fs::read_to_string(folder.path(&irq(25).path())).unwrap();
    assert_eq!(other, "2\n", "it is another device's now");
}

#[test]
fn refused_files_stay_in_the_note() {
    let folder = Folder::new();
    all_to("2", &folder.files()).apply(&folder.files(), &folder.note()).unwrap();
    // Undo writes the last setting first: interrupt 27 is the third write.
    let failing = BTreeSet::from([2]);
    let files = FailingFiles::new(&folder, &failing, 22);
    let result = undo("NIC0", &files, &folder.note(), |_| true).unwrap();
    assert_eq!((result.refused.len(), result.restored.len()), (1, 5));
    assert_eq!(result.refused[0].0, irq(27));
    let note = UndoNote::read(&folder.note()).unwrap().unwrap();
    assert_eq!(note.settings.len(), 1);
    undo("NIC0", &folder.files(), &folder.note(), |_| true).unwrap();
    assert_eq!(folder.state()[3], "0");
}

#[test]
fn files_that_are_no_notes_are_refused() {
    let folder = Folder::new();
    let escape = r#"{"schema":"nearfar.irq-undo/1","state":{"label":"x","settings":
        [{"setting":{"xps":{"interface":"../../x","queue":0}},"text":"0"}]}}"#;
    let newer = r#"{"schema":"nearfar.irq-undo/2","state":{"label":"x","settings":[]}}"#;
    for text in ["", "{", "[]", escape, newer] {
        folder.file("/run/nearfar/irq-0000:00:03.0.json", text);
        let error = undo("NIC0", &folder.files(), &folder.note(), |_| true).unwrap_err();
        let line = error.to_string();
        assert!(line.starts_with("cannot use ") && line.contains("remove the file"), "{line}");
        let changes = all_to("2", &folder.files());
        changes.apply(&folder.files(), &folder.note()).unwrap_err();
        assert_eq!(folder.state()[0], "0");
    }
}

#[test]
fn one_process_holds_the_lock() {
    let folder = Folder::new();
    let held = SetLock::take(folder.root()).unwrap();
    let error = SetLock::take(folder.root()).unwrap_err().to_string();
    assert!(error.ends_with("another nearfar is setting interrupts"), "{error}");
    drop(held);
    SetLock::take(folder.root()).unwrap();
}
