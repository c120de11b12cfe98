//! Options of every subcommand: colour, quiet, the pager.

use anstream::ColorChoice;
use clap::{Arg, ArgAction, ArgMatches};
use nearfar_view::terminal::{output, screen};

const COLOR: &str = "color";
const QUIET: &str = "quiet";
const NO_PAGER: &str = "no-pager";
const HEADING: &str = "Options of every command";

/// Their definitions.
pub(crate) fn options() -> [Arg; 3] {
    let option = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).help_heading(HEADING).global(true)
    };
    [
        option(COLOR, "Use colours [default: auto, where the terminal has them]")
            .value_name("WHEN")
            .value_parser(["auto", "always", "never"])
            .hide_possible_values(false),
        option(QUIET, "Print no progress and no 'saved as'; errors and warnings remain")
            .short('q')
            .action(ArgAction::SetTrue),
        option(NO_PAGER, "Print long texts without a pager (NEARFAR_PAGER, PAGER, less)")
            .action(ArgAction::SetTrue),
    ]
}

/// Does what these options ask for; from now on it holds for all output.
pub(crate) fn obey(matches: &ArgMatches) {
    match matches.get_one::<String>(COLOR).map(String::as_str) {
        Some("always") => ColorChoice::AlwaysAnsi.write_global(),
        Some("never") => ColorChoice::Never.write_global(),
        // In a job of a CI service, colours are assumed otherwise.
        _ if std::env::var_os("TERM").is_some_and(|term| term == "dumb") => {
            ColorChoice::Never.write_global();
        }
        _ => {}
    }
    if matches.get_flag(QUIET) {
        output::be_quiet();
    }
    if matches.get_flag(NO_PAGER) {
        screen::never_page();
    }
}
