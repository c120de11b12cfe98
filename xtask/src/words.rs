//! Words that an engineer of the field does not search for, and what stands for them.
//!
//! They are looked for in names, comments, strings and documents alike, as parts of `snake_case`
//! and `CamelCase` names, too.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::ensure;

use crate::documents;
use crate::sources::read;

/// A word and what to write for it.
const WORDS: [(&str, &str); 34] = [
    ("told", "reported, shown, distinguished"),
    ("untold", "unreported, undetermined"),
    ("foretold", "predicted, expected"),
    ("foretell", "predict"),
    ("said", "reported, claimed, output, message"),
    ("unsaid", "unreported"),
    ("say", "report, show, state"),
    ("says", "reports, shows, states, claims"),
    ("saying", "reporting"),
    ("tell", "report, show, distinguish"),
    ("tells", "reports, shows, distinguishes"),
    ("telling", "predictive"),
    ("heard", "received"),
    ("unheard", "not received"),
    ("nobody", "no user, no process, nothing"),
    ("somebody", "a user, an administrator, another user"),
    ("whoever", "the user, the process, the rule"),
    ("wander", "drift"),
    ("wanders", "drifts"),
    ("wandering", "drift"),
    ("hump", "mode"),
    ("humps", "modes"),
    ("humped", "bimodal"),
    ("dear", "slow"),
    ("dearer", "slower"),
    ("dearest", "slowest"),
    ("crew", "team"),
    ("berth", "buffer"),
    ("silicon", "hardware"),
    ("farness", "distance"),
    ("steadiness", "variability"),
    ("hither", "here"),
    ("thither", "there"),
    ("patience", "timeout"),
];

/// Several words and what to write for them.
const PHRASES: [(&str, &str); 6] = [
    ("so many", "N, that many"),
    ("of which", "a sentence of its own"),
    ("in place of the", "instead of the"),
    ("what was put in", "ground truth"),
    ("stands out", "is an outlier"),
    ("stood out", "was an outlier"),
];

/// Names in documents of nearfar, which scripts read: fields and codes.
const JSON_NAMES: [&str; 10] = [
    "said",
    "says",
    "heard",
    "cannot_tell",
    "cannot-tell",
    "can_tell",
    "jobs-untold",
    "wander",
    "stands-out",
    "two_humped",
];

/// Text of other programs and vendors, which is quoted as it is: the start of a file's path and
/// what stands on its line.
const QUOTES: [(&str, &str); 2] =
    [("xtask/src/words.rs", ""), ("crates/survey/atlas.toml", "HiSilicon")];

/// Checks these files and the documents.
pub(crate) fn check(root: &Path, sources: &[PathBuf]) -> anyhow::Result<()> {
    let mut files = sources.to_vec();
    files.extend(documents(root)?);
    let mut breaches = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
        breaches.extend(in_text(&name, &read(&file)?));
    }
    let all = breaches.join("\n  ");
    ensure!(breaches.is_empty(), "words that the project does without:\n  {all}");
    Ok(())
}

/// The pages of the project.
fn documents(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let pages = documents::pages_below(root, Path::new("docs"))?;
    let mut files: Vec<PathBuf> = pages.iter().map(|page| root.join(page)).collect();
    for folder in [".", "lab"] {
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A line for each forbidden word of a file.
fn in_text(name: &str, text: &str) -> Vec<String> {
    let quoted = |line: &str| {
        QUOTES.iter().any(|(file, quote)| name.starts_with(file) && line.contains(quote))
    };
    let numbered = (1..).zip(text.lines()).filter(|(_, line)| !quoted(line));
    numbered
        .flat_map(|(number, line)| {
            let found = in_line(&without_json_names(line)).into_iter();
            found.map(move |(word, better)| format!("{name}:{number}: \"{word}\" ({better})"))
        })
        .collect()
}

/// The forbidden words and phrases of a line, each with what is better.
fn in_line(line: &str) -> Vec<(&'static str, &'static str)> {
    let words = words(line);
    let spaced = format!(" {} ", words.join(" "));
    let single = WORDS.iter().filter(|(word, _)| words.iter().any(|found| found == word));
    let several = PHRASES.iter().filter(|(phrase, _)| spaced.contains(&format!(" {phrase} ")));
    single.chain(several).copied().collect()
}

/// The line without quoted names of documents, those in a document's `code`, and link targets.
fn without_json_names(line: &str) -> String {
    let (first, rest) = line.split_once("](").unwrap_or((line, ""));
    let targets = rest.split("](").filter_map(|link| link.split_once(')'));
    let line = targets.fold(first.to_owned(), |line, (_, after)| line + " " + after);
    let without = |text: &str, quote: &str| {
        JSON_NAMES
            .iter()
            .fold(text.to_owned(), |text, name| text.replace(&format!("{quote}{name}{quote}"), ""))
    };
    let spans = without(&line, "\"").split('`').map(str::to_owned).collect::<Vec<_>>();
    let parts = (0..).zip(&spans).map(|(at, span): (usize, _)| match at % 2 {
        1 => without(span, ""),
        _ => span.clone(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// The words of a line in lower case: runs of letters, cut before the capitals of `CamelCase`.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in line.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().expect("there is always a word").extend(letter.to_lowercase());
        }
        after_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{in_line, in_text};

    fn found(line: &str) -> Vec<&'static str> {
        in_line(line).into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn parts_of_names_count_as_words() {
        assert_eq!(found("fn what_is_TOLD(all: ToldApart) {"), ["told"]);
        assert_eq!(found("let isSaid = \"so many runs\";"), ["said", "so many"]);
    }

    #[test]
    fn other_words_with_the_same_letters_pass() {
        assert_eq!(found("storytelling, Toledo, essay, hearing, so manyfold"), [""; 0]);
    }

    #[test]
    fn names_that_scripts_read_pass() {
        let line = "#[serde(rename = \"heard\")] // `rows[].wander` is drift";
        assert_eq!(in_text("a.rs", line), [""; 0]);
        assert_eq!(in_text("a.rs", "the wander of a row").len(), 1);
    }

    #[test]
    fn a_breach_names_the_file_the_line_and_what_is_better() {
        let breaches = in_text("docs/a.md", "# A\n\nThe kernel said no.\n");
        assert_eq!(breaches, ["docs/a.md:3: \"said\" (reported, claimed, output, message)"]);
    }
}
