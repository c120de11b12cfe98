//! The document that a page shows, in a link of the page: who has the page has the survey.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use maud::{Markup, html};
use serde::Serialize;

use super::sentence::words;

/// Where a document comes from, as far as its file's reader knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file's name, without folders: what the download is called.
    pub file: String,
    /// What its figures are, where it is no measurement of the machine that it names: a sentence
    /// for the head of the page. "The figures are a published matrix, replayed with noise."
    pub made_from: Option<String>,
}

/// A larger document is packed: it would be most of its page.
const MAX_PLAIN: usize = 1 << 20;

/// What a document has in it, and which commands read it.
pub(super) struct DocumentContents {
    samples: &'static str,
    reader: &'static str,
    read_by: [&'static str; 2],
}

/// A survey with its samples.
pub(super) const SURVEY: DocumentContents =
    DocumentContents { samples: "with all raw samples", reader: NEARFAR, read_by: SURVEY_READ_BY };

pub(super) const SURVEY_WITHOUT_SAMPLES: DocumentContents = DocumentContents {
    samples: "without raw samples; --with-samples keeps them",
    reader: NEARFAR,
    read_by: SURVEY_READ_BY,
};

const NEARFAR: &str = "nearfar";
const SURVEY_READ_BY: [&str; 2] = ["nearfar show FILE", "nearfar compare FILE FILE"];

/// A sweep, which always has its runs.
pub(super) const SWEEP: DocumentContents = DocumentContents {
    samples: "with every run",
    reader: NEARFAR,
    read_by: ["nearfar plot KIND FILE", "nearfar compare FILE FILE"],
};

pub(super) const RESPONSE: DocumentContents = DocumentContents {
    samples: "with every period",
    reader: NEARFAR,
    read_by: ["nearfar explain FILE --on MACHINE", "nearfar plot response FILE"],
};

pub(super) const OBJECTS: DocumentContents = DocumentContents {
    samples: "with every run",
    reader: NEARFAR,
    read_by: ["nearfar plot objects FILE", "nearfar report FILE"],
};

pub(super) const FLEET: DocumentContents = DocumentContents {
    samples: "with every figure's ratio",
    reader: "jq",
    read_by: ["jq .findings FILE", "jq .drift FILE"],
};

pub(super) fn download(
    document: &impl Serialize,
    origin: &Origin,
    held: &DocumentContents,
) -> Markup {
    let Ok(json) = serde_json::to_vec(document) else {
        return html! { p { "The document could not be written." } };
    };
    let size = json.len().div_ceil(1024);
    let file = words(&origin.file);
    let (kind, name, data) = match packed(&json) {
        Some(packed) => ("application/gzip", format!("{file}.gz"), packed),
        None => ("application/json", file.into_owned(), json),
    };
    let link = format!("data:{kind};base64,{}", STANDARD.encode(data));
    html! {
        p {
            a download=(name) href=(link) { "Save the document" }
            " (" (name) ", " (size) " KiB of JSON, " (held.samples) "). "
            @if kind == "application/gzip" {
                code { "gunzip" } " unpacks it, and " (held.reader) " reads it: "
            } @else {
                (held.reader) " reads it: "
            }
            @for (at, command) in held.read_by.iter().enumerate() {
                @if at > 0 { ", " }
                code { (command) }
            }
            "."
        }
    }
}

/// A large document packed, by gzip without a time: the same bytes every time.
fn packed(json: &[u8]) -> Option<Vec<u8>> {
    if json.len() <= MAX_PLAIN {
        return None;
    }
    let mut packer = GzBuilder::new().write(Vec::new(), Compression::default());
    packer.write_all(json).ok()?;
    packer.finish().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_large_document_is_packed_and_a_small_one_is_not() {
        assert_eq!(packed(b"{}"), None);
        let large = vec![b' '; MAX_PLAIN + 1];
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed(&large).unwrap()[..])
            .read_to_end(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, large);
        assert_eq!(packed(&large), packed(&large));
    }
}
