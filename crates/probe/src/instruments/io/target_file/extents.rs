//! Where the bytes of a file are: holes and unwritten extents read as zeros, without the disk.
//!
//! # References
//!
//! lseek(2), `SEEK_HOLE`; Documentation/filesystems/fiemap.rst; statfs(2)

#![allow(unsafe_code)]

use std::fmt;
use std::fs::File;
use std::os::fd::AsRawFd;

use nearfar_model::Bytes;

/// A part of a file that is not on the disk as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadExtent {
    /// Where it begins.
    pub offset: u64,
    kind: ExtentKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExtentKind {
    Hole,
    Unwritten,
    Delayed,
    Encoded,
    Inline,
}

impl fmt::Display for BadExtent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ExtentKind::Hole => "has a hole",
            ExtentKind::Unwritten => "has an extent that was never written",
            ExtentKind::Delayed => "has bytes that are only in memory yet (run sync)",
            ExtentKind::Encoded => "is compressed or encrypted by its file system",
            ExtentKind::Inline => "shares blocks with metadata",
        };
        write!(f, "{what} at byte {}", self.offset)
    }
}

/// The first hole, if it is before the end.
pub(super) fn first_hole(file: &File, bytes: Bytes) -> Option<BadExtent> {
    // SAFETY: no memory is involved.
    let offset = unsafe { libc::lseek64(file.as_raw_fd(), 0, libc::SEEK_HOLE) };
    let offset = u64::try_from(offset).ok()?;
    (offset < bytes.0).then_some(BadExtent { offset, kind: ExtentKind::Hole })
}

/// `FS_IOC_FIEMAP` of linux/fs.h.
const FIEMAP: u64 = 0xC020_660B;
/// Flags of linux/fiemap.h, the first that fits names the kind.
const LAST: u32 = 0x1;
const KINDS: [(u32, ExtentKind); 4] = [
    (0x800, ExtentKind::Unwritten),
    (0x4, ExtentKind::Delayed),
    (0x8, ExtentKind::Encoded),
    (0x600, ExtentKind::Inline),
];
/// Extents of one call.
const BATCH: usize = 128;
/// A file in more pieces than this is not looked at to its end.
const MAX_CALLS: u32 = 8_192;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    reserved_end: [u32; 3],
}

#[repr(C)]
struct ExtentMap {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [Extent; BATCH],
}

/// The first extent that is not on the disk; `None` where all are, or the file system has no map.
pub(super) fn bad_extent(file: &File) -> Option<BadExtent> {
    let mut start = 0;
    for _ in 0..MAX_CALLS {
        let mut map = ExtentMap {
            start,
            length: u64::MAX - start,
            flags: 0,
            mapped: 0,
            count: BATCH as u32,
            reserved: 0,
            extents: [Extent::default(); BATCH],
        };
        // SAFETY: the map has room for as many extents as it claims.
        let status = unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as _, &raw mut map) };
        let mapped = map.extents.get(..map.mapped as usize)?;
        if status < 0 || mapped.is_empty() {
            return None;
        }
        if let Some(bad) = mapped.iter().find_map(judge) {
            return Some(bad);
        }
        let last = mapped.last()?;
        let next = last.logical.checked_add(last.length)?;
        if last.flags & LAST != 0 || next <= start {
            return None;
        }
        start = next;
    }
    None
}

fn judge(extent: &Extent) -> Option<BadExtent> {
    let (_, kind) = KINDS.into_iter().find(|(flags, _)| extent.flags & flags != 0)?;
    Some(BadExtent { offset: extent.logical, kind })
}

/// Whether this process is root's.
pub(super) fn is_root() -> bool {
    // SAFETY: geteuid(2) always succeeds, and takes nothing.
    unsafe { libc::geteuid() == 0 }
}

/// The magic number of a file's file system.
pub(super) fn file_system(file: &File) -> Option<i64> {
    // SAFETY: all-zero is a valid `statfs`, and the kernel writes one.
    let mut found: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let status = unsafe { libc::fstatfs(file.as_raw_fd(), &raw mut found) };
    #[allow(clippy::unnecessary_cast)] // its type differs between C libraries
    let kind = found.f_type as i64;
    (status == 0).then_some(kind)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn holes_are_found_where_the_file_system_has_them() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 8192]).unwrap();
        assert_eq!(first_hole(&file, Bytes(8192)), None);
        file.write_all_at(&[1], 1 << 20).unwrap();
        let hole = first_hole(&file, Bytes((1 << 20) + 1));
        let text = hole.map(|hole| hole.to_string());
        assert!(text.is_none_or(|text| text == "has a hole at byte 8192"), "{hole:?}");
    }

    #[test]
    fn flags_of_extents_are_judged() {
        let extent = |flags| Extent { logical: 4096, flags, ..Extent::default() };
        assert_eq!(judge(&extent(LAST)), None);
        assert_eq!(judge(&extent(0x2000)), None, "shared with a copy, and on the disk");
        let unwritten = judge(&extent(0x801)).unwrap().to_string();
        assert_eq!(unwritten, "has an extent that was never written at byte 4096");
        assert_eq!(size_of::<Extent>(), 56);
        assert_eq!(size_of::<ExtentMap>(), 32 + BATCH * 56);
    }
}
