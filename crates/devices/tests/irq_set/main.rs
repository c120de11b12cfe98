//! Settings are made in a folder, never on this machine.

mod all_or_none;
mod folder;
mod killed;
mod text;
mod undone;
