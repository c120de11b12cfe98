//! The characters that text for people has.
//!
//! The locale decides, as for gcc, tree and systemctl, on terminals and in pipes alike: `LC_ALL`,
//! else `LC_CTYPE`, else `LANG`. One that is not UTF-8, such as C, has ASCII. Where none is set, a
//! terminal has ASCII, and pipes and files have UTF-8.
//!
//! Only signs of nearfar itself are replaced. Names of files, programs and devices stay as they
//! are: who pastes them wants what they name. Documents for programs (JSON, CSV, HTML) stay, too.

use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;

/// Whether signs have to be ASCII here.
pub fn is_ascii() -> bool {
    static IS_ASCII: OnceLock<bool> = OnceLock::new();
    *IS_ASCII.get_or_init(|| {
        let variable = |name: &str| env::var(name).ok();
        is_ascii_in(variable, io::stdout().is_terminal())
    })
}

fn is_ascii_in(variable: impl Fn(&str) -> Option<String>, is_terminal: bool) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable);
    match set.into_iter().find(|value| !value.is_empty()) {
        Some(locale) => !locale.to_ascii_lowercase().replace('-', "").contains("utf8"),
        None => is_terminal,
    }
}

/// The text in characters of this locale.
pub fn shown(text: &str) -> Cow<'_, str> {
    if is_ascii() { ascii(text) } else { Cow::Borrowed(text) }
}

/// The text with signs of ASCII alone. Columns of tables keep their places.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    // From here on, two blanks may become one: no sign took one of them yet.
    let mut free_from = 0;
    for c in text.chars() {
        match c {
            '\n' => {
                plain.push('\n');
                free_from = plain.len();
            }
            '±' => {
                if let Some(at) = plain[free_from..].rfind("  ") {
                    plain.remove(free_from + at);
                }
                plain.push_str("+-");
                free_from = plain.len();
            }
            '·' if plain.ends_with(' ') => {
                plain.pop();
                plain.push(',');
            }
            _ => plain.push(sign(c).unwrap_or(c)),
        }
    }
    Cow::Owned(plain)
}

/// What stands for a sign; `None` for other characters.
pub(crate) fn sign(c: char) -> Option<char> {
    Some(match c {
        '–' | '—' | '−' | '─' | '━' => '-',
        '│' | '┃' | '▏' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => '+',
        '…' | '≈' => '~',
        'µ' | 'μ' => 'u',
        '×' => 'x',
        '·' | '░' | '▁' => '.',
        '▒' | '▂' | '▃' => ':',
        '▓' | '▄' | '▅' => '+',
        '█' | '▆' | '▇' | '■' => '#',
        '→' => '>',
        '←' => '<',
        '↑' => '^',
        '↓' => 'v',
        '\u{2800}' => ' ',
        '\u{2801}'..='\u{28ff}' => '*',
        '\u{fffd}' => '?',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_before_the_terminal() {
        let is_ascii = |set: &[(&str, &str)], is_terminal| {
            let variable = |name: &str| {
                let found = set.iter().find(|(one, _)| *one == name)?;
                Some(found.1.to_owned())
            };
            is_ascii_in(variable, is_terminal)
        };
        for is_terminal in [false, true] {
            assert!(is_ascii(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")], is_terminal));
            assert!(is_ascii(&[("LANG", "POSIX")], is_terminal));
            assert!(is_ascii(&[("LC_CTYPE", "de_DE.ISO-8859-1")], is_terminal));
            assert!(!is_ascii(&[("LC_ALL", ""), ("LANG", "C.utf8")], is_terminal));
            assert!(!is_ascii(&[("LC_CTYPE", "en_US.UTF-8"), ("LANG", "C")], is_terminal));
            assert_eq!(is_ascii(&[], is_terminal), is_terminal);
        }
    }

    #[test]
    fn columns_stay_where_they_are() {
        assert_eq!(
            ascii("node  0        1\n0     34.6 ±0.4  101 ±2\n"),
            "node  0        1\n0    34.6 +-0.4 101 +-2\n"
        );
        assert_eq!(ascii("median ± 95 %"), "median +- 95 %");
        assert_eq!(ascii("2 nodes · 8 CPUs ·\n79 µs – 5 × 4…"), "2 nodes, 8 CPUs,\n79 us - 5 x 4~");
    }

    #[test]
    fn names_stay_as_they_are() {
        assert_eq!(ascii("saved as /home/jörg/测.json"), "saved as /home/jörg/测.json");
    }
}
