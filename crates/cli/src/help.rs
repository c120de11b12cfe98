//! `nearfar --help`: commands by what they are for.

use std::fmt::Write as _;

use clap::Command;

use crate::commands::{GROUPS, Group, Subcommand};

/// Commands that the first help does not list; manual, completions and 'nearfar help' have them.
pub(crate) const ALSO: [&str; 6] = ["links", "structure", "alias", "man", "completions", "help"];

/// The other commands of a group.
pub(crate) fn listed(group: &Group) -> impl Iterator<Item = &'static Subcommand> {
    group.subcommands.iter().filter(|subcommand| !ALSO.contains(&subcommand.name))
}

/// The command, with subcommands by group in its help.
pub(crate) fn grouped(command: Command) -> Command {
    let list = list(&command);
    command
        .help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{{after-help}}"))
}

fn list(command: &Command) -> String {
    let heading = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut list = String::new();
    for group in GROUPS {
        let _ = writeln!(list, "\n{heading}{}:{heading:#}", group.heading);
        for name in listed(group).map(|subcommand| subcommand.name) {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {literal}{name:<12}{literal:#}  {about}");
        }
    }
    // The template adds the empty lines before and after the list.
    list.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use nearfar_process::launch::{Dialect, LaunchRequest};

    use super::*;

    fn visible() -> Vec<Command> {
        let all = crate::command();
        all.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned().collect()
    }

    #[test]
    fn the_readmes_quick_start_parses() {
        let readme = include_str!("../../../README.md");
        let block = readme
            .split("## Quick start")
            .nth(1)
            .and_then(|text| text.split("The verdict").next())
            .unwrap();
        let lines: Vec<Vec<String>> = block
            .lines()
            .filter_map(|line| line.trim().strip_prefix("nearfar "))
            .map(|line| shlex::split(&format!("nearfar {line}")).unwrap())
            .collect();
        assert!(lines.len() >= 5, "{lines:?}");
        for line in lines {
            if let Err(error) = crate::command().try_get_matches_from(&line) {
                panic!("{line:?}: {error}");
            }
        }
    }

    #[test]
    fn a_commands_first_line_is_one_short_sentence() {
        for command in visible() {
            let about = command.get_about().unwrap().to_string();
            let words = about.split_whitespace().count();
            assert!(words <= 12 && about.len() <= 64, "{}: {about}", command.get_name());
        }
    }

    #[test]
    fn help_fits_a_terminal() {
        let help = crate::command().render_help().to_string();
        assert!(help.lines().count() <= 64, "{} lines", help.lines().count());
        let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        let is_listed = |name: &str| help.contains(&format!("\n  {name} "));
        assert!(is_listed("top") && !ALSO.iter().any(|name| is_listed(name)), "{help}");
        for name in ALSO {
            assert!(Subcommand::all().any(|subcommand| subcommand.name == name), "{name}");
        }
    }

    #[test]
    fn help_of_commands_wraps_at_the_terminals_width() {
        for command in visible() {
            let name = command.get_name();
            for width in [80, 100] {
                let words = ["nearfar", name, "--help"];
                let help = crate::command().term_width(width).try_get_matches_from(words);
                let help = help.unwrap_err().to_string();
                for line in help.lines() {
                    assert!(line.chars().count() <= width, "{name}, {width} columns: {line}");
                }
            }
        }
    }

    /// The examples of a help, a line each; descriptions are indented further.
    fn examples(command: &Command) -> Vec<String> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter(|line| line.starts_with("  ")) {
            let name = command.get_name();
            assert!(line.chars().count() <= 80, "{name}: wider than 80 columns: {line}");
        }
        let joined = help.replace("\\\n        ", "");
        joined
            .lines()
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .map(ToOwned::to_owned)
            .collect()
    }

    /// The words of the `nearfar` command in an example, without its pipe and its description.
    fn words(example: &str) -> Vec<String> {
        let command = example.trim().split("  ").next().unwrap_or_default();
        let words = shlex::split(command).unwrap_or_else(|| panic!("unbalanced: {example}"));
        let is_end = |word: &String| ["|", ">", "&&"].contains(&word.as_str());
        words.into_iter().skip_while(|word| word != "nearfar").take_while(|w| !is_end(w)).collect()
    }

    #[test]
    fn each_command_has_three_examples_that_parse() {
        for command in visible() {
            let name = command.get_name();
            let commands: Vec<Vec<String>> = examples(&command)
                .iter()
                .map(|line| words(&line.replace("$(hostname)", "node07")))
                .filter(|words| !words.is_empty())
                .collect();
            assert!(commands.len() >= 3, "{name}: {} examples", commands.len());
            for words in commands {
                if let Err(error) = crate::command().try_get_matches_from(&words) {
                    panic!("{words:?}: {error}");
                }
                if words[1] == "run" {
                    let options = words[2..].iter().map(Into::into).collect();
                    LaunchRequest::parse(options, Dialect::Run).unwrap();
                }
            }
        }
    }

    /// `nearfar run` states it once: without an option, the program inherits.
    #[test]
    fn options_with_a_value_state_their_default() {
        for command in visible().iter().filter(|command| command.get_name() != "run") {
            let optional = command.get_arguments().filter(|argument| !argument.is_required_set());
            for argument in optional.filter(|argument| argument.get_action().takes_values()) {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                let shows_value = !argument.is_hide_default_value_set()
                    && !argument.get_default_values().is_empty();
                assert!(
                    shows_value || help.contains("[default: ") || help.contains("[required]"),
                    "{} {}: {help}",
                    command.get_name(),
                    argument.get_id()
                );
            }
        }
    }
}
