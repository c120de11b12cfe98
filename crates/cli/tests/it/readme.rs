//! What README.md shows of kept documents is what the command prints of them today.

use std::path::Path;

use crate::user::{User, stdout};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn transcripts_of_kept_documents_are_true() {
    let readme = include_str!("../../../../README.md");
    let transcripts: Vec<&str> = readme.split("\n    $ nearfar ").skip(1).collect();
    assert!(!transcripts.is_empty());
    for transcript in transcripts {
        let (arguments, shown) = transcript.split_once('\n').unwrap();
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output =
            User::new().command(&arguments).current_dir(Path::new(REPOSITORY)).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let printed = stdout(&output);
        let printed: Vec<&str> = printed.lines().collect();
        for line in shown.lines().map_while(|line| line.strip_prefix("    ")) {
            let is_there = match line.strip_suffix("...") {
                Some(beginning) => printed.iter().any(|one| one.starts_with(beginning.trim_end())),
                None => printed.contains(&line),
            };
            assert!(is_there, "'{line}' is not in:\n{}", printed.join("\n"));
        }
    }
}
