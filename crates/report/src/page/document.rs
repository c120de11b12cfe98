//! The document that a page shows, in a link of the page: who has the page has the survey.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use serde::Serialize;

use super::sentence::words;

/// Where a document comes from, as far as its file's reader knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file's name, without folders: what the download is called.
    pub file: String,
    /// What its figures are, where it is no measurement of the machine that it names: a sentence for the head of the page. "The figures are a
    /// published matrix, replayed with noise."
    pub made_from: Option<String>,
}

/// The link.
pub(super) fn download(document: &impl Serialize, origin: &Origin, holds_samples: bool) -> Markup {
    let Ok(json) = serde_json::to_vec(document) else { return html! { p { "The document could not be written." } } };
    let size = json.len().div_ceil(1024);
    let samples = if holds_samples { "with all raw samples" } else { "without raw samples (--with-samples keeps them)" };
    html! {
        p {
            a download=(words(&origin.file)) href=(format!("data:application/json;base64,{}", STANDARD.encode(json))) {
                "Save the document"
            }
            " (" (words(&origin.file)) ", JSON, " (size) " KiB, " (samples) "). nearfar reads it: "
            code { "nearfar show FILE" } ", " code { "nearfar compare FILE FILE" } "."
        }
    }
}
