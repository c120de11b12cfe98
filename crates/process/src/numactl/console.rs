//! A program's output, and its access to captured machines.

use std::path::Path;

use nearfar_machine::{MachineError, Source};
use nearfar_view::terminal::output::OutputError;

/// Where a program prints, and how it opens a captured machine.
pub trait Console {
    /// Prints text to standard output, at once.
    fn print(&mut self, text: &str) -> Result<(), OutputError>;

    /// Prints a line to standard error.
    fn aside(&mut self, line: &str);

    /// Opens a captured machine.
    fn open(&mut self, path: &Path) -> Result<Source, MachineError>;
}
