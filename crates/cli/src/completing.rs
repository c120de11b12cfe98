//! `nearfar __complete WORDS...`: what fits instead of the last word, for the scripts of
//! `nearfar completions`. Internal, so it has no help.
//!
//! It prints a line for each: the word, a tab, what it is. `:files`, `:folders`, `:programs` and
//! `:users` ask the shell for its own.

mod values;

use std::ffi::{OsStr, OsString};

use clap::builder::StyledStr;
use clap::{Arg, Command};
use nearfar_view::terminal::{output, printable};

use values::{Completion, values};

const WORD: &str = "__complete";

/// Prints what fits; `None` if these arguments ask for nothing.
pub(crate) fn done(mut args: impl Iterator<Item = OsString>) -> Option<anyhow::Result<()>> {
    if args.nth(1)? != *OsStr::new(WORD) {
        return None;
    }
    let words: Vec<String> = args.map(|word| word.to_string_lossy().into_owned()).collect();
    let (typed, before) = words.split_last()?;
    let mut command = crate::root(before.first().map(OsStr::new));
    command.build();
    let text: String = complete(&command, before, typed).iter().map(line).collect();
    Some(output::text(&text).map_err(Into::into))
}

fn line(completion: &Completion) -> String {
    match completion {
        Completion::Word(word, about) => format!("{word}\t{}\n", printable::line(about)),
        Completion::Files => ":files\n".to_owned(),
        Completion::Folders => ":folders\n".to_owned(),
        Completion::Programs => ":programs\n".to_owned(),
        Completion::Users => ":users\n".to_owned(),
    }
}

/// What fits after the words `before`, with `typed` as its beginning.
fn complete(root: &Command, before: &[String], typed: &str) -> Vec<Completion> {
    let mut line = Line::new(root);
    before.iter().for_each(|word| line.read(word));
    let mut all = line.complete(typed);
    all.retain(|one| match one {
        Completion::Word(word, _) => word.starts_with(typed) && is_plain(word),
        _ => true,
    });
    all
}

/// Whether no shell reads the word as anything but itself: processes choose their names.
fn is_plain(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c))
}

/// A command line, read up to some word.
struct Line<'c> {
    command: &'c Command,
    /// Positional words so far.
    position: usize,
    /// The option whose value is the next word.
    waiting: Option<&'c Arg>,
    /// After `--`.
    has_no_more_options: bool,
}

impl<'c> Line<'c> {
    fn new(command: &'c Command) -> Self {
        Self { command, position: 0, waiting: None, has_no_more_options: false }
    }

    fn read(&mut self, word: &str) {
        if self.waiting.take().is_some_and(|arg| takes(arg, word)) || self.is_in_program() {
            return;
        }
        if self.has_no_more_options || !word.starts_with('-') || word.len() == 1 {
            return self.read_positional(word);
        }
        self.has_no_more_options = word == "--";
        self.waiting = match word.strip_prefix("--") {
            Some(name) => self.long(name).filter(|arg| takes(arg, "")),
            None => self.waiting_after_letters(&word[1..]),
        };
    }

    fn read_positional(&mut self, word: &str) {
        match self.command.find_subcommand(word).filter(|_| self.position == 0) {
            Some(command) => *self = Self::new(command),
            None => self.position += 1,
        }
    }

    /// Whether the words are those of another program, which `run` and `sweep` start.
    fn is_in_program(&self) -> bool {
        let first = self.command.get_positionals().next();
        self.position > 0 && first.is_some_and(Arg::is_trailing_var_arg_set)
    }

