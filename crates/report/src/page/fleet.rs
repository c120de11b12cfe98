//! A fleet on a page.

use maud::{Markup, html};
use nearfar_survey::fleet::FleetDocument;
use nearfar_survey::fleet::text::{
    DRIFT_COLUMNS, FleetDetail, boards, counted, courses, doubts, drift_rows, groups, history,
    maps, method, sentences, skipped,
};

use super::document::{FLEET, Origin, download};
use super::figure::figure;
use super::sentence::{sentence, words};
use super::shell::{Section, page};

/// Lines of a list on a page; the document has all.
const MAX_LINES: usize = 200;

/// The page of a fleet.
pub fn fleet(fleet: &FleetDocument) -> String {
    let mut sections = vec![Section::new("outliers", "Outliers", outliers(fleet))];
    if let Some(changes) = &fleet.history {
        let pictures = courses(changes);
        let body = html! {
            (list(&history(changes, FleetDetail::Full)))
            @for (at, course) in (1..).zip(&pictures) { (figure(course, &format!("history-{at}"))) }
        };
        sections.push(Section::new("history", "Changes over time", body));
    }
    if !fleet.boards.is_empty() {
        let body = list(&boards(&fleet.boards));
        sections.push(Section::new("boards", "Other names and boards", body));
    }
    if !fleet.doubts.is_empty() {
        let body = list(&doubts(&fleet.doubts));
        sections.push(Section::new("doubts", "Doubtful surveys", body));
    }
    for number in 0..fleet.groups.len() {
        let maps = maps(fleet, number);
        if maps.is_empty() {
            continue;
        }
        let id = format!("group-{}", number + 1);
        let body = html! {
            @for (at, map) in (1..).zip(&maps) { (figure(map, &format!("{id}-{at}"))) }
        };
        sections.push(Section::new(id.clone(), format!("Group {}", number + 1), body));
    }
    sections.push(Section::new("drift", "Drift of settings", drift(fleet)));
    sections.push(Section::new("groups", "Groups", list(&groups(fleet))));
    if !fleet.skipped.is_empty() {
        let body = list(&skipped(&fleet.skipped));
        sections.push(Section::new("skipped", "Documents not used", body));
    }
    let origin = Origin { file: "fleet.json".to_owned(), made_from: None };
    sections.push(Section::new("document", "The document", download(fleet, &origin, &FLEET)));
    page("Fleet", &html! { p { (counted(fleet)) } }, &sections)
}

fn outliers(fleet: &FleetDocument) -> Markup {
    html! {
        @if let Some(reference) = &fleet.reference {
            p { "Machines are compared with " code { (words(reference)) } "." }
        }
        (list(&sentences(fleet, FleetDetail::Full)))
        @if !fleet.findings.is_empty() { p class="note" { (sentence(&method(fleet))) } }
    }
}

fn drift(fleet: &FleetDocument) -> Markup {
    let rows = drift_rows(fleet);
    if rows.is_empty() {
        return html! { p { "No setting differs." } };
    }
    table(&DRIFT_COLUMNS, &rows)
}

fn list(all: &[String]) -> Markup {
    html! {
        ul { @for one in all.iter().take(MAX_LINES) { li { (sentence(one)) } } }
        (more(all.len()))
    }
}

fn table<const N: usize>(columns: &[&str; N], rows: &[[String; N]]) -> Markup {
    html! {
        div class="drawing" {
            table class="words" {
                thead { tr { @for name in columns { th scope="col" { (name) } } } }
                tbody {
                    @for row in rows.iter().take(MAX_LINES) {
                        tr { @for cell in row { td { (words(cell)) } } }
                    }
                }
            }
        }
        (more(rows.len()))
    }
}

fn more(all: usize) -> Markup {
    html! {
        @if all > MAX_LINES {
            p { "and " (all - MAX_LINES) " more: they are in the document." }
        }
    }
}
