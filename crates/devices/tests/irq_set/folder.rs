//! A folder with the kernel's files. Some of them refuse.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nearfar_devices::irq_set::{ChangeSet, SettingChange};
use nearfar_machine::guard::{RootedFiles, SettingFiles};
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_model::CpuSet;
use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    /// Interrupts 24 to 27 on CPU 0, and two transmit queues.
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for number in 24..28 {
            folder.file(&irq(number).path(), "0\n");
            folder.file(&irq(number).effective_path().unwrap(), "0\n");
        }
        (0..2).for_each(|queue| folder.file(&xps(queue).path(), "0000,00000000\n"));
        folder
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path.trim_start_matches('/'))
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn note(&self) -> PathBuf {
        self.0.path().join("run/nearfar/irq-0000:00:03.0.json")
    }

    pub(crate) fn files(&self) -> RootedFiles {
        RootedFiles::below(self.0.path())
    }

    /// The texts of all settings.
    pub(crate) fn state(&self) -> Vec<String> {
        let settings = (24..28).map(irq).chain((0..2).map(xps));
        settings.map(|setting| self.files().read(&setting.path()).unwrap()).collect()
    }
}

pub(crate) fn irq(number: u32) -> InterruptSetting {
    InterruptSetting::Irq(number)
}

pub(crate) fn xps(queue: u32) -> InterruptSetting {
    InterruptSetting::Xps { interface: "eth0".to_owned(), queue }
}

pub(crate) fn change(setting: InterruptSetting, cpus: &str) -> SettingChange {
    let cpus = CpuSet::parse_list(cpus).unwrap();
    SettingChange { setting, name: String::new(), cpus }
}

/// All settings to these CPUs.
pub(crate) fn all_to(cpus: &str, files: &impl SettingFiles) -> ChangeSet {
    let settings = (24..28).map(irq).chain((0..2).map(xps));
    let changes = settings.map(|setting| change(setting, cpus)).collect();
    ChangeSet::new("NIC0", changes, files).unwrap()
}

/// Files whose writes fail, by their count from 0.
pub(crate) struct FailingFiles<'a> {
    pub(crate) inner: RootedFiles,
    pub(crate) failing: &'a BTreeSet<usize>,
    pub(crate) errno: i32,
    /// Whether a write that fails changes the file nevertheless.
    pub(crate) changes_anyway: bool,
    pub(crate) writes: Cell<usize>,
    pub(crate) written: RefCell<Vec<String>>,
}

impl SettingFiles for FailingFiles<'_> {
    fn read(&self, path: &str) -> io::Result<String> {
        self.inner.read(path)
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let count = self.writes.replace(self.writes.get() + 1);
        self.written.borrow_mut().push(path.to_owned());
        if !self.failing.contains(&count) {
            return self.inner.write(path, text);
        }
        if self.changes_anyway {
            self.inner.write(path, text)?;
        }
        Err(io::Error::from_raw_os_error(self.errno))
    }

    fn check_writable(&self, path: &str) -> io::Result<()> {
        self.inner.check_writable(path)
    }
}

impl<'a> FailingFiles<'a> {
    pub(crate) fn new(folder: &Folder, failing: &'a BTreeSet<usize>, errno: i32) -> Self {
        Self {
            inner: folder.files(),
            failing,
            errno,
            changes_anyway: false,
            writes: Cell::new(0),
            written: RefCell::new(Vec::new()),
        }
    }
}
