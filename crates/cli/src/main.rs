//! The `nearfar` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    nearfar::main()
}
