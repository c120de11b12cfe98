//! Pages for readers: their links lead somewhere, and they stay short and narrow.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::ensure;

use crate::sources::read;

/// Words of ARCHITECTURE.md: one sitting. Other pages have a reader instead of a limit.
const MAX_WORDS: usize = 2_000;

/// Columns of a line of prose.
const WIDEST: usize = 100;

/// Folders with which the paths of the repository begin.
const FOLDERS: [&str; 6] = ["crates/", "docs/", "lab/", "packages/", "schema/", "xtask/"];

/// The host's pages of releases.
const RELEASES: &str = "releases/latest";

/// The host's pages of workflows, each with a badge.
const WORKFLOWS: &str = "actions/workflows/";

/// The list of all pages, which the docs site has beside them.
const SUMMARY: &str = "docs/SUMMARY.md";

/// As many pages can be known by name: those of a task, without what is kept for the record.
const MAX_PAGES: usize = 40;

/// Folders of pages that are kept for the record, or made by one form.
const RECORDS: [&str; 4] = ["docs/decisions", "docs/evidence", "docs/gallery", "docs/recipes"];

/// How many lines above a transcript its date may stand.
const LINES_TO_DATE: usize = 4;

pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let docs = pages_below(workspace, Path::new("docs"))?;
    let mut files = pages_in(workspace)?;
    for folder in [".github", "packages"] {
        files.extend(pages_below(workspace, Path::new(folder))?);
    }
    files.extend(docs.iter().cloned());
    let mut pages = HashMap::new();
    for file in &files {
        pages.insert(file.clone(), read(&workspace.join(file))?);
    }
    let mut broken: Vec<String> = files
        .iter()
        .flat_map(|file| {
            let text = &pages[file];
            let faults = too_long(file, text).into_iter().chain(lines(text));
            let links = links(text).into_iter();
            let dead = links.filter(|link| !resolves(workspace, &pages, file, link));
            let dead = dead.map(|link| format!("the link '{link}' leads nowhere"));
            let gone = paths(text).filter(|path| !workspace.join(path).exists());
            let faults = faults.chain(dead).chain(gone.map(|path| format!("there is no {path}")));
            faults.map(|fault| format!("{}: {fault}", file.display())).collect::<Vec<_>>()
        })
        .collect();
    broken.extend(summary(&docs, &read(&workspace.join(SUMMARY))?));
    broken.sort();
    ensure!(
        broken.is_empty(),
        "pages break rules (xtask/src/documents.rs):\n  {}",
        broken.join("\n  ")
    );
    println!("documents: {} pages", files.len());
    Ok(())
}

/// The name by which a link finds a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars()
        .filter(|character| character.is_alphanumeric() || "-_".contains(*character))
        .collect()
}

/// The pages of a folder and of those in it, by their paths in the workspace.
pub(crate) fn pages_below(workspace: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut pages = files_below(workspace, folder)?;
    pages.retain(|path| is_page(path));
    Ok(pages)
}

