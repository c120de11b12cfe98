//! GPUs: a survey of the lab, and its screen.

use std::path::Path;

use nearfar_model::Instrument;
use nearfar_report::survey::{Verbosity, part_csv, part_text};
use nearfar_survey::Survey;
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq};

/// The document of the gallery's page.
pub(crate) fn known() -> Survey {
    let document = include_str!("../../../../docs/gallery/documents/lab-gpus-2s.json");
    serde_json::from_str(document).unwrap()
}

#[test]
fn gpus_are_shown_as_kept() {
    let survey = known();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let text = part_text(&survey, Instrument::Gpu, Verbosity::Brief).text();
    let all = format!("{text}\n{}", part_csv(&survey, Instrument::Gpu));
    let golden = Data::read_from(&folder.join("gpus.txt"), Some(DataFormat::Text));
    assert_data_eq!(all, golden.raw());
}
