//! `docs/gallery/lstopo.html`: machines beside lstopo's pictures of them, with what these have and
//! nearfar's lack. `docs/gallery/lstopo/make.sh` makes lstopo's pictures.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use nearfar_diagnose::{Witnesses, usual_devices};
use nearfar_machine::{Environment, Source, Topology};
use nearfar_report::pictures::PictureKind;
use nearfar_survey::Survey;
use nearfar_view::draw::{FigureTable, Palette, inline};
use serde::Deserialize;

use super::{gallery, whole_page};
use crate::corpus_folder::corpus;
use crate::published_file::assert_published;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Machines {
    machine: Vec<Machine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    title: String,
    file: String,
    /// What lstopo shows and nearfar does not, and why.
    lacks: Vec<[String; 2]>,
}

const STYLE: &str = "body{max-width:80rem;margin:0 auto;padding:1rem;font:16px/1.5 \
    system-ui,sans-serif;background:var(--paper);color:var(--ink)}a{color:inherit}.two{display:\
    grid;grid-template-columns:1fr 1fr;gap:1.5rem;align-items:start}figure{margin:0;min-width:0}\
    figcaption{color:var(--quiet);font-size:.9rem}svg,img{max-width:100%;height:auto}img{\
    background:#fff}.wide{overflow-x:auto}table{border-collapse:collapse;\
    font-size:.8rem}th,td{text-align:left;vertical-align:top;padding:.1rem .5rem;border-bottom:\
    1px solid var(--grid)}pre{white-space:pre-wrap;font-size:.8rem}@media (max-width:50rem){.two{\
    grid-template-columns:1fr}}";
/// hwloc's captures have this licence.
const HWLOC: &str = "https://github.com/open-mpi/hwloc";

impl Machine {
    fn name(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        name.trim_end_matches(".xml").split(".tar.").next().unwrap_or_default()
    }

    /// What the kernel of this machine reports; it was not measured.
    fn survey(&self, corpus: &Path) -> Survey {
        let folder =
            if self.file.starts_with("captures/") { gallery().join("..") } else { corpus.into() };
        let source = Source::open(&folder.join(&self.file)).unwrap();
        let witnesses = Witnesses::read(&source);
        let devices = usual_devices(&witnesses, &source);
        let topology = Topology::read(&source).unwrap();
        Survey::unmeasured(&topology, &Environment::read(&source), &witnesses, devices)
    }

    fn section(&self, number: usize, corpus: &Path, theirs: &str) -> Markup {
        let drawn = PictureKind::Machine.draw(&self.survey(corpus), None);
        assert!(drawn.notes.is_empty(), "{}: {:?}", self.file, drawn.notes);
        let ours = drawn.pictures[0].picture();
        let theirs = format!("data:image/svg+xml;base64,{}", STANDARD.encode(theirs));
        html! {
            section {
                h2 { (self.title) }
                div class="two" {
                    figure {
                        (inline(ours, &format!("machine{number}")))
                        figcaption { "nearfar plot machine. " (ours.heading().description()) }
                        details { summary { "The same as a table" } (table(&ours.table())) }
                    }
                    figure {
                        img src=(theirs) alt=(format!("lstopo's picture of {}", self.name()));
                        figcaption { "lstopo, of " (self.file) }
                    }
                }
                @if self.lacks.is_empty() {
                    p { "lstopo shows nothing that is not here." }
                } @else {
                    p { "lstopo shows, and nearfar does not:" }
                    ul { @for [what, why] in &self.lacks { li { (what) ". " (why) } } }
                }
            }
        }
    }
}

fn table(figures: &FigureTable) -> Markup {
    html! {
        div class="wide" {
            table {
                thead { tr { @for name in &figures.columns { th scope="col" { (name) } } } }
                tbody {
                    @for row in &figures.rows { tr { @for cell in row { td { (cell) } } } }
                }
            }
        }
    }
}

fn page(machines: &Machines, corpus: &Path, folder: &Path) -> String {
    let style = [&Palette::page_properties(), &Palette::style(), STYLE].concat();
    let licence = fs::read_to_string(corpus.join("sysfs/hwloc/COPYING")).unwrap();
    let sections = machines.machine.iter().enumerate().map(|(number, machine)| {
        let theirs = folder.join(format!("{}.svg", machine.name()));
        let theirs = fs::read_to_string(&theirs).unwrap_or_else(|error| {
            panic!("{theirs:?}: {error}; docs/gallery/lstopo/make.sh draws it")
        });
        machine.section(number, corpus, &theirs)
    });
    let body = html! {
        h1 { "Machines beside lstopo" }
        p {
            "The same files, drawn by both programs. lstopo is of hwloc 2.9, with its own "
            "options; the day of drawing is left out. Its numbers L# are its own; P# are "
            "the kernel's, which nearfar has alone. For it, XML of hwloc 3 was marked as of "
            "version 2, and nearfar's capture got the masks of its CPU lists."
        }
        @for section in sections { (section) }
        h2 { "Source" }
        p {
            "Captures and XML are of " a href=(HWLOC) { "hwloc" } "'s tests, but the last "
            "machine's."
        }
        details { summary { "hwloc's licence" } pre { (licence) } }
    };
    whole_page("Machines beside lstopo", &style, &body)
}

fn machines(folder: &Path) -> Machines {
    toml::from_str(&fs::read_to_string(folder.join("machines.toml")).unwrap()).unwrap()
}

fn lstopo() -> PathBuf {
    gallery().join("lstopo")
}

#[test]
fn the_page_is_what_the_machines_give_today() {
    let Some(corpus) = corpus() else { return };
    let page = page(&machines(&lstopo()), &corpus, &lstopo());
    assert_published(&gallery().join("lstopo.html"), &page, "./dev gallery");
}

#[test]
fn each_machine_has_a_picture_of_lstopo_and_each_gap_a_reason() {
    let machines = machines(&lstopo());
    assert_eq!(machines.machine.len(), 12);
    for machine in &machines.machine {
        let theirs = lstopo().join(format!("{}.svg", machine.name()));
        assert!(theirs.is_file(), "{theirs:?}: docs/gallery/lstopo/make.sh draws it");
        assert!(machine.lacks.iter().all(|[what, why]| !what.is_empty() && why.ends_with('.')));
    }
}
