//! Documents with numbers that no machine has: refused, or shown without "inf" and "NaN".

use std::fs;

use nearfar_report::survey::Verbosity;
use nearfar_survey::Survey;
use nearfar_survey::compare::compare;
use serde_json::Value;

const DOCUMENTS: [&str; 2] =
    [include_str!("../../../survey/src/sketch.json"), include_str!("../golden/several.json")];
/// As JSON has them.
const NUMBERS: [&str; 9] =
    ["0", "-0.0", "-1", "-1e29", "1e29", "1e999", "-1e308", "4e-320", "9999999999999999999999"];

fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_owned()),
        Value::Array(all) => {
            // The first rows of a table are as good as its last.
            for (at, one) in all.iter().enumerate().take(4) {
                numbers(one, &format!("{path}/{at}"), found);
            }
        }
        Value::Object(all) => {
            for (key, one) in all {
                numbers(one, &format!("{path}/{key}"), found);
            }
        }
        _ => {}
    }
}

fn read(text: &str) -> Result<Survey, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    fs::write(&path, text).unwrap();
    nearfar_survey::read(&path).map_err(|error| error.to_string())
}

/// Words of a text that are no number.
fn is_plain(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    !words.any(|word| ["inf", "nan", "infinity"].contains(&word.to_ascii_lowercase().as_str()))
}

#[test]
fn no_screen_shows_what_is_no_number() {
    for document in DOCUMENTS {
        let document: Value = serde_json::from_str(document).unwrap();
        let whole = read(&document.to_string()).unwrap();
        let mut places = Vec::new();
        numbers(&document, "", &mut places);
        let mut refused = 0;
        for (at, place) in places.iter().enumerate() {
            let number = NUMBERS[at % NUMBERS.len()];
            let mut changed = document.clone();
            *changed.pointer_mut(place).unwrap() = Value::from("HERE");
            let Ok(survey) = read(&changed.to_string().replace("\"HERE\"", number)) else {
                refused += 1;
                continue;
            };
            let mut shown = vec![
                nearfar_report::survey::text(&survey, Verbosity::Verbose).text(),
                nearfar_report::survey::csv(&survey),
            ];
            for (first, second) in [(&whole, &survey), (&survey, &whole)] {
                if let Ok(compared) = compare(first, second, 0.01) {
                    shown.push(
                        nearfar_report::survey_comparison::text(&compared, ["a", "b"]).plain(),
                    );
                    shown.push(nearfar_report::survey_comparison::csv(&compared));
                }
            }
            for text in shown {
                let line = text.lines().find(|line| !is_plain(line));
                assert_eq!(line, None, "{place} is {number}");
            }
        }
        assert!(refused > places.len() / 10, "{refused} of {}", places.len());
    }
}
