//! First screens of every command that explains or compares: the answer is in their first lines,
//! and nothing is wider than the terminal.

use std::fs;
use std::path::{Path, PathBuf};

use nearfar_devices::irq::text::Folding;
use nearfar_diagnose::doctor::{DoctorDocument, Facility, Obstruction};
use nearfar_diagnose::{Witnesses, diagnose};
use nearfar_machine::text::topology::{self, TopologyText};
use nearfar_machine::{
    Inventory, InventoryScope, MachineDocument, PciNames, ProcessRights, Source,
};
use nearfar_survey::atlas::{Atlas, MachineFigures, compare as beside_atlas};
use nearfar_survey::fleet::text::FleetDetail;
use nearfar_survey::fleet::{FleetSettings, read_files};
use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::terminal::width;

use crate::machine::corpus_folder::{corpus, files_below};

const WIDTHS: [usize; 4] = [40, 60, 80, 120];

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Words of a text, however its lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a screen has its answer first and fits the terminal.
fn check(name: &str, screen: impl Fn() -> Screen) {
    for columns in WIDTHS {
        let shown = width::with(columns, &screen);
        let text = shown.plain();
        let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        assert!(widest.chars().count() <= columns, "{name}, {columns} columns: {widest}");
        let [first, last] = [&shown.first, &shown.last].map(|part| plain(part));
        let lines = first.lines().count() + 1 + last.lines().count();
        assert!(lines <= MAX_LINES, "{name}, {columns} columns, {lines} lines:\n{first}\n{last}");
        if columns == 80 {
            let start = words(&first.lines().take(3).collect::<Vec<_>>().join(" "));
            let last = words(&last);
            let answer = last.split_once(": ").map_or(last.as_str(), |(_, answer)| answer);
            assert!(start.contains(answer), "{name}: '{answer}' is not in: {start}");
        }
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The archives of docs, and the machines of the corpus.
fn machines() -> Vec<PathBuf> {
    let captures = ["cloud-guest", "crossed-guest"];
    let captures = captures.map(|name| repository().join(format!("docs/captures/{name}.tar.gz")));
    let corpus = corpus().into_iter().flat_map(|corpus| {
        ["sysfs", "cloud"].map(|folder| corpus.join(folder)).into_iter().filter(|it| it.is_dir())
    });
    captures.into_iter().chain(corpus.flat_map(|folder| files_below(&folder))).collect()
}

#[test]
fn machines_have_their_answer_first() {
    for path in machines() {
        let Ok(source) = Source::open(&path) else { continue };
        let name = |command: &str| format!("{command} of {}", path.display());
        let witnesses = Witnesses::with_devices(&source, InventoryScope::Usual);
        let diagnosis = diagnose(&witnesses);
        check(&name("diagnose"), || nearfar_diagnose::text::text(&diagnosis));
        check(&name("firmware"), || nearfar_firmware::text::list(&witnesses.firmware));
        for file in &witnesses.firmware.tables {
            check(&name(&file.name), || {
                nearfar_firmware::text::tables(&[file], &witnesses.firmware)
            });
        }
        if let Ok(machine) = MachineDocument::read(&source) {
            let (topology, environment) = (&machine.topology, &machine.environment);
            check(&name("topology"), || {
                topology::text(topology, environment, TopologyText::default())
            });
        }
        let scope = InventoryScope::Usual;
        let inventory = Inventory::read(&source, scope);
        let names = PciNames::default();
        let devices = nearfar_diagnose::devices(&witnesses, &inventory, scope, &names, None);
        check(&name("devices"), || nearfar_devices::text::text(&devices));
    }
}

#[test]
fn saved_interrupts_have_their_answer_first() {
    let Some(folder) = corpus().map(|corpus| corpus.join("irq")) else { return };
    for path in files_below(&folder).into_iter().filter(|path| path.ends_with("interrupts")) {
        let text = fs::read(&path).unwrap();
        let Ok(saved) = nearfar_devices::irq::SavedInterrupts::parse(&text) else { continue };
        let document = nearfar_devices::irq::assess_saved(&saved, &[]);
        check(&format!("irq of {}", path.display()), || {
            nearfar_devices::irq::text::text(&document, Folding::Idle)
        });
    }
}

#[test]
fn documents_have_their_answer_first() {
    let folder = repository().join("docs/gallery/documents");
    let mut surveys = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        surveys.extend(nearfar_survey::read(&path).ok().map(|survey| (path, survey)));
    }
    assert!(surveys.len() > 5, "{}", surveys.len());
    for (path, survey) in &surveys {
        let figures = MachineFigures::for_survey(survey);
        let beside = beside_atlas(&figures, Atlas::built_in());
        let rows = Atlas::built_in().search(&figures.model);
        check(&format!("atlas beside {}", path.display()), || {
            nearfar_report::atlas::screen(&rows, Some(&beside), Some(String::new()))
        });
        for (other_path, other) in &surveys {
            let Ok(found) = nearfar_survey::compare::compare(survey, other, 0.01) else { continue };
            check(&format!("{} and {}", path.display(), other_path.display()), || {
                nearfar_report::survey_comparison::text(&found, ["before.json", "after.json"])
            });
        }
    }
    let all = Atlas::built_in().search("");
    check("atlas", || nearfar_report::atlas::screen(&all, None, None));
    let file = repository().join("docs/captures/fleet-of-16.jsonl");
    let fleet = read_files(&[file], &|_, work| work()).unwrap();
    let fleet = fleet.judge(FleetSettings { floor: 0.03 }).unwrap();
    for detail in [FleetDetail::Brief, FleetDetail::Full] {
        check("fleet", || nearfar_survey::fleet::text::text(&fleet, detail, "."));
    }
    let brief = nearfar_survey::fleet::text::text(&fleet, FleetDetail::Brief, ".").plain();
    let full = nearfar_survey::fleet::text::text(&fleet, FleetDetail::Full, ".").plain();
    assert!(!words(&brief).contains("; q ") && words(&full).contains("; q "), "{brief}\n{full}");
}

#[test]
fn permissions_have_their_answer_first() {
    for user in [0, 1000] {
        for obstacle in [None, Some(Obstruction::CallRefused { call: "mbind".to_owned() })] {
            let process = ProcessRights { user: Some(user), ..ProcessRights::default() };
            let all = Facility::ALL.map(|facility| (facility, obstacle.clone()));
            let document = DoctorDocument::new(process, all);
            for columns in WIDTHS {
                let screen =
                    width::with(columns, || nearfar_diagnose::doctor::text::text(&document));
                let lines = screen.first.lines().count() + 1 + screen.last.lines().count();
                assert!(lines <= MAX_LINES, "{}", screen.plain());
                let start: Vec<&str> = screen.first.lines().take(3).collect();
                assert!(words(&plain(&start.join(" "))).contains("facilities are available"));
                let text = screen.plain();
                assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
            }
        }
    }
}
