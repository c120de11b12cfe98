//! Paths as text that loses nothing.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::str::Utf8Chunk;

use serde::Serializer;

/// A path as text: bytes that are not UTF-8 as `\xff`.
pub(crate) fn path_text(path: &Path) -> String {
    let chunks = path.as_os_str().as_bytes().utf8_chunks();
    let text = |chunk: Utf8Chunk<'_>| {
        let odd: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")).collect();
        chunk.valid().to_owned() + &odd
    };
    chunks.map(text).collect()
}

/// For fields of documents.
pub(super) fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path))
}
