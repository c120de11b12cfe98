//! Files of the repository that the product's types and functions make. Tests of report include
//! this file.

use std::path::Path;
use std::{env, fs};

/// Fails where the file differs from `text`; with `SNAPSHOTS=overwrite`, as snapbox reads it,
/// writes the file instead.
pub(crate) fn assert_published(path: &Path, text: &str, command: &str) {
    if env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite") {
        fs::write(path, text).unwrap_or_else(|error| panic!("cannot write {path:?}: {error}"));
        return;
    }
    let published = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {path:?}: {error}; run {command}"));
    assert!(published == text, "{path:?} is out of date: run {command} and look at the difference");
}
