//! Puts back what a note has.

use std::io::ErrorKind;
use std::path::Path;

use nearfar_machine::guard::SettingFiles;
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_view::owned_files::Note;

use crate::irq_set::error::IrqSetError;
use crate::irq_set::undo_note::{SavedSetting, UndoNote};

/// What an undo did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoResult {
    /// The files that have their earlier text again, or had it still.
    pub restored: Vec<SavedSetting>,
    /// The files that no longer exist: the driver freed the interrupt or queue.
    pub gone: Vec<InterruptSetting>,
    /// The files that refused, with the reason. The note keeps them.
    pub refused: Vec<(InterruptSetting, String)>,
}

/// Puts a device's files back, the last one first. `is_of_device` is false for interrupts that
/// another device has now.
///
/// # Errors
///
/// No note, or one that is unusable. Files that refuse are in the result.
pub fn undo(
    label: &str,
    files: &impl SettingFiles,
    note: &Path,
    is_of_device: impl Fn(&InterruptSetting) -> bool,
) -> Result<UndoResult, IrqSetError> {
    let kept = load(label, note)?;
    let mut result = UndoResult::default();
    let mut left = UndoNote::new(&kept.label);
    for saved in kept.settings.iter().rev() {
        let path = saved.setting.path();
        if !is_of_device(&saved.setting) {
            result.gone.push(saved.setting.clone());
            continue;
        }
        let is_restored = || files.read(&path).is_ok_and(|text| saved.is_same_as(&text));
        if is_restored() {
            result.restored.push(saved.clone());
            continue;
        }
        match files.write(&path, &saved.text) {
            Ok(()) => result.restored.push(saved.clone()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                result.gone.push(saved.setting.clone());
            }
            Err(error) => {
                let why = IrqSetError::refused(label, &saved.setting, &error).to_string();
                result.refused.push((saved.setting.clone(), why));
                left.settings.insert(0, saved.clone());
            }
        }
    }
    UndoNote::restore((!left.settings.is_empty()).then_some(&left), note)?;
    Ok(result)
}

/// What an undo would put back; it writes nothing.
///
/// # Errors
///
/// No note, or one that is unusable.
pub fn undo_preview(
    label: &str,
    note: &Path,
    is_of_device: impl Fn(&InterruptSetting) -> bool,
) -> Result<UndoResult, IrqSetError> {
    let kept = load(label, note)?.settings.into_iter();
    let (restored, gone): (Vec<_>, Vec<_>) = kept.partition(|one| is_of_device(&one.setting));
    let gone = gone.into_iter().map(|gone| gone.setting).collect();
    Ok(UndoResult { restored, gone, refused: Vec::new() })
}

fn load(label: &str, note: &Path) -> Result<UndoNote, IrqSetError> {
    let none = || IrqSetError::NothingToUndo { label: label.to_owned(), note: note.to_owned() };
    UndoNote::read(note)?.ok_or_else(none)
}
