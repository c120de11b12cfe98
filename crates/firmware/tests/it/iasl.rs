//! Compares with `iasl -d` (Debian's acpica-tools), field by field, and with `acpixtract` for text.
//!
//! Each table is decoded and printed as JSON; each line of iasl's output is looked up in it
//! (counterpart.rs). A line without a counterpart fails the test, and so does a field that no line
//! ever confirmed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use nearfar_firmware::acpi::AcpiTable;
use nearfar_firmware::{Firmware, parse_acpidump};
use serde_json::Value;

use super::counterpart::{
    Counterpart, DERIVED, ENTRIES_UNKNOWN_TO_IASL, SIGNATURES_UNKNOWN_TO_IASL, counterpart,
};
use crate::corpus_folder::{corpus, files_below};

static SKIPPED: Once = Once::new();

/// One line of iasl's output: "[0B2h 0178   4]  Proximity Domain : 00000000", or one of a flag,
/// which has no offset.
struct Line {
    offset: usize,
    length: usize,
    name: String,
    value: String,
}

/// The confirmed fields: signature, type of entry, name of field.
type Confirmed = BTreeSet<(String, String, String)>;

#[test]
fn tables_of_the_corpus_decode_as_with_iasl() {
    let Some(corpus) = corpus() else { return };
    if !super::have("iasl", "acpica-tools", &SKIPPED) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let mut confirmed = Confirmed::new();
    let mut fields: Confirmed = Confirmed::new();
    let mut compared = BTreeMap::<String, usize>::new();
    let by_hand = super::make::good().into_iter().map(|(name, bytes)| (name.to_owned(), bytes));
    for (name, bytes) in corpus_tables(&corpus).into_iter().chain(by_hand) {
        let table = AcpiTable::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let signature = table.header().signature.clone();
        if matches!(table, AcpiTable::Other(_)) {
            continue;
        }
        let json = serde_json::to_value(&table).unwrap();
        compare(
            &name,
            &signature,
            &json,
            &disassemble(place.path(), &bytes),
            &mut confirmed,
            &bytes,
        );
        collect_fields(&signature, &json, &mut fields);
        *compared.entry(signature).or_default() += 1;
    }
    for (signature, least) in
        [("SRAT", 49), ("SLIT", 24), ("HMAT", 7), ("MSCT", 9), ("APIC", 46), ("PPTT", 3)]
    {
        assert!(
            compared.get(signature).is_some_and(|&count| count >= least),
            "{signature}: {compared:?}"
        );
    }
    let unseen: Vec<_> = fields
        .difference(&confirmed)
        .filter(|(_, _, field)| !DERIVED.contains(&field.as_str()))
        .collect();
    assert!(unseen.is_empty(), "no line of iasl ever confirmed {unseen:?}");
}

/// Every binary table, and every one that `acpixtract` finds in a text.
fn corpus_tables(corpus: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tables = Vec::new();
    for path in
        files_below(&corpus.join("acpi")).into_iter().chain(files_below(&corpus.join("oracle")))
    {
        let name = path.display().to_string();
        let bytes = fs::read(&path).unwrap();
        if name.ends_with(".acpidump") {
            tables.extend(
                parse_acpidump(&bytes)
                    .into_iter()
                    .map(|table| (format!("{name}: {}", table.signature), table.bytes)),
            );
        } else if !name.ends_with("SOURCE") && !name.ends_with("log") {
            tables.push((name, bytes));
        }
    }
    assert!(!tables.is_empty(), "{} holds no table", corpus.display());
    tables
}

/// iasl's output for a table.
fn disassemble(place: &Path, bytes: &[u8]) -> Vec<Line> {
    let (table, output) = (place.join("table.dat"), place.join("table.dsl"));
    let _ = fs::remove_file(&output);
    fs::write(&table, bytes).unwrap();
    let ran = Command::new("iasl").arg("-d").arg(&table).current_dir(place).output().unwrap();
    let text = fs::read_to_string(&output)
        .unwrap_or_else(|error| panic!("iasl: {error}\n{}", String::from_utf8_lossy(&ran.stderr)));
    let mut lines: Vec<Line> = Vec::new();
    for line in text.lines().take_while(|line| !line.starts_with("Raw Table Data")) {
        let Some((name, value)) = line.split_once(" : ") else { continue };
        let place = name.strip_prefix('[').and_then(|name| name.split_once(']'));
        let (offset, length, name) = match place {
            Some((place, name)) => {
                let mut words = place.split_whitespace().skip(1).map(|word| word.parse().unwrap());
                (words.next().unwrap(), words.next().unwrap(), name)
            }
            // A line without an offset belongs to the one before.
            None => match lines.last() {
                Some(last) => (last.offset, 0, name),
                None => continue,
            },
        };
        lines.push(Line {
            offset,
            length,
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
        });
    }
    lines
}