/// The pages beside README.md.
fn pages_in(workspace: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let names = fs::read_dir(workspace)?.map(|entry| Ok(PathBuf::from(entry?.file_name())));
    let names: Vec<PathBuf> = names.collect::<anyhow::Result<_>>()?;
    Ok(names.into_iter().filter(|path| is_page(path)).collect())
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// The files of a folder and of those in it, by their paths in the workspace.
pub(crate) fn files_below(workspace: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace.join(folder))? {
        let path = folder.join(entry?.file_name());
        if workspace.join(&path).is_dir() {
            files.extend(files_below(workspace, &path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Pages that the list lacks or has twice, and how many are too many.
fn summary(docs: &[PathBuf], list: &str) -> Vec<String> {
    let listed: Vec<PathBuf> =
        links(list).into_iter().map(|link| relative(Path::new(SUMMARY), link)).collect();
    let pages = docs.iter().filter(|page| *page != Path::new(SUMMARY));
    let mut faults = Vec::new();
    let mut of_tasks = 0;
    for page in pages {
        of_tasks += usize::from(!RECORDS.iter().any(|folder| page.starts_with(folder)));
        let times = listed.iter().filter(|one| *one == page).count();
        if times != 1 {
            faults.push(format!("{SUMMARY}: {} stands there {times} times", page.display()));
        }
    }
    if of_tasks > MAX_PAGES {
        faults.push(format!("{SUMMARY}: {of_tasks} pages of tasks, and {MAX_PAGES} are the most"));
    }
    faults
}

/// The host's own page that a link of a file names, beside the repository: a page of these files is
/// two levels below it there (`blob/main`).
pub(crate) fn page_of_host<'a>(file: &Path, link: &'a str) -> Option<&'a str> {
    let page = link.strip_prefix(&"../".repeat(file.components().count() + 1))?;
    (page.starts_with(RELEASES) || workflow(page).is_some()).then_some(page)
}

/// The workflow that the host's page or its badge is of.
fn workflow(page: &str) -> Option<&str> {
    let name = page.strip_prefix(WORKFLOWS)?;
    Some(name.strip_suffix("/badge.svg").unwrap_or(name))
}

/// What a link of a file names, by its path.
pub(crate) fn relative(file: &Path, link: &str) -> PathBuf {
    let mut path = file.parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

fn too_long(file: &Path, text: &str) -> Option<String> {
    let words = text.split_whitespace().count();
    (file == Path::new("ARCHITECTURE.md") && words > MAX_WORDS)
        .then(|| format!("{words} words, and {MAX_WORDS} are the most"))
}

/// Lines of prose that are too wide, and transcripts that neither run nor have a date.
fn lines(text: &str) -> Vec<String> {
    let all: Vec<&str> = text.lines().collect();
    let mut faults = Vec::new();
    let mut fence: Option<(&str, usize)> = None;
    for (index, line) in all.iter().enumerate() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some((kind, index)) };
        } else if let Some((kind, start)) = fence {
            // tests run blocks of the kind "console" (crates/cli/tests/it/transcripts.rs)
            let above = &all[start.saturating_sub(LINES_TO_DATE)..start];
            if line.starts_with("$ ") && kind != "console" && !above.iter().any(|one| has_date(one))
            {
                faults.push(format!("line {}: a transcript without a date above it", index + 1));
            }
        } else if line.starts_with("    $ ") {
            faults.push(format!("line {}: a transcript without a fence", index + 1));
        } else if line.chars().count() > WIDEST && !line.starts_with('|') {
            faults.push(format!("line {}: wider than {WIDEST} columns", index + 1));
        }
    }
    faults
}

/// Whether a line has a day, such as 2026-11-23.
fn has_date(line: &str) -> bool {
    let is_day = |window: &[u8]| {
        let mut parts = window.split(|byte| *byte == b'-');
        [4, 2, 2].iter().all(|length| {
            parts
                .next()
                .is_some_and(|part| part.len() == *length && part.iter().all(u8::is_ascii_digit))
        })
    };
    line.as_bytes().windows(10).any(is_day)
}

/// What links and pictures outside of blocks of code name.
fn links(text: &str) -> Vec<&str> {
    let outside = text.split("\n```").step_by(2);
    let parts = outside.flat_map(|prose| prose.split("](").skip(1));
    parts.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link).collect()
}

/// Paths of the repository that stand between backticks.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted.filter(|word| {
        FOLDERS.iter().any(|folder| word.starts_with(*folder)) && !word.contains(['*', '{', ' '])
    })
}

