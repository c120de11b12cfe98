//! The words that a capture keeps: a closed list, and numbers in the shapes of the kernel's files.
//!
//! Anything else may be a secret: a host, a user, a token, in any encoding. It is overwritten with
//! 'x' in texts. In paths it becomes a number, so that two folders stay two.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use nearfar_firmware::linux::log::message_patterns;

/// Words of the kernel's files, messages, drivers and distributions.
const WORDS: &str = include_str!("words.txt");
/// Words in the names of CPUs, computers, memory modules and makers of firmware.
const MODELS: &str = include_str!("models.txt");
/// Signs that stand between words. A '%' or a backslash may encode letters.
const SIGNS: &str = " \t\n\0,.:;-_/()[]<>=@#+*'\"|!$?~{}";
/// Maximum digits within a word: "cpu1023", "1048576kB", "enp129s0f1np1".
const DIGITS_IN_A_WORD: usize = 8;
/// The same in the number of a model.
const DIGITS_IN_A_MODEL: usize = 5;
/// Maximum digits of a bare hexadecimal number: a group of a mask.
const HEX_DIGITS: usize = 8;
/// Maximum letters and digits of a model's number: "M386A8K40".
const MODEL_LETTERS: usize = 10;

/// What stands in a text besides known words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    /// Numbers, masks, PCI addresses.
    Numbers,
    /// Numbers of up to 64 bits.
    Counters,
    /// Numbers of models: "E5-2697", "C6145".
    Models,
    /// Names of ACPI: `\_SB_.PC00`, "PNP0A08".
    AcpiNames,
}

impl Grammar {
    fn digits(self) -> usize {
        match self {
            Self::Counters => 20,
            Self::Numbers | Self::Models | Self::AcpiNames => 11,
        }
    }
}

/// Known words, and the numbers of the unknown ones in paths.
#[derive(Debug, Default)]
pub(super) struct Words {
    in_paths: BTreeMap<String, usize>,
}

impl Words {
    /// Numbers the unknown words of a path.
    pub(super) fn learn(&mut self, path: &str) {
        for word in words(path).filter(|word| !is_known(word, Grammar::Numbers)) {
            self.number(word);
        }
    }

    /// Numbers a name as a whole.
    pub(super) fn learn_name(&mut self, name: &str) {
        if !is_group(name) {
            self.number(name);
        }
    }

    fn number(&mut self, word: &str) {
        let next = self.in_paths.len() + 1;
        self.in_paths.entry(word.to_owned()).or_insert(next);
    }

    /// A text with its known words. The number of others is added to `others`.
    pub(super) fn text(&self, text: &str, grammar: Grammar, others: &mut usize) -> String {
        written(text, grammar, |word| {
            (!is_known(word, grammar)).then(|| {
                *others += 1;
                self.in_paths.get(word).map_or_else(|| overwritten(word), |n| format!("x{n}"))
            })
        })
    }

    /// A path whose unknown words are numbers.
    pub(super) fn path(&self, path: &str) -> String {
        self.text(path, Grammar::Numbers, &mut 0)
    }

    /// The name of a control group: a list of its known names, and numbers for others, as they
    /// have the numbers of users, sessions, jobs and containers.
    pub(super) fn group(&self, path: &str, others: &mut usize) -> String {
        let name = |name: &str| {
            if is_group(name) {
                return name.to_owned();
            }
            *others += 1;
            self.in_paths.get(name).map_or_else(|| overwritten(name), |n| format!("x{n}"))
        };
        path.split('/').map(name).collect::<Vec<_>>().join("/")
    }
}

/// Bytes with text, such as a string of firmware: their number stays. `None` if nothing changed.
pub(super) fn known_bytes(bytes: &[u8], grammar: Grammar) -> Option<Vec<u8>> {
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let mut others = 0;
    // One letter may be a part of wider characters.
    let kept = match bytes {
        [letter] if letter.is_ascii_alphabetic() => "x".to_owned(),
        _ => Words::default().text(&text, grammar, &mut others),
    };
    (kept != text).then(|| kept.chars().map(|c| u8::try_from(c).unwrap_or(b'x')).collect())
}

/// A text with each character overwritten.
fn overwritten(text: &str) -> String {
    "x".repeat(text.chars().count())
}

