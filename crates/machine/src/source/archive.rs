//! A captured machine in a tar archive, unpacked into memory with a size limit.
//!
//! Archives are untrusted: sizes are counted during unpacking, never taken from a header. Every
//! archive is read to its last byte, because checksums of compressed files are at their end.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use nearfar_model::Bytes;
use tar::{Archive, Entry, EntryType};

use super::gzip::Gzip;
use super::tree::{FileTree, TreeFile, TreeNode};
use super::xz::Xz;
use super::{MAX_FILE_SIZE, is_denied, root, topology_xml};
use crate::error::{MAX_UNPACKED_SIZE, MachineError};

/// Unpacks an archive and finds the machine in it; or reads a topology file, which has less than a
/// machine (true).
pub(super) fn open(path: &Path) -> Result<(FileTree, bool), MachineError> {
    let unreadable = |cause| MachineError::Open { path: path.to_owned(), cause };
    let file = nearfar_view::input::open(path, MAX_UNPACKED_SIZE).map_err(unreadable)?;
    open_reader(path, BufReader::new(file))
}

/// The same of a file that is open.
pub(super) fn open_reader(
    path: &Path,
    mut file: impl BufRead,
) -> Result<(FileTree, bool), MachineError> {
    let unreadable = |cause| MachineError::Open { path: path.to_owned(), cause };
    // A pipe may have no writer.
    file.fill_buf().map_err(unreadable)?;
    let refused = |failure: ArchiveError| failure.for_file(path);
    let mut file = BufReader::new(unpacked(file).map_err(refused)?);
    let start = file.fill_buf().map_err(|error| refused(ArchiveError::from_stream(error)))?;
    if topology_xml::is_begun_by(start) {
        let tree = topology_xml::read(file).map_err(|why| why.for_file(path))?;
        return Ok((tree, true));
    }
    let tree = untar(file, MAX_UNPACKED_SIZE).map_err(refused)?;
    let inner = root::find(path, |folder| tree.folders(folder))?;
    Ok((tree.below(&inner), false))
}

/// Why an archive could not be read.
#[derive(Debug)]
enum ArchiveError {
    /// It exceeds the size limit.
    TooLarge,
    /// It is no tar archive.
    NotTar,
    /// Its compression has an unsupported option.
    Unsupported(io::Error),
    /// It is damaged or cut short.
    Damaged(io::Error),
}

impl ArchiveError {
    fn from_stream(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::FileTooLarge => Self::TooLarge,
            ErrorKind::Unsupported => Self::Unsupported(error),
            _ => Self::Damaged(error),
        }
    }

    fn for_file(self, path: &Path) -> MachineError {
        let path = path.to_owned();
        match self {
            Self::TooLarge => MachineError::TooLarge { path },
            Self::NotTar => MachineError::NotAnArchive { path },
            Self::Unsupported(cause) => MachineError::UnsupportedArchive { path, cause },
            Self::Damaged(cause) => MachineError::Damaged { path, cause },
        }
    }
}

/// The file's content. Its first bytes show its compression.
fn unpacked<'f>(mut file: impl BufRead + 'f) -> Result<Box<dyn Read + 'f>, ArchiveError> {
    Ok(match file.fill_buf().map_err(ArchiveError::Damaged)? {
        [0x1f, 0x8b, ..] => Box::new(Gzip::new(file)),
        [b'B', b'Z', b'h', ..] => Box::new(MultiBzDecoder::new(file)),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Box::new(Xz::new(file)),
        _ => Box::new(file),
    })
}

