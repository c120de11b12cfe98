//! `nearfar --help`: commands by what they are for.

use std::fmt::Write as _;

use clap::Command;

/// Each command is in one group; `help` stands in the last.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["survey", "latency", "bandwidth", "loaded", "core-to-core", "caches", "interleave", "hidden"]),
    ("Explain", &["topology", "diagnose", "firmware", "links", "structure"]),
    ("Place", &["run", "where", "move", "migrate", "stat", "alias"]),
    ("Compare and show", &["sweep", "compare", "show", "plot", "report"]),
    ("Files", &["surveys", "capture", "completions", "man"]),
];

/// The command whose help lists its subcommands by group.
pub(crate) fn grouped(command: Command) -> Command {
    let list = list(&command);
    command.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{{after-help}}"))
}

fn list(command: &Command) -> String {
    let heading = command.get_styles().get_header();
    let name_style = command.get_styles().get_literal();
    let mut list = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(list, "{heading}{group}:{heading:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {name_style}{name:<12}{name_style:#}  {about}");
        }
        list.push('\n');
    }
    // The help after it begins with an empty line.
    list.truncate(list.trim_end().len());
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible() -> Vec<Command> {
        let all = crate::command();
        all.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help").cloned().collect()
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let commands = visible();
        let mut commands: Vec<&str> = commands.iter().map(Command::get_name).collect();
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
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
