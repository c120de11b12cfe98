//! Recaptures machines of the corpus: readers get the same; and removes serial numbers from real
//! SMBIOS tables.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use nearfar_machine::capture::{Capture, Privacy};
use nearfar_machine::{Source, Topology, firmware_tables};
use serde_json::Value;

use crate::corpus::captured;
use crate::corpus_folder::corpus;

/// The files of a folder of the corpus.
fn files(folder: &str) -> Vec<PathBuf> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        fs::read_dir(corpus.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn recaptured(source: Source, folder: &Path) -> Source {
    let path = folder.join("again.tar.gz");
    let mut file = fs::File::create(&path).unwrap();
    Capture::read(source, Privacy::Removed, |_| {}).write(&mut file).unwrap();
    file.flush().unwrap();
    Source::open(&path).unwrap()
}

/// Captures every `step`-th captured machine again.
fn check_recaptured(step: usize) {
    let folder = tempfile::tempdir().unwrap();
    for machine in captured().step_by(step) {
        let source = Source::open(&machine.archive).unwrap();
        let mut after = Topology::read(&recaptured(source, folder.path())).unwrap();
        // Control groups have names of users and jobs.
        after.allowed.from.clone_from(&machine.topology.allowed.from);
        assert!(after == machine.topology, "{}", machine.archive.display());
    }
}

#[test]
fn topologies_are_the_same_from_a_capture() {
    check_recaptured(4);
}

#[test]
#[ignore = "long: every captured machine, not one of four"]
fn topologies_are_the_same_from_every_capture() {
    check_recaptured(1);
}

#[test]
fn real_smbios_tables_lose_only_serial_numbers() {
    let folder = tempfile::tempdir().unwrap();
    const DMI: &str = "/sys/firmware/dmi/tables/DMI";
    let mut private = 0;
    for path in
        files("smbios").iter().filter(|path| path.extension().is_some_and(|ending| ending == "dmi"))
    {
        let table = fs::read(path).unwrap();
        let source = || {
            Source::from_files([
                (DMI, table.clone()),
                ("/sys/devices/system/cpu/online", b"0".to_vec()),
            ])
        };
        let after = recaptured(source(), folder.path());
        let [was, is] =
            [&source(), &after].map(|source| format!("{:?}", firmware_tables::read(source).smbios));
        let is_kept = |(was, is): (char, char)| was == is || is == 'x';
        let is_same = was.len() == is.len() && was.chars().zip(is.chars()).all(is_kept);
        assert!(is_same, "{}: only words are overwritten: {was}\n{is}", path.display());
        let scrubbed = after.read(DMI).unwrap();
        let oracle: Value =
            serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
        let mut names = Vec::new();
        collect(&oracle, &mut names);
        for name in names
            .iter()
            .filter(|name| table.windows(name.len()).any(|bytes| bytes == name.as_bytes()))
        {
            private += 1;
            assert!(
                !scrubbed.windows(name.len()).any(|bytes| bytes == name.as_bytes()),
                "{name} in {}",
                path.display()
            );
        }
    }
    assert!(files("smbios").is_empty() || private > 10, "only {private} serial numbers");
}

/// Serial numbers and asset tags as read by another program.
fn collect(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.to_lowercase();
                match value.as_str() {
                    Some(text) if name.contains("serial") || name.contains("asset") => {
                        // "9876543210" is a placeholder on many boards.
                        let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
                        let is_identifying = text.len() >= 6
                            && has(u8::is_ascii_digit)
                            && has(u8::is_ascii_alphabetic);
                        names.extend(is_identifying.then(|| text.trim().to_owned()));
                    }
                    _ => collect(value, names),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, names)),
        _ => {}
    }
}
