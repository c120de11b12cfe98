//! Pages as a browser shows them: `xtask pages [--shots FOLDER] FILE...`.
//!
//! A page of nearfar is whole in itself: it asks for nothing, needs no script, fits a telephone,
//! and can be read by day, by night and by those who cannot see its pictures. Tests of text cannot
//! see; Chromium, driven here over its DevTools protocol, can.

mod browser;
mod fault;
mod picture;
#[cfg(test)]
mod tests;
mod view;
mod visit;
mod wire;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use browser::Browser;
use fault::{SeenFault, ViewFault};
use view::View;
use visit::visit;

/// What is asked for.
#[derive(Debug, Default, PartialEq)]
struct Request {
    pages: Vec<PathBuf>,
    shots: Option<PathBuf>,
}

/// Looks at pages and prints a line for each fault. An error where there is any.
pub(crate) fn check(words: &[&str]) -> anyhow::Result<()> {
    let request = Request::parse(words)?;
    if let Some(folder) = &request.shots {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut browser = Browser::start()?;
    let mut count = 0;
    for page in &request.pages {
        let faults = faults(&mut browser, page, request.shots.as_deref())?;
        faults.iter().for_each(|fault| println!("{fault}"));
        count += faults.len();
    }
    ensure!(count == 0, "pages: {count} faults");
    println!(
        "pages: {} looked at in {} views, nothing wrong",
        request.pages.len(),
        View::ALL.len()
    );
    Ok(())
}

impl Request {
    fn parse(words: &[&str]) -> anyhow::Result<Self> {
        let mut request = Self::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--shots" => {
                    request.shots = Some(words.next().context("--shots needs a folder")?.into());
                }
                option if option.starts_with('-') => {
                    bail!("pages has no option '{option}': --shots FOLDER")
                }
                page => request.pages.push(page.into()),
            }
        }
        ensure!(!request.pages.is_empty(), "pages needs at least one FILE.html");
        Ok(request)
    }
}

/// What is wrong with a page in any view.
fn faults(
    browser: &mut Browser,
    page: &Path,
    shots: Option<&Path>,
) -> anyhow::Result<Vec<SeenFault>> {
    let file = page.canonicalize().with_context(|| format!("cannot find {}", page.display()))?;
    let name = page.file_stem().unwrap_or_default().to_string_lossy();
    let mut seen: Vec<(View, ViewFault)> = Vec::new();
    let mut with_scripts = Value::Null;
    for view in View::ALL {
        let shot = shots.map(|folder| folder.join(format!("{name}-{}.png", view.suffix())));
        let visit = visit(browser, &file, view, shot.as_deref())?;
        seen.extend(visit.faults.into_iter().map(|fault| (view, fault)));
        if view == View::ALL[0] {
            with_scripts = visit.counts;
        } else if !view.scripts {
            seen.extend(
                missing(&with_scripts, &visit.counts).into_iter().map(|fault| (view, fault)),
            );
        }
    }
    Ok(fault::merged(&page.display().to_string(), seen))
}

/// What a page has only when its scripts run.
fn missing(with_scripts: &Value, without: &Value) -> Vec<ViewFault> {
    let parts = ["pictures", "tables", "headings", "letters"];
    let counts = parts.map(|part| {
        (part, [with_scripts, without].map(|seen| seen[part].as_u64().unwrap_or_default()))
    });
    let fewer = counts.into_iter().filter(|(_, [with, without])| without < with);
    let reported =
        fewer.map(|(part, [with, without])| format!("{part}: {with} with, {without} without"));
    reported.map(|reported| ViewFault::new("needs its scripts", reported)).collect()
}
