//! How a command read another machine, for the commands that its screen proposes.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use nearfar_model::CommandLine;
use nearfar_view::text::captured::{self, CapturedMachine};

/// Options that name what another machine was read from; of two that exclude each other in a
/// command, it takes the first.
const SOURCES: [&str; 4] = ["tables", "log", "root", "interrupts"];

/// From now on, screens are about the machine of these options, if they name one.
pub(crate) fn obey(options: &ArgMatches) {
    let path = |name| options.try_get_one::<PathBuf>(name).ok().flatten().map(PathBuf::as_path);
    let given: Vec<(&str, &Path)> =
        SOURCES.iter().filter_map(|name| Some((*name, path(name)?))).collect();
    if given.is_empty() {
        return;
    }
    let command = crate::command();
    let readers = command.get_subcommands().filter_map(|command| {
        let options = taken(command, &given);
        (!options.is_empty()).then(|| (command.get_name().to_owned(), options.join(" ")))
    });
    captured::set(Some(CapturedMachine { readers: readers.collect() }));
}

fn taken(command: &clap::Command, given: &[(&str, &Path)]) -> Vec<String> {
    let argument = |name: &str| command.get_arguments().find(|one| one.get_long() == Some(name));
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in given {
        let Some(own) = argument(name) else { continue };
        let excludes = |other: &str| {
            argument(other).is_some_and(|other| {
                command.get_arg_conflicts_with(own).contains(&other)
                    || command.get_arg_conflicts_with(other).contains(&own)
            })
        };
        if !names.iter().any(|other| excludes(other)) {
            names.push(name);
        }
    }
    let taken = given.iter().filter(|(name, _)| names.contains(name));
    taken.map(|(name, path)| format!("--{name} {}", quoted(path))).collect()
}

/// As a shell reads it.
fn quoted(path: &Path) -> String {
    let word = CommandLine::new([path.as_os_str().to_owned()]);
    let word = word.and_then(|word| word.shell_in_one_line());
    word.unwrap_or_else(|_| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_take_the_options_that_they_have() {
        let command = crate::command();
        let of = |name: &str, given: &[(&str, &str)]| {
            let given: Vec<(&str, &Path)> =
                given.iter().map(|(name, path)| (*name, Path::new(path))).collect();
            taken(command.find_subcommand(name).unwrap(), &given).join(" ")
        };
        let root = [("root", "my box.tar.gz")];
        for name in ["topology", "firmware", "devices", "irq", "diagnose", "plot"] {
            assert_eq!(of(name, &root), "--root 'my box.tar.gz'", "{name}");
        }
        assert_eq!(of("survey", &root), "");
        let both = [("tables", "T"), ("log", "L"), ("root", "R")];
        assert_eq!(of("firmware", &both), "--tables T", "--root and --tables exclude each other");
        assert_eq!(of("diagnose", &both), "--tables T --log L --root R");
        assert_eq!(of("irq", &[("interrupts", "I")]), "--interrupts I");
    }
}