/// A table: its source, its signature, and its bytes.
struct Ours<'a> {
    name: &'a str,
    signature: &'a str,
    bytes: &'a [u8],
}

fn compare(
    name: &str,
    signature: &str,
    json: &Value,
    lines: &[Line],
    confirmed: &mut Confirmed,
    bytes: &[u8],
) {
    let entries = json["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ours = Ours { name, signature, bytes };
    let mut lists = BTreeMap::<(usize, &str), Vec<Value>>::new();
    for line in lines {
        let entry = entries.iter().rev().find(|entry| offset_of(entry) <= line.offset);
        let kind = entry.map_or_else(String::new, kind_of);
        let Some(found) = ours.counterpart(line, &kind) else { continue };
        // Lines before the entries are about the header or the table itself.
        let whole = entry.unwrap_or(if line.offset < 36 { &json["header"] } else { json });
        let place = format!("{name}: '{} : {}' at {}", line.name, line.value, line.offset);
        if let Counterpart::List(field) = found {
            lists
                .entry((entry.map_or(0, offset_of), field))
                .or_default()
                .extend(values(&line.value, line.length));
        }
        if let Some(field) = confirm(&found, whole, line, &place) {
            confirmed.insert((signature.to_owned(), kind, field.to_owned()));
        }
    }
    for ((offset, field), list) in lists {
        let holder = entries.iter().find(|entry| offset_of(entry) == offset).unwrap_or(json);
        assert_eq!(flat(&holder[field]), list, "{name}: {field} of the entry at {offset}");
    }
}

impl Ours<'_> {
    /// A line's counterpart; `None` if the entry is kept as bytes, which are compared.
    fn counterpart(&self, line: &Line, kind: &str) -> Option<Counterpart> {
        let is_head = ["Subtable Type", "Structure Type", "Length"].contains(&line.name.as_str());
        let name = self.name;
        assert!(
            kind != "unknown" || is_head,
            "{name}: iasl knows '{}' at {}, unknown here",
            line.name,
            line.offset
        );
        if kind == "short" {
            // The same bytes as iasl's. A line without length belongs to the one before.
            let read = number_in(self.bytes, line.offset, line.length);
            assert!(
                line.length == 0 || read == number(&line.value),
                "{name}: {} at {}",
                line.name,
                line.offset
            );
            return None;
        }
        // iasl uses one name for an entry's length and a range's length.
        let is_region = kind == "gic-redistributors" && line.length == 4 && line.name == "Length";
        let asked = if is_region { "Address Range Length" } else { &line.name };
        let found = counterpart(self.signature, kind, asked);
        assert!(
            found.is_some(),
            "{name}: '{} : {}' at {} has no counterpart",
            line.name,
            line.value,
            line.offset
        );
        found
    }
}

/// Compares a line with the decoded value. Returns the field that it confirms.
fn confirm(found: &Counterpart, whole: &Value, line: &Line, place: &str) -> Option<&'static str> {
    match *found {
        Counterpart::NotKept => None,
        // Compared once all of its lines are read.
        Counterpart::List(field) => Some(field),
        Counterpart::Field(field) => {
            assert_eq!(as_iasl_has_it(&whole[field]), value(&line.value), "{place}");
            Some(field)
        }
        Counterpart::FirmwareFile { field, shift, bits } => {
            let part = whole[field].as_u64().unwrap() >> shift & ((1 << bits) - 1);
            assert_eq!(Some(part), number(&line.value), "{place}");
            Some(field)
        }
        Counterpart::Checksum => {
            let holds = !line.value.contains("Incorrect checksum");
            assert_eq!(whole["checksum_holds"], Value::Bool(holds), "{place}");
            assert_eq!(whole["checksum"].as_u64(), number(&line.value), "{place}");
            None
        }
        Counterpart::Handle => {
            assert_eq!(handle_bytes(&whole["handle"]), line.value, "{place}");
            Some("handle")
        }
    }
}

