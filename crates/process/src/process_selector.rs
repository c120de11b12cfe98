//! A command-line argument that selects processes: an ID, or a text. Each command matches the text
//! in its own way: with names, command lines or control groups.

use nearfar_machine::Source;
use thiserror::Error;

use crate::numastat::processes_like;

/// A parsed selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessSelector {
    /// A process ID.
    Number(u32),
    /// A text that is not empty.
    Text(String),
}

/// An argument that is not a selector.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadSelector {
    /// An empty argument.
    #[error("'' is neither a process ID nor a name: 'ps -e' lists both")]
    Empty,
    /// Not a number, or larger than any process ID.
    #[error("'{text}' is not a process ID: 'ps -e' lists them (up to 4194304)")]
    NoNumber {
        /// The argument.
        text: String,
    },
}

impl ProcessSelector {
    /// Parses an argument: digits are an ID, anything else is a text.
    pub fn parse(word: &str) -> Result<Self, BadSelector> {
        match word {
            "" => Err(BadSelector::Empty),
            _ if word.bytes().all(|b| b.is_ascii_digit()) => Self::number(word).map(Self::Number),
            _ => Ok(Self::Text(word.to_owned())),
        }
    }

    /// Parses an argument that has to be an ID.
    pub fn number(word: &str) -> Result<u32, BadSelector> {
        let digits = word.bytes().all(|b| b.is_ascii_digit());
        word.parse()
            .ok()
            .filter(|_| digits)
            .ok_or_else(|| BadSelector::NoNumber { text: word.to_owned() })
    }
}

/// The processes that several arguments select. As in numastat, a text selects all processes with
/// this text in their name or command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedProcesses {
    /// Their IDs, in the order of the arguments. IDs from the command line are not checked.
    pub pids: Vec<u32>,
    /// Texts without a process.
    pub unknown: Vec<String>,
}

impl SelectedProcesses {
    /// Parses the arguments and finds the processes of texts. This process is never selected by a
    /// text, since its own command line contains all of them.
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
    fn digits_are_an_id_and_anything_else_is_a_text() {
        assert_eq!(ProcessSelector::parse("42"), Ok(ProcessSelector::Number(42)));
        for text in ["postgres", "+5", "-5", "0x10", "4 2", "user.slice/job"] {
            assert_eq!(ProcessSelector::parse(text), Ok(ProcessSelector::Text(text.to_owned())));
        }
    }

    #[test]
    fn errors_quote_the_bad_selector() {
        assert_eq!(ProcessSelector::parse(""), Err(BadSelector::Empty));
        for text in ["99999999999", "db", "", "+5"] {
            let error = ProcessSelector::number(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}' is not a process ID")), "{error}");
        }
        assert!(ProcessSelector::parse("99999999999").is_err());
    }

    #[test]
    fn processes_are_in_the_order_of_the_arguments() {
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
        let all = find(&["99", "db", "absent", "-x"]).unwrap();
        assert_eq!((all.pids, all.unknown), (vec![99, 7, 9, 9], vec!["absent".to_owned()]));
        assert_eq!(find(&["7", ""]), Err(BadSelector::Empty));
    }
}
