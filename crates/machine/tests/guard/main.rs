//! Settings are changed in a folder, never on this machine.

mod folder;
mod killed;
mod restoring;
