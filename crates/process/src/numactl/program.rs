//! The programs by their names.

use std::ffi::OsString;

use crate::numactl::completion::Completion;
use crate::numactl::console::Console;
use crate::numactl::error::NumactlError;
use crate::numactl::printer::Printer;
use crate::numactl::{memhog, migratepages, migspeed, numademo, numastat};

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