/// Reads a tar stream to its end.
fn untar(stream: impl Read, most: Bytes) -> Result<FileTree, ArchiveError> {
    let mut archive =
        Archive::new(LimitedReader { stream, left: most.0, ended: false, failed: false });
    let tree = entries(&mut archive, most);
    let mut stream = archive.into_inner();
    let tree = match tree {
        Ok(tree) => tree,
        Err(TarError { is_first: true, .. }) if !stream.failed => {
            io::copy(&mut stream, &mut io::sink()).map_err(ArchiveError::from_stream)?;
            return Err(ArchiveError::NotTar);
        }
        Err(TarError { error, .. }) => return Err(ArchiveError::from_stream(error)),
    };
    // A stream that is cut between two entries lacks the final block of zeros.
    if stream.ended {
        return Err(ArchiveError::Damaged(ErrorKind::UnexpectedEof.into()));
    }
    only_zeros_follow(&mut stream).map_err(ArchiveError::from_stream)?;
    Ok(tree)
}

/// Reads to the end of a stream, where its checksum is verified.
fn only_zeros_follow(stream: &mut impl Read) -> io::Result<()> {
    let mut buffer = [0; 8192];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) if buffer[..read].iter().all(|&byte| byte == 0) => {}
            Ok(_) => {
                return Err(io::Error::new(
                    ErrorKind::InvalidData,
                    "more follows the archive's end",
                ));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// An entry that could not be read.
struct TarError {
    error: io::Error,
    /// Whether no entry was read before it.
    is_first: bool,
}

/// The entries of an archive, up to the block of zeros that ends it.
fn entries(archive: &mut Archive<impl Read>, most: Bytes) -> Result<FileTree, TarError> {
    let later = |error| TarError { error, is_first: false };
    let mut tree = FileTree::new();
    let mut kept = 0;
    for (index, entry) in archive.entries().map_err(later)?.enumerate() {
        let entry = entry.map_err(|error| TarError { error, is_first: index == 0 })?;
        kept += keep(entry, &mut tree).map_err(later)?;
        // Sparse files unpack to more than the stream holds.
        if kept > most.0 {
            return Err(later(ErrorKind::FileTooLarge.into()));
        }
    }
    Ok(tree)
}

/// Adds an entry to the tree. Returns its size in bytes.
fn keep(mut entry: Entry<'_, impl Read>, tree: &mut FileTree) -> io::Result<u64> {
    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    let target = entry.link_name_bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    match (entry.header().entry_type(), target) {
        (EntryType::Directory, _) => tree.add_folder(&name),
        (EntryType::Symlink, Some(target)) => tree.put(&name, TreeNode::Link(target)),
        (EntryType::Link, Some(target)) => tree.add_name(&name, &target),
        // Captures store unreadable files as empty and with mode 0.
        (EntryType::Regular, _)
            if entry.size() == 0 && entry.header().mode().is_ok_and(is_denied) =>
        {
            tree.put(&name, TreeNode::Denied);
        }
        (EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse, _)
            if entry.size() <= MAX_FILE_SIZE.0 =>
        {
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            let size = content.len() as u64;
            if size < entry.size() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let mode = entry.header().mode().ok();
            tree.put(&name, TreeNode::File(TreeFile::new(content, mode)));
            return Ok(size);
        }
        _ => {}
    }
    Ok(0)
}

/// A stream that fails above a size limit.
struct LimitedReader<R> {
    stream: R,
    left: u64,
    /// Whether its end was reached.
    ended: bool,
    /// Whether it failed: later data is invalid.
    failed: bool,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer).and_then(|read| {
            self.left = self.left.checked_sub(read as u64).ok_or(ErrorKind::FileTooLarge)?;
            Ok(read)
        });
        match &read {
            Ok(read) => self.ended |= *read == 0 && !buffer.is_empty(),
            Err(error) => self.failed |= error.kind() != ErrorKind::Interrupted,
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::source::FileContents;

    fn a_tar() -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        for (name, content) in
            [("m/sys/devices/system/cpu/online", "0-1\n"), ("m/proc/version", "Linux version 6\n")]
        {
            header.set_size(content.len() as u64);
            builder.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn opened(bytes: &[u8]) -> Result<FileTree, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let shown = file.path().display().to_string();
        let opened = open(file.path()).map(|(tree, _)| tree);
        opened.map_err(|error| error.to_string().replace(&shown, "FILE"))
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

    /// The archive of [`a_tar`], compressed by XZ Utils 5.4.1 with several options.
    const PACKED_BY_XZ: [(&str, &[u8]); 6] = [
        ("--check=crc32", include_bytes!("../../tests/data/xz/crc32.tar.xz")),
        ("--check=crc64", include_bytes!("../../tests/data/xz/crc64.tar.xz")),
        ("--check=sha256", include_bytes!("../../tests/data/xz/sha256.tar.xz")),
        ("--delta=dist=4 --x86 --lzma2", include_bytes!("../../tests/data/xz/filters.tar.xz")),
        ("--block-size=1024", include_bytes!("../../tests/data/xz/blocks.tar.xz")),
        ("two streams and padding", include_bytes!("../../tests/data/xz/streams.tar.xz")),
    ];

    /// The same archive in all supported compressions.
    fn packings() -> Vec<(&'static str, Vec<u8>)> {
        let plain = a_tar();
        let (first, second) = plain.split_at(700);
        let mut all = vec![
            ("gzip", gzip(&plain)),
            ("gzip, two members", [gzip(first), gzip(second)].concat()),
            ("bzip2", bzip2(&plain)),
            ("bzip2, two members", [bzip2(first), bzip2(second)].concat()),
        ];
        all.extend(PACKED_BY_XZ.map(|(options, packed)| (options, packed.to_vec())));
        all
    }

    fn read(bytes: &[u8]) -> Result<FileTree, ArchiveError> {
        read_up_to(bytes, MAX_UNPACKED_SIZE)
    }

    fn read_up_to(bytes: &[u8], most: Bytes) -> Result<FileTree, ArchiveError> {
        untar(unpacked(bytes)?, most)
    }

    /// Whether damaged bytes are refused, or have no effect.
    fn refused_or_same(damaged: &[u8], whole: &FileTree) -> bool {
        read(damaged).map_or(true, |tree| tree == *whole)
    }

    #[test]
    fn all_compressions_give_the_same_machine() {
        let whole = read(&a_tar()).unwrap();
        assert_eq!(
            whole.contents("/m/sys/devices/system/cpu/online"),
            FileContents::Bytes(b"0-1\n".to_vec())
        );
        for (name, packed) in packings() {
            assert_eq!(read(&packed).unwrap(), whole, "{name}");
        }
    }

    #[test]
    fn changed_bytes_of_compressed_archives_are_detected() {
        let whole = read(&a_tar()).unwrap();
        for (name, packed) in packings() {
            for at in 0..packed.len() {
                for change in [0x01, 0x10, 0x80, 0xff] {
                    let mut damaged = packed.clone();
                    damaged[at] ^= change;
                    assert!(refused_or_same(&damaged, &whole), "{name}: byte {at} ^ {change:#x}");
                }
                let cut_out = [&packed[..at], &packed[at + 1..]].concat();
                assert!(refused_or_same(&cut_out, &whole), "{name}: without byte {at}");
            }
        }
    }

    #[test]
    fn truncated_compressed_archives_are_refused() {
        for (name, packed) in packings() {
            let padding = packed
                .iter()
                .rev()
                .take_while(|&&byte| name.ends_with("padding") && byte == 0)
                .count();
            for length in 0..packed.len() - padding {
                assert!(read(&packed[..length]).is_err(), "{name}: {length} bytes");
            }
        }
    }

    /// Tar has checksums only for headers: changes in contents are undetectable.
    #[test]
    fn changed_headers_of_plain_archives_are_detected() {
        let plain = a_tar();
        let whole = read(&plain).unwrap();
        let headers = (0..512).chain(1024..1536).chain(2048..plain.len());
        for at in headers {
            for change in [0x01, 0x10, 0x80, 0xff] {
                let mut damaged = plain.clone();
                damaged[at] ^= change;
                assert!(refused_or_same(&damaged, &whole), "byte {at} ^ {change:#x}");
            }
        }
        for length in 0..plain.len() {
            assert!(refused_or_same(&plain[..length], &whole), "{length} bytes");
        }
    }

    #[test]
    fn zeros_in_a_file_do_not_end_an_archive() {
        let mut builder = tar::Builder::new(Vec::new());
        for name in ["m/sys/zeros", "m/sys/more"] {
            let mut header = tar::Header::new_gnu();
            header.set_size(4096);
            builder.append_data(&mut header, name, &[0; 4096][..]).unwrap();
        }
        let plain = builder.into_inner().unwrap();
        assert!(read(&plain).is_ok());
        let between_two_entries = &plain[..512 + 4096];
        assert!(matches!(read(between_two_entries), Err(ArchiveError::Damaged(_))));
    }

    #[test]
    fn bytes_after_the_end_are_refused() {
        for (name, mut packed) in packings().into_iter().chain([("plain", a_tar())]) {
            packed.extend(b"more, and more than that");
            assert!(matches!(read(&packed), Err(ArchiveError::Damaged(_))), "{name}");
        }
        let two_archives = [a_tar(), a_tar()].concat();
        assert!(
            opened(&gzip(&two_archives)).unwrap_err().contains("more follows the archive's end")
        );
    }

    #[test]
    fn compressed_topology_files_are_read() {
        let text = br#"<topology><object type="PU" os_index="3" cpuset="0x8"/></topology>"#;
        let plain = opened(text).unwrap();
        assert!(plain.contents("/sys/devices/system/cpu/online") != FileContents::Absent);
        // Packed by XZ Utils 5.4.1.
        let xz = include_bytes!("../../tests/data/xz/topology.xml.xz");
        for packed in [gzip(text), bzip2(text), xz.to_vec()] {
            assert_eq!(opened(&packed).unwrap(), plain);
            assert!(opened(&packed[..packed.len() - 9]).is_err(), "its checksum is missing");
        }
    }

    #[test]
    fn truncated_archives_have_their_own_error() {
        let plain = a_tar();
        for (_, packed) in packings() {
            let message = opened(&packed[..packed.len() * 2 / 3]).unwrap_err();
            assert!(message.starts_with("FILE is damaged or cut short ("), "{message}");
            assert_eq!(message.lines().count(), 1);
        }
        assert!(opened(&plain[..1025]).unwrap_err().contains("cut short"));
        assert!(opened(&plain[..1024]).unwrap_err().contains("cut short"), "between two entries");
    }

    #[test]
    fn other_files_are_refused() {
        for other in [&b"not a machine"[..], &[7; 2000], &[0x7f, b'E', b'L', b'F']] {
            assert!(opened(other).unwrap_err().starts_with("FILE is not a tar archive"));
            assert!(opened(&gzip(other)).unwrap_err().starts_with("FILE is not a tar archive"));
        }
        assert!(opened(&[0; 10_240]).unwrap_err().starts_with("FILE has no 'sys' folder"));
    }

    #[test]
    fn unsupported_options_are_named() {
        // A stream header with the undefined check 2, and the CRC-32 of its flags.
        let header = [0xfd, b'7', b'z', b'X', b'Z', 0, 0, 2, 0xd3, 0x73, 0xd7, 0xaf];
        let message = opened(&header).unwrap_err();
        assert!(message.starts_with("FILE has an unsupported compression ("), "{message}");
    }

    #[test]
    fn too_large_archives_are_refused() {
        let plain = a_tar();
        let most = Bytes(1024);
        for (name, packed) in packings().into_iter().chain([("plain", plain)]) {
            assert!(matches!(read_up_to(&packed, most), Err(ArchiveError::TooLarge)), "{name}");
        }
    }
}
