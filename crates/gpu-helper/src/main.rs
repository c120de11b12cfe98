//! The program `nearfar-gpu`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nearfar_gpu_helper::main()
}
