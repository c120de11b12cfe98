use super::*;

const LOOP: &str = include_str!("../../../tests/loop.toml");

fn error_of(text: &str) -> String {
    let error = Recipe::parse("mine", "mine.toml", text).unwrap_err().to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

#[test]
fn a_file_is_read_whole() {
    let recipe = Recipe::parse("loop", "loop.toml", LOOP).unwrap();
    let steps: Vec<&str> = recipe.steps.iter().map(|(name, _)| *name).collect();
    assert_eq!(steps, ["setup", "start", "ready", "warm", "load", "cleanup"]);
    assert_eq!(recipe.objective().name, "turns/s");
    assert_eq!(recipe.timeout, Duration::from_secs(30));
    assert_eq!(recipe.variables[0].values, ["one", "two"]);
}

#[test]
fn errors_name_line_key_and_what_is_expected() {
    for (there, instead, expected) in [
        ("load =", "lod =", "mine.toml:18: unknown field `lod`, expected one of `setup`, "),
        ("\"local\"", "\"locl\"", "mine.toml:3: placements: 'locl' is no placement: write "),
        ("\"local\"", "7", "mine.toml:3: invalid type: integer `7`, expected "),
        ("\"more\"", "\"most\"", "mine.toml:10: unknown variant `most`, expected `more` or `less`"),
        ("\"more\"", "\"less\"", "mine.toml:3: placements: per-node needs a metric with better ="),
        ("([0-9]+)", "[0-9]+", "mine.toml:9: metric.pattern: there is no group for the number"),
        ("turns/s\"", "a=b\"", "mine.toml:8: metric.name: write a name without '='"),
        ("\"always\"", "\"often\"", "mine.toml:24: system.thp: values are always, madvise, never"),
        ("WORD = ", "\"WO RD\" = ", "mine.toml:21: variables.WO RD: write NAME = ["),
        ("\"loop N\"", "\"loop '\"", "mine.toml:28: answer.command: write a command line, with "),
        ("question", "questions", "mine.toml:1: unknown field `questions`, expected one of "),
    ] {
        assert!(LOOP.contains(there), "{there}");
        let error = error_of(&LOOP.replacen(there, instead, 1));
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
    let missing = error_of("question = 'What?'\n");
    let form = "; docs/recipes/README.md has the form";
    assert_eq!(missing, format!("mine.toml: missing field `placements`{form}"));
}

#[test]
fn a_start_is_in_no_time() {
    let without = LOOP.replace("[metric]", "[other]").replace(", \"per-node\"", "");
    let without: Vec<&str> = without.split("[other]").collect();
    let rest = without[1].split_once("[steps]").unwrap().1;
    let error = error_of(&format!("{}[steps]{rest}", without[0]));
    assert!(error.contains("steps.start: a program that is started needs a [metric]"), "{error}");
}
