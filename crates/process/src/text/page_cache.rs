//! The page cache of files by node; what moved, and what was read before a program starts.

use std::path::Path;

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::count;
use nearfar_view::text::csv_text;
use nearfar_view::text::named_nodes;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;

use super::cut::cut_front;
use crate::page_cache::{
    FileCache, FileMove, FileMoveDocument, PageCacheDocument, StayedPages, WarmedFile, path_text,
};
use crate::{BytesByNode, Unseen};

/// Files that the text shows.
const MAX_SHOWN: usize = 16;
/// Characters of a path at most, in a table.
const MAX_PATH: usize = 60;

/// Cached pages of files by node, the largest first.
pub fn screen(document: &PageCacheDocument) -> Screen {
    let answer = paragraph::of(&in_short(document), "", "  ");
    let is_one = document.files_read <= 1 && document.files.len() <= 1;
    let table = if is_one { String::new() } else { table(document) };
    Screen {
        first: sections([answer, table]),
        rest: notes(document).iter().map(|note| paragraph::of(note, "", "  ")).collect(),
        last: if is_one { String::new() } else { paragraph::bold(&in_short(document)) },
    }
}

/// "models: 8 GiB cached in 2 of 3 files: 6 GiB on node 0, 2 GiB on node 1".
fn in_short(document: &PageCacheDocument) -> String {
    let is_hidden = document.not_seen.iter().any(|part| part.why.hides());
    let is_all = document.is_whole && !is_hidden;
    let least = if is_all { "" } else { "at least " };
    let files = match document.files_read {
        0 | 1 => String::new(),
        all => format!(" in {} of {}", document.files_cached, count(all, "file")),
    };
    let path = name(&document.path);
    let cached = document.cached_bytes;
    match cached.0 {
        0 if is_all => format!("{path}: nothing cached{files}"),
        0 => format!("{path}: no cached page found{files}, and not all were read"),
        _ => format!("{path}: {least}{cached} cached{files}{}", places(&document.by_node)),
    }
}

/// ": 6 GiB on node 0, 2 GiB on node 1".
fn places(by_node: &BytesByNode) -> String {
    let places: Vec<String> =
        by_node.iter().map(|(node, bytes)| format!("{bytes} on node {node}")).collect();
    if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) }
}

fn name(path: &Path) -> String {
    printable::line(&path_text(path)).into_owned()
}

fn table(document: &PageCacheDocument) -> String {
    let nodes: Vec<NodeId> = document.by_node.nodes().iter().collect();
    let shown = |size: Bytes| if size.0 == 0 { "-".to_owned() } else { size.to_string() };
    let line = |file: &FileCache| {
        let by_node = nodes.iter().map(|node| shown(file.by_node.on(*node)));
        let first = [file.cached.to_string(), file.size.to_string()];
        let path = cut_front(&name(&file.path), MAX_PATH);
        first.into_iter().chain(by_node).chain([path]).collect::<Vec<String>>()
    };
    if document.files.is_empty() {
        return String::new();
    }
    let by_node = nodes.iter().map(|node| format!("node {node}"));
    let head = ["cached", "of"].map(str::to_owned).into_iter().chain(by_node);
    let mut aligns = vec![Align::Right; nodes.len() + 2];
    aligns.push(Align::Left);
    let lines = document.files.iter().take(MAX_SHOWN).map(line);
    let more = match document.files_cached.saturating_sub(MAX_SHOWN) {
        0 => String::new(),
        more => {
            let more = count(more, "smaller file");
            paragraph::of(&format!("and {more} with cached pages: --json lists 1000"), "", "  ")
        }
    };
    headed(head.chain(["file".to_owned()]), lines, &aligns) + &more
}

