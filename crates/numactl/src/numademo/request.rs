//! numademo's words: options, a size, the names of exercises.

use std::ffi::OsString;

use nearfar_launch::size;
use nearfar_model::Bytes;

use super::exercise::Exercise;

/// What is asked for.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    pub(super) size: Bytes,
    pub(super) exercises: Vec<Exercise>,
    /// `-c`
    pub(super) csv: bool,
    /// `-f`
    pub(super) force: bool,
    /// `-e`
    pub(super) strict: bool,
    /// `-t`
    pub(super) thin: bool,
}

/// The words as they stand.
#[derive(Default)]
struct Options {
    csv: bool,
    force: bool,
    strict: bool,
    thin: bool,
    plain: bool,
}

impl Request {
    /// Reads the words. Without what is wrong, the error asks for help only.
    pub(super) fn parse(words: Vec<OsString>) -> Result<Self, Option<String>> {
        let mut options = Options::default();
        let words: Vec<String> = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next_if(|word| word.starts_with('-')) {
            word.chars().skip(1).try_for_each(|letter| options.take(letter, &word))?;
        }
        let size = words.next().ok_or(None)?;
        let size = size::bytes(&size).filter(|size| size.0 > 0).ok_or_else(|| Some(format!("'{size}' is no size")))?;
        let exercises = words.map(|word| exercise(&word)).collect::<Result<Vec<_>, _>>()?;
        let exercises = if exercises.is_empty() { usual(options.plain) } else { exercises };
        let least = exercises.iter().map(|exercise| exercise.least_bytes()).max().unwrap_or(0);
        if size.0 < least as u64 {
            return Err(Some(format!("{size} are too few for these tests: give {least} bytes at least")));
        }
        let Options { csv, force, strict, thin, .. } = options;
        Ok(Self { size, exercises, csv, force, strict, thin })
    }
}

impl Options {
    fn take(&mut self, letter: char, word: &str) -> Result<(), Option<String>> {
        match letter {
            'c' => self.csv = true,
            'f' => self.force = true,
            'e' => self.strict = true,
            't' => self.thin = true,
            'S' => self.plain = true,
            'h' | '?' => return Err(None),
            _ => return Err(Some(format!("unknown option '{word}'"))),
        }
        Ok(())
    }
}

/// What is done when no exercise is named, in numactl's order; `-S` adds the two that prefetchers
/// spoil.
fn usual(plain: bool) -> Vec<Exercise> {
    use Exercise::{Backward, Forward, Memcpy, Memset, PtrChase, Random2, Stream};
    match plain {
        true => vec![Memset, Memcpy, Forward, Backward, Random2, Stream, PtrChase],
        false => vec![Memset, Memcpy, Random2, Stream, PtrChase],
    }
}

fn exercise(name: &str) -> Result<Exercise, Option<String>> {
    let known = Exercise::ALL.into_iter().find(|exercise| exercise.name() == name);
    known.ok_or_else(|| Some(format!("unknown test '{name}'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Result<Request, Option<String>> {
        Request::parse(words.iter().map(Into::into).collect())
    }

    #[test]
    fn options_size_and_exercises_are_read() {
        let all = request(&["-t", "-e", "-cf", "10M", "random2", "memset"]).unwrap();
        assert!(all.thin && all.strict && all.csv && all.force);
        assert_eq!((all.size, all.exercises), (Bytes::mib(10), vec![Exercise::Random2, Exercise::Memset]));
        assert_eq!(request(&["1m"]).unwrap().exercises.len(), 5);
        assert_eq!(request(&["-S", "1m"]).unwrap().exercises.len(), 7);
    }

    #[test]
    fn what_is_wrong_is_said_and_too_little_memory_is_refused() {
        for words in [&["0"][..], &["x"], &["1m", "sing"], &["-q", "1m"], &["100", "ptrchase"]] {
            assert!(request(words).unwrap_err().is_some(), "{words:?}");
        }
        assert_eq!(request(&[]), Err(None));
        assert_eq!(request(&["-h"]), Err(None));
    }
}
