//! Writes a capture as a gzip-compressed tar archive.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::{Capture, CapturedItem, FileAccess};

/// The top folder of the archive.
const TOP: &str = "nearfar-capture";
/// Modes of files, files that the kernel writes alone, unreadable files and folders.
const READABLE: u32 = 0o644;
const READ_ONLY: u32 = 0o444;
const UNREADABLE: u32 = 0;
const FOLDER: u32 = 0o755;

pub(super) fn write(capture: &Capture, out: impl Write) -> io::Result<()> {
    let mut builder = Builder::new(GzEncoder::new(out, Compression::default()));
    let manifest = capture.manifest();
    append(
        &mut builder,
        &format!("{TOP}/MANIFEST"),
        EntryType::Regular,
        READABLE,
        manifest.as_bytes(),
    )?;
    // A capture is recognised by its 'sys', even if that is empty.
    append(&mut builder, &format!("{TOP}/sys"), EntryType::Directory, FOLDER, &[])?;
    for (path, item) in &capture.items {
        let path = format!("{TOP}{path}");
        match item {
            CapturedItem::File { bytes, access, .. } => {
                let mode = match access {
                    FileAccess::Writable => READABLE,
                    FileAccess::ReadOnly => READ_ONLY,
                };
                append(&mut builder, &path, EntryType::Regular, mode, bytes)?;
            }
            CapturedItem::Denied => {
                append(&mut builder, &path, EntryType::Regular, UNREADABLE, &[])?;
            }
            CapturedItem::Link(target) => link(&mut builder, &path, target)?,
            CapturedItem::Folder => append(&mut builder, &path, EntryType::Directory, FOLDER, &[])?,
        }
    }
    builder.into_inner()?.finish()?.flush()
}

/// A link, relative via the machine's root, so that it is valid wherever the archive is unpacked.
fn link(builder: &mut Builder<impl Write>, path: &str, target: &str) -> io::Result<()> {
    let folders = path.split('/').count() - 2;
    let target = format!("{}{}", "../".repeat(folders), target.trim_start_matches('/'));
    builder.append_link(&mut header(EntryType::Symlink, READABLE, 0), path, target)
}

/// One entry, without time and user: the same capture gives the same bytes.
fn append(
    builder: &mut Builder<impl Write>,
    path: &str,
    kind: EntryType,
    mode: u32,
    bytes: &[u8],
) -> io::Result<()> {
    builder.append_data(&mut header(kind, mode, bytes.len() as u64), path, bytes)
}

fn header(kind: EntryType, mode: u32, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header
}
