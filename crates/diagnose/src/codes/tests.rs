use std::collections::BTreeMap;

use super::*;

#[path = "../../../devices/tests/it/document_by_hand.rs"]
mod devices_by_hand;
#[path = "../../../devices/tests/irq/document_by_hand.rs"]
mod irq_by_hand;

/// The page that lists the codes.
const PAGE: &str = include_str!("../../../../docs/diagnosis.md");

#[test]
fn page_and_list_have_the_same_codes() {
    let listed: Vec<&str> =
        PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let verdicts = |name: &&&str| !PAGE_VERDICTS.contains(*name);
    let codes: Vec<&str> = listed.iter().filter(verdicts).copied().collect();
    let missing: Vec<&str> =
        list::ALL.iter().map(|code| code.name).filter(|name| !codes.contains(name)).collect();
    assert!(missing.is_empty(), "docs/diagnosis.md lacks {missing:?}");
    let unknown: Vec<&&str> = codes.iter().filter(|name| find(name).is_none()).collect();
    assert!(unknown.is_empty(), "docs/diagnosis.md lists {unknown:?}, which nothing produces");
}

const PAGE_VERDICTS: [&str; 9] = [
    "uniform",
    "withheld-by-firmware",
    "withheld-by-hypervisor",
    "refused-by-kernel",
    "turned-off",
    "impossible-in-kernel",
    "visible",
    "visible-but-doubtful",
    "unknown",
];

#[test]
fn device_findings_have_their_severity() {
    let name = |severity: &dyn std::fmt::Debug| format!("{severity:?}");
    let findings = devices_by_hand::document().findings;
    let of_devices: BTreeMap<&str, String> =
        findings.iter().map(|finding| (finding.code(), name(&finding.severity()))).collect();
    let listed: BTreeMap<&str, String> =
        of_devices.keys().filter_map(|code| Some((*code, name(&find(code)?.severity)))).collect();
    assert_eq!(listed, of_devices);
    assert_eq!(of_devices.len(), 13, "document_by_hand.rs has every finding");
}

#[test]
fn irq_findings_have_their_severity() {
    let name = |severity: &dyn std::fmt::Debug| format!("{severity:?}");
    let findings = irq_by_hand::document().findings;
    assert_eq!(findings.len(), 10, "document_by_hand.rs has every finding");
    for finding in findings {
        let listed = find(finding.code()).map(|code| name(&code.severity));
        assert_eq!(listed, Some(name(&finding.severity())), "{}", finding.code());
    }
}

/// Codes are defined here and in nearfar-firmware's rules: this searches both for string literals
/// that look like codes.
#[test]
fn produced_codes_are_listed() {
    let sources = [
        concat!(env!("CARGO_MANIFEST_DIR"), "/../firmware/src/linux"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/src"),
    ];
    let mut seen = 0;
    for file in sources.iter().flat_map(|folder| rust_files(std::path::Path::new(folder))) {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for name in produced(code) {
            seen += 1;
            assert!(
                find(name).is_some(),
                "{} produces {name}, which is not in codes/list.rs",
                file.display()
            );
        }
    }
    assert!(seen > 40, "{seen} codes were found");
}

fn rust_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files
        .filter(|path| {
            path.extension().is_some_and(|kind| kind == "rs") && !path.ends_with("tests.rs")
        })
        .collect()
}

/// Source text that precedes a code.
const HEADS: [&str; 8] = [
    "bare(",
    "doubt(",
    "code: ",
    "note(",
    "finding(seen, ",
    "DiagnosisFinding::new(",
    "CODE: &str = ",
    "=> ",
];

/// String literals in the position of a code.
fn produced(code: &str) -> impl Iterator<Item = &str> {
    let places = HEADS
        .iter()
        .flat_map(|head| code.match_indices(head).map(|(at, _)| &code[at + head.len()..]));
    places.filter_map(|rest| {
        let name = rest.trim_start().strip_prefix('"')?.split('"').next()?;
        let kebab = name.contains('-')
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        (kebab && !PAGE_VERDICTS.contains(&name)).then_some(name)
    })
}

/// Remedies that are the same on every machine start with a capital letter on the page.
#[test]
fn textual_remedies_are_on_the_page() {
    for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [name, _, _, words] = cells[..] else { continue };
        let code = find(name.trim_matches(['|', ' ', '`'])).unwrap();
        let of_code = matches!(code.remedy, RemedyKind::OfCode);
        assert_eq!(of_code, words.starts_with(char::is_uppercase), "{name}");
    }
}

#[test]
fn codes_are_unique() {
    for code in list::ALL {
        assert_eq!(
            list::ALL.iter().filter(|other| other.name == code.name).count(),
            1,
            "{}",
            code.name
        );
    }
}
