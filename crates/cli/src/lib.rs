//! The command: parse, call, print.
//!
//! Each subcommand has a file under [`commands`](self): its arguments, the calls it makes, what it
//! prints. What decides anything lives in the libraries.

mod captured;
mod commands;
#[cfg(test)]
mod commit;
mod completing;
mod denied;
mod document_file;
mod documents;
mod everywhere;
mod exit;
mod family;
mod first_minute;
mod fitting_commands;
mod help;
mod hidden_note;
mod input;
mod interrupts;
mod jobs;
mod large_files;
mod measured_nodes;
mod named_value;
mod old_names;
mod output_path;
mod plotting;
mod progress;
mod sent;
mod sweeping;
mod unknown_option;
mod whole_file;

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, value_parser};
use nearfar_process::launch::Dialect;
use nearfar_view::owned_files::has_changed_ids;
use nearfar_view::terminal::exit::{FAILED, WrongUsage, usage};
use nearfar_view::terminal::{output, width, with_enough_stack};

use commands::{Subcommand, run, supervise, worker};

const ABOUT: &str = "Measure what memory really costs on this machine, and put programs near it";

/// The release and the commit that it was built from: `0.3.0 (c3a04323b9aa)`.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("NEARFAR_COMMIT"), ")");

/// The option that describes a captured machine, before any command.
const ROOT: &str = "root";

const EXAMPLES: &str = "\
Examples:
  nearfar survey                 is it NUMA, and what does remote memory cost
  nearfar diagnose               why the kernel shows these nodes
  nearfar run -N 0 -m 0 PROGRAM  run a program on node 0: its CPUs, its memory
  nearfar explain PID            why a running program is slow
  nearfar sweep PROGRAM          which placement is fastest
  nearfar --root FILE            what a captured machine is

'nearfar help' lists jobs by question, 'nearfar help JOB' the commands of one.
'nearfar COMMAND --help' has all options; 'nearfar --version' the version.
Exit status: 0 done, whatever the verdict; 1 failed; 2 usage; 130 interrupted;
3 a difference was found (check, fleet, compare --fail-if).";

/// Runs the command of this process's arguments.
pub fn main() -> ExitCode {
    if has_changed_ids() {
        output::aside(
            "nearfar: this file is setuid or setgid, and nearfar runs any program: remove the bit \
             (chmod ug-s)",
        );
        return ExitCode::from(FAILED);
    }
    with_enough_stack("nearfar", run_words)
}

fn run_words() -> ExitCode {
    let mut words = std::env::args_os();
    if let Some(name) = family::called_as(words.next().as_deref()) {
        return name.run(words.collect());
    }
    if let Some(done) = worker::done(std::env::args_os()) {
        return exit::status(done);
    }
    if let Some(done) = supervise::done(std::env::args_os()) {
        return exit::status(done);
    }
    if run::is_meant(std::env::args_os()) {
        return run::follow(std::env::args_os().skip(2).collect(), Dialect::Run);
    }
    if let Some(done) = completing::done(std::env::args_os()) {
        return exit::status(done);
    }
    let called = std::env::args_os().nth(1);
    if called.is_none() && std::io::stdout().is_terminal() {
        width::set(width::detect());
        return exit::status(first_minute::print(None));
    }
    match root(called.as_deref()).try_get_matches().and_then(|matches| run_parsed(&matches)) {
        Ok(done) => exit::status(done),
        Err(error) => {
            if let Some(renamed) = old_names::renamed(&error) {
                return exit::status(Err(renamed.into()));
            }
            let error = unknown_option::with_tip(error);
            usage(&error.format(&mut root(called.as_deref())))
        }
    }
}

/// Runs the subcommand; without one, `--root` describes a captured machine.
fn run_parsed(matches: &ArgMatches) -> clap::error::Result<anyhow::Result<()>> {
    large_files::outlive();
    width::set(width::detect());
    everywhere::obey(matches);
    match (matches.subcommand(), matches.get_one::<PathBuf>(ROOT)) {
        (None, Some(path)) => Ok(first_minute::print(Some(path))),
        (None, None) => Err(root(None).error(
            ErrorKind::MissingSubcommand,
            "a command is missing: 'nearfar --help' lists them",
        )),
        (Some((name, _)), Some(_)) => Ok(Err(WrongUsage(format!(
            "--root belongs after the command: nearfar {name} --root PATH"
        ))
        .into())),
        (Some((name, options)), None) => {
            captured::obey(name, options);
            let mut all = Subcommand::all();
            all.find(|subcommand| subcommand.name == name).expect("it was parsed").run(options)
        }
    }
}

/// The definition of the command line that these words need: of the subcommand that is called, of
/// none for `--version`, else of all.
fn root(called: Option<&OsStr>) -> clap::Command {
    let root = clap::Command::new("nearfar")
        .about(ABOUT)
        .version(VERSION)
        .propagate_version(true)
        .after_help(EXAMPLES)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .arg(
            Arg::new(ROOT)
                .long(ROOT)
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Describe a captured machine [default: this machine]"),
        )
        .args(everywhere::options());
    if called.is_some_and(|word| word == "--version" || word == "-V") {
        return root;
    }
    match Subcommand::all().find(|subcommand| called.is_some_and(|word| word == subcommand.name)) {
        Some(subcommand) => root.subcommand(subcommand.definition()),
        None => help::grouped(root.subcommands(Subcommand::all().map(Subcommand::definition))),
    }
}

/// Headings of commands, and names of the commands below each.
fn groups() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let names = |group: &commands::Group| group.subcommands.iter().map(|one| one.name).collect();
    commands::GROUPS.iter().map(move |group| (group.heading, names(group)))
}

/// Commands that the first help leaves out.
fn not_in_first_help() -> [&'static str; 6] {
    help::ALSO
}

/// The definition of the whole command line, for help, man pages and completions.
fn command() -> clap::Command {
    root(None)
}
