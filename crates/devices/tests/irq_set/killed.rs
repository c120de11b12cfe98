//! A process that is killed between two writes.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nearfar_devices::irq_set::{UndoNote, undo};
use nearfar_machine::guard::{RootedFiles, SettingFiles};
use nearfar_view::owned_files::Note;

use crate::folder::{Folder, all_to, irq};

/// The folder of the child.
const FOLDER: &str = "NEARFAR_TEST_IRQ_FOLDER";

/// Files that never return from the second write.
struct StuckFiles(RootedFiles);

impl SettingFiles for StuckFiles {
    fn read(&self, path: &str) -> io::Result<String> {
        self.0.read(path)
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        while path == irq(25).path() {
            thread::sleep(Duration::from_secs(1));
        }
        self.0.write(path, text)
    }

    fn check_writable(&self, path: &str) -> io::Result<()> {
        self.0.check_writable(path)
    }
}

#[test]
#[ignore = "the child of the test below"]
fn killed_child() {
    let folder = PathBuf::from(env::var_os(FOLDER).unwrap());
    let note = folder.join("run/nearfar/irq-0000:00:03.0.json");
    let files = StuckFiles(RootedFiles::below(&folder));
    let _ = all_to("2-3", &files).apply(&files, &note);
}

#[test]
fn undo_works_after_a_kill() {
    let folder = Folder::new();
    let before = folder.state();
    let mut child = child(folder.root());
    let start = Instant::now();
    while folder.state()[0] != "2-3" {
        assert!(start.elapsed() < Duration::from_secs(60), "the child set nothing");
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.state()[1], "0", "it was killed between two writes");
    let note = UndoNote::read(&folder.note()).unwrap().unwrap();
    assert_eq!(note.settings.len(), 6);
    undo("NIC0", &folder.files(), &folder.note(), |_| true).unwrap();
    assert_eq!((folder.state(), folder.note().exists()), (before, false));
}

fn child(folder: &Path) -> std::process::Child {
    Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "killed::killed_child"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
