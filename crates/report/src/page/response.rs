//! A program's response to far memory on a page.

use maud::{Markup, html};
use nearfar_live::explain::ResponseDocument;
use nearfar_live::explain::text::{
    PLACEMENT_COLUMNS, placement_rows, response_answers, response_method, response_picture,
};

use super::document::{Origin, RESPONSE, download};
use super::figure::figure;
use super::sentence::{sentence, words};
use super::shell::{Section, page};

/// The page.
pub fn response(document: &ResponseDocument, origin: &Origin) -> String {
    let answers = html! {
        @for one in response_answers(document) { p { (sentence(&one)) } }
    };
    let mut sections = vec![Section::new("answers", "What it found", answers)];
    if let Some(picture) = response_picture(document) {
        sections.push(Section::new("response", "Response", figure(&picture, "response-1")));
    }
    sections.push(Section::new("placements", "Placements on this machine", placements(document)));
    let method = html! {
        @for one in response_method(document) { p { (sentence(&one)) } }
        (download(document, origin, &RESPONSE))
    };
    sections.push(Section::new("method", "How it was measured", method));
    page("Response to far memory", &head(document), &sections)
}

fn head(document: &ResponseDocument) -> Markup {
    html! {
        p { code { (words(document.program())) } }
        p class="quiet" {
            (words(document.machine.as_deref().unwrap_or("unknown machine")))
            " · " (document.periods.len()) " periods · " (words(&document.started))
        }
    }
}

fn placements(document: &ResponseDocument) -> Markup {
    html! {
        div class="drawing" {
            table class="words" {
                thead { tr { @for name in PLACEMENT_COLUMNS { th scope="col" { (name) } } } }
                tbody {
                    @for row in placement_rows(document) {
                        tr { @for cell in row { td { (words(&cell)) } } }
                    }
                }
            }
        }
    }
}
