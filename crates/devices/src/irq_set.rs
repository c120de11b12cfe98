//! Sets which CPUs serve a device's interrupts and which CPUs handle its packets.
//!
//! - [`plan`]: which file gets which CPUs, and what cannot be set. Pure.
//! - [`ChangeSet::apply`]: all or none. The state before is in a file ([`UndoNote`]) before the
//!   first write, so that [`undo`] works after a kill.
//! - [`LastingSystem`]: the same setting as a unit, a rule, a policy or a profile, for the next
//!   boot.
//!
//! The kernel's files are behind [`nearfar_machine::guard::SettingFiles`]. Sentences about results
//! stand in [`text`].

mod applying;
mod cpu_layout;
mod device_facts;
mod document;
mod error;
mod lasting;
mod lock;
mod plan;
mod shares;
pub mod text;
mod undo_note;
mod undoing;

pub use applying::{ChangeSet, SettingChange, SettingResult};
pub use cpu_layout::CpuLayout;
pub use device_facts::{DeviceFacts, IrqFacts, IrqFreedom};
pub use document::{IrqSetAction, IrqSetDocument, IrqSetWarning, RefusedSetting};
pub use error::IrqSetError;
pub use lasting::{LastingSetting, LastingSystem};
pub use lock::SetLock;
pub use plan::{CpuReach, IrqTarget, SetRequest, plan};
pub use undo_note::{SavedSetting, UndoNote};
pub use undoing::{UndoResult, undo, undo_preview};
