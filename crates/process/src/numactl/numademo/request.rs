//! numademo's arguments: options, a size, the names of exercises.

use std::ffi::OsString;

use nearfar_model::Bytes;

use super::exercise::Exercise;
use crate::launch::size;
use crate::numactl::Misuse;

#[derive(Debug, Default, PartialEq)]
pub(super) struct NumademoRequest {
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

impl NumademoRequest {
    pub(super) fn parse(words: Vec<OsString>) -> Result<Self, Misuse> {
        let (mut request, mut plain) = (Self::default(), false);
        let words: Vec<String> =
            words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next_if(|word| word.starts_with('-')) {
            for letter in word.chars().skip(1) {
                match letter {
                    'c' => request.csv = true,
                    'f' => request.force = true,
                    'e' => request.strict = true,
                    't' => request.thin = true,
                    'S' => plain = true,
                    'h' | '?' => return Err(Misuse::HELP),
                    _ => return Err(format!("unknown option '{word}'").into()),
                }
            }
        }
        let size = words.next().ok_or(Misuse::HELP)?;
        let bytes = size::bytes(&size).filter(|size| size.0 > 0);
        request.size = bytes.ok_or_else(|| format!("'{size}' is no size"))?;
        request.exercises = words.map(|word| exercise(&word)).collect::<Result<_, _>>()?;
        if request.exercises.is_empty() {
            request.exercises = usual(plain);
        }
        let least =
            request.exercises.iter().map(|exercise| exercise.least_bytes()).max().unwrap_or(0);
        if request.size.0 < least as u64 {
            return Err(format!(
                "{} are too few for these tests: give {least} bytes at least",
                request.size
            )
            .into());
        }
        Ok(request)
    }
}

/// The default exercises, in numactl's order; `-S` adds the two that prefetchers distort.
fn usual(plain: bool) -> Vec<Exercise> {
    use Exercise::{Backward, Forward, Memcpy, Memset, PtrChase, Random2, Stream};
    match plain {
        true => vec![Memset, Memcpy, Forward, Backward, Random2, Stream, PtrChase],
        false => vec![Memset, Memcpy, Random2, Stream, PtrChase],
    }
}

fn exercise(name: &str) -> Result<Exercise, String> {
    let known = Exercise::ALL.into_iter().find(|exercise| exercise.name() == name);
    known.ok_or_else(|| format!("unknown test '{name}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Result<NumademoRequest, Misuse> {
        NumademoRequest::parse(words.iter().map(Into::into).collect())
    }

    #[test]
    fn options_size_and_exercises_are_read() {
        let all = request(&["-t", "-e", "-cf", "10M", "random2", "memset"]).unwrap();
        assert!(all.thin && all.strict && all.csv && all.force);
        assert_eq!(
            (all.size, all.exercises),
            (Bytes::mib(10), vec![Exercise::Random2, Exercise::Memset])
        );
        assert_eq!(request(&["1m"]).unwrap().exercises.len(), 5);
        assert_eq!(request(&["-S", "1m"]).unwrap().exercises.len(), 7);
    }

    #[test]
    fn wrong_words_and_small_sizes_are_refused() {
        for words in [&["0"][..], &["x"], &["1m", "sing"], &["-q", "1m"], &["100", "ptrchase"]] {
            assert!(request(words).unwrap_err() != Misuse::HELP, "{words:?}");
        }
        assert_eq!(request(&[]), Err(Misuse::HELP));
        assert_eq!(request(&["-h"]), Err(Misuse::HELP));
    }
}