    fn long(&self, name: &str) -> Option<&'c Arg> {
        self.command.get_arguments().find(|arg| arg.get_long() == Some(name))
    }

    /// `-qN` waits for the value of N, `-N0` for nothing.
    fn waiting_after_letters(&self, letters: &str) -> Option<&'c Arg> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let mut arguments = self.command.get_arguments();
            let arg = arguments.find(|arg| arg.get_short() == Some(letter))?;
            if needs_value(arg) {
                return Some(arg).filter(|_| rest.as_str().is_empty());
            }
        }
        None
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        if let Some(arg) = self.waiting.filter(|arg| takes(arg, typed)) {
            return values(self.command, arg, typed);
        }
        if self.is_in_program() {
            return vec![Completion::Files];
        }
        if !self.has_no_more_options && typed.starts_with('-') {
            return match typed.strip_prefix("--").and_then(|rest| rest.split_once('=')) {
                Some((name, value)) => self.value_in_word(name, value),
                None => self.options(),
            };
        }
        let mut all = Vec::new();
        if self.position == 0 {
            let commands = self.command.get_subcommands().filter(|one| !one.is_hide_set());
            all.extend(commands.map(|one| word(one.get_name(), one.get_about())));
        }
        let mut positionals = self.command.get_positionals();
        let arg = positionals.nth(self.position).or_else(|| {
            let last = self.command.get_positionals().last();
            last.filter(|arg| takes_several(arg))
        });
        all.extend(arg.into_iter().flat_map(|arg| values(self.command, arg, typed)));
        all
    }

    fn value_in_word(&self, name: &str, value: &str) -> Vec<Completion> {
        let Some(arg) = self.long(name) else { return Vec::new() };
        let mut all = values(self.command, arg, value);
        for one in &mut all {
            if let Completion::Word(word, _) = one {
                *word = format!("--{name}={word}");
            }
        }
        all
    }

    fn options(&self) -> Vec<Completion> {
        let visible = self.command.get_arguments().filter(|arg| !arg.is_hide_set());
        let named = visible.filter_map(|arg| Some((arg.get_long()?, arg.get_help())));
        named.map(|(name, help)| word(&format!("--{name}"), help)).collect()
    }
}

fn word(word: &str, about: Option<&StyledStr>) -> Completion {
    let about = about.map(ToString::to_string).unwrap_or_default();
    let sentence = about.split(['.', '\n']).next().unwrap_or_default();
    Completion::Word(word.to_owned(), sentence.to_owned())
}

/// Whether the next word is its value. A value that may be left out is no option.
fn takes(arg: &Arg, next: &str) -> bool {
    let may = arg.get_action().takes_values() && !arg.is_require_equals_set();
    needs_value(arg) || (may && !next.starts_with('-'))
}

fn needs_value(arg: &Arg) -> bool {
    let least = arg.get_num_args().map_or(1, |number| number.min_values());
    arg.get_action().takes_values() && least > 0
}

fn takes_several(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|number| number.max_values() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (typed, before) = words.split_last().unwrap();
        let mut command = crate::command();
        command.build();
        let all = complete(&command, before, typed);
        all.iter().map(|one| super::line(one).trim().split('\t').next().unwrap().into()).collect()
    }

    #[test]
    fn fixed_words_are_completed() {
        for (line, expected) in [
            ("cor", &["core-to-core"][..]),
            ("plot mach", &["machine"]),
            ("show x --part cla", &["classes", "claims_vs_measured"]),
            ("show x --part=hid", &["--part=hidden"]),
            ("survey --only hidden,loa", &["hidden,loaded"]),
            ("survey --qui", &["--quick", "--quiet"]),
            ("survey --color al", &["always"]),
            ("run --as sl", &["slurm"]),
            ("run -N 0 --expl", &["--explain"]),
            ("run -N 0 ls --expl", &[":files"]),
            ("sweep ", &[":programs"]),
            ("sweep --runs 3 -- ls ", &[":files"]),
            ("sweep --recipe po", &["postgres", ":files"]),
            ("sweep --recipe --dry-r", &["--dry-run"]),
            ("top -p", &[]),
            ("top -u ", &[":users"]),
            ("diagnose --root ", &[":files"]),
            ("man --all ", &[":folders"]),
            ("man ho", &[]),
            ("man hid", &["hidden"]),
            ("help hard", &["hardware"]),
            ("schema sur", &["survey", "surveys"]),
            ("firmware sl", &["slit"]),
            ("irq set --ne", &["--near"]),
            ("nosuch ", &[]),
        ] {
            let mut found = words(line);
            found.retain(|word| word != "survey/1");
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn values_of_the_machine_are_completed() {
        let pid = std::process::id().to_string();
        for command in ["where", "explain", "move", "where -p", "top -p 1,"] {
            let line = format!("{command} {pid}").replace(", ", ",");
            let found = words(&line);
            let expected = line.rsplit(' ').next().unwrap();
            assert!(found.iter().any(|word| word == expected), "{line}: {found:?}");
        }
        assert!(words("run -N ").contains(&"0".to_owned()));
        assert!(words("run -C ").contains(&"all".to_owned()));
    }

    #[test]
    fn a_word_that_a_shell_would_run_is_left_out() {
        assert!(is_plain("nic:eth0") && !is_plain("a;b") && !is_plain("$(x)") && !is_plain("a b"));
    }
}
