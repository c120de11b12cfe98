//! Remedies of warnings name options that exist: those of the command that they name, else those of
//! the command that measured.

use std::collections::BTreeMap;

use nearfar_model::Instrument;
use nearfar_report::survey::{Verbosity, text};
use nearfar_survey::{Mode, Survey, Warning};
use serde_json::{Value, json};

use crate::user::{User, stdout};

const SEVERAL: &str = include_str!("../../../../report/tests/golden/several.json");

const INSTRUMENTS: [Instrument; 9] = [
    Instrument::Latency,
    Instrument::Bandwidth,
    Instrument::Loaded,
    Instrument::CoreToCore,
    Instrument::Caches,
    Instrument::Interleave,
    Instrument::Io,
    Instrument::Gpu,
    Instrument::Hidden,
];

/// Reasons for dropped samples, without those of one instrument.
const REASONS: [&str; 10] = [
    "stalled",
    "descheduled",
    "moved-cpu",
    "page-moved",
    "unsettled",
    "throttled",
    "time-shared",
    "no-thread",
    "other-io",
    "interrupt-elsewhere",
];

/// Every kind of warning about an instrument that has a remedy.
fn warnings(instrument: &str) -> Vec<Value> {
    let mut all = vec![
        json!({"code": "not-precise", "imprecise": 1, "cells": 3, "aim": 0.005, "worst": 0.02,
               "rounds": 30}),
        json!({"code": "controls-differ", "differing": 1, "pairs": 4, "largest": 0.1}),
        json!({"code": "bursts", "above": 3, "samples": 90, "times": 1.5}),
        json!({"code": "page-size-unmeasured", "why": "no memory"}),
        json!({"code": "instrument-failed", "why": "no memory"}),
    ];
    all.extend(REASONS.map(|reason| {
        let code = format!("dropped-{reason}");
        json!({"code": code, "dropped": 3, "attempts": 40, "counted": "samples"})
    }));
    if instrument == Instrument::Gpu.name() {
        all.push(json!({"code": "dropped-clocks-disagree", "dropped": 3, "attempts": 40,
                        "counted": "samples"}));
    }
    for warning in &mut all {
        warning["instrument"] = instrument.into();
    }
    all
}

/// The options of a text, each with the command that stands before it, if any does.
fn options(text: &str) -> Vec<(Option<String>, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let clean = |word: &str| word.trim_matches(|letter| !is_letter(letter)).to_owned();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let option = clean(word);
        if !option.starts_with("--") {
            continue;
        }
        let before = &words[at.saturating_sub(8)..at];
        let command = before.iter().rposition(|word| clean(word) == "nearfar");
        found.push((command.and_then(|at| before.get(at + 1)).map(|word| clean(word)), option));
    }
    found
}

#[test]
fn every_option_of_a_remedy_exists() {
    let user = User::new();
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut has = |command: &str, option: &str| {
        let help = helps
            .entry(command.to_owned())
            .or_insert_with(|| stdout(&user.run(&[command, "--help"])));
        help.split(|letter: char| !letter.is_ascii_lowercase() && letter != '-')
            .any(|word| word == option)
    };
    let mut checked = 0;
    for instrument in INSTRUMENTS {
        let name = instrument.name();
        // A document of latencies may be one of 'nearfar survey', too.
        let commands: &[&str] = if name == "latency" { &["latency", "survey"] } else { &[name] };
        for mode in [Mode::Quick, Mode::Default, Mode::Thorough] {
            for budget in [None, Some(60.0)] {
                for warning in warnings(name) {
                    let mut survey: Survey = serde_json::from_str(SEVERAL).unwrap();
                    survey.provenance.options.mode = mode;
                    survey.provenance.budget_s = budget;
                    survey.provenance.instruments.clear();
                    let warning: Warning = serde_json::from_value(warning).unwrap();
                    survey.warnings.clear();
                    let without = text(&survey, Verbosity::Verbose).text();
                    survey.warnings = vec![warning];
                    let shown = text(&survey, Verbosity::Verbose).text();
                    let known: Vec<&str> = without.lines().collect();
                    let added: Vec<&str> =
                        shown.lines().filter(|line| !known.contains(line)).collect();
                    for (named, option) in options(&added.join(" ")) {
                        checked += 1;
                        let of = named.as_deref().map_or(commands.to_vec(), |named| vec![named]);
                        for command in of {
                            let exists = has(command, &option);
                            assert!(exists, "{command} has no {option}: {added:#?}");
                        }
                    }
                }
            }
        }
    }
    assert!(checked > 50, "{checked}");
}