/// Whether a text has letters of two bytes, each with a NUL.
pub(super) fn has_wide_letters(bytes: &[u8]) -> bool {
    let is_wide = |six: &[u8]| {
        let pairs = |at: usize| six.iter().skip(at).step_by(2);
        (0..2).any(|at| {
            pairs(at).all(u8::is_ascii_alphanumeric) && pairs(1 - at).all(|&byte| byte == 0)
        })
    };
    bytes.windows(6).any(is_wide)
}

/// Whether bytes that should be numbers have a text.
pub(super) fn has_text(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|six| six.iter().all(u8::is_ascii_alphanumeric)) || has_wide_letters(bytes)
}

/// Paths of ACPI begin with a backslash.
fn is_sign(letter: char, grammar: Grammar) -> bool {
    SIGNS.contains(letter) || letter == '\\' && grammar == Grammar::AcpiNames
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| is_sign(letter, Grammar::Numbers)).filter(|word| !word.is_empty())
}

/// The text with some words replaced.
fn written(
    text: &str,
    grammar: Grammar,
    mut replaced: impl FnMut(&str) -> Option<String>,
) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| is_sign(c, grammar)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match Some(word).filter(|word| !word.is_empty()).and_then(&mut replaced) {
            Some(other) => kept.push_str(&other),
            None => kept.push_str(word),
        }
        let signs = after.find(|c| !is_sign(c, grammar)).unwrap_or(after.len());
        kept.push_str(&after[..signs]);
        rest = &after[signs..];
    }
    kept
}

/// Words in lower case.
fn vocabulary(grammar: Grammar) -> &'static BTreeSet<String> {
    static KERNEL: OnceLock<BTreeSet<String>> = OnceLock::new();
    static ALL: OnceLock<BTreeSet<String>> = OnceLock::new();
    let of = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let letters = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_alphabetic()));
        letters.map(str::to_ascii_lowercase).collect()
    };
    let kernel = KERNEL.get_or_init(|| message_patterns().flat_map(of).chain(of(WORDS)).collect());
    match grammar {
        Grammar::Models => ALL.get_or_init(|| kernel.iter().cloned().chain(of(MODELS)).collect()),
        Grammar::Numbers | Grammar::Counters | Grammar::AcpiNames => kernel,
    }
}

/// Whether a name of a control group has known words only, and no number.
fn is_group(name: &str) -> bool {
    words(name).all(|word| {
        is_known(word, Grammar::Numbers) && !word.bytes().any(|byte| byte.is_ascii_digit())
            || is_numbered(word)
    })
}

/// "x12": a word that was replaced by its number.
fn is_numbered(word: &str) -> bool {
    word.strip_prefix('x').is_some_and(|n| n.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a word may be kept.
pub(super) fn is_known(word: &str, grammar: Grammar) -> bool {
    let all = |is: fn(&u8) -> bool| word.bytes().all(|byte| is(&byte));
    if all(u8::is_ascii_digit) {
        return word.len() <= grammar.digits() || is_numbered_address(word);
    }
    let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    if let Some(digits) = hex.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit())) {
        return digits.len() <= 16;
    }
    all(u8::is_ascii_alphanumeric)
        && (all(|byte| *byte == b'x')
            || is_mask(word)
            || has_few_digits(word) && parts(word).all(|part| is_known_part(part, grammar))
            || is_disk(word)
            || match grammar {
                Grammar::Models => is_model(word),
                Grammar::AcpiNames => is_acpi_name(word),
                Grammar::Numbers | Grammar::Counters => false,
            })
}

/// More digits are a number in another notation, unless they begin with zeros.
fn has_few_digits(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits <= DIGITS_IN_A_WORD || parts(word).any(is_numbered_address)
}

/// An address that was replaced by a number: "00000000000012".
fn is_numbered_address(digits: &str) -> bool {
    digits.starts_with("0000") && digits.len() <= 32
}

/// The runs of letters and of digits of a word.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let runs = word.as_bytes().chunk_by(move |one, next| is_digit(one) == is_digit(next));
    runs.map(|run| std::str::from_utf8(run).unwrap_or_default())
}

fn is_known_part(part: &str, grammar: Grammar) -> bool {
    match part.bytes().next() {
        Some(b'0'..=b'9') => true,
        _ => vocabulary(grammar).contains(&part.to_ascii_lowercase()),
    }
}

