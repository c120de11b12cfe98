//! `nearfar --help`: commands by what they are for.

use std::fmt::Write as _;

use clap::Command;

/// Each group, and its first command: it goes on until the next one's.
const GROUPS: [(&str, &str); 5] = [
    ("Measure", "survey"),
    ("Explain", "topology"),
    ("Place", "run"),
    ("Compare and show", "sweep"),
    ("Files", "surveys"),
];

/// The command whose help lists its subcommands by group.
pub(crate) fn grouped(command: Command) -> Command {
    let list = list(&command);
    command
        .help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{{after-help}}"))
}

fn list(command: &Command) -> String {
    let heading = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut list = String::new();
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        let name = one.get_name();
        if let Some((group, _)) = GROUPS.iter().find(|(_, first)| *first == name) {
            let _ = writeln!(list, "\n{heading}{group}:{heading:#}");
        }
        let about = one.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(list, "  {literal}{name:<12}{literal:#}  {about}");
    }
    // What stands before and behind it begins with an empty line.
    list.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible() -> Vec<Command> {
        let all = crate::command();
        all.get_subcommands()
            .filter(|one| !one.is_hide_set() && one.get_name() != "help")
            .cloned()
            .collect()
    }

    #[test]
    fn every_group_begins_with_its_command() {
        let help = crate::command().render_help().to_string();
        for (group, first) in GROUPS {
            assert!(help.contains(&format!("\n{group}:\n  {first} ")), "{group} in {help}");
        }
    }

    /// README's table of commands, of the same groups.
    fn table() -> String {
        let mut table = String::from("| group | commands |\n|---|---|\n");
        for command in visible() {
            let name = command.get_name();
            match GROUPS.iter().find(|(_, first)| *first == name) {
                Some((group, _)) => {
                    let _ = write!(
                        table,
                        "{}| {group} | `{name}`",
                        if name == GROUPS[0].1 { "" } else { " |\n" }
                    );
                }
                None => {
                    let _ = write!(table, ", `{name}`");
                }
            }
        }
        table + " |\n"
    }

    #[test]
    fn the_readme_has_all_commands() {
        let readme = include_str!("../../../README.md");
        assert!(readme.contains(&table()), "README.md has another table than this:\n{}", table());
    }

    /// Its first commands, as a reader types them.
    #[test]
    fn the_readmes_quick_start_is_understood() {
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
        assert!(help.lines().count() <= 60, "{} lines", help.lines().count());
        let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
    }
}