fn offset_of(entry: &Value) -> usize {
    entry["offset"].as_u64().unwrap() as usize
}

fn kind_of(entry: &Value) -> String {
    ["unknown", "short"]
        .into_iter()
        .find(|kind| entry.get(kind).is_some())
        .map_or_else(|| entry["entry"].as_str().unwrap_or("entry").to_owned(), str::to_owned)
}

/// All fields of a table's entries.
fn collect_fields(signature: &str, json: &Value, fields: &mut Confirmed) {
    if SIGNATURES_UNKNOWN_TO_IASL.contains(&signature) {
        return;
    }
    for entry in json["entries"].as_array().into_iter().flatten() {
        let kind = kind_of(entry);
        if ENTRIES_UNKNOWN_TO_IASL.contains(&kind.as_str()) {
            continue;
        }
        let named = entry.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
        fields.extend(named.map(|(field, _)| (signature.to_owned(), kind.clone(), field.clone())));
    }
}

/// A value printed by iasl: quoted text, or hexadecimal digits, with a remark.
fn value(text: &str) -> Value {
    match text.strip_prefix('"') {
        Some(rest) => Value::from(&rest[..rest.rfind('"').unwrap()]),
        None => number(text).map_or(Value::Null, Value::from),
    }
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text.split_whitespace().next()?, 16).ok()
}

/// A value that may be a list of bytes.
fn values(text: &str, length: usize) -> Vec<Value> {
    let words = text.split_whitespace().filter_map(|word| u64::from_str_radix(word, 16).ok());
    // One number of several bytes is written without blanks.
    if text.contains(' ') || length == 1 {
        words.map(Value::from).collect()
    } else {
        words.take(1).map(Value::from).collect()
    }
}

fn as_iasl_has_it(value: &Value) -> Value {
    match value {
        Value::Bool(flag) => Value::from(u64::from(*flag)),
        // Unprintable bytes are '?' here and blanks in iasl.
        Value::String(text) => Value::from(text.replace('?', " ")),
        other => other.clone(),
    }
}

fn flat(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values.iter().flat_map(flat).collect(),
        other => vec![other.clone()],
    }
}

fn number_in(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    Some(
        bytes
            .get(at..at + length)?
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)),
    )
}

/// The sixteen bytes of a device handle, as iasl prints them.
fn handle_bytes(handle: &Value) -> String {
    let mut bytes = Vec::new();
    if let Some(pci) = handle.get("pci") {
        let part = |name: &str| pci[name].as_u64().unwrap();
        bytes.extend((part("segment") as u16).to_le_bytes());
        bytes.extend([part("bus") as u8, (part("device") << 3 | part("function")) as u8]);
    } else {
        bytes.extend(handle["acpi"]["hid"].as_str().unwrap().bytes());
        bytes.resize(8, 0);
        bytes.extend((handle["acpi"]["uid"].as_u64().unwrap() as u32).to_le_bytes());
    }
    bytes.resize(16, 0);
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn parse_acpidump_agrees_with_acpixtract() {
    let Some(corpus) = corpus() else { return };
    if !super::have("acpixtract", "acpica-tools", &SKIPPED) {
        return;
    }
    let texts: Vec<PathBuf> = files_below(&corpus.join("acpi/fwts"));
    for text in
        texts.iter().filter(|path| path.extension().is_some_and(|ending| ending == "acpidump"))
    {
        let place = tempfile::tempdir().unwrap();
        assert!(
            Command::new("acpixtract")
                .arg("-a")
                .arg(text)
                .current_dir(place.path())
                .output()
                .unwrap()
                .status
                .success()
        );
        let from_text = Firmware::open(text).unwrap();
        let from_folder = Firmware::open(place.path()).unwrap();
        assert!(!from_text.tables.is_empty() && from_text.skipped.is_empty(), "{}", text.display());
        let tables = |firmware: &Firmware| -> BTreeMap<String, Vec<u8>> {
            firmware.tables.iter().map(|file| (file.name.clone(), file.bytes.clone())).collect()
        };
        assert_eq!(tables(&from_text), tables(&from_folder), "{}", text.display());
    }
}
