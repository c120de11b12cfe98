//! A file that is mapped, and gone through line by line in an order that no prefetcher follows.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ptr::null_mut;

use rustix::mm::{MapFlags, ProtFlags, mmap};

use crate::ring::{FACTOR, INCREMENT};

/// The first word of each line, as far as the greatest power of two of lines.
pub(crate) struct MappedFile(&'static [[usize; WORDS]]);

/// Words in a line of 64 bytes.
const WORDS: usize = 64 / size_of::<usize>();

impl MappedFile {
    /// Maps a file, which must not become shorter meanwhile.
    pub(crate) fn open(path: &str) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let lines = match bytes / 64 {
            0 => return Err(io::Error::other("the file is smaller than a line")),
            lines => 1 << lines.ilog2(),
        };
        // SAFETY: a new mapping at an address of the kernel's choice, of memory that nothing else
        // of this program knows.
        let start =
            unsafe { mmap(null_mut(), lines * 64, ProtFlags::READ, MapFlags::SHARED, &file, 0) }?;
        // SAFETY: the mapping has this number of lines, begins at a page, is readable, and is never
        // unmapped. The file is not written meanwhile: the lab's tests write it before.
        Ok(Self(unsafe { std::slice::from_raw_parts(start.cast(), lines) }))
    }

    /// Steps that lead through all of a file of zeros.
    pub(crate) fn lines(&self) -> u64 {
        self.0.len() as u64
    }

    /// The line that one is at after a number of steps. Each waits for the load before it.
    pub(crate) fn walk(&self, steps: u64) -> usize {
        self.walk_from(0, steps)
    }

    /// The same, from a line on.
    pub(crate) fn walk_from(&self, line: usize, steps: u64) -> usize {
        let lines = self.0.len();
        (0..steps)
            .fold(line, |line, _| (line * FACTOR + INCREMENT).wrapping_add(self.0[line][0]) % lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_file_of_zeros_are_passed() {
        let folder = std::env::temp_dir().join(format!("chase-{}", std::process::id()));
        std::fs::write(&folder, vec![0; 5000]).unwrap();
        let file = MappedFile::open(folder.to_str().unwrap()).unwrap();
        std::fs::remove_file(&folder).unwrap();
        assert_eq!(file.lines(), 64);
        let passed: std::collections::BTreeSet<usize> =
            (0..64).map(|steps| file.walk(steps)).collect();
        assert_eq!((passed.len(), file.walk(64)), (64, 0));
        assert!(MappedFile::open("/nonexistent").is_err());
    }
}
