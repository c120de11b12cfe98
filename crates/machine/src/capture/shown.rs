//! Lists what an archive holds, for users who want to know what they send.

use super::manifest::{changed, section};
use super::{Capture, CapturedItem};
use crate::source::{FileContents, Source};

/// Maximum depth of folders; sysfs needs about 25.
const MAX_FOLDERS: usize = 64;
/// The sections of a MANIFEST that are shown as they are.
const REPEATED: [&str; 2] = ["Not in here, and why", "Changed, and what was taken out"];

/// What an archive holds. `again` is its capture without private data.
pub(super) fn text(again: &Capture, archive: &Source) -> String {
    let manifest = archive.text("/MANIFEST");
    let mut text = manifest.as_deref().map_or_else(
        || "not made by nearfar capture: it has no MANIFEST\n".to_owned(),
        |manifest| first_line(manifest) + "\n",
    );
    for title in REPEATED {
        section(&mut text, title, manifest.iter().flat_map(|text| lines(text, title)).collect());
    }
    let mut found = Vec::new();
    files(archive, "", MAX_FOLDERS, &mut found);
    found.retain(|(path, _)| path != "/MANIFEST");
    let is_kept = |path: &str| matches!(again.items.get(path), Some(CapturedItem::File { .. }));
    let unread = found.iter().filter(|(path, _)| !is_kept(path));
    let unread = unread.map(|(path, _)| format!("{path}: no rule reads it"));
    let unread = unread.chain(changed(again)).collect();
    section(&mut text, "In here, and left out by 'nearfar capture --root' of it", unread);
    let line = |(path, bytes): (String, usize)| format!("{path} {bytes}");
    section(&mut text, "In here, with bytes", found.into_iter().map(line).collect());
    text
}

/// A MANIFEST is text of the archive: control characters are replaced.
fn first_line(manifest: &str) -> String {
    manifest.lines().next().unwrap_or_default().replace(nearfar_model::is_obeyed, "?")
}

/// The lines below a title.
fn lines(manifest: &str, title: &str) -> Vec<String> {
    let below = manifest.lines().skip_while(|line| *line != title).skip(1);
    below.map_while(|line| line.strip_prefix("  ").map(str::to_owned)).collect()
}

/// The files below a folder and their sizes; links are not followed.
fn files(archive: &Source, folder: &str, depth: usize, found: &mut Vec<(String, usize)>) {
    for name in archive.list(if folder.is_empty() { "/" } else { folder }) {
        let path = format!("{folder}/{name}");
        if archive.link(&path).is_some() {
            continue;
        }
        match archive.contents(&path) {
            FileContents::Bytes(bytes) => found.push((path, bytes.len())),
            FileContents::Denied => {}
            FileContents::Absent if depth > 0 => files(archive, &path, depth - 1, found),
            FileContents::Absent => {}
        }
    }
}
