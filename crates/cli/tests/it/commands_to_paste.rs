//! Commands on screens can be pasted: a shell reads each as one, and it exists.

use std::collections::BTreeMap;

use nearfar_view::terminal::width;

use crate::all_screens::{self, plain};
use crate::every_command::COMMANDS;
use crate::user::{User, success};

/// Programs that screens name beside nearfar.
const PROGRAMS: [&str; 24] = [
    "chmod",
    "cpupower",
    "daxctl",
    "docker",
    "echo",
    "journalctl",
    "kubectl",
    "lstopo",
    "modprobe",
    "mount",
    "numactl",
    "acpidump",
    "dmesg",
    "nvidia-smi",
    "podman",
    "prlimit",
    "scontrol",
    "sh",
    "sysctl",
    "systemctl",
    "systemd-run",
    "ulimit",
    "dmidecode",
    "cat",
];

/// Commands of a text, each in one line: those of "What to do", and those in quotes.
fn commands(text: &str) -> Vec<String> {
    let unfolded = unfold(text);
    let (mut found, mut is_to_do) = (Vec::new(), false);
    for line in unfolded.lines() {
        is_to_do = match line {
            "What to do" | "What else to do" => true,
            "" => false,
            _ => is_to_do,
        };
        let of_list = line.strip_prefix("  ").filter(|_| is_to_do);
        let is_program = |command: &str| {
            let first = command.split(' ').next().unwrap_or_default();
            ["nearfar", "sudo"].contains(&first) || PROGRAMS.contains(&first)
        };
        match of_list.filter(|command| is_program(command)) {
            Some(command) => found.push(command.to_owned()),
            None => found.extend(quoted(line)),
        }
    }
    found
}

/// A shell reads a backslash, a line feed and blanks as one blank.
fn unfold(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut().filter(|last| last.ends_with(" \\")) {
            Some(last) => {
                last.truncate(last.len() - 1);
                *last += line.trim_start();
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// What stands in quotes in a line and begins as a command; without an end where it has none.
fn quoted(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = ["'nearfar ", "'sudo "].iter().filter_map(|it| rest.find(it)).min() {
        let inner = &rest[start + 1..];
        let end = inner.find('\'').unwrap_or(inner.len());
        let is_closed = end < inner.len();
        found.push(if is_closed { inner[..end].to_owned() } else { format!("{inner}'") });
        rest = &inner[end..];
        rest = rest.strip_prefix('\'').unwrap_or(rest);
    }
    found
}

/// Words as a shell reads them; an error where a quote stays open.
fn shell_words(command: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(format!("{open} stays open")),
        None => Ok(words),
    }
}

/// What is wrong with a command.
fn fault(command: &str, helps: &mut BTreeMap<String, String>) -> Option<String> {
    let words = match shell_words(command) {
        Ok(words) => words,
        Err(why) => return Some(why),
    };
    let mut words = words.iter().map(String::as_str).skip_while(|word| *word == "sudo");
    let program = words.next()?;
    if program != "nearfar" {
        let is_known = PROGRAMS.contains(&program);
        return (!is_known).then(|| format!("'{program}' is no known program"));
    }
    let name = words.next()?;
    if !COMMANDS.iter().any(|row| row.name == name) {
        return Some(format!("'{name}' is no command"));
    }
    let help = helps.entry(name.to_owned()).or_insert_with(|| {
        let of = |words: &[&str]| success(&User::new().run(words));
        let set = if name == "irq" { of(&["irq", "set", "--help"]) } else { String::new() };
        of(&[name, "--help"]) + &set
    });
    let mut options = words.take_while(|word| *word != "--" && *word != "PROGRAM");
    let unknown = options.find(|word| {
        let option = word.split('=').next().unwrap_or_default();
        let is_option = option.starts_with('-') && option.len() > 1;
        let has = |help: &str| help.split([' ', ',', '\n', '=', '[']).any(|one| one == option);
        is_option && !has(help)
    });
    unknown.map(|option| format!("'nearfar {name}' has no {option}"))
}

#[test]
fn commands_are_not_broken_and_exist() {
    let (mut faults, mut count) = (Vec::new(), 0);
    let mut helps = BTreeMap::new();
    let mut visit = |name: &str, screen: &dyn Fn() -> nearfar_view::terminal::screen::Screen| {
        for columns in [40, 60, 80] {
            let text = plain(&width::with(columns, screen).text());
            for command in commands(&text) {
                count += 1;
                let why = fault(&command, &mut helps);
                faults.extend(why.map(|why| format!("{name}, {columns}: {command}: {why}")));
            }
        }
    };
    all_screens::machines(4, &mut visit);
    all_screens::interrupts(&mut visit);
    all_screens::comparisons(&mut visit);
    all_screens::surveys(&mut visit);
    faults.sort_unstable();
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 500, "{count}");
}

#[test]
fn a_broken_command_is_noticed() {
    let faults = |text: &str| -> Vec<String> {
        let mut helps = BTreeMap::new();
        commands(text).iter().filter_map(|command| fault(command, &mut helps)).collect()
    };
    assert_eq!(faults("Use 'nearfar run -N 0 \\\n  PROGRAM', or\n'nearfar survey'."), [""; 0]);
    let broken = faults("Use 'nearfar run -N 0\nPROGRAM'.");
    assert_eq!(broken, ["' stays open"]);
    let list = "What to do\n  # why\n  nearfar survey --hasty\n  scontrol update reason='a\n  b'\n";
    assert_eq!(faults(list), ["'nearfar survey' has no --hasty", "' stays open"]);
    assert_eq!(faults("'nearfar stat 1'"), ["'stat' is no command"]);
}