/// A group of a mask or address: "00ff00ff", "3b". Letters alone are a word, unless they repeat.
fn is_mask(word: &str) -> bool {
    let letters: BTreeSet<u8> = word.bytes().filter(u8::is_ascii_alphabetic).collect();
    word.len() <= HEX_DIGITS
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (word.bytes().any(|byte| byte.is_ascii_digit()) || letters.len() <= 2)
}

/// "sda", "vdb12", "xvdaa".
fn is_disk(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let end = ["xvd", "sd", "vd", "hd"].iter().find_map(|kind| letters.strip_prefix(kind));
    end.is_some_and(|end| end.len() <= 3 && end.bytes().all(|byte| byte.is_ascii_lowercase()))
        && word.len() - letters.len() <= DIGITS_IN_A_WORD
}

/// Short runs of letters among digits.
fn is_model(word: &str) -> bool {
    let is_short = |part: &str| match part.bytes().next() {
        Some(b'0'..=b'9') => part.len() <= DIGITS_IN_A_MODEL,
        _ => part.len() <= 3,
    };
    word.len() <= MODEL_LETTERS
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && parts(word).count() <= 4
        && parts(word).all(is_short)
}

/// A segment of a path has four letters, an id three or four and four digits.
fn is_acpi_name(word: &str) -> bool {
    let is_upper =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let is_id = || {
        let Some((maker, number)) = word.len().checked_sub(4).map(|at| word.split_at(at)) else {
            return false;
        };
        matches!(maker.len(), 3 | 4) && number.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    is_upper(word) && (word.len() <= 4 || is_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, grammar: Grammar) -> String {
        Words::default().text(text, grammar, &mut 0)
    }

    #[test]
    fn known_words_and_numbers_are_kept() {
        use Grammar::{AcpiNames, Counters, Models, Numbers};
        for (text, grammar) in [
            ("0-3,8\n", Numbers),
            ("00000000,ffffffff,00ff00ff\n", Numbers),
            ("always [madvise] never", Numbers),
            ("PCI-MSIX-0000:3b:00.0  0-edge  nvme0q1", Numbers),
            ("enp3s0f1np0 sda1 xvdb", Numbers),
            ("memory.max 9223372036854771712", Counters),
            ("Intel(R) Xeon(R) CPU E5-2697 v3 @ 2.60GHz", Models),
            ("\\_SB_.PC00 PNP0A08,ACPI0016", AcpiNames),
            ("enx000000000012 00000000-0000-0000-0000-000000000001", Numbers),
        ] {
            assert_eq!(kept(text, grammar), text);
        }
    }

    #[test]
    fn other_words_are_overwritten_in_any_encoding() {
        for (text, expected) in [
            ("eth-customer7 0", "eth-xxxxxxxxx 0"),
            ("U0VDUkVUMDU= 1", "xxxxxxxxxxx= 1"),
            ("5345435245543031", "xxxxxxxxxxxxxxxx"),
            ("%53%45", "xxxxxx"),
            ("zürich", "xxxxxx"),
            ("deadbeef cafe", "xxxxxxxx xxxx"),
        ] {
            assert_eq!(kept(text, Grammar::Numbers), expected);
            assert_eq!(kept(expected, Grammar::Numbers), expected, "again");
        }
        assert!(has_wide_letters("S\0E\0C\0".as_bytes()) && has_wide_letters(b"\0S\0E\0C"));
        assert!(!has_wide_letters(b"SRAT\0\0\0\0"));
        assert_eq!(known_bytes(b"DIMM 1", Grammar::Models), None);
        assert_eq!(known_bytes(b"S", Grammar::Models), Some(b"x".to_vec()));
    }

    #[test]
    fn paths_keep_their_folders_apart() {
        let mut words = Words::default();
        words.learn("/sys/class/net/apollo/queues/zeus");
        words.learn_name("user-1000.slice");
        assert_eq!(words.path("/sys/class/net/apollo/zeus"), "/sys/class/net/x1/x2");
        assert_eq!(words.text("apollo-rx-0", Grammar::Numbers, &mut 0), "x1-rx-0");
        let group = words.group("/user.slice/user-1000.slice/job_7", &mut 0);
        assert_eq!(group, "/user.slice/x3/xxxxx");
        assert_eq!(words.group(&group, &mut 0), group);
    }
}
