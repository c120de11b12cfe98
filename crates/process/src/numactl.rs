//! The programs that come with numactl, under the names that scripts call: their options, what they
//! do, and what they print, in the shape that scripts read.
//!
//! Each [`Program`] has a file or a folder. numactl itself is not among them: it is `nearfar run`
//! with numactl's options only, which `nearfar_process::launch` reads.
//!
//! A program prints through a [`Console`], and ends with a [`Completion`] or a [`NumactlError`].

mod error;
mod memhog;
mod migratepages;
mod migspeed;
mod numademo;
mod numastat;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::Path;

use nearfar_machine::{MachineError, Source};
use nearfar_view::terminal::output::OutputError;
use serde::Serialize;

pub use error::NumactlError;

/// Where a program prints, and how it opens a captured machine.
pub trait Console {
    /// Prints text to standard output, at once.
    fn print(&mut self, text: &str) -> Result<(), OutputError>;

    /// Prints a line to standard error.
    fn aside(&mut self, line: &str);

    /// Opens a captured machine.
    fn open(&mut self, path: &Path) -> Result<Source, MachineError>;
}

/// What is wrong with the arguments; none for a request for help.
#[derive(Debug, PartialEq)]
pub(crate) struct Misuse(pub(crate) Option<String>);

impl Misuse {
    /// A request for help.
    pub(crate) const HELP: Self = Self(None);
}

impl<E: ToString> From<E> for Misuse {
    fn from(wrong: E) -> Self {
        Self(Some(wrong.to_string()))
    }
}

/// Whether a program did all that its arguments request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It did everything.
    Full,
    /// It left something out, or showed how it is used. Standard error has the details.
    Partial,
}

impl Completion {
    /// Full if this holds.
    pub(crate) fn full_if(holds: bool) -> Self {
        if holds { Self::Full } else { Self::Partial }
    }
}

/// The console of a program that has a name.
pub(crate) struct Printer<'a> {
    name: &'static str,
    console: &'a mut dyn Console,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(name: &'static str, console: &'a mut dyn Console) -> Self {
        Self { name, console }
    }

    /// Prints text at once.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), NumactlError> {
        Ok(self.console.print(text)?)
    }

    /// Prints a document as a line of JSON.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> Result<(), NumactlError> {
        self.text(&(serde_json::to_string(document).map_err(OutputError::from)? + "\n"))
    }

    /// Reports what is wrong, under the program's name.
    pub(crate) fn complain(&mut self, what: impl Display) {
        self.console.aside(&format!("{}: {what}", self.name));
    }

    /// Runs the program. Reports invalid arguments, and shows its usage.
    pub(crate) fn follow<R>(
        &mut self,
        request: Result<R, Misuse>,
        usage: &str,
        run: impl FnOnce(&R, &mut Self) -> Result<Completion, NumactlError>,
    ) -> Result<Completion, NumactlError> {
        match request {
            Ok(request) => run(&request, self),
            Err(Misuse(wrong)) => {
                if let Some(wrong) = wrong {
                    self.complain(wrong);
                }
                usage.lines().for_each(|line| self.console.aside(line));
                Ok(Completion::Partial)
            }
        }
    }

    /// Opens a captured machine.
    pub(crate) fn open(&mut self, path: &Path) -> Result<Source, MachineError> {
        self.console.open(path)
    }
}

/// A program that comes with numactl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Memory of nodes, and of processes by node.
    Numastat,
    /// Moves a process's pages.
    Migratepages,
    /// Takes memory under a policy.
    Memhog,
    /// How fast the kernel moves pages.
    Migspeed,
    /// Exercises memory under every policy.
    Numademo,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Numastat, Self::Migratepages, Self::Memhog, Self::Migspeed, Self::Numademo];

    /// The name that scripts call it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numastat => "numastat",
            Self::Migratepages => "migratepages",
            Self::Memhog => "memhog",
            Self::Migspeed => "migspeed",
            Self::Numademo => "numademo",
        }
    }

    /// Runs it with its arguments.
    pub fn run(
        self,
        words: Vec<OsString>,
        console: &mut dyn Console,
    ) -> Result<Completion, NumactlError> {
        let run = match self {
            Self::Numastat => numastat::run,
            Self::Migratepages => migratepages::run,
            Self::Memhog => memhog::run,
            Self::Migspeed => migspeed::run,
            Self::Numademo => numademo::run,
        };
        run(words, &mut Printer::new(self.name(), console))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nearfar_machine::{MachineError, Source};
    use nearfar_view::terminal::output::OutputError;

    use super::*;

    /// Keeps what is printed.
    #[derive(Default)]
    struct Kept {
        text: String,
        asides: Vec<String>,
    }

    impl Console for Kept {
        fn print(&mut self, text: &str) -> Result<(), OutputError> {
            self.text += text;
            Ok(())
        }

        fn aside(&mut self, line: &str) {
            self.asides.push(line.to_owned());
        }

        fn open(&mut self, path: &Path) -> Result<Source, MachineError> {
            Source::open(path)
        }
    }

    #[test]
    fn wrong_words_show_the_programs_usage() {
        for program in Program::ALL {
            let mut console = Kept::default();
            let done = program.run(vec!["-q".into()], &mut console).unwrap();
            assert_eq!((done, console.text.as_str()), (Completion::Partial, ""), "{program:?}");
            let name = program.name();
            assert!(console.asides[0].starts_with(&format!("{name}: ")), "{:?}", console.asides);
            assert!(console.asides[1].contains(name), "{:?}", console.asides);
        }
    }

    #[test]
    fn memory_is_written_once_for_each_repetition() {
        let mut console = Kept::default();
        let words = ["-r2", "64k"].map(Into::into);
        assert_eq!(Program::Memhog.run(words.into(), &mut console).unwrap(), Completion::Full);
        assert_eq!((console.text.as_str(), console.asides.len()), (".\n.\n", 0));
    }
}
