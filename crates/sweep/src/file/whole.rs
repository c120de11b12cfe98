//! Checks that a sweep can have written a document: unchecked values
//! would become figures.

use std::collections::BTreeSet;

use crate::configuration::Configuration;
use crate::document::Sweep;
use crate::objective::Objective;
use crate::record::{SweepRun, is_comparable};

/// No sweep has more blocks.
const MAX_BLOCKS: u32 = 1_000_000;

/// Thirty years, in seconds.
const MAX_RUN_S: f64 = 1e9;

/// What is wrong with it, if anything is.
pub(super) fn check(sweep: &Sweep) -> Result<(), String> {
    has_a_command(&sweep.command)?;
    if sweep.configurations.is_empty() {
        return Err("it has no configurations".to_owned());
    }
    let all = || sweep.configurations.iter().map(|configuration| &configuration.configuration);
    have_unique_ids(all())?;
    all().try_for_each(|configuration| {
        let of = |why: String| format!("{} {why}", configuration.id);
        has_a_command(&configuration.command)
            .map_err(|why| of(format!("is no configuration: {why}")))?;
        has_a_placement(configuration, &sweep.axes.placements).map_err(of)?;
        configuration.runs.iter().try_for_each(|run| has_figures(run, &sweep.objective)).map_err(of)
    })
}

fn has_a_command(words: &[String]) -> Result<(), String> {
    (!words.is_empty()).then_some(()).ok_or_else(|| "it has no command".to_owned())
}

/// Runs, differences and answers go by the id.
fn have_unique_ids<'c>(mut all: impl Iterator<Item = &'c Configuration>) -> Result<(), String> {
    let mut known = BTreeSet::new();
    let twice = all.find(|one| !known.insert(&one.id));
    twice.map_or(Ok(()), |twice| Err(format!("it has two configurations {}", twice.id)))
}

fn has_a_placement(configuration: &Configuration, known: &[String]) -> Result<(), String> {
    let is_known = known.is_empty() || known.contains(&configuration.placement);
    let why =
        || format!("has the placement {}, which is not among the sweep's", configuration.placement);
    is_known.then_some(()).ok_or_else(why)
}

/// Figures are compared as ratios; times of runs that failed may be nothing.
fn has_figures(run: &SweepRun, objective: &Objective) -> Result<(), String> {
    if run.block >= MAX_BLOCKS {
        return Err(format!("has a run of block {}, above {MAX_BLOCKS}", run.block));
    }
    if !(0.0..=MAX_RUN_S).contains(&run.wall_s) {
        return Err(format!("has a run of {} s", run.wall_s));
    }
    match objective.figure(run) {
        Some(figure) if figure.is_nan() || figure <= 0.0 => {
            Err(format!("has a run with the figure {figure}, which must be above 0"))
        }
        Some(figure) if !is_comparable(figure) => {
            Err(format!("has a run with the figure {figure:e}: no program has such a one"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;
    use crate::file::read;

    fn sketch() -> Value {
        serde_json::from_str(include_str!("../sketch.json")).unwrap()
    }

    /// The error of the sketch with one part replaced.
    fn error_of(part: &str, by: Value) -> String {
        let mut document = sketch();
        *document.pointer_mut(part).unwrap() = by;
        let file = tempfile::NamedTempFile::new().unwrap();
        serde_json::to_writer(&file, &document).unwrap();
        let error_of = read(file.path()).unwrap_err().to_string();
        assert_eq!(error_of.lines().count(), 1);
        error_of
            .strip_prefix(&file.path().display().to_string())
            .expect("the file is named")
            .to_owned()
    }

    #[test]
    fn the_sketch_is_whole() {
        check(&serde_json::from_value(sketch()).unwrap()).unwrap();
    }

    #[test]
    fn damaged_documents_are_refused_with_the_reason() {
        let run = "/configurations/1/runs/0";
        let one = sketch()["configurations"][1].clone();
        for (part, by, why) in [
            ("/command".to_owned(), json!([]), "it has no command"),
            ("/configurations".to_owned(), json!([]), "it has no configurations"),
            ("/configurations".to_owned(), json!([one, one]), "it has two configurations local:0"),
            (
                "/configurations/1/command".to_owned(),
                json!([]),
                "local:0 is no configuration: it has no command",
            ),
            (
                "/configurations/1/placement".to_owned(),
                json!("local:9"),
                "local:0 has the placement local:9, which is not among the sweep's",
            ),
            (format!("{run}/wall_s"), json!(-1.5), "local:0 has a run of -1.5 s"),
            (format!("{run}/wall_s"), json!(2e9), "local:0 has a run of 2000000000 s"),
            (
                format!("{run}/wall_s"),
                json!(1e-300),
                "local:0 has a run with the figure 1e-300: no program has such a one",
            ),
            (
                format!("{run}/wall_s"),
                json!(0),
                "local:0 has a run with the figure 0, which must be above 0",
            ),
            (
                format!("{run}/block"),
                json!(u32::MAX),
                "local:0 has a run of block 4294967295, above 1000000",
            ),
        ] {
            let expected = format!(" is damaged: {why}: take a whole copy of it, or sweep anew");
            assert_eq!(error_of(&part, by), expected);
        }
    }

    #[test]
    fn large_numbers_are_refused_unless_derived() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |document: &Value| {
            fs::write(file.path(), document.to_string()).unwrap();
            read(file.path()).map(|_| ()).map_err(|error| error.to_string())
        };
        let mut document = sketch();
        document["answers"] = json!({"x": 1e31});
        document["configurations"][0]["median"] = json!(1e31);
        assert_eq!(read(&document), Ok(()));
        document["seed"] = json!(1e31);
        assert!(
            read(&document)
                .unwrap_err()
                .contains("the number 1e31 is larger than any that is measured")
        );
        document["configurations"] = json!([[1], 2]);
        assert!(read(&document).is_err(), "and no panic");
    }

    #[test]
    fn invalid_times_are_refused() {
        let mut sweep: Sweep = serde_json::from_value(sketch()).unwrap();
        for nonsense in [f64::NAN, f64::INFINITY, -0.001] {
            sweep.configurations[0].configuration.runs[1].wall_s = nonsense;
            assert!(check(&sweep).unwrap_err().starts_with("unbound has a run of "), "{nonsense}");
        }
    }
}
