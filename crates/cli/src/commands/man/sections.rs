//! Sections of a manual page beyond its options: commands by group, examples as they are, statuses,
//! files, environment, other pages.

use std::fmt::Write as _;

use clap::Command;

use crate::{groups, not_in_first_help};

const STATUS: &str = "0 done, whatever the verdict; 1 failed; 2 wrong usage; 3 a condition of \
                      'check', 'fleet', 'compare' or 'where' (--fail-if) holds; 130 interrupted.";

const FILES: [(&str, &str); 4] = [
    ("~/.local/share/nearfar", "surveys; below $XDG_DATA_HOME where that is set"),
    ("~/.local/share/nearfar/sweeps", "sweeps"),
    ("/run/nearfar", "root's notes of settings and pages to restore after a kill"),
    ("$XDG_RUNTIME_DIR/nearfar", "the same notes of other users"),
];

const ENVIRONMENT: [(&str, &str); 10] = [
    ("NEARFAR_PAGER, PAGER", "pager of long texts; empty or 'cat': none [default: less]"),
    ("LESS, LV", "options of the pager [default: FRX, -c]"),
    ("NO_COLOR", "if set, no colours"),
    ("COLUMNS", "width of text without a terminal [default: 100]"),
    ("TERM, COLORTERM", "what the terminal can show; 'dumb' has no pager and no colours"),
    ("LC_ALL, LC_CTYPE, LANG", "signs of text: ASCII where these are set and not UTF-8"),
    ("XDG_DATA_HOME, HOME", "the folder of surveys and sweeps"),
    ("XDG_RUNTIME_DIR", "the folder of notes"),
    ("PATH", "where programs are found"),
    ("NEARFAR_GPU_HELPER", "path of the program nearfar-gpu"),
];

/// Everything that stands between the options and the version.
pub(super) fn sections(command: &Command) -> String {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let help = AfterHelp::parse(&after);
    let mut page = String::new();
    let name = command.get_display_name().unwrap_or(command.get_name());
    let is_main = name == "nearfar";
    if is_main {
        page += &commands(command);
    }
    if !help.notes.is_empty() {
        let notes: Vec<String> = help.notes.iter().map(|note| lines(note)).collect();
        page += &format!(".SH NOTES\n{}", notes.join(".PP\n"));
    }
    if !help.examples.is_empty() {
        let _ = write!(page, ".SH EXAMPLES\n.nf\n{}.fi\n", lines(&help.examples));
    }
    page += &format!(".SH EXIT STATUS\n{}", lines(help.status.as_deref().unwrap_or(STATUS)));
    if is_main {
        page += &format!(".SH FILES\n{}", FILES.map(entry).concat());
        page += &format!(".SH ENVIRONMENT\n{}", ENVIRONMENT.map(entry).concat());
    }
    page + &format!(".SH SEE ALSO\n{}", see_also(name, command))
}

/// The parts of a command's help below its options.
#[derive(Default)]
struct AfterHelp {
    examples: String,
    status: Option<String>,
    notes: Vec<String>,
}

impl AfterHelp {
    fn parse(text: &str) -> Self {
        let mut parsed = Self::default();
        let text = text.replace("\nExit status: ", "\n\nExit status: ");
        for part in text.split("\n\n").map(|part| part.trim_matches('\n')) {
            if let Some(examples) = part.strip_prefix("Examples:\n") {
                parsed.examples += examples;
            } else if let Some(status) = part.strip_prefix("Exit status: ") {
                parsed.status = Some(status.to_owned());
            } else if !part.trim().is_empty() {
                parsed.notes.push(part.to_owned());
            }
        }
        parsed
    }
}

