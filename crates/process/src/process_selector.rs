//! Which process a word means: people name one by its number, or by a text that each command looks
//! for in its own way (a name, a part of a command line, a control group).

use nearfar_machine::Source;
use thiserror::Error;

use crate::numastat::processes_like;

/// What a word names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessSelector {
    /// The process of this number.
    Number(u32),
    /// Whatever has this text; never empty.
    Text(String),
}

/// A word that names nothing, whatever runs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadSelector {
    /// An empty word.
    #[error("'' names nothing: give a number or a name, as 'ps -e' lists them")]
    Empty,
    /// Not the number that is needed, or digits beyond all numbers.
    #[error("'{text}' is no process number: numbers go up to 4194304, and 'ps -e' lists them")]
    NoNumber {
        /// What was given.
        text: String,
    },
}

impl ProcessSelector {
    /// Reads a word: digits are a number, anything else is a text.
    pub fn parse(word: &str) -> Result<Self, BadSelector> {
        match word {
            "" => Err(BadSelector::Empty),
            _ if word.bytes().all(|b| b.is_ascii_digit()) => Self::number(word).map(Self::Number),
            _ => Ok(Self::Text(word.to_owned())),
        }
    }

    /// Reads a word that has to be a number.
    pub fn number(word: &str) -> Result<u32, BadSelector> {
        let digits = word.bytes().all(|b| b.is_ascii_digit());
        word.parse()
            .ok()
            .filter(|_| digits)
            .ok_or_else(|| BadSelector::NoNumber { text: word.to_owned() })
    }
}

/// The processes that several words mean, where a text means those that have it in their name or
/// command line, as numastat has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedProcesses {
    /// Their numbers, in the order of the words. Whether those that were given as numbers exist is
    /// not asked.
    pub pids: Vec<u32>,
    /// Texts that no process has.
    pub unknown: Vec<String>,
}

impl SelectedProcesses {
    /// Reads the words and looks for the texts. This very process, which has them all among its own
    /// words, is never meant by one.
    pub fn find(source: &Source, words: &[String]) -> Result<Self, BadSelector> {
        let words =
            words.iter().map(|word| ProcessSelector::parse(word)).collect::<Result<Vec<_>, _>>()?;
        let own = source.is_live().then(std::process::id);
        let mut all = Self::default();
        for word in words {
            match word {
                ProcessSelector::Number(pid) => all.pids.push(pid),
                ProcessSelector::Text(text) => match processes_like(source, &text, own) {
                    found if found.is_empty() => all.unknown.push(text),
                    found => all.pids.extend(found),
                },
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_a_number_and_anything_else_is_a_text() {
        assert_eq!(ProcessSelector::parse("42"), Ok(ProcessSelector::Number(42)));
        for text in ["postgres", "+5", "-5", "0x10", "4 2", "user.slice/job"] {
            assert_eq!(ProcessSelector::parse(text), Ok(ProcessSelector::Text(text.to_owned())));
        }
    }

    #[test]
    fn what_names_nothing_is_told_in_a_line() {
        assert_eq!(ProcessSelector::parse(""), Err(BadSelector::Empty));
        for text in ["99999999999", "db", "", "+5"] {
            let said = ProcessSelector::number(text).unwrap_err().to_string();
            assert!(said.starts_with(&format!("'{text}' is no process number")), "{said}");
        }
        assert!(ProcessSelector::parse("99999999999").is_err());
    }

    #[test]
    fn several_words_are_looked_up_in_their_order() {
        let source = Source::from_files([
            ("/proc/7/comm", "db"),
            ("/proc/9/comm", "dbus"),
            ("/proc/9/cmdline", "bus\0-x\0"),
        ]);
        let find = |words: &[&str]| {
            SelectedProcesses::find(
                &source,
                &words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(),
            )
        };
        let all = find(&["99", "db", "nobody", "-x"]).unwrap();
        assert_eq!((all.pids, all.unknown), (vec![99, 7, 9, 9], vec!["nobody".to_owned()]));
        assert_eq!(find(&["7", ""]), Err(BadSelector::Empty));
    }
}
