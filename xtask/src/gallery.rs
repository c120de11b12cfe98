//! The gallery: pages of machines that nobody has at hand, each honest about where its figures come from.
//!
//! `docs/gallery/gallery.toml` lists them. Documents are kept in `docs/gallery/documents/`, those of the lab as the survey in the guest wrote
//! them; published matrices are replayed here ([`published`]). Pages follow from documents byte by byte, so [`check`] can hold them against each other.

mod published;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use maud::{DOCTYPE, html};
use nearfar_report::page::{self, Origin};
use serde::Deserialize;

/// Where it is.
const FOLDER: &str = "docs/gallery";

/// What `gallery.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    page: Vec<Entry>,
}

/// A page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Its file's name, without the end.
    name: String,
    /// What it shows, in a line.
    title: String,
    /// Where its figures come from: stands at the head of the page.
    made_from: String,
    /// A published matrix that is replayed, by its name.
    published: Option<String>,
    /// Documents in `documents/`, two or more for surveys beside each other.
    #[serde(default)]
    documents: Vec<String>,
}

/// Writes all pages anew, and the list of them.
pub(crate) fn write() -> anyhow::Result<()> {
    for (path, page) in pages()? {
        fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Whether the pages are what their documents give today.
pub(crate) fn check() -> anyhow::Result<()> {
    let pages = pages()?;
    for (path, page) in &pages {
        let there = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        ensure!(
            there == *page,
            "{} is not what nearfar makes today: run './dev gallery' and look at it",
            path.display()
        );
    }
    println!("gallery: {} pages, as made today", pages.len());
    Ok(())
}

fn pages() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let folder = Path::new(FOLDER);
    let text = fs::read_to_string(folder.join("gallery.toml")).context("cannot read docs/gallery/gallery.toml")?;
    let list: List = toml::from_str(&text).context("docs/gallery/gallery.toml")?;
    let mut pages = Vec::new();
    for entry in &list.page {
        let page = made(folder, entry).with_context(|| format!("the page '{}'", entry.name))?;
        pages.push((folder.join(format!("{}.html", entry.name)), page));
    }
    pages.push((folder.join("index.html"), index(&list)));
    Ok(pages)
}

fn made(folder: &Path, entry: &Entry) -> anyhow::Result<String> {
    let origin = |file: &str| Origin { file: file.to_owned(), made_from: Some(entry.made_from.clone()) };
    if let Some(name) = &entry.published {
        return Ok(page::survey(&published::survey(name)?, &origin(&format!("{}.json", entry.name)), false));
    }
    let documents = folder.join("documents");
    match &entry.documents[..] {
        [] => bail!("it names neither a published matrix nor documents"),
        [one] if is_sweep(&documents.join(one))? => {
            Ok(page::sweep(&nearfar_sweep::read(&documents.join(one))?, &origin(one)))
        }
        [one] => Ok(page::survey(&nearfar_survey::read(&documents.join(one))?, &origin(one), false)),
        several => {
            let read = |file: &String| Ok((nearfar_survey::read(&documents.join(file))?, origin(file)));
            Ok(page::surveys(&several.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?, false))
        }
    }
}

fn is_sweep(path: &Path) -> anyhow::Result<bool> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let document: serde_json::Value = serde_json::from_str(&text)?;
    Ok(document["schema"].as_str().is_some_and(|schema| schema.starts_with("nearfar.sweep/")))
}

/// The page that lists the others.
fn index(list: &List) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Gallery · nearfar" }
                style { ":root{color-scheme:light dark}body{max-width:50rem;margin:0 auto;padding:1rem;font:16px/1.5 system-ui,sans-serif}dd{margin:0 0 1rem}" }
            }
            body {
                h1 { "Pages that nearfar makes" }
                dl {
                    @for entry in &list.page {
                        dt { a href=(format!("{}.html", entry.name)) { (entry.title) } }
                        dd { (entry.made_from) }
                    }
                }
            }
        }
    };
    page.into_string() + "\n"
}
