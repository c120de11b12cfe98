use std::fs;
use std::path::Path;

use super::*;

/// The page that lists the codes.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/why/diagnosis.md");

/// All tables of the page are made of the declarations. `SNAPSHOTS=overwrite cargo test -p
/// nearfar-diagnose --lib codes` writes them.
#[test]
fn the_page_has_the_declared_codes() {
    let page = fs::read_to_string(PAGE).unwrap();
    let made = SECTIONS.iter().fold(page.clone(), |page, section| {
        with_table(&page, section.heading, &rows(&section.codes))
    });
    if std::env::var_os("SNAPSHOTS").is_some() {
        fs::write(PAGE, made).unwrap();
    } else {
        assert!(made == page, "docs/why/diagnosis.md is older than the codes: ./dev schema");
    }
}

/// The page, with these rows in the first table below a heading.
fn with_table(page: &str, heading: &str, rows: &str) -> String {
    const HEAD: &str = "| code | severity | what it means | what to do |\n|---|---|---|---|\n";
    let section = page.find(&format!("\n### {heading}\n")).unwrap_or_else(|| panic!("{heading}"));
    let table = section + page[section..].find(HEAD).unwrap() + HEAD.len();
    let end = table + page[table..].find("\n\n").map_or(page.len() - table, |end| end + 1);
    format!("{}{rows}{}", &page[..table], &page[end..])
}

fn rows(codes: &Codes) -> String {
    let row = |code: &FindingCode, what_to_do: &str| {
        let (name, severity, meaning) = (code.code, code.severity.name(), code.meaning);
        assert!(meaning.ends_with('.') && !meaning.contains('`'), "{name}: {meaning}");
        format!("| `{name}` | {severity} | {meaning} | {what_to_do} |\n")
    };
    match codes {
        Codes::Here(codes) => {
            codes.iter().map(|code| row(&code.declared, &what_to_do(code.remedy))).collect()
        }
        Codes::Of(codes) => codes.iter().map(|code| row(code, code.remedy)).collect(),
    }
}

/// Remedies that depend on the machine start in lower case.
fn what_to_do(remedy: RemedyKind) -> String {
    match remedy {
        RemedyKind::Nothing => "nothing, or as in the finding".to_owned(),
        RemedyKind::TakeOff(option) => format!("remove `{option}` from the command line"),
        RemedyKind::ShowNodes => "the setting that reports nodes (Node Interleaving off, NUMA on, \
                                  NPS1 or more, ACPI SRAT on), under its vendor's name; in a \
                                  guest, virtual nodes on the host"
            .to_owned(),
        RemedyKind::SplitPackage => "the setting that splits a package (NPS, SNC, Cluster on Die, \
                                     die interleaving), where this CPU has one; in a guest, \
                                     virtual nodes on the host"
            .to_owned(),
        RemedyKind::NewerFirmware => {
            "a newer BIOS; otherwise send the evidence to its vendor (`--support-report`)"
                .to_owned()
        }
        RemedyKind::OfCode(text) => text.to_owned(),
        RemedyKind::Hardware(text) | RemedyKind::Cells(text) | RemedyKind::DeviceNode(text) => {
            format!("{text} In a guest: the hypervisor's configuration.")
        }
        RemedyKind::Modules(text) => format!(
            "{text} Where one node has all memory: or a firmware that describes the others. In a \
             guest: the hypervisor's configuration."
        ),
    }
}

const VERDICTS: [&str; 9] = [
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

/// Codes are defined here and in nearfar-firmware's rules: this searches both for string literals
/// that look like codes.
#[test]
fn produced_codes_are_listed() {
    let sources = [
        concat!(env!("CARGO_MANIFEST_DIR"), "/../firmware/src/linux"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/src"),
    ];
    let mut seen = 0;
    for file in sources.iter().flat_map(|folder| rust_files(Path::new(folder))) {
        let text = fs::read_to_string(&file).unwrap();
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

fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
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
        (kebab && !VERDICTS.contains(&name)).then_some(name)
    })
}

#[test]
fn codes_are_unique_and_named_as_in_documents() {
    let names = SECTIONS.iter().flat_map(|section| match section.codes {
        Codes::Here(codes) => codes.iter().map(|code| code.declared.code).collect::<Vec<_>>(),
        Codes::Of(codes) => codes.iter().map(|code| code.code).collect(),
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    assert_eq!(meaning("uniform"), "");
    assert_eq!((remedy("numa-off"), remedy("slit-too-small")), ("", ""));
    assert_eq!(remedy("tree-property-invalid"), "Correct the device tree.");
    assert!(remedy("link-narrow").starts_with("Reseat"));
}