/// What is missing, in lines.
pub fn notes(document: &PageCacheDocument) -> Vec<String> {
    let not_seen = document.not_seen.iter().map(|part| {
        let files = count(part.files, part.why.noun());
        match part.why {
            Unseen::Vanished => format!("{files} {}", part.why),
            _ => format!("{files} not read: {}", part.why),
        }
    });
    let cut = (!document.is_whole)
        .then(|| "--budget ended before all files were read: figures are lower bounds".to_owned());
    let again = (document.read_again_pages > 0).then(|| {
        let pages = document.read_again_pages;
        format!("evicted meanwhile, and read from the disk again: {}", count_pages(pages))
    });
    let located = document.by_node.total();
    let unknown = (located < document.cached_bytes).then(|| {
        let bytes = Bytes(document.cached_bytes.0 - located.0);
        format!("{bytes} on unknown nodes: the kernel does not report them")
    });
    let listed = document.files.len();
    let more = (listed < document.files_cached)
        .then(|| format!("{listed} of {} files are listed", document.files_cached));
    not_seen.chain(cut).chain(again).chain(unknown).chain(more).collect()
}

fn count_pages(pages: u64) -> String {
    count(usize::try_from(pages).unwrap_or(usize::MAX), "page")
}

/// The listed files by node as CSV.
pub fn csv(document: &PageCacheDocument) -> String {
    let row = |file: &FileCache, node: NodeId, bytes: Bytes| {
        let path = path_text(&file.path);
        [path, file.size.0.to_string(), node.to_string(), bytes.0.to_string()]
    };
    let rows = document.files.iter().flat_map(|file| {
        file.by_node.iter().map(move |(node, bytes)| row(file, node, bytes)).collect::<Vec<_>>()
    });
    csv_text::under("file,size_bytes,node,cached_bytes", rows)
}

/// What moved, a line for each file, and what did not.
pub fn moved(document: &FileMoveDocument) -> String {
    document.files.iter().flat_map(|file| moved_lines(file, &document.nodes)).collect()
}

fn moved_lines(file: &FileMove, nodes: &NodeSet) -> Vec<String> {
    let (on, all) = (file.after.on_any(nodes), file.after.total());
    let line = match all.0 {
        0 => format!("{}: nothing cached, so nothing moved", name(&file.path)),
        _ => format!(
            "{}: {} moved: {on} of its {all} in the page cache are on {}",
            name(&file.path),
            file.moved_bytes,
            named_nodes(nodes)
        ),
    };
    let stayed = |StayedPages { why, bytes }: &StayedPages| {
        let why = why.as_deref().unwrap_or("the kernel gives no reason: in use, or pinned");
        paragraph::of(&format!("{bytes} stayed: {why}"), "  ", "    ")
    };
    let first = paragraph::of(&line, "", "  ");
    [first].into_iter().chain(file.stayed.iter().map(stayed)).collect()
}

/// "model: 8 GiB on node 1 (6 GiB read, 2 GiB moved)".
pub fn warmed(file: &WarmedFile, nodes: &NodeSet) -> String {
    let now = &file.now;
    let there = now.by_node.on_any(nodes);
    let missing = match now.size.0.saturating_sub(there.0) {
        0 => String::new(),
        missing => format!("; {} elsewhere or not cached", Bytes(missing)),
    };
    format!(
        "{}: {there} on {} ({} read, {} moved){missing}",
        name(&now.path),
        named_nodes(nodes),
        file.read,
        file.moved
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::read_page_cache;

    #[test]
    fn totals_are_lower_bounds_where_not_all_was_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), vec![1; 1 << 20]).unwrap();
        let all = screen(&read_page_cache(folder.path(), None).unwrap()).text();
        let path = folder.path().display();
        assert!(all.starts_with(&format!("{path}: 1 MiB cached")), "{all}");
        let none = screen(&read_page_cache(folder.path(), Some(Duration::ZERO)).unwrap()).text();
        assert!(none.contains("no cached page found, and not all were read"), "{none}");
        assert!(none.contains("figures are lower bounds"), "{none}");
    }

    #[test]
    fn csv_has_a_line_for_each_file_and_node() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        fs::write(&file, vec![1; 1 << 20]).unwrap();
        let text = csv(&read_page_cache(&file, None).unwrap());
        let line = text.lines().nth(1).unwrap_or_default();
        assert!(line.starts_with(file.to_str().unwrap()) && line.ends_with(",1048576"), "{text}");
    }
}
