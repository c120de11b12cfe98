//! The `nearfar-lab` command: machines made of software, in which nearfar runs unchanged.
//!
//! A machine is described in TOML ([`machine`]), built by QEMU ([`emulator`]) and charged for its
//! accesses by a plugin (`lab/plugin`). [`guest`] boots a small Linux on it ([`image`]) out of the
//! parts in the [`kit`], runs a command in it, and brings back its output and files.

mod check;
mod commands;
mod emulator;
mod exit;
mod guest;
mod image;
mod kit;
mod machine;
mod random;
mod sentences;

use std::process::ExitCode;

use clap::Parser;
use nearfar_view::terminal::exit::usage;

use commands::LabCommand;

/// Machines made of software, in which nearfar runs unchanged and must find what is modelled.
#[derive(Debug, Parser)]
#[command(name = "nearfar-lab", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: LabCommand,
}

const EXAMPLES: &str = "\
Examples:
  nearfar-lab list                                      the machines there are
  nearfar-lab show epyc-7451-2p                         what one of them is made of
  nearfar-lab run epyc-7451-2p -- nearfar survey --quick
  nearfar-lab run ./mine.toml --out results -- sh -c 'nearfar topology --json > /out/topology.json'
  nearfar-lab shell epyc-7451-2p                        look around in it
  nearfar-lab check epyc-7451-2p            the modelled machine against a survey's figures

Exit status: of 'run' the command's own, 124 when it took too long, 126 when the guest cannot
run it, 127 when the guest has not got it; else 0 done, 1 failed, 2 wrong usage,
130 interrupted.";

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => exit::status(cli.command.run()),
        Err(error) => usage(&error),
    }
}
