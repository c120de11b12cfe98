//! JSON that is looked at while its parser reads it.

use std::io::{self, Read};

/// A text that notes whether it may hold a number that is not below
/// [`MAX_FIGURE`](crate::MAX_FIGURE): one with an exponent, or with more than 30
/// consecutive digits. Most documents have neither, so that a second parse as
/// [`Bounded`](crate::Bounded) is skipped.
#[derive(Debug)]
pub struct ScannedText<R> {
    source: R,
    /// Digits at the end of what was read.
    digits: usize,
    may_hold_large_figures: bool,
    has_content: bool,
}

const MAX_DIGITS: usize = 30;

impl<R> ScannedText<R> {
    /// A text that nothing is known of yet.
    pub const fn new(source: R) -> Self {
        Self { source, digits: 0, may_hold_large_figures: false, has_content: false }
    }

    /// Whether what was read may hold a number that overflows computations.
    pub const fn may_hold_large_figures(&self) -> bool {
        self.may_hold_large_figures
    }

    /// Whether anything but white space was read.
    pub const fn has_content(&self) -> bool {
        self.has_content
    }

    fn look_at(&mut self, text: &[u8]) {
        self.has_content |= !text.trim_ascii_start().is_empty();
        let (mut digits, mut found) = (self.digits, self.may_hold_large_figures);
        for byte in text {
            found |= digits > MAX_DIGITS || (digits > 0 && byte | 32 == b'e');
            digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        }
        (self.digits, self.may_hold_large_figures) = (digits, found || digits > MAX_DIGITS);
    }
}

impl<R: Read> Read for ScannedText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.look_at(&buffer[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_noticed_wherever_reads_end() {
        for (text, expected) in [
            (r#"{"emails": [1.5, -2, 18446744073709551615, "e", "see"]}"#.to_owned(), false),
            ("1234567890".repeat(3), false),
            ("1234567890".repeat(3) + "1", true),
            ("[1e308]".to_owned(), true),
            ("[0, 1E30]".to_owned(), true),
            (String::new(), false),
        ] {
            for size in 1..9 {
                let mut scanned = ScannedText::new(text.as_bytes());
                let mut buffer = vec![0; size];
                while scanned.read(&mut buffer).unwrap() > 0 {}
                assert_eq!(scanned.may_hold_large_figures(), expected, "{text} by {size}");
                assert_eq!(scanned.has_content(), !text.is_empty());
            }
        }
    }
}
