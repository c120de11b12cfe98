//! Core-to-core latencies that are no survey: a CSV file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use nearfar_report::pictures::{SurveyPictures, core_to_core};

/// The largest table that is read: 2,048 CPUs, both triangles, 20 digits each, are 88 MB.
const MOST_BYTES: u64 = 128 << 20;

/// The maps of a file that is such a table; none of one that holds JSON or nothing, or is no
/// regular file.
pub(crate) fn maps(path: &Path) -> anyhow::Result<Option<SurveyPictures>> {
    let unreadable = || format!("cannot read {}", path.display());
    let about = std::fs::metadata(path).with_context(unreadable)?;
    if !about.is_file() || about.len() == 0 {
        return Ok(None);
    }
    let text = text(path).with_context(unreadable)?;
    if text.trim_start().starts_with('{') {
        return Ok(None);
    }
    if text.len() as u64 > MOST_BYTES {
        bail!("{} is larger than 128 MiB: not a matrix of CPUs", path.display());
    }
    let no_matrix = |why| anyhow!("{} holds no matrix of latencies: {why}", path.display());
    core_to_core(&text).map(Some).map_err(no_matrix)
}

/// The file as text, up to a little more than the most.
fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
