//! The docs site (`./dev book`): lays out what mdBook reads, and checks the pages it made.
//!
//! A page of `docs/` keeps its path without that folder; pages beside README.md keep their names.
//! Links to other files of the repository lead to its host.

mod site;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

pub(crate) use self::site::check;

use crate::documents::{self, page_of_host, relative};
use crate::sources::read;

/// Pages outside of `docs/`.
const PROJECT: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/// The page under which the generated pages of JSON documents stand in the list of pages.
const ABOVE_JSON: &str = "(libraries/documents.md)";

/// Writes `book.toml` and `src` into a folder. Its `src/json` has a page of each kind of document,
/// made by `nearfar schema`.
pub(crate) fn lay_out(workspace: &Path, folder: &Path) -> anyhow::Result<()> {
    let repository = repository(workspace)?;
    let mut files = documents::files_below(workspace, Path::new("docs"))?;
    files.extend(PROJECT.map(PathBuf::from));
    // The list of pages is beside all of them, and no page itself.
    let pages = files.iter().filter(|file| *file != Path::new("docs/SUMMARY.md"));
    let known: BTreeSet<PathBuf> = pages.cloned().collect();
    for file in &files {
        let target = folder.join("src").join(in_book(file));
        fs::create_dir_all(target.parent().context("a file without a folder")?)?;
        if file.extension().is_some_and(|extension| extension == "md") {
            let text = read(&workspace.join(file))?;
            fs::write(target, with_links(file, &text, &known, &repository))?;
        } else {
            fs::copy(workspace.join(file), target)?;
        }
    }
    for name in ["book.toml", "book.css"] {
        fs::rename(folder.join("src").join(name), folder.join(name))?;
    }
    let summary = folder.join("src/SUMMARY.md");
    let pages = with_generated(&read(&summary)?, &folder.join("src/json"))?;
    Ok(fs::write(summary, pages)?)
}

/// The address at which the repository is, by `Cargo.toml`.
fn repository(workspace: &Path) -> anyhow::Result<String> {
    let text = read(&workspace.join("Cargo.toml"))?;
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("repository = \""));
    let address = lines.next().context("Cargo.toml names no repository")?;
    Ok(address.trim_end_matches('"').to_owned())
}

/// Where a file of the repository is in the book.
fn in_book(file: &Path) -> &Path {
    file.strip_prefix("docs").unwrap_or(file)
}

/// A page with its links as the book needs them, without badges: a site loads nothing of others.
fn with_links(file: &Path, text: &str, known: &BTreeSet<PathBuf>, repository: &str) -> String {
    let mut page = String::new();
    let kept = text.split_inclusive('\n').filter(|line| !line.starts_with("[!["));
    let text: String = kept.collect();
    for (index, part) in text.split("\n```").enumerate() {
        if index > 0 {
            page.push_str("\n```");
        }
        if index % 2 == 1 {
            page.push_str(part);
            continue;
        }
        let mut links = part.split("](");
        page.push_str(links.next().unwrap_or_default());
        for rest in links {
            let (link, after) = rest.split_once(')').unwrap_or((rest, ""));
            let link = moved(file, link, known, repository);
            page.push_str(&format!("]({link}){after}"));
        }
    }
    // pictures of README.md
    page.replace("=\"docs/", "=\"")
}

fn moved(file: &Path, link: &str, known: &BTreeSet<PathBuf>, repository: &str) -> String {
    if link.contains("://") || link.starts_with('#') {
        return link.to_owned();
    }
    if let Some(page) = page_of_host(file, link) {
        return format!("{repository}/{page}");
    }
    let (target, heading) =
        link.split_once('#').map_or((link, None), |(one, two)| (one, Some(two)));
    let path = relative(file, target);
    let mut moved = if known.contains(&path) {
        let depth = in_book(file).components().count() - 1;
        let path = in_book(&path).display().to_string();
        // mdBook's name of such a page, but in its list
        let is_list = file.ends_with("SUMMARY.md");
        let path = if is_list { path } else { path.replace("README.md", "index.md") };
        format!("{}{path}", "../".repeat(depth))
    } else {
        format!("{repository}/blob/main/{}", path.display())
    };
    if let Some(heading) = heading {
        moved.push('#');
        moved.push_str(heading);
    }
    moved
}

/// The list of pages with a page of each JSON document.
fn with_generated(summary: &str, json: &Path) -> anyhow::Result<String> {
    let names = fs::read_dir(json).with_context(|| format!("cannot read {}", json.display()))?;
    let names = names.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: BTreeSet<String> = names.collect::<anyhow::Result<_>>()?;
    ensure!(!names.is_empty(), "{} is empty", json.display());
    let mut pages = String::new();
    // In the book, pages beside README.md are beside all others.
    for line in summary.replace("](../", "](").lines() {
        pages.push_str(&format!("{line}\n"));
        if line.contains(ABOVE_JSON) {
            for name in &names {
                pages.push_str(&format!("  - [{}](json/{name})\n", name.trim_end_matches(".md")));
            }
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::{moved, with_generated, with_links};

    fn known() -> BTreeSet<PathBuf> {
        ["README.md", "docs/why/where.md", "docs/a.md"].map(PathBuf::from).into()
    }

    #[test]
    fn links_stay_in_the_book_or_lead_to_the_host() {
        let from = |link| moved(Path::new("docs/why/live.md"), link, &known(), "https://host");
        assert_eq!(from("where.md#files"), "../why/where.md#files");
        assert_eq!(from("../../README.md"), "../index.md");
        assert_eq!(from("../../lab/src"), "https://host/blob/main/lab/src");
        assert_eq!(from("https://kernel.org"), "https://kernel.org");
        assert_eq!(from("#here"), "#here");
        assert_eq!(from("../../../../releases/latest"), "https://host/releases/latest");
    }

    #[test]
    fn code_keeps_its_brackets() {
        let text = "[a](docs/a.md)\n```rust\nf[0](docs/a.md)\n```\n[a](docs/a.md)";
        let page = with_links(Path::new("README.md"), text, &known(), "https://host");
        assert_eq!(page, "[a](a.md)\n```rust\nf[0](docs/a.md)\n```\n[a](a.md)");
    }

    #[test]
    fn badges_stay_away() {
        let text = "# a\n\n[![ci](../../actions/a/badge.svg)](../../actions/a)\n\n[b](docs/a.md)\n";
        let page = with_links(Path::new("README.md"), text, &known(), "https://host");
        assert_eq!(page, "# a\n\n\n[b](a.md)\n");
    }

    #[test]
    fn generated_pages_stand_below_theirs() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("survey.md"), "").unwrap();
        let summary = "- [JSON documents](libraries/documents.md)\n- [Changes](../CHANGELOG.md)";
        let pages = with_generated(summary, folder.path()).unwrap();
        assert_eq!(
            pages,
            "- [JSON documents](libraries/documents.md)\n  - [survey](json/survey.md)\n- \
             [Changes](CHANGELOG.md)\n"
        );
    }
}
