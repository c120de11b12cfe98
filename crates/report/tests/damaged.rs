//! Documents that were damaged, at random or on purpose: they are refused in words, or shown, and never obeyed by the terminal.

use std::fs;

use nearfar_survey::{Content, Kept, Survey, SurveyError};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A whole document, of the survey crate's own tests.
const WHOLE: &str = include_str!("../../survey/src/sketch.json");

/// The screens of surveys: each looks at other parts of a document.
const PROBES: [&str; 3] = ["page", "core-walk", "store-sweep"];

fn whole() -> Value {
    serde_json::from_str(WHOLE).unwrap()
}

/// As `nearfar show` reads it.
fn read(document: &Value) -> Result<Survey, SurveyError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    fs::write(&path, document.to_string()).unwrap();
    nearfar_survey::read(&path)
}

/// All that can be made of a survey.
fn shown(survey: &Survey) -> Vec<String> {
    let mut shown = vec![nearfar_report::survey::csv(survey)];
    for probe in PROBES {
        let mut survey = survey.clone();
        survey.latency.probe = probe.to_owned();
        shown.push(nearfar_report::survey::text(&survey));
        shown.push(nearfar_report::survey::matrix_text(&survey));
    }
    shown
}

/// The places of a document, as JSON pointers: parts before what they hold.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    let mut within = |name: &str, value: &Value| {
        let place = format!("{here}/{name}");
        found.push(place.clone());
        places(value, &place, found);
    };
    match value {
        Value::Object(entries) => entries.iter().for_each(|(name, value)| within(name, value)),
        Value::Array(values) => values.iter().enumerate().for_each(|(index, value)| within(&index.to_string(), value)),
        _ => {}
    }
}

fn places_of(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    places(document, "", &mut found);
    found
}

/// Puts something else in a place; takes the place out where that is nothing.
fn damage(document: &mut Value, place: &str, instead: Option<Value>) {
    let (parent, name) = place.rsplit_once('/').unwrap();
    match (document.pointer_mut(parent), instead) {
        (Some(Value::Object(entries)), None) => drop(entries.remove(name)),
        (Some(Value::Array(values)), None) => drop(values.remove(name.parse().unwrap())),
        (_, None) => {}
        (_, Some(instead)) => *document.pointer_mut(place).unwrap() = instead,
    }
}

