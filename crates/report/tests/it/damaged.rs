//! Documents that were damaged, at random or on purpose: they are refused in words, or shown, and
//! never obeyed by the terminal.

use std::fs;
use std::path::Path;

use nearfar_model::Instrument;
use nearfar_report::survey::{Derived, Verbosity};
use nearfar_survey::{Content, KeptSurvey, Survey, SurveyError};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases::cases;
use crate::{hidden_part, measured};

/// A whole document, of the survey crate's own tests.
const WHOLE: &str = include_str!("../../../survey/src/sketch.json");

/// The screens of surveys: each looks at other parts of a document.
const PROBES: [&str; 3] = ["page", "core-walk", "store-sweep"];

fn whole() -> Value {
    serde_json::from_str(WHOLE).unwrap()
}

/// Documents with all parts about nodes: two nodes, whose links are undetermined, and several. They
/// have no samples, which would be most of the fields to damage.
fn with_nodes() -> [Value; 2] {
    let hidden = || Some(serde_json::from_value(hidden_part::found()).unwrap());
    let mut documents = [measured::xeon_2s(), measured::epyc_9224()].map(|known| {
        let mut survey = Survey { hidden: hidden(), ..known.survey() };
        survey.strip_samples();
        serde_json::to_value(survey).unwrap()
    });
    assert_eq!(documents[0]["links"]["refused"]["code"], "few-nodes");
    for part in [
        "/links/edges/0",
        "/links/ways/0",
        "/links/hops/0",
        "/classes/classes/1",
        "/claims_vs_measured/checks/0/findings/2",
    ] {
        assert!(documents[1].pointer(part).is_some(), "{part}");
    }
    documents[1]["links"]["edges"][0]["bandwidth"] = json!("agrees");
    documents[1]["links"]["ways"][0]["bandwidth"] = json!("contradicts");
    documents
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
        shown.push(nearfar_report::survey::text(&survey, Verbosity::Verbose).text());
        shown.push(
            nearfar_report::survey::part_text(&survey, Instrument::Latency, Verbosity::Verbose)
                .text(),
        );
    }
    shown
}

/// What follows for nodes, as `nearfar show --part` and `nearfar links` show it.
fn shown_of_nodes(survey: &Survey) -> Vec<String> {
    let mut shown: Vec<String> = Derived::ALL
        .into_iter()
        .map(|part| nearfar_report::survey::derived_text(survey, part, Verbosity::Verbose).text())
        .collect();
    shown.extend(survey.links.iter().map(|links| (links, survey.classes.as_ref())).map(
        |(links, classes)| nearfar_report::links::text(links, classes, Verbosity::Verbose).text(),
    ));
    shown.push(
        nearfar_report::survey::part_text(survey, Instrument::Hidden, Verbosity::Verbose).text(),
    );
    shown
}

/// Everything else that is done with a document: spreadsheets, and judging it again, which may be
/// refused.
fn used(survey: &Survey) -> Result<(), String> {
    nearfar_report::survey::part_csv(survey, Instrument::Hidden);
    for part in Derived::ALL {
        nearfar_report::survey::derived_csv(survey, part);
    }
    drawn(survey);
    let mut again = survey.clone();
    again.judge().map_err(|error| error.to_string())?;
    nearfar_report::survey::text(&again, Verbosity::Verbose).text();
    Ok(())
}

/// Its page, which is text and loads nothing, and its pictures in characters.
fn drawn(survey: &Survey) {
    let origin = nearfar_report::page::Origin { file: "s.json".to_owned(), made_from: None };
    let page = nearfar_report::page::survey(survey, &origin, false);
    assert!(!page.contains("<script") && !page.contains("NaN\"") && !page.contains("inf\""));
    for kind in nearfar_report::pictures::PictureKind::all() {
        let shown = kind.draw(survey, None);
        let pictures = shown.pictures.iter().map(nearfar_report::pictures::SurveyPicture::picture);
        nearfar_report::pictures::characters(
            pictures,
            &shown.notes,
            &nearfar_view::draw::Screen::PLAIN,
        );
    }
}

