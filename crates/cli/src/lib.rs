//! The command: parse, call, print.
//!
//! Each subcommand has a file under [`commands`](self): its arguments, the calls it makes, what it prints. What decides
//! anything lives in the libraries.

mod commands;
mod denied;
mod exit;
mod family;
mod input;
mod large_files;
mod plotting;
mod progress;
mod sweeping;
mod whole_file;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use commands::{Command, run, supervise, worker};
use nearfar_launch::Dialect;
use nearfar_terminal::exit::usage;

/// A NUMA laboratory: what memory really costs on this machine.
#[derive(Debug, Parser)]
#[command(name = "nearfar", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  nearfar survey              what memory costs from every CPU to every node
  nearfar survey --quick      the same in seconds, less precise
  nearfar survey --thorough --budget 5m    all instruments, in five minutes
  nearfar topology            what this machine says it is
  nearfar diagnose            why the kernel shows these nodes, or none, and what to change
  nearfar firmware            firmware's own tables; 'nearfar firmware srat' shows one
  nearfar capture             all that these read, in one archive to send
  nearfar where PID           where a running program's memory is, and whether its threads are beside it
  nearfar show FILE           a kept survey once more
  nearfar run -N 0 -m 0 PROGRAM    a program on one node: its CPUs, its memory
  nearfar sweep --jobs 1..8 -- make -j{jobs} clean all    which placement and how many jobs
  nearfar latency --probe chase --pages 4k --nodes 0

Exit status: 0 done (whatever the verdict), 1 failed, 2 wrong usage, 130 interrupted.";

/// Runs the command of this process's arguments.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os();
    if let Some(name) = family::called_as(words.next().as_deref()) {
        return name.run(words.collect());
    }
    if worker::is_meant(std::env::args_os()) {
        return exit::status(worker::run());
    }
    if let Some(done) = supervise::done(std::env::args_os()) {
        return exit::status(done);
    }
    if run::is_meant(std::env::args_os()) {
        return run::follow(std::env::args_os().skip(2).collect(), Dialect::Run);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    large_files::outlive();
    exit::status(cli.command.run())
}

/// The definition of the command line, for man pages and completions.
fn command() -> clap::Command {
    Cli::command()
}
