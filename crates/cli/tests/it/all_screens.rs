//! Screens of commands over the corpora's machines and the gallery's documents, for tests that hold
//! for all of them.

use std::fs;
use std::path::{Path, PathBuf};

use nearfar_devices::irq::text::Folding;
use nearfar_diagnose::{Witnesses, diagnose};
use nearfar_machine::text::topology::{self, TopologyText};
use nearfar_machine::{Inventory, InventoryScope, MachineDocument, PciNames, Source};
use nearfar_report::survey::{Derived, Verbosity, derived_text, part_text};
use nearfar_survey::Survey;
use nearfar_survey::atlas::{Atlas, MachineFigures, compare as beside_atlas};
use nearfar_survey::fleet::text::FleetDetail;
use nearfar_survey::fleet::{FleetDocument, FleetSettings, read_files};
use nearfar_view::terminal::screen::Screen;

use crate::machine::corpus_folder::{corpus, files_below};

/// What a test does with a screen, by its name. It may make it at several widths.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&str, &dyn Fn() -> Screen);

pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Words of a text, however its lines are broken.
pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The archives of docs, and the machines of the corpus.
fn paths_of_machines() -> Vec<PathBuf> {
    let captures = ["cloud-guest", "crossed-guest"];
    let captures = captures.map(|name| repository().join(format!("docs/captures/{name}.tar.gz")));
    let corpus = corpus().into_iter().flat_map(|corpus| {
        ["sysfs", "cloud"].map(|folder| corpus.join(folder)).into_iter().filter(|it| it.is_dir())
    });
    captures.into_iter().chain(corpus.flat_map(|folder| files_below(&folder))).collect()
}

/// Machines: one of `every` of them, where that suffices.
pub(crate) fn machines(every: usize, visit: Visit<'_>) {
    for path in paths_of_machines().into_iter().step_by(every) {
        let Ok(source) = Source::open(&path) else { continue };
        let name = |command: &str| format!("{command} of {}", path.display());
        let witnesses = Witnesses::with_devices(&source, InventoryScope::Usual);
        let diagnosis = diagnose(&witnesses);
        visit(&name("diagnose"), &|| nearfar_diagnose::text::text(&diagnosis));
        visit(&name("firmware"), &|| nearfar_firmware::text::list(&witnesses.firmware));
        for file in &witnesses.firmware.tables {
            visit(&name(&file.name), &|| {
                nearfar_firmware::text::tables(&[file], &witnesses.firmware)
            });
        }
        if let Ok(machine) = MachineDocument::read(&source) {
            let (topology, environment) = (&machine.topology, &machine.environment);
            visit(&name("topology"), &|| {
                topology::text(topology, environment, TopologyText::default())
            });
        }
        let scope = InventoryScope::Usual;
        let inventory = Inventory::read(&source, scope);
        let names = PciNames::default();
        let devices = nearfar_diagnose::devices(&witnesses, &inventory, scope, &names, None);
        visit(&name("devices"), &|| nearfar_devices::text::text(&devices));
    }
}

/// Saved interrupts of the corpus.
pub(crate) fn interrupts(visit: Visit<'_>) {
    let Some(folder) = corpus().map(|corpus| corpus.join("irq")) else { return };
    for path in files_below(&folder).into_iter().filter(|path| path.ends_with("interrupts")) {
        let text = fs::read(&path).unwrap();
        let Ok(saved) = nearfar_devices::irq::SavedInterrupts::parse(&text) else { continue };
        let document = nearfar_devices::irq::assess_saved(&saved, &[]);
        visit(&format!("irq of {}", path.display()), &|| {
            nearfar_devices::irq::text::text(&document, Folding::Idle)
        });
    }
}

fn gallery() -> Vec<(PathBuf, Survey)> {
    let folder = repository().join("docs/gallery/documents");
    let mut surveys = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        surveys.extend(nearfar_survey::read(&path).ok().map(|survey| (path, survey)));
    }
    assert!(surveys.len() > 5, "{}", surveys.len());
    surveys
}

/// The gallery's surveys beside the atlas and each other.
pub(crate) fn comparisons(visit: Visit<'_>) {
    let surveys = gallery();
    for (path, survey) in &surveys {
        let figures = MachineFigures::for_survey(survey);
        let beside = beside_atlas(&figures, Atlas::built_in());
        let rows = Atlas::built_in().search(&figures.model);
        visit(&format!("atlas beside {}", path.display()), &|| {
            nearfar_report::atlas::screen(&rows, Some(&beside), Some(String::new()))
        });
        for (other_path, other) in &surveys {
            let Ok(found) = nearfar_survey::compare::compare(survey, other, 0.01) else { continue };
            visit(&format!("{} and {}", path.display(), other_path.display()), &|| {
                nearfar_report::survey_comparison::text(&found, ["before.json", "after.json"])
            });
        }
    }
    let all = Atlas::built_in().search("");
    visit("atlas", &|| nearfar_report::atlas::screen(&all, None, None));
    for model in ["AMD EPYC 7742 64-Core Processor", "AMD EPYC 7543 32-Core Processor", "none"] {
        let own = Atlas::built_in().for_cpu(model, None);
        visit(model, &|| nearfar_report::atlas::screen_of_machine(&all, model, &own));
    }
    let fleet = fleet();
    for detail in [FleetDetail::Brief, FleetDetail::Full] {
        visit("fleet", &|| nearfar_survey::fleet::text::text(&fleet, detail, "."));
    }
}

pub(crate) fn fleet() -> FleetDocument {
    let file = repository().join("docs/captures/fleet-of-16.jsonl");
    let fleet = read_files(&[file], &|_, work| work()).unwrap();
    fleet.judge(FleetSettings { floor: 0.03 }).unwrap()
}

/// The gallery's surveys, and all of their parts.
pub(crate) fn surveys(visit: Visit<'_>) {
    for (path, survey) in gallery() {
        let name = |part: &str| format!("{part} of {}", path.display());
        for verbosity in [Verbosity::Brief, Verbosity::Verbose] {
            visit(&name("all"), &|| nearfar_report::survey::text(&survey, verbosity));
            for part in survey.measured() {
                visit(&name(part.name()), &|| part_text(&survey, part, verbosity));
            }
            for part in Derived::from_survey(&survey) {
                visit(&name(part.name()), &|| derived_text(&survey, part, verbosity));
            }
        }
    }
}
