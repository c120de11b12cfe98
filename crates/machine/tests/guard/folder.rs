//! A folder with a machine: switches, and a card with two interrupts.

use std::fs;
use std::path::{Path, PathBuf};

use nearfar_machine::guard::{GuardedSetting, RootedFiles, SettingFiles, SettingValues};
use tempfile::TempDir;

pub(crate) const CARD: &str = "/sys/bus/pci/devices/0000:00:03.0";

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (path, text) in [
            ("/proc/sys/kernel/numa_balancing", "2\n"),
            ("/proc/irq/24/smp_affinity_list", "0-3\n"),
            ("/proc/irq/25/smp_affinity_list", "0,2\n"),
        ] {
            folder.file(path, text);
        }
        folder.file(&format!("{CARD}/msi_irqs/24"), "msix\n");
        folder.file(&format!("{CARD}/msi_irqs/25"), "msix\n");
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

    pub(crate) fn files(&self) -> RootedFiles {
        RootedFiles::below(self.0.path())
    }

    /// The texts of all settings.
    pub(crate) fn state(&self) -> Vec<String> {
        settings().into_iter().map(|setting| self.files().read(&setting.path()).unwrap()).collect()
    }
}

pub(crate) fn settings() -> Vec<GuardedSetting> {
    let names = ["balancing", "irq 24 of 0000:00:03.0", "irq 25 of 0000:00:03.0"];
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Other values of all settings.
pub(crate) fn others() -> SettingValues {
    settings().into_iter().zip(["off", "2-3", "1"].map(str::to_owned)).collect()
}
