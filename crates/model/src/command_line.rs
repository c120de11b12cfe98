//! A program with its arguments, as readers of other programs' files take them.
//!
//! Each reader has its own rules, and obeys some characters whatever stands around them. A word
//! that a reader cannot have unchanged is refused by name: half of a command is another command.

use std::ffi::OsString;

use thiserror::Error;

use crate::is_obeyed;

/// A program and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine(Vec<String>);

/// A word that a reader cannot have unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reader} cannot have '{word}' in a command: {why}; put the command into a script")]
pub struct UnwritableWord {
    /// The word, as it may be shown.
    pub word: String,
    /// Who reads it.
    pub reader: &'static str,
    /// What of it the reader takes otherwise.
    pub why: String,
}

/// Characters of a word that an error shows.
const SHOWN: usize = 60;
/// What systemd takes from the start of a program's name as a setting.
const SYSTEMD_PREFIXES: [char; 6] = ['@', '-', ':', '+', '!', '|'];

impl CommandLine {
    /// The words of a command.
    ///
    /// # Errors
    /// The files of other programs are UTF-8: a word that is not is refused.
    pub fn new(words: impl IntoIterator<Item = OsString>) -> Result<Self, UnwritableWord> {
        let words = words.into_iter().map(|word| {
            word.into_string()
                .map_err(|word| refused(&word.to_string_lossy(), "text", "it is not UTF-8"))
        });
        Ok(Self(words.collect::<Result<_, _>>()?))
    }

    /// A program without arguments.
    pub fn from_text(program: &str) -> Self {
        Self(vec![program.to_owned()])
    }

    /// The same command after these words, which start it.
    #[must_use]
    pub fn started_by(self, words: impl IntoIterator<Item = String>) -> Self {
        let mut all: Vec<String> = words.into_iter().collect();
        // Else an option of what starts it.
        all.extend(self.0.first().filter(|word| word.starts_with('-')).map(|_| "--".to_owned()));
        all.extend(self.0);
        Self(all)
    }

    /// As a shell reads it back. Line breaks stay, within quotes.
    pub fn shell(&self) -> Result<String, UnwritableWord> {
        self.quoted(|c| c != '\n' && is_obeyed(c))
    }

    /// The same in one line, as after `#`: a second line would be no comment.
    pub fn shell_in_one_line(&self) -> Result<String, UnwritableWord> {
        self.quoted(is_obeyed)
    }

    fn quoted(&self, is_refused: impl Fn(char) -> bool) -> Result<String, UnwritableWord> {
        for word in &self.0 {
            if let Some(c) = word.chars().find(|c| is_refused(*c)) {
                return Err(refused(word, "a shell's line", &has(c)));
            }
        }
        Ok(self.0.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "))
    }

    /// As `systemd-run` has it from a shell: systemd replaces variables of arguments once more.
    pub fn systemd_run(&self) -> Result<String, UnwritableWord> {
        let doubled = |(at, word): (usize, &String)| match at {
            0 => word.clone(),
            _ => word.replace('$', "$$"),
        };
        Self(self.0.iter().enumerate().map(doubled).collect()).shell()
    }

    /// As `ExecStart=` of a unit has it.
    ///
    /// # References
    ///
    /// systemd.service(5), "Command lines"; systemd.syntax(7), "Quoting". The program's path is
    /// refused with quotes and control characters by `string_is_safe` of
    /// <https://github.com/systemd/systemd/blob/v252/src/basic/string-util.c>; variables are
    /// replaced in arguments alone.
    pub fn systemd_unit(&self) -> Result<String, UnwritableWord> {
        let words = self.0.iter().enumerate().map(|(at, word)| match at {
            0 => systemd_program(word),
            _ => Ok(systemd_argument(word)),
        });
        Ok(words.collect::<Result<Vec<_>, _>>()?.join(" "))
    }

    /// As `RUN+="..."` of a udev rule has it, between the double quotes.
    ///
    /// # References
    ///
    /// udev(7), "RUN" and "string substitutions". No character can be escaped within quotes
    /// (`EXTRACT_RETAIN_ESCAPE` in
    /// <https://github.com/systemd/systemd/blob/v252/src/udev/udev-event.c>).
    pub fn udev_rule(&self) -> Result<String, UnwritableWord> {
        let word = |word: &String| {
            let is_refused = |c: char| is_obeyed(c) || matches!(c, '"' | '\'' | '\\');
            if let Some(c) = word.chars().find(|c| is_refused(*c)) {
                return Err(refused(word, "a udev rule", &has(c)));
            }
            let plain = word.replace('%', "%%").replace('$', "$$");
            let needs_quotes = plain.is_empty() || plain.contains(char::is_whitespace);
            Ok(if needs_quotes { format!("'{plain}'") } else { plain })
        };
        Ok(self.0.iter().map(word).collect::<Result<Vec<_>, _>>()?.join(" "))
    }
}

/// A word in one piece, which shlex would cut into pieces of both quotes.
pub fn shell_word(word: &str) -> String {
    match !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c))
    {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The first word of `ExecStart=`.
fn systemd_program(word: &str) -> Result<String, UnwritableWord> {
    let is_refused = |c: char| is_obeyed(c) || matches!(c, '"' | '\'' | '\\');
    let first = word.chars().next().filter(|c| SYSTEMD_PREFIXES.contains(c));
    if let Some(c) = first.or_else(|| word.chars().find(|c| is_refused(*c))) {
        return Err(refused(word, "a unit of systemd", &has(c)));
    }
    let word = word.replace('%', "%%");
    let needs_quotes = word.is_empty() || word.contains(|c: char| c.is_whitespace() || c == ';');
    Ok(if needs_quotes { format!("'{word}'") } else { word })
}

/// Another word: anything can be written.
fn systemd_argument(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%$".contains(c);
    let mut text = String::new();
    for c in word.chars() {
        match c {
            '%' => text += "%%",
            '$' => text += "$$",
            '\\' | '\'' => text.extend(['\\', c]),
            c if !is_obeyed(c) => text.push(c),
            c if c.is_ascii() => text += &format!("\\x{:02x}", u32::from(c)),
            c => text += &format!("\\U{:08x}", u32::from(c)),
        }
    }
    if !word.is_empty() && word.chars().all(is_plain) { text } else { format!("'{text}'") }
}

fn has(c: char) -> String {
    match is_obeyed(c) {
        true => format!("it has the character U+{:04X}", u32::from(c)),
        false => format!("it has a {c}, which is obeyed there"),
    }
}

fn refused(word: &str, reader: &'static str, why: &str) -> UnwritableWord {
    let word = word.chars().take(SHOWN).map(|c| if is_obeyed(c) { '\u{fffd}' } else { c });
    UnwritableWord { word: word.collect(), reader, why: why.to_owned() }
}

#[cfg(test)]
mod tests;