fn resolves(workspace: &Path, pages: &HashMap<PathBuf, String>, file: &Path, link: &str) -> bool {
    let is_address = link.starts_with("https://") || link.starts_with("http://");
    if is_address {
        return true;
    }
    if let Some(page) = page_of_host(file, link) {
        let file = workflow(page).map(|name| workspace.join(".github/workflows").join(name));
        return file.is_none_or(|file| file.is_file());
    }
    let (target, heading) = link.split_once('#').unwrap_or((link, ""));
    let path = if target.is_empty() { file.to_path_buf() } else { relative(file, target) };
    if heading.is_empty() {
        return workspace.join(path).exists();
    }
    pages.get(&path).is_some_and(|text| {
        let headings = text.lines().filter(|line| line.starts_with('#'));
        headings.map(|line| anchor(line.trim_start_matches('#').trim())).any(|one| one == heading)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};

    use super::{anchor, has_date, lines, links, page_of_host, paths, resolves, summary};

    #[test]
    fn anchors_follow_github() {
        assert_eq!(anchor("`bandwidth.cells[]`"), "bandwidthcells");
        assert_eq!(anchor("What it needs"), "what-it-needs");
    }

    #[test]
    fn releases_are_beside_the_repository() {
        let of = |file, link| page_of_host(Path::new(file), link);
        assert_eq!(of("README.md", "../../releases/latest"), Some("releases/latest"));
        let deep = "../../../../releases/latest/download/a";
        assert_eq!(of("docs/start/install.md", deep), Some("releases/latest/download/a"));
        assert_eq!(of("docs/start/install.md", "../../releases/latest"), None);
        assert_eq!(of("README.md", "../../issues"), None);
    }

    #[test]
    fn badges_are_of_workflows_that_are_there() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let is_there = |link| resolves(&workspace, &HashMap::new(), Path::new("README.md"), link);
        assert!(is_there("../../actions/workflows/ci.yml/badge.svg"));
        assert!(is_there("../../actions/workflows/nightly.yml"));
        assert!(!is_there("../../actions/workflows/daily.yml/badge.svg"));
    }

    #[test]
    fn links_in_code_do_not_count() {
        assert_eq!(links("see [a](a.md#x)\n```\n[b](b.md)\n```\n![c](c.svg)"), ["a.md#x", "c.svg"]);
    }

    #[test]
    fn paths_stand_between_backticks() {
        let text = "`crates/a.rs`, `docs/*.md` and crates/b.rs\n`xtask/c`, `cargo run`";
        assert_eq!(paths(text).collect::<Vec<_>>(), ["crates/a.rs", "xtask/c"]);
    }

    #[test]
    fn wide_prose_and_undated_transcripts_are_faults() {
        let wide = "x".repeat(101);
        assert_eq!(lines(&wide).len(), 1);
        assert!(lines(&format!("| {wide} |\n```text\n{wide}\n```")).is_empty());
        assert_eq!(lines("```text\n$ nearfar survey\n```").len(), 1);
        assert_eq!(lines("    $ nearfar survey").len(), 1);
        assert!(lines("On a guest, 2026-11-23:\n\n```text\n$ nearfar survey\n```").is_empty());
        assert!(lines("```console\n$ nearfar show FILE\n```").is_empty());
    }

    #[test]
    fn every_page_stands_in_the_list_once() {
        let pages = ["docs/a/b.md", "docs/a/c.md", "docs/SUMMARY.md"].map(PathBuf::from);
        assert!(summary(&pages, "- [b](a/b.md)\n- [c](a/c.md)").is_empty());
        let faults = summary(&pages, "- [b](a/b.md)\n- [b](a/b.md)");
        assert_eq!(faults[0], "docs/SUMMARY.md: docs/a/b.md stands there 2 times");
        assert_eq!(faults[1], "docs/SUMMARY.md: docs/a/c.md stands there 0 times");
        let many: Vec<PathBuf> = (0..41).map(|it| format!("docs/a/{it}.md").into()).collect();
        assert!(summary(&many, "").iter().any(|fault| fault.contains("41 pages of tasks")));
    }

    #[test]
    fn a_date_has_digits_and_hyphens() {
        assert!(has_date("on 2026-11-23."));
        assert!(!has_date("on 23-11-2026"));
    }
}
