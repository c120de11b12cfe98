//! Links of a made site: each leads to a file of it, and to a heading that is there. No network.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::ensure;

use crate::documents::{files_below, relative};
use crate::sources::read;

/// A page within others, whose links do not begin at its own folder.
const WITHIN_OTHERS: &str = "toc.html";

/// What a page has whose links begin at the server's own top: the site's address is not known yet.
const AT_TOP: &str = "<base href=\"/\">";

/// Checks all pages of a folder.
pub(crate) fn check(folder: &Path) -> anyhow::Result<()> {
    let mut pages = BTreeMap::new();
    for file in files_below(folder, Path::new(""))? {
        let is_page = file.extension().is_some_and(|extension| extension == "html");
        if is_page && file != Path::new(WITHIN_OTHERS) {
            pages.insert(file.clone(), read(&folder.join(file))?);
        }
    }
    pages.retain(|_, text| !text.contains(AT_TOP));
    let mut dead = Vec::new();
    let mut links = 0;
    for (page, text) in &pages {
        // Where such a page begins is no link.
        let text = &text.replace("<base href=", "");
        for link in ["href", "src"].into_iter().flat_map(|name| values(text, name)) {
            links += 1;
            if !resolves(folder, &pages, page, link) {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    ensure!(!pages.is_empty(), "{} has no pages", folder.display());
    ensure!(dead.is_empty(), "links lead nowhere:\n  {}", dead.join("\n  "));
    println!("book: {} pages, {links} links", pages.len());
    Ok(())
}

/// The values of an attribute.
fn values<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    let parts = text.split(start.as_str()).skip(1);
    parts.filter_map(|rest| rest.split_once('"')).map(|(value, _)| value).collect()
}

fn resolves(folder: &Path, pages: &BTreeMap<PathBuf, String>, page: &Path, link: &str) -> bool {
    let elsewhere = ["https://", "http://", "data:", "mailto:", "javascript:"];
    if elsewhere.iter().any(|start| link.starts_with(start)) {
        return true;
    }
    let (target, heading) = link.split_once('#').unwrap_or((link, ""));
    let path = if target.is_empty() { page.to_path_buf() } else { relative(page, target) };
    let is_there = folder.join(&path).is_file();
    match pages.get(&path) {
        Some(text) if !heading.is_empty() => values(text, "id").contains(&heading),
        _ => is_there,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::check;

    #[test]
    fn links_and_headings_have_to_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a.html", "<h1 id=\"top\">A</h1><a href=\"b.html#x\">b</a>");
        write("b.html", "<p class=\"y\" id=\"x\"><a href=\"a.html#top\">a</a><img src=\"c.svg\">");
        write("c.svg", "");
        check(folder.path()).unwrap();
        write("404.html", "<base href=\"/\"><a href=\"elsewhere.html\">a</a>");
        check(folder.path()).unwrap();
        write("404.html", "<base href=\"/nearfar/\"><a href=\"b.html#x\">a</a>");
        check(folder.path()).unwrap();
        write("404.html", "<base href=\"/nearfar/\"><a href=\"elsewhere.html\">a</a>");
        let error = check(folder.path()).unwrap_err().to_string();
        assert_eq!(error, "links lead nowhere:\n  404.html: elsewhere.html");
        fs::remove_file(folder.path().join("404.html")).unwrap();
        write("a.html", "<h1>A</h1><a href=\"d.html\">d</a>");
        let error = check(folder.path()).unwrap_err().to_string();
        assert_eq!(error, "links lead nowhere:\n  a.html: d.html\n  b.html: a.html#top");
    }
}
