//! What the program itself prints: found by a regular expression, or by a path into JSON.

use std::str::FromStr;

use regex_lite::Regex;
use serde_json::Value;
use serde_json_path::JsonPath;

use crate::error::SweepError;

/// Stands after what each of several instances printed (`recipes/run.sh`).
const SEPARATOR: &str = "\x1e\n";
/// Of a path; nested ones take twice the time each to read.
const MAX_FILTERS: usize = 8;
/// Of an escape in a path.
const UNICODE_DIGITS: usize = 4;

/// A figure that the program prints.
#[derive(Clone, Debug)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// As it was written.
    pub text: String,
    how: MetricSource,
}

#[derive(Clone, Debug)]
enum MetricSource {
    /// The first group's last match.
    Pattern(Regex),
    /// In the output as one document, or else in the last line that is one.
    Path(JsonPath),
}

impl FromStr for Metric {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = |why: String| SweepError::BadMetric(text.to_owned(), why);
        let example = "write NAME=PATTERN with a group for the number, as 'bops=([0-9.]+)', or \
                       NAME=$.json.path";
        let (name, way) = text.split_once('=').ok_or_else(|| wrong(example.to_owned()))?;
        if name.trim().is_empty() || way.is_empty() {
            return Err(wrong(example.to_owned()));
        }
        let how = match way.starts_with('$') {
            true => MetricSource::Path(path(way).map_err(wrong)?),
            false => MetricSource::Pattern(pattern(way).map_err(wrong)?),
        };
        Ok(Self { name: name.trim().to_owned(), text: text.to_owned(), how })
    }
}

fn path(text: &str) -> Result<JsonPath, String> {
    if text.matches('?').count() > MAX_FILTERS {
        return Err(format!("a path has at most {MAX_FILTERS} filters ('?')"));
    }
    // serde_json_path 0.7 panics where a text ends in such an escape.
    if text.rsplit_once("\\u").is_some_and(|(_, digits)| digits.len() < UNICODE_DIGITS) {
        return Err("it is cut off in '\\u'".to_owned());
    }
    JsonPath::parse(text).map_err(|error| error.to_string())
}

fn pattern(text: &str) -> Result<Regex, String> {
    // Errors of several lines end in the one with the reason.
    let last = |error: regex_lite::Error| {
        error.to_string().lines().last().unwrap_or_default().trim().to_owned()
    };
    let regex = Regex::new(text).map_err(last)?;
    match regex.captures_len() {
        1 => {
            Err("there is no group for the number: put it in parentheses, as '([0-9.]+)'"
                .to_owned())
        }
        _ => Ok(regex),
    }
}

impl Metric {
    /// The figure in what a run printed. Figures of several instances add up.
    pub fn of(&self, printed: &str) -> Option<f64> {
        let figure: Option<f64> = match printed.contains(SEPARATOR) {
            true => printed.split_terminator(SEPARATOR).map(|one| self.of_one(one)).sum(),
            false => self.of_one(printed),
        };
        // Two finite figures may have no finite sum.
        figure.filter(|value| value.is_finite())
    }

    fn of_one(&self, printed: &str) -> Option<f64> {
        match &self.how {
            MetricSource::Pattern(regex) => {
                number(regex.captures_iter(printed).last()?.get(1)?.as_str())
            }
            MetricSource::Path(path) => documents(printed).find_map(|document| {
                let found = path.query(&document).first()?.clone();
                found.as_f64().or_else(|| number(found.as_str()?))
            }),
        }
    }
}

/// "1,234.5" is written by programs that group digits.
fn number(text: &str) -> Option<f64> {
    let plain: String = text.trim().chars().filter(|character| *character != ',').collect();
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

fn documents(printed: &str) -> impl Iterator<Item = Value> + '_ {
    let whole = serde_json::from_str(printed).ok();
    whole
        .into_iter()
        .chain(printed.lines().rev().filter_map(|line| serde_json::from_str(line.trim()).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(metric: &str, printed: &str) -> Option<f64> {
        metric.parse::<Metric>().unwrap().of(printed)
    }

    #[test]
    fn the_last_match_of_a_pattern_counts() {
        assert_eq!(found("bops=bops: ([0-9.]+)", "bops: 10\nbops: 12.5\n"), Some(12.5));
        assert_eq!(found("tps=tps = ([0-9,.]+)", "tps = 1,234.5 (without)"), Some(1234.5));
        assert_eq!(found("bops=([0-9]+)", "nothing"), None);
        assert_eq!(found("word=([a-z]+)", "nothing"), None);
    }

    #[test]
    fn figures_of_instances_add_up() {
        let text = "tps = 3\ntps = 1\n\x1e\ntps = 2.5\n\x1e\n";
        assert_eq!(found("tps=tps = ([0-9,.]+)", text), Some(3.5));
        assert_eq!(found("tps=tps = (.+)", "tps = 1e308\n\x1e\ntps = 1e308\n\x1e\n"), None);
        // A figure of one of them is not the figure of all.
        assert_eq!(found("tps=tps = ([0-9,.]+)", "tps = 1\n\x1e\nnothing\n\x1e\n"), None);
    }

    #[test]
    fn paths_search_the_output_or_its_last_document() {
        assert_eq!(found("p99=$.latency.p99", "{\"latency\": {\"p99\": 1.5}}"), Some(1.5));
        assert_eq!(found("p99=$.runs[0]", "started\n{\"runs\": [\"7\"]}\nended\n"), Some(7.0));
        assert_eq!(found("p99=$.other", "{\"latency\": 1}"), None);
    }

    #[test]
    fn invalid_metrics_are_refused() {
        let why = |text: &str| text.parse::<Metric>().unwrap_err().to_string();
        assert!(why("bops").contains("write NAME=PATTERN"));
        assert!(why("bops=[0-9]+").contains("no group"));
        assert!(why("bops=([0-9").starts_with("--metric bops=([0-9: "), "{}", why("bops=([0-9"));
        assert!(!why("bops=([0-9").contains('\n'));
        assert!(why("p=$..[").starts_with("--metric p=$..[: "));
        let nested =
            |filters: usize| format!("p=${}{}", "[?@.a".repeat(filters), "]".repeat(filters));
        assert!(nested(8).parse::<Metric>().is_ok());
        for cut in ["p=$[\"\\u", "p=$['\\uD", "p=$[\"\\uD83D\\u", "p=$[\"\\uD83D\\uD"] {
            assert!(why(cut).ends_with("it is cut off in '\\u'"), "{}", why(cut));
        }
        assert!("p=$['\\u0041']".parse::<Metric>().is_ok());
        // It would not end.
        assert!(why(&nested(200)).ends_with("a path has at most 8 filters ('?')"));
    }
}
