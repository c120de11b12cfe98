//! What to do about a machine that is not this one: commands that read it repeat how it was read,
//! all others are for that machine. Without this, a pasted command answers for the reader's own.

use std::cell::RefCell;

use super::to_do::ToDo;

/// How the machine of a screen was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedMachine {
    /// Commands that can read it, each with its options: "firmware" with "--tables DIR". Without
    /// options it cannot be read again: it was standard input.
    pub readers: Vec<(String, Option<String>)>,
}

const THERE: &str = "On that machine:";

thread_local! {
    static CURRENT: RefCell<Option<CapturedMachine>> = const { RefCell::new(None) };
}

/// From now on, this thread's screens are about this machine; `None`: about the running one.
pub fn set(machine: Option<CapturedMachine>) {
    CURRENT.set(machine);
}

/// The items for the machine of the screen.
pub(super) fn to_do(all: &[ToDo]) -> Vec<ToDo> {
    CURRENT.with_borrow(|machine| match machine {
        Some(machine) => machine.to_do(all),
        None => all.to_vec(),
    })
}

impl CapturedMachine {
    fn to_do(&self, all: &[ToDo]) -> Vec<ToDo> {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for one in all {
            match self.options(&one.command) {
                _ if one.command.is_empty() => here.push(one.clone()),
                Some(Some(options)) => {
                    here.push(ToDo { command: with(options, &one.command), ..one.clone() });
                }
                Some(None) => {}
                None => {
                    let command = format!("  {}", one.command);
                    there.push(ToDo { command, under: THERE, ..one.clone() });
                }
            }
        }
        here.extend(there);
        here
    }

    /// The options of a command that can read it.
    fn options(&self, command: &str) -> Option<Option<&str>> {
        let words = command.strip_prefix("nearfar ")?;
        let name = words.split(' ').next()?;
        let (_, options) = self.readers.iter().find(|(reader, _)| reader == name)?;
        Some(options.as_deref())
    }
}

/// The command with these options, before it is redirected.
fn with(options: &str, command: &str) -> String {
    let (before, after) = command.split_at(command.find(" > ").unwrap_or(command.len()));
    format!("{before} {options}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_repeat_their_options_and_all_others_are_for_that_machine() {
        let readers = [("diagnose", "--root 'my box'"), ("firmware", "--tables T")];
        let readers = readers.map(|(name, options)| (name.to_owned(), Some(options.to_owned())));
        let of_stdin = [("topology".to_owned(), None)];
        set(Some(CapturedMachine { readers: [&readers[..], &of_stdin].concat() }));
        let found = to_do(&[
            ToDo::new("nearfar survey", "measures"),
            ToDo::new("sudo nearfar diagnose", "reads all"),
            ToDo::new("", "Take numa=off off the command line."),
            ToDo::new("nearfar diagnose --support-report > report.txt", ""),
            ToDo::new("nearfar firmware slit", ""),
            ToDo::new("nearfar topology", "cannot be repeated"),
        ]);
        set(None);
        let lines: Vec<String> =
            found.iter().map(|one| format!("{}{}|{}", one.under, one.command, one.why)).collect();
        assert_eq!(
            lines,
            [
                "|Take numa=off off the command line.",
                "nearfar diagnose --support-report --root 'my box' > report.txt|",
                "nearfar firmware slit --tables T|",
                "On that machine:  nearfar survey|measures",
                "On that machine:  sudo nearfar diagnose|reads all",
            ]
        );
        assert_eq!(to_do(&[ToDo::new("nearfar survey", "")]), [ToDo::new("nearfar survey", "")]);
    }
}
