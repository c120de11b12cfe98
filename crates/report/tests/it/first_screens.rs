//! The answer is on the first screen and on the last line, in any survey and part, at any width.

use std::fs;
use std::path::{Path, PathBuf};

use nearfar_model::Instrument;
use nearfar_report::survey::{Derived, Verbosity, derived_text, last_line, part_text, text};
use nearfar_survey::Survey;
use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::terminal::width;

use crate::corpus_folder::corpus;
use crate::screens::plain;

const WIDTHS: [usize; 4] = [40, 60, 80, 120];
/// Words of an answer that stand in the first three lines.
const WORDS: usize = 6;

/// Documents of the gallery and of the corpus, without samples.
fn surveys() -> Vec<(PathBuf, Survey)> {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery/documents");
    let mut files = Vec::new();
    add_files(&gallery, &mut files);
    if let Some(corpus) = corpus() {
        add_files(&corpus, &mut files);
    }
    let is_survey = |file: &PathBuf| {
        let start = fs::read(file).unwrap_or_default();
        let start = String::from_utf8_lossy(&start[..start.len().min(300)]).into_owned();
        start.contains("nearfar.survey/")
    };
    let mut surveys = Vec::new();
    for file in files.into_iter().filter(is_survey) {
        let Ok(mut survey) = nearfar_survey::read(&file) else { continue };
        survey.strip_samples();
        surveys.push((file, survey));
    }
    assert!(surveys.len() > 8, "the gallery has documents");
    surveys
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            add_files(&path, files);
        } else if path.extension().is_some_and(|end| end == "json") {
            files.push(path);
        }
    }
}

/// All screens of a survey, each with its name and its last line.
fn screens(survey: &Survey, verbosity: Verbosity) -> Vec<(String, Screen, String)> {
    let mut screens =
        vec![("all".to_owned(), text(survey, verbosity), last_line(survey, None, None))];
    for part in survey.measured() {
        let last = last_line(survey, Some(part), None);
        screens.push((part.name().to_owned(), part_text(survey, part, verbosity), last));
    }
    for part in Derived::from_survey(survey) {
        let screen = derived_text(survey, part, verbosity);
        let last = screen.last.clone();
        screens.push((part.name().to_owned(), screen, last));
    }
    screens
}

/// A text in one line.
fn joined<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The first words of a verdict: "NUMA: yes", "caches: 32 KiB at 1.5 ns, 512".
fn start(verdict: &str) -> String {
    match verdict.split_once(", ") {
        Some((numa, _)) if numa.starts_with("NUMA: ") => numa.to_owned(),
        _ => verdict.split_whitespace().take(WORDS).collect::<Vec<_>>().join(" "),
    }
}

#[test]
fn the_answer_is_first_and_last() {
    for (file, survey) in surveys() {
        for (name, screen, last) in width::with(80, || screens(&survey, Verbosity::Brief)) {
            let of = format!("{name} of {}", file.display());
            let [first, end] = [&screen.first, &screen.last].map(|text| plain(text));
            let lines = first.lines().count() + end.lines().count();
            assert!(lines <= MAX_LINES, "{of} has {lines} lines:\n{first}\n{end}");
            assert_eq!(screen.last, width::with(80, || last.clone()), "{of}");
            let start = start(&joined(end.lines()));
            let begins = joined(first.lines().take(3));
            assert!(begins.contains(&start), "{of}: '{start}' is not in\n{first}");
            assert!(!end.trim().is_empty() && end.lines().count() <= 3, "{of}:\n{end}");
        }
    }
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let mut wide = Vec::new();
    for (file, survey) in surveys() {
        for columns in WIDTHS {
            for verbosity in [Verbosity::Brief, Verbosity::Verbose] {
                for (name, screen, _) in width::with(columns, || screens(&survey, verbosity)) {
                    let text = plain(&screen.text());
                    let lines = text.lines().filter(|line| line.chars().count() > columns);
                    let lines = lines.filter(|line| !is_one_piece(line, columns));
                    let of = format!("{} {name} at {columns}", file.display());
                    wide.extend(lines.map(|line| format!("{of}: {line}")));
                }
            }
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

/// What no line break may divide: a long word, a command to paste, and at few columns a fact and
/// one column of a table beside its labels.
fn is_one_piece(line: &str, columns: usize) -> bool {
    let words = line.split_whitespace();
    let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
    let is_command = line.contains("nearfar run ");
    let is_row = line.trim_start().contains("  ") || line.starts_with(&" ".repeat(12));
    let is_fact = line.ends_with(" ·");
    longest > columns / 2 || is_command || (columns < 80 && (is_row || is_fact))
}

#[test]
fn evidence_is_for_those_who_want_it() {
    const EVIDENCE: [&str; 9] = [
        "(p = ",
        "p < ",
        "standard error",
        "A/A",
        "correlation",
        " rounds",
        "Kendall",
        "share of resamples",
        "odds",
    ];
    let mut found = 0;
    for (file, survey) in surveys() {
        let of = |verbosity| {
            let screens = screens(&survey, verbosity).into_iter();
            screens.map(|(name, screen, _)| (name, plain(&screen.text()))).collect::<Vec<_>>()
        };
        for (name, text) in of(Verbosity::Brief) {
            for word in EVIDENCE {
                let line = text.lines().find(|line| line.contains(word));
                assert_eq!(line, None, "{name} of {}", file.display());
            }
        }
        let all = of(Verbosity::Verbose);
        found +=
            EVIDENCE.iter().filter(|word| all.iter().any(|one| one.1.contains(**word))).count();
    }
    assert!(found > 10, "verbose screens have the evidence");
}

/// At 0206d5e9: "bandwidth  no figure".
#[test]
fn documents_of_published_figures_show_what_is_there() {
    let surveys = surveys();
    let published = surveys.iter().filter(|(file, _)| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("atlas-")
    });
    let mut shown = 0;
    for (file, survey) in published {
        let text = plain(&text(survey, Verbosity::Brief).text());
        assert!(text.contains("\nbandwidth  reads "), "{}: {text}", file.display());
        let part = plain(&part_text(survey, Instrument::Bandwidth, Verbosity::Brief).text());
        assert!(part.contains("\nbandwidth: reads ") && part.contains('±'), "{part}");
        shown += 1;
    }
    assert_eq!(shown, 4);
}
