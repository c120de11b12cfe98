//! How a command read another machine, for the commands that its screen proposes.

use std::path::{Path, PathBuf};

use clap::{ArgAction, ArgMatches};
use nearfar_model::CommandLine;
use nearfar_view::text::captured::{self, CapturedMachine};

/// Options that name what another machine was read from; of two that exclude each other in a
/// command, it takes the first.
const SOURCES: [&str; 5] = ["tables", "log", ROOT, "interrupts", FILES];
const ROOT: &str = "root";
/// Arguments without a name that mean the same as `--root`: only `diagnose` has them.
const FILES: &str = "files";

/// From now on, screens are about the machine of these options, if they name one.
pub(crate) fn obey(name: &str, options: &ArgMatches) {
    let command = crate::command();
    let has_files = command.find_subcommand(name).is_some_and(|called| files(called).is_some());
    let paths = |name| options.try_get_many::<PathBuf>(name).ok().flatten().into_iter().flatten();
    let sources = SOURCES.iter().filter(|name| **name != FILES || has_files);
    let given: Vec<(&str, &Path)> =
        sources.flat_map(|name| paths(name).map(move |path| (*name, path.as_path()))).collect();
    if given.is_empty() {
        return;
    }
    let readers = command.get_subcommands().filter_map(|command| {
        let options = taken(command, &given);
        let words = options.iter().cloned().collect::<Option<Vec<String>>>();
        let words = words.map(|words| words.join(" "));
        (!options.is_empty()).then(|| (command.get_name().to_owned(), words))
    });
    captured::set(Some(CapturedMachine { readers: readers.collect() }));
}

/// The options that a command takes; standard input is none to repeat.
fn taken(command: &clap::Command, given: &[(&str, &Path)]) -> Vec<Option<String>> {
    let argument = |name: &str| match name {
        FILES => files(command).or_else(|| option(command, ROOT)),
        name => option(command, name),
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in given {
        let Some(own) = argument(name) else { continue };
        let excludes = |other: &str| {
            argument(other).is_some_and(|other| {
                command.get_arg_conflicts_with(own).contains(&other)
                    || command.get_arg_conflicts_with(other).contains(&own)
            })
        };
        let count = given.iter().filter(|(other, _)| other == name).count();
        let takes_all = count == 1 || matches!(own.get_action(), ArgAction::Append);
        if takes_all && !names.iter().any(|other| excludes(other)) {
            names.push(name);
        }
    }
    let taken = given.iter().filter(|(name, _)| names.contains(name));
    let word = |(name, path): &(&str, &Path)| {
        let path = (*path != Path::new("-")).then(|| quoted(path))?;
        Some(match argument(name).and_then(clap::Arg::get_long) {
            Some(long) => format!("--{long} {path}"),
            None => path,
        })
    };
    taken.map(word).collect()
}

fn option<'c>(command: &'c clap::Command, name: &str) -> Option<&'c clap::Arg> {
    command.get_arguments().find(|one| one.get_long() == Some(name))
}

/// The files of a machine that a command takes without an option.
fn files(command: &clap::Command) -> Option<&clap::Arg> {
    let files = command.get_positionals().find(|one| one.get_id() == FILES)?;
    let excluded = command.get_arg_conflicts_with(files);
    excluded.iter().any(|other| other.get_long() == Some(ROOT)).then_some(files)
}

/// As a shell reads it. A name that begins as an option does needs its folder.
fn quoted(path: &Path) -> String {
    let is_like_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let path = &if is_like_option { Path::new(".").join(path) } else { path.to_owned() };
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
            let words = taken(command.find_subcommand(name).unwrap(), &given);
            let words: Vec<String> =
                words.into_iter().map(|word| word.unwrap_or("stdin".to_owned())).collect();
            words.join(" ")
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
        let files = [("files", "x1"), ("files", "my x2")];
        assert_eq!(of("diagnose", &files), "x1 'my x2'");
        for name in ["topology", "firmware", "devices", "irq", "plot"] {
            assert_eq!(of(name, &files), "--root x1 --root 'my x2'", "{name}");
            let roots = [("root", "x1"), ("root", "my x2")];
            assert_eq!(of(name, &roots), "--root x1 --root 'my x2'", "{name}");
        }
        assert_eq!(of("topology", &[("root", "-x.json")]), "--root ./-x.json");
        assert_eq!(of("diagnose", &[("files", "-"), ("files", "x")]), "stdin x");
        assert_eq!(of("where", &files), "", "it takes one");
        assert_eq!(of("fleet", &files), "", "its files are others");
    }
}
