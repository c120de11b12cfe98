//! What the program `nearfar-gpu` does.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use nearfar_view::terminal::with_enough_stack;

use crate::arguments::{HelperCall, help, version_line};

const FAILED: u8 = 1;
const USAGE: u8 = 2;

/// Runs the program `nearfar-gpu` with this process's arguments.
pub fn main() -> ExitCode {
    with_enough_stack("nearfar-gpu", run)
}

fn run() -> ExitCode {
    let args: Vec<_> = env::args_os().skip(1).collect();
    match HelperCall::parse(&args) {
        Ok(HelperCall::Version) => print(&version_line()),
        Ok(HelperCall::Help) => print(&help()),
        Ok(HelperCall::Task(task)) => match task.run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => report(&error.to_string(), FAILED),
        },
        Err(error) if is_check(&args) => report_to_caller(&error.to_string()),
        Err(error) => report(&error.to_string(), USAGE),
    }
}

/// A reader that has gone needs no text.
fn print(text: &str) -> ExitCode {
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

/// Whether the caller asks for the version alone.
fn is_check(args: &[OsString]) -> bool {
    matches!(args, [option, _version] if option == "--for")
}

/// Reports to a program, which names this one itself.
fn report_to_caller(message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(USAGE)
}

fn report(message: &str, status: u8) -> ExitCode {
    let _ = writeln!(io::stderr(), "nearfar-gpu: {message}");
    ExitCode::from(status)
}
