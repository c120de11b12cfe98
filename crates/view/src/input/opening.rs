//! A file that is read up to a limit.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use nearfar_model::Bytes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use crate::input::Refusal;

/// Time in which a program has to open a pipe for writing: enough to start it by hand.
const WRITER_WITHIN: Duration = Duration::from_secs(10);

/// A file or a pipe that is read up to a limit; more is an error.
#[derive(Debug)]
pub struct Input {
    file: File,
    is_pipe: bool,
    most: Bytes,
    /// One more than may still be read.
    left: u64,
    writer_within: Duration,
}

/// Opens a file or a pipe that a user named.
///
/// # Errors
///
/// Those of open(2); folders, devices, sockets, and files that are larger than `most`.
pub fn open(path: &Path, most: Bytes) -> io::Result<Input> {
    Input::open(path, most, true)
}

/// Opens a file that was found in a folder: a pipe there is refused, too.
///
/// # Errors
///
/// As [`open`].
pub fn open_entry(path: &Path, most: Bytes) -> io::Result<Input> {
    Input::open(path, most, false)
}

/// Reads what [`open`] opens.
///
/// # Errors
///
/// As [`open`], and those of reading.
pub fn read(path: &Path, most: Bytes) -> io::Result<Vec<u8>> {
    open(path, most)?.read_all()
}

/// Reads what [`open_entry`] opens.
///
/// # Errors
///
/// As [`open`], and those of reading.
pub fn read_entry(path: &Path, most: Bytes) -> io::Result<Vec<u8>> {
    open_entry(path, most)?.read_all()
}

impl Input {
    fn open(path: &Path, most: Bytes, allows_pipes: bool) -> io::Result<Self> {
        // Opening a device may rewind a tape or start a watchdog.
        check(&fs::metadata(path)?, most, allows_pipes)?;
        // Opening a pipe without a writer would block.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        // Another file may have the name now.
        let found = file.metadata()?;
        check(&found, most, allows_pipes)?;
        Ok(Self {
            is_pipe: found.file_type().is_fifo(),
            file,
            most,
            left: most.0.saturating_add(1),
            writer_within: WRITER_WITHIN,
        })
    }

    fn read_all(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Whether it is a pipe: it can be read only once.
    pub fn is_pipe(&self) -> bool {
        self.is_pipe
    }

    /// Its size in bytes; 0 of a pipe.
    pub fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |about| about.len())
    }

    /// Fills the buffer from this byte of a regular file on, beside what is read in order.
    ///
    /// # Errors
    ///
    /// Those of reading; the file ends before, or is a pipe.
    pub fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, at)
    }

    /// Waits for data of a pipe, or for its end.
    fn read_pipe(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let is_ready = self.wait()?;
            match (&self.file).read(buffer) {
                // A program holds it open.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Ok(0) if !is_ready => return Err(Refusal::NoWriter(self.writer_within).into()),
                read => return read,
            }
        }
    }

    /// Whether a pipe has data or its writer is gone; false after the time limit.
    fn wait(&self) -> io::Result<bool> {
        let limit = Timespec::try_from(self.writer_within).ok();
        match poll(&mut [PollFd::new(&self.file, PollFlags::IN)], limit.as_ref()) {
            Ok(ready) => Ok(ready > 0),
            Err(error) => Err(error.into()),
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..room];
        let read = match self.is_pipe {
            true => self.read_pipe(buffer)?,
            false => self.file.read(buffer).map_err(without_end)?,
        };
        self.left -= read as u64;
        if self.left == 0 { Err(Refusal::TooLarge(self.most).into()) } else { Ok(read) }
    }
}

/// Files of the kernel's logs have no end.
fn without_end(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock { Refusal::NoEnd.into() } else { error }
}

fn check(found: &Metadata, most: Bytes, allows_pipes: bool) -> Result<(), Refusal> {
    match Refusal::of_type(found.file_type(), allows_pipes) {
        Some(refusal) => Err(refusal),
        None if found.is_file() && found.len() > most.0 => Err(Refusal::TooLarge(most)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixListener;
    use std::thread;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;
    use crate::input::is_too_large;

    const MOST: Bytes = Bytes::mib(1);

    fn pipe(path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    }

    fn refusals(path: &Path) -> [String; 2] {
        [read, read_entry].map(|read| read(path, MOST).unwrap_err().to_string())
    }

    #[test]
    fn what_is_no_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let socket = folder.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        for (path, refusal) in [
            (folder.path(), "it is a folder, not a file"),
            (Path::new("/dev/zero"), "it is a device, not a file"),
            (&link, "it is a device, not a file"),
            (&socket, "it is a socket, not a file"),
        ] {
            assert_eq!(refusals(path), [refusal; 2], "{}", path.display());
        }
        pipe(&folder.path().join("pipe"));
        let entry = read_entry(&folder.path().join("pipe"), MOST).unwrap_err();
        assert_eq!(entry.to_string(), "it is a pipe, not a file");
    }

    #[test]
    fn large_files_are_refused_before_they_are_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        let error = open(file.path(), MOST).unwrap_err();
        assert!(is_too_large(&error) && error.to_string() == "it is larger than 1 MiB", "{error}");
        file.as_file().set_len(MOST.0).unwrap();
        assert_eq!(read(file.path(), MOST).unwrap().len() as u64, MOST.0);
    }

    #[test]
    fn what_has_no_size_is_counted() {
        assert!(is_too_large(&read(Path::new("/proc/self/maps"), Bytes(10)).unwrap_err()));
        assert!(!read(Path::new("/proc/self/maps"), MOST).unwrap().is_empty());
    }

    /// A pipe's text, written by another thread.
    fn through_pipe(texts: &'static [&'static str]) -> io::Result<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        pipe(&path);
        let input = open(&path, Bytes(8)).unwrap();
        let writer = thread::spawn(move || {
            let mut file = File::options().write(true).open(path).unwrap();
            // The reader is gone where it refused what came before.
            texts.iter().map_while(|text| file.write_all(text.as_bytes()).ok()).count()
        });
        let read = input.read_all();
        writer.join().unwrap();
        read
    }

    #[test]
    fn pipes_are_read_to_their_end_or_limit() {
        assert_eq!(through_pipe(&["abc", "", "de"]).unwrap(), b"abcde");
        assert_eq!(through_pipe(&[]).unwrap(), b"");
        assert_eq!(through_pipe(&["12345678"]).unwrap(), b"12345678");
        assert!(is_too_large(&through_pipe(&["1234", "56789"]).unwrap_err()));
    }

    #[test]
    fn a_pipe_without_writer_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        pipe(&path);
        let mut input = open(&path, MOST).unwrap();
        input.writer_within = Duration::from_millis(10);
        let error = input.read_all().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        // A silent writer is none that is missing.
        let mut input = open(&path, MOST).unwrap();
        input.writer_within = Duration::from_millis(10);
        let silent = File::options().write(true).open(&path).unwrap();
        let reader = thread::spawn(move || input.read_all());
        thread::sleep(Duration::from_millis(50));
        drop(silent);
        assert_eq!(reader.join().unwrap().unwrap(), b"");
    }
}
