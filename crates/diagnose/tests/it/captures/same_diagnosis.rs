//! A capture is diagnosed as its machine is: no rule misses what was left out.

use std::fs;
use std::path::{Path, PathBuf};

use nearfar_diagnose::{Witnesses, diagnose};
use nearfar_machine::capture::Privacy;
use nearfar_machine::{InventoryScope, Source};

use super::captured;
use crate::corpus_folder::{corpus, files_below};

/// The archives of machines in this project and in the corpus.
fn machines() -> Vec<PathBuf> {
    let mut found = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/captures"));
    if let Some(corpus) = corpus() {
        found.extend(files_below(&corpus.join("sysfs")));
        found.extend(files_below(&corpus.join("cases")));
        found.extend(files_below(&corpus.join("hostile")));
    }
    found.retain(|path| {
        let name = path.display().to_string();
        [".tar.gz", ".tar.bz2", ".tar.xz", ".tgz"].iter().any(|ending| name.ends_with(ending))
    });
    found
}

/// The diagnosis, without the archive's name.
fn diagnosis(root: &Path) -> Option<String> {
    let source = Source::open(root).ok()?;
    let found = diagnose(&Witnesses::with_devices(&source, InventoryScope::All));
    let text = serde_json::to_string_pretty(&found).unwrap();
    Some(text.replace(&root.display().to_string(), "ROOT"))
}

#[test]
fn captures_are_diagnosed_as_their_machines() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("again.tar.gz");
    let mut compared = 0;
    for machine in machines() {
        let Some(was) = diagnosis(&machine) else { continue };
        captured(&machine, Privacy::Removed, &archive);
        let is = diagnosis(&archive).unwrap();
        let differs = was.lines().zip(is.lines()).find(|(was, is)| was != is);
        assert!(was == is, "{}: {differs:?}", machine.display());
        compared += 1;
        fs::remove_file(&archive).unwrap();
    }
    assert!(compared > 0, "the project has a capture of its own");
}
