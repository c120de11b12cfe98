//! A captured machine in a tar archive, unpacked into memory within bounds.
//!
//! Archives come from strangers. What they unpack to is counted while it is unpacked, never believed from a header.

use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use nearfar_model::Bytes;
use tar::{Archive, Entry, EntryType};

use super::tree::Tree;
use super::{MOST_IN_A_FILE, is_denied, root, xz};
use crate::error::MachineError;

/// The most an archive may unpack to. A machine of 4,096 CPUs has some 200,000 attributes: 200 MiB of tar blocks.
pub(crate) const MOST_UNPACKED: Bytes = Bytes::mib(512);

/// Unpacks an archive and finds the machine in it.
pub(super) fn open(path: &Path) -> Result<Tree, MachineError> {
    let cannot_open = |cause| MachineError::Open { path: path.to_owned(), cause };
    let mut file = File::open(path).map_err(cannot_open)?;
    let packing = Packing::of(&mut file).map_err(cannot_open)?;
    let tree = packing.unpacked(BufReader::new(file)).and_then(|stream| unpack(stream, MOST_UNPACKED));
    let tree = tree.map_err(|cause| match (cause.kind(), packing) {
        (ErrorKind::FileTooLarge, _) => MachineError::TooLarge { path: path.to_owned() },
        (ErrorKind::InvalidInput, Packing::None) => MachineError::NotAnArchive { path: path.to_owned() },
        _ => MachineError::Damaged { path: path.to_owned(), cause },
    })?;
    let inner = root::find(path, |folder| tree.folders(folder))?;
    Ok(tree.below(&inner))
}

/// How an archive is packed, by the first bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Packing {
    None,
    Gzip,
    Bzip2,
    Xz,
}

impl Packing {
    fn of(file: &mut File) -> io::Result<Self> {
        let mut start = Vec::new();
        file.take(6).read_to_end(&mut start)?;
        file.rewind()?;
        Ok(match start.as_slice() {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Self::Xz,
            _ => Self::None,
        })
    }

    fn unpacked(self, file: BufReader<File>) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::None => Box::new(file),
            Self::Gzip => Box::new(MultiGzDecoder::new(file)),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(file)),
            Self::Xz => Box::new(Cursor::new(xz::unpack(file, MOST_UNPACKED)?)),
        })
    }
}

/// Reads a tar stream. The error is of kind `FileTooLarge` when it holds more than `most`,
/// and of kind `InvalidInput` when not even its first entry is one of tar.
fn unpack(stream: impl Read, most: Bytes) -> io::Result<Tree> {
    let mut archive = Archive::new(Bounded { stream, left: most.0, zeros: 0 });
    let mut tree = Tree::new();
    let mut kept = 0;
    for (index, entry) in archive.entries()?.enumerate() {
        let entry = entry.map_err(|error| match (index, error.kind()) {
            (_, ErrorKind::FileTooLarge) => error,
            (0, _) => io::Error::new(ErrorKind::InvalidInput, error),
            _ => error,
        })?;
        kept += keep(entry, &mut tree)?;
        // Sparse files unpack to more than the stream holds.
        if kept > most.0 {
            return Err(ErrorKind::FileTooLarge.into());
        }
    }
    // A stream that was cut between two entries ends without the block of zeros that ends an archive.
    match archive.into_inner().zeros {
        BLOCK.. => Ok(tree),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Takes one entry into the tree; how many bytes were kept. Devices and files above [`MOST_IN_A_FILE`] are left out.
fn keep(mut entry: Entry<'_, impl Read>, tree: &mut Tree) -> io::Result<u64> {
    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    let target = entry.link_name_bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    match (entry.header().entry_type(), target) {
        (EntryType::Directory, _) => tree.add_folder(&name),
        (EntryType::Symlink, Some(target)) => tree.add_link(&name, target),
        (EntryType::Link, Some(target)) => tree.add_name(&name, &target),
        // How a capture keeps what could not be read: empty, and nobody may read it.
        (EntryType::Regular, _) if entry.size() == 0 && entry.header().mode().is_ok_and(is_denied) => {
            tree.add_denied(&name);
        }
        (EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse, _) if entry.size() <= MOST_IN_A_FILE.0 => {
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            let size = content.len() as u64;
            if size < entry.size() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            tree.add_file(&name, content);
            return Ok(size);
        }
        _ => {}
    }
    Ok(0)
}

/// Entries and the end mark of a tar archive stand in blocks of this size (tar(5)).
const BLOCK: u64 = 512;

/// A stream that fails once more than so much was read.
struct Bounded<R> {
    stream: R,
    left: u64,
    /// How many zeros were read last.
    zeros: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or(ErrorKind::FileTooLarge)?;
        self.zeros = match buffer[..read].iter().rposition(|&byte| byte != 0) {
            Some(last) => (read - last - 1) as u64,
            None => self.zeros + read as u64,
        };
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn a_tar() -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        for (name, content) in [("m/sys/devices/system/cpu/online", "0-1\n"), ("m/proc/version", "Linux version 6\n")] {
            header.set_size(content.len() as u64);
            builder.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn opened(bytes: &[u8]) -> Result<Tree, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let shown = file.path().display().to_string();
        open(file.path()).map_err(|error| error.to_string().replace(&shown, "FILE"))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        lzma_rs::xz_compress(&mut &bytes[..], &mut packed).unwrap();
        packed
    }

    #[test]
    fn every_packing_gives_the_same_machine() {
        let plain = a_tar();
        for packed in [plain.clone(), gzip(&plain), bzip2(&plain), xz(&plain)] {
            let tree = opened(&packed).unwrap();
            assert_eq!(
                tree.contents("/sys/devices/system/cpu/online"),
                super::super::Contents::Found(b"0-1\n".to_vec())
            );
        }
    }

    #[test]
    fn archives_cut_short_are_said_to_be() {
        let plain = a_tar();
        for packed in [gzip(&plain), bzip2(&plain), xz(&plain)] {
            let said = opened(&packed[..packed.len() * 2 / 3]).unwrap_err();
            assert!(said.starts_with("FILE is damaged or cut short ("), "{said}");
            assert_eq!(said.lines().count(), 1);
        }
        assert!(opened(&plain[..1025]).unwrap_err().contains("cut short"));
        assert!(opened(&plain[..1024]).unwrap_err().contains("cut short"), "between two entries");
    }

    #[test]
    fn other_files_are_refused() {
        for other in [&b"not a machine"[..], &[7; 2000], &[0x7f, b'E', b'L', b'F']] {
            assert!(opened(other).unwrap_err().starts_with("FILE is not a tar archive"));
        }
        assert!(opened(&[0; 10_240]).unwrap_err().starts_with("FILE holds no 'sys' folder"));
    }

    #[test]
    fn an_archive_above_the_limit_is_refused() {
        let error = unpack(&a_tar()[..], Bytes(1024)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn damaged_archives_never_panic() {
        let plain = a_tar();
        for packed in [plain.clone(), gzip(&plain), bzip2(&plain), xz(&plain)] {
            for place in 0..packed.len().min(400) {
                let mut damaged = packed.clone();
                damaged[place] ^= 0x55;
                let _ = opened(&damaged);
            }
        }
    }
}
