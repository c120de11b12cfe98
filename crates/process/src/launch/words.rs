//! From the words of a command line to the steps that they ask for, in their order.
//!
//! As `getopt_long` reads them for numactl: options end at the first word that is none, or behind
//! `--`; a long option may be shortened as long as it stays unambiguous; a value follows its option
//! or is joined to it.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser};
use nearfar_model::Bytes;

use crate::launch::as_system::System;
use crate::launch::error::LaunchError;
use crate::launch::options::{Dialect, OptionName, OptionSpelling, ValueKind, options};
use crate::launch::size;
use crate::launch::weights::{Weights, looks_like_weights};

/// One thing asked for: an option, and what it was given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OptionStep {
    pub(crate) word: OptionName,
    pub(crate) given: OptionValue,
}

/// What an option was given. Lists stay text: what they name depends on the machine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OptionValue {
    Nothing,
    List(String),
    Path(PathBuf),
    /// A part of the key of the segment that follows.
    KeyNumber(u64),
    /// An existing segment by its id: `--shmid` where no `--shm` follows.
    SegmentId(u64),
    Size(Bytes),
    Mode(u32),
    Weights(Weights),
    System(System),
    /// A file to be read before the program starts.
    Warm(PathBuf),
}

/// What was written: the options as steps, and the program with its own words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ParsedWords {
    pub(crate) steps: Vec<OptionStep>,
    pub(crate) command: Vec<OsString>,
}

/// Reads a command line, without the name it begins with.
pub(crate) fn read(words: Vec<OsString>, dialect: Dialect) -> Result<ParsedWords, LaunchError> {
    let mut parser = Parser::from_args(words);
    let mut read = ParsedWords::default();
    loop {
        let next = parser.next().map_err(|error| stray_value(&error))?;
        let (option, written) = match next {
            None => return Ok(read),
            Some(Arg::Value(program)) => {
                read.command.push(program);
                read.command.extend(parser.raw_args().map_err(|error| stray_value(&error))?);
                return Ok(read);
            }
            Some(Arg::Short(letter)) => (by_letter(letter, dialect)?, format!("-{letter}")),
            Some(Arg::Long(name)) => {
                let name = name.to_owned();
                (by_name(&name, dialect)?, format!("--{name}"))
            }
        };
        let value = value(&mut parser, option, &written)?;
        let word = option.word;
        read.steps.push(OptionStep { word, given: given(option, value)? });
        if word == OptionName::Help
            || (dialect == Dialect::Numactl
                && matches!(word, OptionName::Show | OptionName::Version))
        {
            return Ok(read);
        }
    }
}

fn by_letter(letter: char, dialect: Dialect) -> Result<&'static OptionSpelling, LaunchError> {
    let found = options(dialect).find(|option| option.short == Some(letter));
    found.ok_or_else(|| LaunchError::UnknownOption { word: format!("-{letter}"), suggestion: None })
}

/// The option of this name, or the only one that begins so.
fn by_name(name: &str, dialect: Dialect) -> Result<&'static OptionSpelling, LaunchError> {
    if let Some(exact) = options(dialect).find(|option| option.long == name) {
        return Ok(exact);
    }
    let begun: Vec<&OptionSpelling> =
        options(dialect).filter(|option| option.long.starts_with(name)).collect();
    match begun[..] {
        [only] => Ok(only),
        [] => Err(LaunchError::UnknownOption {
            word: format!("--{name}"),
            suggestion: suggestion(name, dialect),
        }),
        _ => {
            let candidates: Vec<String> = begun.iter().map(|option| option.shown()).collect();
            Err(LaunchError::Ambiguous {
                word: format!("--{name}"),
                candidates: candidates.join(" or "),
            })
        }
    }
}

/// The option that shares the longest beginning, of three letters at least.
fn suggestion(name: &str, dialect: Dialect) -> Option<String> {
    let shared = |option: &&OptionSpelling| {
        name.bytes().zip(option.long.bytes()).take_while(|(a, b)| a == b).count()
    };
    options(dialect)
        .max_by_key(shared)
        .filter(|option| shared(option) >= 3)
        .map(OptionSpelling::shown)
}

fn value(
    parser: &mut Parser,
    option: &OptionSpelling,
    written: &str,
) -> Result<Option<OsString>, LaunchError> {
    match option.takes {
        ValueKind::Value(name) => {
            let missing = |_| LaunchError::MissingValue { option: written.to_owned(), value: name };
            parser.value().map(Some).map_err(missing)
        }
        // Behind a letter stands the next letter, not a value.
        ValueKind::Nothing if written.starts_with("--") => match parser.optional_value() {
            None => Ok(None),
            Some(value) => {
                let value = value.to_string_lossy().into_owned();
                Err(LaunchError::UnwantedValue { option: written.to_owned(), value })
            }
        },
        ValueKind::Nothing => Ok(None),
        ValueKind::Maybe(_) => Ok(parser.optional_value().or_else(|| next_weights(parser))),
    }
}

/// The next word, where it can only be a list of weights.
fn next_weights(parser: &mut Parser) -> Option<OsString> {
    let mut rest = parser.try_raw_args()?;
    let is_list = rest.peek().and_then(|word| word.to_str()).is_some_and(looks_like_weights);
    is_list.then(|| rest.next())?
}

fn stray_value(error: &lexopt::Error) -> LaunchError {
    match error {
        lexopt::Error::UnexpectedValue { option, value } => LaunchError::UnwantedValue {
            option: option.clone(),
            value: value.to_string_lossy().into_owned(),
        },
        other => LaunchError::UnknownOption { word: other.to_string(), suggestion: None },
    }
}

