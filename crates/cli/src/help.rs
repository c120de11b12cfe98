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
    command.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{{after-help}}"))
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
        all.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help").cloned().collect()
    }

    #[test]
    fn every_group_begins_with_its_command() {
        let help = crate::command().render_help().to_string();
        for (group, first) in GROUPS {
            assert!(help.contains(&format!("\n{group}:\n  {first} ")), "{group} in {help}");
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
