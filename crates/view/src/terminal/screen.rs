//! What a command shows, the answer first: a first screen, the details below it, and the verdict
//! once more as the last line.
//!
//! Into a pipe or a file goes all of it. On a terminal that is too short for it, a pager shows it,
//! chosen as git chooses one: `NEARFAR_PAGER`, else `PAGER`, else `less`, with `LESS=FRX`. After
//! the pager ends, the verdict remains on the terminal. A dumb terminal has no pager: it shows the
//! first screen, and how to see the rest.

use std::cell::Cell;
use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::output::{self, OutputError};
use super::{charset, printable};
use crate::text::{first_lines, sections};

/// Lines that a first screen may have, with its last line, on a terminal of 80 columns.
pub const MAX_LINES: usize = 24;

/// The text of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// The answer in its first three lines, then what to do.
    pub first: String,
    /// Tables and remarks; may be empty.
    pub rest: String,
    /// The verdict in one line, with its line feed; may be empty.
    pub last: String,
}

impl Screen {
    /// All of it, an empty line between its parts.
    pub fn text(&self) -> String {
        sections([self.first.clone(), self.rest.clone(), self.last.clone()])
    }

    /// The same without colours, as in a pipe.
    pub fn plain(&self) -> String {
        anstream::adapter::strip_str(&self.text()).to_string()
    }

    /// What stands on a terminal without a pager: the first screen and the verdict.
    pub fn in_short(&self) -> String {
        let lines = self.rest.lines().count();
        let more = format!("{lines} more lines: nearfar ... | more\n");
        let more = if lines == 0 { String::new() } else { more };
        sections([self.first.clone(), more, self.last.clone()])
    }
}

impl From<String> for Screen {
    fn from(first: String) -> Self {
        Self { first, ..Self::default() }
    }
}

thread_local! {
    static IS_PAGED: Cell<bool> = const { Cell::new(true) };
}

/// Prints without a pager from now on.
pub fn never_page() {
    IS_PAGED.set(false);
}

/// Prints a screen.
pub fn print(screen: &Screen) -> Result<(), OutputError> {
    let text = screen.text();
    let Some(rows) = rows().filter(|&rows| IS_PAGED.get() && text.lines().count() >= rows) else {
        return output::text(&text);
    };
    if env::var_os("TERM").is_none_or(|term| term == "dumb") {
        // A first screen alone may be longer, and there is nothing to do about it.
        let short = screen.in_short();
        let is_short = short.lines().count() < rows && !first_lines::shows_all();
        return output::text(if is_short { &short } else { &text });
    }
    match page(&text) {
        Paged::Shown => output::text(&screen.last),
        Paged::NotShown => output::text(&text),
    }
}

/// Rows of standard output's terminal.
fn rows() -> Option<usize> {
    let out = io::stdout();
    let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(&out).ok())??;
    Some(usize::from(size.ws_row)).filter(|&rows| rows > 0)
}

enum Paged {
    Shown,
    /// The user wants no pager, or there is none.
    NotShown,
}

/// The status of a shell that did not find the program.
const NOT_FOUND: i32 = 127;

fn page(text: &str) -> Paged {
    let chosen = ["NEARFAR_PAGER", "PAGER"].iter().find_map(|name| env::var(name).ok());
    let mut command = match chosen.as_deref().map(str::trim) {
        // No shell: it would complain where there is no less.
        None => Command::new("less"),
        Some("" | "cat") => return Paged::NotShown,
        Some(words) => {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", words]);
            shell
        }
    };
    command.stdin(Stdio::piped());
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    // Ctrl-C is the pager's while it runs.
    let ignored = flag::register(SIGINT, Arc::default());
    let shown = show_in(&mut command, text);
    if let Ok(id) = ignored {
        signal_hook::low_level::unregister(id);
    }
    shown
}

fn show_in(command: &mut Command, text: &str) -> Paged {
    let Ok(mut pager) = command.spawn() else { return Paged::NotShown };
    let mut bytes = Vec::new();
    {
        // Without colours where the user wants none.
        let mut out = anstream::AutoStream::new(&mut bytes, anstream::stdout().current_choice());
        let _ = out.write_all(printable::coloured(&charset::shown(text)).as_bytes());
    }
    if let Some(mut stdin) = pager.stdin.take() {
        // A pager may end before it read all.
        let _ = stdin.write_all(&bytes);
    }
    match pager.wait() {
        Ok(status) if status.code() != Some(NOT_FOUND) => Paged::Shown,
        _ => Paged::NotShown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_the_last_line_of_all_and_of_a_short_screen() {
        let [first, rest, last] =
            ["NUMA: yes\n", "a\nb\n", "NUMA: yes, 1.84 times\n"].map(str::to_owned);
        let screen = Screen { first, rest, last };
        assert_eq!(screen.text(), "NUMA: yes\n\na\nb\n\nNUMA: yes, 1.84 times\n");
        assert_eq!(
            screen.in_short(),
            "NUMA: yes\n\n2 more lines: nearfar ... | more\n\n\
             NUMA: yes, 1.84 times\n"
        );
        let alone = Screen::from("done\n".to_owned());
        assert_eq!([alone.text(), alone.in_short()], ["done\n", "done\n"]);
    }
}