fn given(option: &OptionSpelling, value: Option<OsString>) -> Result<OptionValue, LaunchError> {
    let Some(value) = value else { return Ok(OptionValue::Nothing) };
    if matches!(option.word, OptionName::Shm | OptionName::File) {
        return Ok(OptionValue::Path(value.into()));
    }
    if option.word == OptionName::Warm {
        return Ok(OptionValue::Warm(value.into()));
    }
    let text = value.into_string().map_err(|_| LaunchError::NotText { option: option.shown() })?;
    let (given, wanted) = match option.word {
        OptionName::Length | OptionName::Offset => {
            (size::bytes(&text).map(OptionValue::Size), "a size: bytes, or a number with K, M or G")
        }
        OptionName::ShmId => (size::number(&text).map(OptionValue::KeyNumber), "a number"),
        OptionName::ShmMode => {
            (size::mode(&text).map(OptionValue::Mode), "an octal mode such as 0600")
        }
        OptionName::Weights => return Weights::parse(&text).map(OptionValue::Weights),
        OptionName::As => return text.parse().map(OptionValue::System),
        _ => return Ok(OptionValue::List(text)),
    };
    given.ok_or_else(|| LaunchError::BadValue { option: option.shown(), text, wanted })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(line: &str, dialect: Dialect) -> Result<ParsedWords, LaunchError> {
        read(line.split_whitespace().map(OsString::from).collect(), dialect)
    }

    fn plain(word: OptionName) -> OptionStep {
        OptionStep { word, given: OptionValue::Nothing }
    }

    fn membind(list: &str) -> OptionStep {
        OptionStep { word: OptionName::Membind, given: OptionValue::List(list.to_owned()) }
    }

    #[test]
    fn options_end_at_the_program() {
        let read = words("-m 0 -N1 grep -i -m 3 -- x", Dialect::Numactl).unwrap();
        let bound =
            OptionStep { word: OptionName::CpuNodeBind, given: OptionValue::List("1".to_owned()) };
        assert_eq!(read.steps, [membind("0"), bound]);
        assert_eq!(read.command, ["grep", "-i", "-m", "3", "--", "x"]);
        assert_eq!(words("-l -- -x -l", Dialect::Numactl).unwrap().command, ["-x", "-l"]);
    }

    #[test]
    fn values_are_joined_or_follow_and_letters_cluster() {
        for line in ["-m0,2", "-m 0,2", "--membind 0,2", "--membind=0,2", "--mem=0,2"] {
            assert_eq!(words(line, Dialect::Run).unwrap().steps, [membind("0,2")], "{line}");
        }
        assert_eq!(
            words("-bm0 x", Dialect::Run).unwrap().steps,
            [plain(OptionName::Balancing), membind("0")]
        );
        assert_eq!(words("-m !0", Dialect::Run).unwrap().steps, [membind("!0")]);
    }

    #[test]
    fn show_ends_the_reading_for_numactl_alone() {
        assert_eq!(
            words("-s --nonsense", Dialect::Numactl).unwrap().steps,
            [plain(OptionName::Show)]
        );
        assert_eq!(
            words("-s --json", Dialect::Run).unwrap().steps,
            [plain(OptionName::Show), plain(OptionName::Json)]
        );
        assert!(words("-H --nonsense", Dialect::Numactl).is_err());
    }

    #[test]
    fn weights_take_only_weights() {
        assert_eq!(words("--weights", Dialect::Run).unwrap().steps, [plain(OptionName::Weights)]);
        let set = words("--weights 0=5,1=2 ls", Dialect::Run).unwrap();
        assert!(
            matches!(set.steps[..], [OptionStep { given: OptionValue::Weights(_), .. }])
                && set.command == ["ls"]
        );
        assert!(words("--weights env=1", Dialect::Run).is_err());
        let shown = words("--weights -- env=1", Dialect::Run).unwrap();
        assert_eq!((&shown.steps[..], shown.command.len()), (&[plain(OptionName::Weights)][..], 1));
        assert!(words("--weights=0=300", Dialect::Run).is_err());
    }

    #[test]
    fn errors_name_the_option() {
        let refusal = |line| words(line, Dialect::Numactl).unwrap_err().to_string();
        assert_eq!(
            refusal("--pref 0"),
            "option '--pref' is ambiguous: it may be --preferred or --preferred-many"
        );
        assert!(
            refusal("--membnd 0").contains("did you mean '--membind'?"),
            "{}",
            refusal("--membnd 0")
        );
        assert!(refusal("--json").starts_with("there is no option '--json'"));
        assert_eq!(refusal("-m"), "option '-m' needs a value: -m NODES");
        assert_eq!(refusal("--show=1"), "option '--show' takes no value, so leave '=1' out");
        assert_eq!(
            refusal("--length 10x"),
            "--length '10x' is not a size: bytes, or a number with K, M or G"
        );
        assert!(refusal("-M 9").contains("octal"));
    }

    #[test]
    fn a_value_that_is_not_text_is_refused() {
        use std::os::unix::ffi::OsStringExt;
        let odd = OsString::from_vec(vec![b'0', 0xff]);
        let refused = read(vec!["-m".into(), odd.clone()], Dialect::Run).unwrap_err();
        assert!(matches!(refused, LaunchError::NotText { .. }));
        let path = read(vec!["--file".into(), odd], Dialect::Run).unwrap();
        assert!(matches!(
            path.steps[..],
            [OptionStep { word: OptionName::File, given: OptionValue::Path(_) }]
        ));
    }

    proptest! {
        #[test]
        fn no_words_panic(line in "((-{1,2}[a-zA-Z=0-9]{0,9}|[0-9a-z!+,=:-]{0,6}) ?){0,8}") {
            let _ = words(&line, Dialect::Run);
            let _ = words(&line, Dialect::Numactl);
        }
    }
}
