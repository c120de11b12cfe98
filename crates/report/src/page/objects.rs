//! Which memory of a program matters, on a page.

use maud::{Markup, html};
use nearfar_live::explain::text::{
    OBJECT_COLUMNS, object_rows, objects_answers, objects_method, objects_picture, stage_title,
};
use nearfar_live::explain::{ObjectsDocument, ObjectsStage};

use super::document::{OBJECTS, Origin, download};
use super::figure::figure;
use super::sentence::{sentence, words};
use super::shell::{Section, page};

/// The page.
pub fn objects(document: &ObjectsDocument, origin: &Origin) -> String {
    let answers = html! {
        @for one in objects_answers(document) { p { (sentence(&one)) } }
    };
    let mut sections = vec![Section::new("answers", "What it found", answers)];
    if let Some(picture) = objects_picture(document) {
        sections.push(Section::new("costs", "What far costs", figure(&picture, "objects-1")));
    }
    let tables = html! { @for stage in &document.stages { (objects_of(stage)) } };
    let is_of_threads = document.is_of_threads();
    let what = if is_of_threads { "Threads" } else { "Objects" };
    sections.push(Section::new("objects", what, tables));
    let method = html! {
        @for one in objects_method(document) { p { (sentence(&one)) } }
        (download(document, origin, &OBJECTS))
    };
    sections.push(Section::new("method", "How it was measured", method));
    let title = if is_of_threads { "Which threads matter" } else { "Which memory matters" };
    page(title, &head(document), &sections)
}

fn head(document: &ObjectsDocument) -> Markup {
    html! {
        p { code { (words(document.program())) } }
        p class="quiet" {
            (words(document.machine.as_deref().unwrap_or("unknown machine")))
            " · " (words(&document.started))
        }
    }
}

fn objects_of(stage: &ObjectsStage) -> Markup {
    html! {
        h3 { (words(&stage_title(stage))) }
        div class="drawing" {
            table class="words" {
                thead { tr { @for name in OBJECT_COLUMNS { th scope="col" { (name) } } } }
                tbody {
                    @for row in object_rows(stage) {
                        tr { @for cell in row { td { (words(&cell)) } } }
                    }
                }
            }
        }
    }
}