/// Either a line why not, or screens.
fn refused_or_shown(document: &Value) -> Result<(), String> {
    match read(document) {
        Ok(survey) => {
            assert_eq!(shown(&survey).len(), 1 + 2 * PROBES.len());
            assert!(shown_of_nodes(&survey).len() >= Derived::ALL.len());
            used(&survey)
        }
        Err(error) => Err(error.to_string()),
    }
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
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| within(&index.to_string(), value));
        }
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
    #![proptest_config(cases(100))]

    #[test]
    fn damaged_surveys_are_shown_without_panic(
        wounds in proptest::collection::vec((any::<prop::sample::Index>(), something_else()), 1..4),
    ) {
        let mut document = whole();
        for (place, instead) in wounds {
            let places = places_of(&document);
            damage(&mut document, &places[place.index(places.len())], instead);
        }
        let why = refused_or_shown(&document).err().unwrap_or_default();
        prop_assert!(why.lines().count() <= 1, "{}", why);
    }

    #[test]
    fn damaged_nodes_are_shown_without_panic(
        which in 0usize..2,
        wounds in proptest::collection::vec((any::<prop::sample::Index>(), something_else()), 1..4),
    ) {
        thread_local!(static DOCUMENTS: [Value; 2] = with_nodes());
        let mut document = DOCUMENTS.with(|documents| documents[which].clone());
        for (place, instead) in wounds {
            let places = node_places(&document);
            if let Some(place) = places.get(place.index(places.len().max(1))) {
                damage(&mut document, place, instead);
            }
        }
        let why = refused_or_shown(&document).err().unwrap_or_default();
        prop_assert!(why.lines().count() <= 1, "{}", why);
    }
}

/// Paths of the parts about nodes.
fn node_places(document: &Value) -> Vec<String> {
    const PARTS: [&str; 4] = ["/classes", "/links", "/claims_vs_measured", "/hidden"];
    let places = places_of(document).into_iter();
    places.filter(|place| PARTS.iter().any(|part| place.starts_with(part))).collect()
}

/// Damages one place at a time, with every `step`-th of all damages; returns how many documents
/// could still be read.
fn damage_nodes(step: usize) -> usize {
    let replacements = [None, Some(json!(null)), Some(json!(u32::MAX)), Some(json!(-1))];
    let mut readable = 0;
    for whole in with_nodes() {
        let places = node_places(&whole);
        let damages = places.iter().flat_map(|place| replacements.iter().map(move |r| (place, r)));
        for (place, replacement) in damages.step_by(step) {
            let mut document = whole.clone();
            damage(&mut document, place, replacement.clone());
            readable += usize::from(refused_or_shown(&document).is_ok());
        }
    }
    readable
}

#[test]
fn a_damaged_node_field_causes_no_panic() {
    // An odd step alternates between the replacements.
    let readable = damage_nodes(21);
    assert!(readable > 25, "{readable}");
}

#[test]
#[ignore = "long: all damages, not one of 21"]
fn no_damaged_node_field_causes_a_panic() {
    let readable = damage_nodes(1);
    assert!(readable > 500, "{readable}");
}

#[test]
fn documents_without_classes_are_shown() {
    let fields = [
        "/claims_vs_measured/checks/0/strengths",
        "/links/edges/0/bandwidth",
        "/links/ways/0/bandwidth",
    ];
    let [_, mut document] = with_nodes();
    let whole = read(&document).unwrap();
    fields.iter().for_each(|field| damage(&mut document, field, None));
    let earlier = read(&document).unwrap();
    assert_eq!(
        earlier.claims_vs_measured.as_ref().unwrap().contradictions().len(),
        whole.claims_vs_measured.unwrap().contradictions().len()
    );
    assert!(shown_of_nodes(&earlier).iter().all(|text| !text.contains("bandwidth")));
    ["/classes", "/links", "/claims_vs_measured", "/hidden"]
        .iter()
        .for_each(|part| damage(&mut document, part, None));
    let before = read(&document).unwrap();
    assert_eq!((&before.classes, &before.links, &before.claims_vs_measured), (&None, &None, &None));
    let text = nearfar_report::survey::text(&before, Verbosity::Verbose).text();
    assert!(!text.contains("distance classes") && text.contains("latency, ns"), "{text}");
}

#[test]
fn contradictory_nodes_are_refused_in_a_line() {
    let [_, whole] = with_nodes();
    let message = |place: &str, instead: Value| {
        let mut document = whole.clone();
        damage(&mut document, place, Some(instead));
        read(&document).map(|_| ()).unwrap_err().to_string()
    };
    assert!(
        message("/classes/classes/1/cost_ns", json!(-5.0))
            .ends_with("classes: costs -5 ns: a cost is finite and above 0")
    );
    assert!(
        message("/classes/classes/1/ci95", json!([120.0, 110.0]))
            .contains("classes has an interval that runs backwards")
    );
    assert!(
        message("/links/edges/0/support", json!(1.5))
            .ends_with("links: a support of 1.5 is no share")
    );
    let backwards = message("/claims_vs_measured/checks/0/cells/0/ci95", json!([2.0, 1.0]));
    assert!(
        backwards.contains("claims_vs_measured has an interval that runs backwards"),
        "{backwards}"
    );
}

