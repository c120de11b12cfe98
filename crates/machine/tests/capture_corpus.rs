//! Captured machines of the corpus, captured again: readers read the same; and real SMBIOS tables without serial numbers.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nearfar_machine::capture::{Capture, Privacy};
use nearfar_machine::firmware::Firmware;
use nearfar_machine::{Source, Topology};
use serde_json::Value;

/// The files of a folder of the corpus; `NEARFAR_CORPUS`, unset means `../shared/corpus` of the workspace, empty means none.
fn files(folder: &str) -> Vec<PathBuf> {
    let corpus = match env::var_os("NEARFAR_CORPUS") {
        Some(corpus) if corpus.is_empty() => None,
        Some(corpus) => Some(PathBuf::from(corpus)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")).filter(|path| path.is_dir()),
    };
    let Some(corpus) = corpus else {
        io::stderr().write_all(b"skipped: no corpus\n").unwrap();
        return Vec::new();
    };
    let mut files: Vec<PathBuf> =
        fs::read_dir(corpus.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn recaptured(source: Source, folder: &Path) -> Source {
    let path = folder.join("again.tar.gz");
    let mut file = fs::File::create(&path).unwrap();
    Capture::of(source, Privacy::Removed, |_| {}).write(&mut file).unwrap();
    file.flush().unwrap();
    Source::open(&path).unwrap()
}

#[test]
fn topologies_are_the_same_from_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["sysfs/hwloc", "sysfs/lscpu", "sysfs/nri"] {
        for archive in files(kind).iter().filter(|path| path.to_string_lossy().contains(".tar")) {
            let before = Topology::read(&Source::open(archive).unwrap()).unwrap();
            let after = Topology::read(&recaptured(Source::open(archive).unwrap(), folder.path())).unwrap();
            assert!(after == before, "{}", archive.display());
        }
    }
}

#[test]
fn real_smbios_tables_lose_their_serial_numbers_and_nothing_that_is_decoded() {
    let folder = tempfile::tempdir().unwrap();
    const DMI: &str = "/sys/firmware/dmi/tables/DMI";
    let mut private = 0;
    for path in files("smbios").iter().filter(|path| path.extension().is_some_and(|ending| ending == "dmi")) {
        let table = fs::read(path).unwrap();
        let source = || Source::from_files([(DMI, table.clone()), ("/sys/devices/system/cpu/online", b"0".to_vec())]);
        let after = recaptured(source(), folder.path());
        assert_eq!(Firmware::read(&after).smbios, Firmware::read(&source()).smbios, "{}", path.display());
        let scrubbed = after.read(DMI).unwrap();
        let oracle: Value = serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
        let mut names = Vec::new();
        collect(&oracle, &mut names);
        for name in names.iter().filter(|name| table.windows(name.len()).any(|bytes| bytes == name.as_bytes())) {
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

/// Serial numbers and asset tags that another program read.
fn collect(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.to_lowercase();
                match value.as_str() {
                    Some(text) if name.contains("serial") || name.contains("asset") => {
                        // "9876543210" stands in many places of boards that nobody cared to fill.
                        let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
                        let is_telling = text.len() >= 6 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
                        names.extend(is_telling.then(|| text.trim().to_owned()));
                    }
                    _ => collect(value, names),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, names)),
        _ => {}
    }
}
