//! What a survey says on the side: kept, and shown only when it fails.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A sink that remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asides(Arc<Mutex<Vec<u8>>>);

impl Asides {
    /// What was said, line by line.
    pub(crate) fn lines(&self) -> Vec<String> {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&said).lines().map(str::to_owned).collect()
    }
}

impl Write for Asides {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_remembered_by_every_copy() {
        let asides = Asides::default();
        asides.clone().write_all(b"one\ntwo").unwrap();
        assert_eq!(asides.lines(), ["one", "two"]);
    }
}