fn commands(command: &Command) -> String {
    let mut text = ".SH COMMANDS\n".to_owned();
    let mut group = |heading: &str, names: Vec<&str>| {
        let _ = writeln!(text, ".SS {}", escaped(heading));
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text += &entry((&format!("nearfar-{name}(1)"), &about));
        }
    };
    for (heading, mut names) in groups() {
        names.retain(|name| !not_in_first_help().contains(name));
        group(heading, names);
    }
    group("Also", not_in_first_help().to_vec());
    text
}

/// The main page; of that the first commands; of a command its subcommands, and those of its group;
/// of a subcommand's subcommand the former, too.
fn see_also(name: &str, command: &Command) -> String {
    let name = name.strip_prefix("nearfar-").unwrap_or(name);
    let is_above = |one: &str| name.strip_prefix(one).is_some_and(|rest| rest.starts_with('-'));
    let is_own = |one: &&str| *one == name || is_above(one);
    let own = groups().find(|(_, names)| names.iter().any(is_own));
    let main = own.as_ref().map(|_| "nearfar(1)".to_owned());
    let has_page = |one: &&Command| !one.is_hide_set() && one.get_name() != "help";
    let below = main.iter().flat_map(|_| command.get_subcommands().filter(has_page));
    let below: Vec<String> =
        below.map(|one| format!("nearfar-{name}-{}(1)", one.get_name())).collect();
    let others = own.or_else(|| groups().next()).into_iter().flat_map(|(_, names)| names);
    let others = others.filter(|one| *one != name).map(|one| format!("nearfar-{one}(1)"));
    let others = below.into_iter().chain(others);
    let system = ["numactl(8)", "lstopo(1)", "perf(1)", "numa(7)"].map(str::to_owned);
    let all: Vec<String> = main.into_iter().chain(others).chain(system).collect();
    lines(&all.join(", "))
}

fn entry((head, text): (&str, &str)) -> String {
    format!(".TP\n\\fB{}\\fR\n{}", escaped(head), lines(text))
}

/// Lines that roff takes as they are.
fn lines(text: &str) -> String {
    let line = |line: &str| match line.starts_with(['.', '\'']) {
        true => format!("\\&{}\n", escaped(line)),
        false => escaped(line) + "\n",
    };
    text.lines().map(line).collect()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_not_filled_and_statuses_are_a_section() {
        let text = "Examples:\n  nearfar a  'x'\n\nA note.\nExit status: 0 or 1.";
        let page = sections(&Command::new("where").after_help(text));
        let examples = ".SH EXAMPLES\n.nf\n  nearfar a  \\(aqx\\(aq\n.fi\n";
        assert!(page.contains(examples), "{page}");
        assert!(page.contains(".SH NOTES\nA note.\n"), "{page}");
        assert!(page.contains(".SH EXIT STATUS\n0 or 1.\n"), "{page}");
        let others = "nearfar(1), nearfar\\-run(1), nearfar\\-move(1)";
        assert!(page.contains(others) && !page.contains("where(1)"), "{page}");
    }

    #[test]
    fn subcommands_of_subcommands_name_each_other() {
        let mut command = crate::command();
        command.build();
        let irq = command.find_subcommand("irq").unwrap();
        assert!(sections(irq).contains("nearfar(1), nearfar\\-irq\\-set(1), nearfar\\-"));
        let set = sections(irq.find_subcommand("set").unwrap());
        assert!(set.contains("nearfar\\-irq(1)") && !set.contains("set(1)"), "{set}");
        assert!(set.contains("nearfar irq set eth0 \\-\\-near"), "{set}");
    }

    #[test]
    fn the_main_page_has_commands_files_and_environment() {
        let page = sections(&crate::command());
        for part in [".SS Measure\n", ".SS Also\n", "nearfar\\-links(1)", ".SH FILES\n", "NO_COLOR"]
        {
            assert!(page.contains(part), "{part} in {page}");
        }
        for name in groups().flat_map(|(_, names)| names) {
            let name = escaped(&format!("nearfar-{name}(1)"));
            assert!(page.contains(&name), "{name}");
        }
    }
}
