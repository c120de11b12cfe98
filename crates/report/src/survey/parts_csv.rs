//! All cells of a survey for a spreadsheet, part by part.

use nearfar_survey::Survey;

use super::part::Part;

/// The cells of a document as CSV (RFC 4180), rows and columns by label; of a plain survey, latency's, whether or not nodes were looked for that are hidden. Several parts follow one another, each under a header of its own, and
/// with its name in the first column.
pub fn csv(survey: &Survey) -> String {
    match Part::of(survey)[..] {
        [] | [Part::Latency, Part::Hidden] => super::csv::latency_csv(survey),
        [only] => only.csv(survey),
        ref several => several.iter().map(|part| named(*part, &part.csv(survey))).collect(),
    }
}

/// The same lines with the part's name before each of them, "part" before headers.
fn named(part: Part, text: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Reading what was just written does not fail, nor does writing to memory.
    let mut failed = false;
    for record in reader.records() {
        let Ok(record) = record else { return String::new() };
        let is_header = record.iter().take(2).eq(["row", "column"]);
        let name = if is_header { "part" } else { part.name() };
        failed |= writer.write_record(std::iter::once(name).chain(&record)).is_err();
    }
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}
