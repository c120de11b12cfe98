//! `nearfar man` and `nearfar --version`.

use std::fs;
use std::process::Command;

use crate::user::{User, refusal, skip, stdout};

#[test]
fn all_pages_are_written_as_each_is_printed() {
    let user = User::new();
    let folder = user.folder().join("man1");
    let output = user.run(&["man", "--all", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(page("nearfar.1"), stdout(&user.run(&["man"])));
    assert_eq!(page("nearfar-survey.1"), stdout(&user.run(&["man", "survey"])));
    assert!(!folder.join("nearfar-worker.1").exists(), "hidden commands have no page");
}

#[test]
fn pages_are_clean_and_reproducible() {
    let user = User::new();
    let folder = user.folder().join("man1");
    let mut write = user.command(&["man", "--all", folder.to_str().unwrap()]);
    assert!(write.env("SOURCE_DATE_EPOCH", "86400").status().unwrap().success());
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() > 30, "{files:?}");
    for file in &files {
        assert!(fs::read_to_string(file).unwrap().contains(" 1 1970-01-02 "), "{file:?}");
    }
    let Ok(checked) = Command::new("mandoc").arg("-Tlint").args(&files).output() else {
        return skip("no mandoc (apt-get install mandoc)");
    };
    assert_eq!(stdout(&checked), "");
}

#[test]
fn a_date_that_is_none_is_one_line() {
    let output = User::new().command(&["man"]).env("SOURCE_DATE_EPOCH", "x").output().unwrap();
    let (status, line) = refusal(&output);
    assert_eq!((status, line.contains("SOURCE_DATE_EPOCH is 'x'")), (2, true), "{line}");
}

#[test]
fn an_impossible_folder_is_one_line() {
    let (status, line) = refusal(&User::new().run(&["man", "--all", "/dev/null/man1"]));
    assert_eq!(status, 1);
    assert!(line.starts_with("nearfar: cannot make the folder /dev/null/man1"), "{line}");
}

#[test]
fn the_version_names_the_commit() {
    let user = User::new();
    let version = stdout(&user.run(&["--version"]));
    let start = concat!("nearfar ", env!("CARGO_PKG_VERSION"), " (");
    let commit = version.strip_prefix(start).and_then(|rest| rest.strip_suffix(")\n"));
    let commit = commit.unwrap_or_else(|| panic!("{version}"));
    let digits = commit.trim_end_matches("-modified");
    let is_commit = digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_commit || commit == "unknown", "{version}");
    for args in [&["survey", "--version"][..], &["run", "--version"]] {
        assert!(stdout(&user.run(args)).ends_with(&format!(" ({commit})\n")), "{args:?}");
    }
}
