//! The archive that a kernel unpacks as its first file system: cpio's "newc", as the kernel's
//! `early-userspace` documents it.

use std::io::{self, Write};

use super::tree::ArchiveEntry;

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_777;

/// An archive that is being written.
pub(super) struct Archive<W> {
    to: W,
    entries: u32,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, entries: 0 }
    }

    /// Adds an entry. The folder that it is in comes before it.
    pub(super) fn add(&mut self, name: &str, entry: &ArchiveEntry) -> io::Result<()> {
        match entry {
            ArchiveEntry::Folder => self.entry(name, FOLDER, b""),
            ArchiveEntry::File(permissions, bytes) => self.entry(name, FILE | permissions, bytes),
            ArchiveEntry::Link(target) => self.entry(name, LINK, target.as_bytes()),
        }
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.entry("TRAILER!!!", 0, b"")?;
        Ok(self.to)
    }

    fn entry(&mut self, name: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
        let size = u32::try_from(bytes.len()).map_err(|_| {
            io::Error::new(io::ErrorKind::FileTooLarge, format!("{name} is larger than 4 GiB"))
        })?;
        self.entries += 1;
        // inode, mode, user, group, links, time, size, device (4 numbers), length of the name,
        // checksum (none)
        let numbers = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        let mut header = b"070701".to_vec();
        for number in numbers {
            header.extend(format!("{number:08X}").into_bytes());
        }
        header.extend(name.as_bytes());
        header.push(0);
        self.padded(&header)?;
        self.padded(bytes)
    }

    /// Headers and contents begin at multiples of four.
    fn padded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.to.write_all(&[0; 3][..bytes.len().next_multiple_of(4) - bytes.len()])
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// The names of an archive, read by the format's own rules and not by the writer's code.
    fn names(mut bytes: &[u8]) -> Vec<(String, u32, usize)> {
        let mut names = Vec::new();
        loop {
            assert_eq!(&bytes[..6], b"070701");
            let number = |at: usize| {
                u32::from_str_radix(std::str::from_utf8(&bytes[6 + 8 * at..][..8]).unwrap(), 16)
                    .unwrap()
            };
            let (mode, size, name_length) = (number(1), number(6) as usize, number(11) as usize);
            let name = String::from_utf8(bytes[110..110 + name_length - 1].to_vec()).unwrap();
            if name == "TRAILER!!!" {
                return names;
            }
            names.push((name, mode, size));
            let data = (110 + name_length).div_ceil(4) * 4;
            bytes = &bytes[data + size.div_ceil(4) * 4..];
        }
    }

    fn sample() -> Vec<u8> {
        let mut archive = Archive::new(Vec::new());
        archive.add("bin", &ArchiveEntry::Folder).unwrap();
        archive.add("sbin", &ArchiveEntry::Link("bin".to_owned())).unwrap();
        for length in 0..5 {
            archive
                .add(
                    &format!("bin/{}", "x".repeat(length + 1)),
                    &ArchiveEntry::File(0o755, vec![7; length]),
                )
                .unwrap();
        }
        archive.finish().unwrap()
    }

    #[test]
    fn every_entry_can_be_found_whatever_its_length() {
        let found = names(&sample());
        assert_eq!(found[0], ("bin".to_owned(), 0o040_755, 0));
        assert_eq!(found[1], ("sbin".to_owned(), 0o120_777, 3));
        assert_eq!(found[6], ("bin/xxxxx".to_owned(), 0o100_755, 4));
    }

    #[test]
    fn cpio_reads_it_where_there_is_a_cpio() {
        let command = Command::new("cpio")
            .args(["-t", "--quiet"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut cpio) = command else { return };
        cpio.stdin.take().unwrap().write_all(&sample()).unwrap();
        let output = cpio.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 7);
    }
}