/// The same for each place on its own, which random damage may miss.
fn damage_each_place(step: usize) -> usize {
    let replacements =
        [None, Some(json!(null)), Some(json!([])), Some(json!(0)), Some(json!(u32::MAX))];
    let whole = whole();
    let places = places_of(&whole);
    let damages = places.iter().flat_map(|place| replacements.iter().map(move |r| (place, r)));
    let mut readable = 0;
    for (place, replacement) in damages.step_by(step) {
        let mut document = whole.clone();
        damage(&mut document, place, replacement.clone());
        readable += read(&document).map_or(0, |survey| shown(&survey).len().min(1));
    }
    readable
}

#[test]
fn a_damaged_field_causes_no_panic() {
    let readable = damage_each_place(6);
    assert!(readable > 15, "{readable}");
}

#[test]
#[ignore = "long: all damages, not one of six"]
fn no_damaged_field_causes_a_panic() {
    let readable = damage_each_place(1);
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
    document["latency"]["cells"][0]["dropped"] =
        json!({ "stalled": u32::MAX, "descheduled": u32::MAX });
    assert!(nearfar_report::survey::csv(&read(&document).unwrap()).contains(",8589934590,"));
}

/// Shows a matrix of 64 columns, and guards against work that grows with the square of its rows.
fn show_matrix(rows: usize) {
    let mut survey = read(&whole()).unwrap();
    let matrix = &mut survey.latency;
    matrix.rows = vec![matrix.rows[0].clone(); rows];
    matrix.columns = vec![matrix.columns[0].clone(); 64];
    let cell = matrix.cells[0].clone();
    let places = (0..rows).rev().flat_map(|row| (0..64).map(move |column| (row, column)));
    matrix.cells = places
        .map(|(row, column)| nearfar_survey::MatrixCell { row, column, ..cell.clone() })
        .collect();
    let start = std::time::Instant::now();
    shown(&survey);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn a_document_of_a_large_matrix_is_shown_within_a_minute() {
    show_matrix(512);
}

#[test]
#[ignore = "long: the largest matrix that is measured"]
fn a_document_of_the_largest_matrix_is_shown_within_a_minute() {
    show_matrix(4096);
}

/// Clears the screen, starts a line, colours it, turns its direction.
const HOSTILE: &str = "\u{1b}[2J\r\nforged\u{9b}31m\u{202e}";

/// The small document with that in every text that still reads.
fn hostile() -> Survey {
    made_hostile(whole())
}

fn made_hostile(mut document: Value) -> Survey {
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
        let own =
            code.starts_with('[') && code[1..].chars().all(|c| c.is_ascii_digit() || c == ';');
        if own { rest.to_owned() } else { format!("\u{1b}{piece}") }
    });
    first + &rest.collect::<String>()
}

fn is_clean(text: &str) -> bool {
    without_colours(text).chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}'))
}

#[test]
fn control_characters_of_surveys_are_replaced() {
    for text in shown(&hostile()) {
        assert!(is_clean(&text) && text.contains("\u{fffd}"), "{text:?}");
    }
}

#[test]
fn control_characters_of_nodes_are_replaced() {
    for document in with_nodes() {
        let survey = made_hostile(document);
        let shown = [shown(&survey), shown_of_nodes(&survey)].concat();
        assert!(shown.iter().all(|text| is_clean(text)), "{shown:?}");
        assert!(shown.iter().filter(|text| text.contains("\u{fffd}")).count() > 8, "{shown:?}");
    }
}

#[test]
fn no_text_begins_a_line() {
    let shown = shown(&hostile());
    assert!(shown.iter().all(|text| !text.contains("\nforged")), "{shown:?}");
}

#[test]
fn control_characters_of_the_list_are_replaced() {
    let Survey { machine, verdict, provenance, .. } = hostile();
    let measured = vec![HOSTILE.to_owned()];
    let survey = Content::Survey {
        machine: machine.into(),
        verdict: verdict.into(),
        provenance: provenance.into(),
        measured,
    };
    let unreadable = Content::Unreadable { why: HOSTILE.to_owned(), why_below: HOSTILE.to_owned() };
    let kept = [survey, unreadable].map(|content| KeptSurvey { path: HOSTILE.into(), content });
    let text = nearfar_report::surveys::text(&kept, Path::new(HOSTILE));
    assert!(is_clean(&text), "{text:?}");
    assert_eq!(text.lines().count(), 5, "{text:?}");
}
