//! Sets all or none.

use std::io;
use std::path::Path;

use nearfar_machine::guard::SettingFiles;
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_model::CpuSet;
use nearfar_view::owned_files::Note;
use serde::Serialize;

use crate::irq_set::error::IrqSetError;
use crate::irq_set::{SavedSetting, UndoNote};

/// A file and its new CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SettingChange {
    /// The file.
    pub setting: InterruptSetting,
    /// The interrupt's handler; empty for others.
    pub name: String,
    /// The new CPUs.
    #[serde(rename = "asked")]
    pub cpus: CpuSet,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SettingResult {
    /// The change.
    #[serde(flatten)]
    pub change: SettingChange,
    /// The CPUs before.
    pub before: CpuSet,
    /// The CPUs that the file has now; `None` if it is not readable. Before it is applied: those
    /// before.
    pub now: Option<CpuSet>,
    /// The CPUs that the kernel chose of them; `None` where it does not show them.
    pub effective: Option<CpuSet>,
    /// Whether the kernel still uses a CPU from before: it moves an interrupt when it arrives.
    #[serde(rename = "pending")]
    pub is_pending: bool,
}

impl SettingResult {
    /// The interrupt; `None` for queues.
    pub fn irq(&self) -> Option<u32> {
        match self.change.setting {
            InterruptSetting::Irq(number) => Some(number),
            InterruptSetting::Xps { .. } | InterruptSetting::Rps { .. } => None,
        }
    }

    /// Whether the file has other CPUs than asked.
    pub fn is_different(&self) -> bool {
        self.now.as_ref() != Some(&self.change.cpus)
    }
}

/// The changes of a device, with the state before.
#[derive(Debug)]
pub struct ChangeSet {
    label: String,
    changes: Vec<(SettingChange, SavedSetting, CpuSet)>,
}

impl ChangeSet {
    /// Reads the state before.
    ///
    /// # Errors
    ///
    /// The first file that is not readable.
    pub fn new(
        label: &str,
        changes: Vec<SettingChange>,
        files: &impl SettingFiles,
    ) -> Result<Self, IrqSetError> {
        let with_state = |change: SettingChange| {
            let setting = &change.setting;
            let text = files
                .read(&setting.path())
                .map_err(|error| IrqSetError::unreadable(setting, &error, files))?;
            let before = setting.parse(&text).ok_or_else(|| IrqSetError::Malformed {
                setting: setting.to_string(),
                path: setting.path(),
            })?;
            let saved = SavedSetting { setting: setting.clone(), text };
            Ok::<_, IrqSetError>((change, saved, before))
        };
        let changes = changes.into_iter().map(with_state).collect::<Result<_, _>>()?;
        Ok(Self { label: label.to_owned(), changes })
    }

    /// The plan, with the state before.
    pub fn preview(&self, files: &impl SettingFiles) -> Vec<SettingResult> {
        let result = |(change, _, before): &(SettingChange, SavedSetting, CpuSet)| SettingResult {
            now: Some(before.clone()),
            is_pending: false,
            ..result(change, before, files)
        };
        self.changes.iter().map(result).collect()
    }

    /// Opens each file for writing, and writes nothing.
    ///
    /// # Errors
    ///
    /// The first file that does not permit it.
    pub fn check_permission(&self, files: &impl SettingFiles) -> Result<(), IrqSetError> {
        self.changes.iter().try_for_each(|(change, ..)| {
            let setting = &change.setting;
            let checked = files.check_writable(&setting.path());
            checked.map_err(|error| IrqSetError::refused(&self.label, setting, &error))
        })
    }

    /// Keeps the state before in the note at this path, then writes all changes.
    ///
    /// # Errors
    ///
    /// The first change that is refused. Those before it are put back then, and the note has its
    /// earlier contents.
    pub fn apply(
        &self,
        files: &impl SettingFiles,
        note: &Path,
    ) -> Result<Vec<SettingResult>, IrqSetError> {
        self.check_permission(files)?;
        let earlier = UndoNote::read(note)?;
        let saved = self.changes.iter().map(|(_, saved, _)| saved.clone());
        let kept = earlier.clone().unwrap_or_else(|| UndoNote::new(&self.label)).with(saved);
        kept.replace(note)?;
        for (at, (change, ..)) in self.changes.iter().enumerate() {
            let setting = &change.setting;
            let written = files.write(&setting.path(), &setting.file_text(&change.cpus));
            if let Err(error) = written {
                let refused = IrqSetError::refused(&self.label, setting, &error);
                self.put_back(at, files).map_err(|stuck| IrqSetError::HalfSet {
                    why: Box::new(refused.clone()),
                    stuck,
                    note: note.to_owned(),
                })?;
                UndoNote::restore(earlier.as_ref(), note)?;
                return Err(refused);
            }
        }
        let result = |(change, _, before): &(SettingChange, SavedSetting, CpuSet)| {
            result(change, before, files)
        };
        Ok(self.changes.iter().map(result).collect())
    }

    /// Puts the first changes back, and the one that was refused: a file may have changed
    /// nevertheless. The error lists those that are not as before.
    fn put_back(&self, refused: usize, files: &impl SettingFiles) -> Result<(), String> {
        let mut stuck = Vec::new();
        for (at, (_, saved, _)) in self.changes.iter().enumerate().take(refused + 1).rev() {
            let path = saved.setting.path();
            let is_as_before = || files.read(&path).is_ok_and(|text| saved.is_same_as(&text));
            if at == refused && is_as_before() {
                continue;
            }
            let written: io::Result<()> = files.write(&path, &saved.text);
            if written.is_err() && !is_as_before() {
                stuck.push(saved.setting.to_string());
            }
        }
        if stuck.is_empty() { Ok(()) } else { Err(stuck.join(", ")) }
    }
}

fn result(change: &SettingChange, before: &CpuSet, files: &impl SettingFiles) -> SettingResult {
    let setting = &change.setting;
    let read = |path: &str| setting.parse(&files.read(path).ok()?);
    let effective = setting.effective_path().and_then(|path| read(&path));
    // Chips that serve an interrupt on all allowed CPUs leave it empty.
    let effective = effective.filter(|cpus| !cpus.is_empty());
    SettingResult {
        now: read(&setting.path()),
        is_pending: effective.as_ref().is_some_and(|cpus| !cpus.is_subset(&change.cpus)),
        effective,
        before: before.clone(),
        change: change.clone(),
    }
}