fn something_else() -> impl Strategy<Value = Option<Value>> {
    let fixed = vec![
        json!(null),
        json!([]),
        json!({}),
        json!(""),
        json!("0-9"),
        json!(true),
        json!([1, 0]),
        json!(0),
        json!(-1),
        json!(0.5),
        json!(u64::MAX),
        json!(u32::MAX),
        json!(f64::MAX),
        json!(f64::MIN_POSITIVE),
    ];
    prop_oneof![
        Just(None),
        prop::sample::select(fixed).prop_map(Some),
        any::<u32>().prop_map(|number| Some(json!(number))),
        any::<f64>().prop_map(|number| Some(json!(number))),
        ".{0,30}".prop_map(|text| Some(json!(text))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn whatever_still_reads_can_be_shown(
        wounds in proptest::collection::vec((any::<prop::sample::Index>(), something_else()), 1..4),
    ) {
        let mut document = whole();
        for (place, instead) in wounds {
            let places = places_of(&document);
            damage(&mut document, &places[place.index(places.len())], instead);
        }
        match read(&document) {
            Ok(survey) => prop_assert_eq!(shown(&survey).len(), 1 + 2 * PROBES.len()),
            Err(error) => prop_assert!(error.to_string().lines().count() == 1, "{}", error),
        }
    }
}

/// The same again for each place and each damage on its own: what chance may miss.
#[test]
fn no_single_loss_makes_a_screen_panic() {
    let whole = whole();
    let mut readable = 0;
    for place in places_of(&whole) {
        for instead in [None, Some(json!(null)), Some(json!([])), Some(json!(0)), Some(json!(u32::MAX))] {
            let mut document = whole.clone();
            damage(&mut document, &place, instead);
            readable += read(&document).map_or(0, |survey| shown(&survey).len().min(1));
        }
    }
    assert!(readable > 100, "{readable}");
}

#[test]
fn a_matrix_without_columns_or_cells_is_shown() {
    let mut document = whole();
    document["latency"]["cells"] = json!([]);
    for part in ["columns", "rows"] {
        document["latency"][part] = json!([]);
        assert_eq!(shown(&read(&document).unwrap()).len(), 7, "{part}");
    }
}

#[test]
fn drops_are_counted_beyond_32_bits() {
    let mut document = whole();
    document["latency"]["cells"][0]["dropped"] = json!({ "stalled": u32::MAX, "descheduled": u32::MAX });
    assert!(nearfar_report::survey::csv(&read(&document).unwrap()).contains(",8589934590,"));
}

/// The largest matrix that is ever measured takes no minutes, on any screen.
#[test]
fn a_document_of_the_largest_matrix_is_shown_at_once() {
    let mut survey = read(&whole()).unwrap();
    let matrix = &mut survey.latency;
    matrix.rows = vec![matrix.rows[0].clone(); 4096];
    matrix.columns = vec![matrix.columns[0].clone(); 64];
    let cell = matrix.cells[0].clone();
    let places = (0..4096).rev().flat_map(|row| (0..64).map(move |column| (row, column)));
    matrix.cells = places.map(|(row, column)| nearfar_survey::Cell { row, column, ..cell.clone() }).collect();
    let start = std::time::Instant::now();
    shown(&survey);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// Clears the screen, starts a line, colours it, turns its direction.
const HOSTILE: &str = "\u{1b}[2J\r\nforged\u{9b}31m\u{202e}";

/// A document with that in every text that still reads.
fn hostile() -> Survey {
    let mut document = whole();
    for place in places_of(&document) {
        let mut changed = document.clone();
        let text = changed.pointer_mut(&place).unwrap();
        if text.is_string() {
            *text = json!(HOSTILE);
            document = if read(&changed).is_ok() { changed } else { document };
        }
    }
    assert!(document.to_string().matches("forged").count() > 15, "{document}");
    read(&document).unwrap()
}

/// The text without nearfar's own colours (ESC, numbers, m).
fn without_colours(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = pieces.map(|piece| {
        let (code, rest) = piece.split_once('m').unwrap_or(("", ""));
        let own = code.starts_with('[') && code[1..].chars().all(|c| c.is_ascii_digit() || c == ';');
        if own { rest.to_owned() } else { format!("\u{1b}{piece}") }
    });
    first + &rest.collect::<String>()
}

fn is_clean(text: &str) -> bool {
    without_colours(text).chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}'))
}

#[test]
fn no_text_of_a_document_is_obeyed() {
    for text in shown(&hostile()) {
        assert!(is_clean(&text) && text.contains("\u{fffd}"), "{text:?}");
    }
}

#[test]
fn only_csv_keeps_the_line_feeds_of_a_document_and_quotes_them() {
    let shown = shown(&hostile());
    assert!(shown[0].contains("[2J\u{fffd}\nforged\u{fffd}31m\u{fffd}\""), "{}", shown[0]);
    assert!(shown[1..].iter().all(|text| !text.contains("\nforged")), "{shown:?}");
}

#[test]
fn no_name_or_text_in_the_list_is_obeyed() {
    let Survey { machine, verdict, provenance, .. } = hostile();
    let measured = vec![HOSTILE.to_owned()];
    let survey =
        Content::Survey { machine: machine.into(), verdict: verdict.into(), provenance: provenance.into(), measured };
    let unreadable = Content::Unreadable { why: HOSTILE.to_owned() };
    let kept = [survey, unreadable].map(|content| Kept { path: HOSTILE.into(), content });
    let text = nearfar_report::surveys::text(&kept);
    assert!(is_clean(&text), "{text:?}");
    assert_eq!(text.lines().count(), 3, "{text:?}");
}
