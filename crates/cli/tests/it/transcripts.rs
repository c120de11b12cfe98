//! Blocks of the kind `console` in README.md and docs/ show what their commands print today.
//!
//! A block holds lines `$ COMMAND`, each with its output below it. A shell runs the commands in the
//! repository. `SNAPSHOTS=overwrite` writes the outputs into the pages (`./dev transcripts`).

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::user::{User, nearfar, stderr, stdout};

const BLOCK: &str = "```console\n";

#[test]
fn transcripts_match_the_command() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_overwriting = env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    let mut stale = Vec::new();
    let mut blocks = 0;
    for page in pages(&repository) {
        let text = fs::read_to_string(&page).unwrap();
        blocks += text.matches(BLOCK).count();
        let current = with_outputs_of_today(&text, &repository);
        if current == text {
            continue;
        }
        if is_overwriting {
            fs::write(&page, current).unwrap();
        } else {
            let difference = text.lines().zip(current.lines()).find(|(old, new)| old != new);
            stale.push(format!("{}: {difference:?}", page.display()));
        }
    }
    assert!(blocks > 5, "{blocks} blocks");
    assert!(stale.is_empty(), "./dev transcripts writes them anew:\n{}", stale.join("\n"));
}

fn pages(repository: &Path) -> Vec<PathBuf> {
    let files = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let folders = files(&repository.join("docs"));
    let folders = folders.iter().filter(|path| path.is_dir());
    let mut pages: Vec<PathBuf> = folders.flat_map(|folder| files(folder)).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.push(repository.join("README.md"));
    pages
}

/// The page with what its commands print now.
fn with_outputs_of_today(text: &str, repository: &Path) -> String {
    let mut parts = text.split(BLOCK);
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (transcript, rest) = part.split_once("```").expect("the block ends");
        page.push_str(BLOCK);
        for command in transcript.lines().filter_map(|line| line.strip_prefix("$ ")) {
            page.push_str(&format!("$ {command}\n{}", printed_by(command, repository)));
        }
        page.push_str("```");
        page.push_str(rest);
    }
    page
}

fn printed_by(line: &str, repository: &Path) -> String {
    let mut path = OsString::from(Path::new(nearfar()).parent().expect("a folder"));
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let mut command = User::new().through("sh", &["-c", line]);
    let output = command
        .current_dir(repository)
        .env("PATH", path)
        .env_remove("COLUMNS")
        .output()
        .expect("sh starts");
    assert!(output.status.success(), "{line}: {}", stderr(&output));
    stdout(&output).lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
