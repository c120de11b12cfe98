//! A stream that ends where its sender ends it, not where the emulator happens to stop.
//!
//! A port of the guest is a pipe of bytes without an end: when the emulator is gone, it is unknown
//! whether all had passed. So the guest closes each stream with a random word,
//! and what comes before them is whole.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, Read};

const CHUNK: usize = 64 * 1024;

/// Words that close a guest's streams, and that no stream has of itself.
pub(super) fn closing_words() -> String {
    let [a, b] = [(); 2].map(|()| RandomState::new().hash_one(0));
    format!("nearfar-lab-end-{a:016x}{b:016x}")
}

/// A stream up to its closing words.
pub(super) struct UntilEnd<R> {
    from: R,
    end: Vec<u8>,
    /// What was read and not yet given; the first `ready` bytes of it cannot belong to the end.
    held: Vec<u8>,
    ready: usize,
    /// Whether the closing words came, so that what was read is all there was.
    pub(super) whole: bool,
}

impl<R: Read> UntilEnd<R> {
    pub(super) fn new(from: R, end: &str) -> Self {
        Self { from, end: end.as_bytes().to_vec(), held: Vec::new(), ready: 0, whole: false }
    }

    /// Reads once, and finds out how much of it is the stream's own.
    fn fill(&mut self) -> io::Result<bool> {
        let before = self.held.len();
        self.held.resize(before + CHUNK, 0);
        let count = self.from.read(&mut self.held[before..]);
        self.held.truncate(before + *count.as_ref().unwrap_or(&0));
        if count? == 0 {
            self.ready = self.held.len();
            return Ok(false);
        }
        self.ready = match find(&self.held, &self.end) {
            Some(at) => {
                self.whole = true;
                self.held.truncate(at);
                at
            }
            None => self.held.len() - begun(&self.held, &self.end),
        };
        Ok(true)
    }
}

impl<R: Read> Read for UntilEnd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.ready == 0 && !self.whole && self.fill()? {}
        let count = self.ready.min(buffer.len());
        buffer[..count].copy_from_slice(&self.held[..count]);
        self.held.drain(..count);
        self.ready -= count;
        Ok(count)
    }
}

fn find(bytes: &[u8], words: &[u8]) -> Option<usize> {
    bytes.windows(words.len()).position(|there| there == words)
}

/// How many of the last bytes may be the beginning of `words`.
fn begun(bytes: &[u8], words: &[u8]) -> usize {
    let longest = bytes.len().min(words.len() - 1);
    (1..=longest).rev().find(|&length| bytes.ends_with(&words[..length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hands out bytes in pieces of the given sizes.
    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn read(bytes: &[u8], end: &str, piece: usize) -> (Vec<u8>, bool) {
        let pieces = Pieces(bytes.chunks(piece).map(<[u8]>::to_vec).collect());
        let mut stream = UntilEnd::new(pieces, end);
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        (got, stream.whole)
    }

    #[test]
    fn what_comes_is_given_at_once() {
        let end = "END";
        let mut stream =
            UntilEnd::new(Pieces(vec![b"hello".to_vec(), b" E".to_vec(), b"ND".to_vec()]), end);
        let mut buffer = [0; 64];
        assert_eq!(stream.read(&mut buffer).unwrap(), 5);
        assert_eq!(stream.read(&mut buffer).unwrap(), 1);
        assert_eq!(stream.read(&mut buffer).unwrap(), 0);
        assert!(stream.whole);
    }

    #[test]
    fn a_stream_cut_short_gives_all_it_had_and_is_not_whole() {
        assert_eq!(read(b"text EN", "END", 3), (b"text EN".to_vec(), false));
    }

    #[test]
    fn two_guests_close_their_streams_with_different_words() {
        assert_ne!(closing_words(), closing_words());
    }

    proptest! {
        #[test]
        fn every_byte_before_the_end_arrives_in_whatever_pieces(
            bytes in proptest::collection::vec(
                prop_oneof![Just(b'E'), Just(b'N'), any::<u8>()],
                0..400,
            ),
            after in proptest::collection::vec(any::<u8>(), 0..40),
            piece in 1usize..50,
        ) {
            prop_assume!(find(&[bytes.as_slice(), b"ENEN"].concat(), b"ENEND").is_none());
            let sent = [&bytes, b"ENEND".as_slice(), &after].concat();
            let (got, whole) = read(&sent, "ENEND", piece);
            prop_assert!(whole);
            prop_assert_eq!(got, bytes);
        }
    }
}
