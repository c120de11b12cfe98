//! `nearfar hidden` on the machine the tests run on.

use crate::measured::HIDDEN;
use crate::user::{User, document, own_cpus, refusal};

#[test]
fn a_finding_comes_with_its_reasons() {
    let document = HIDDEN.document();
    let hidden = &document["hidden"];
    let finding = hidden["finding"].as_str().unwrap();
    assert!(["found", "interleaved", "none", "undetermined"].contains(&finding), "{finding}");
    let pages = &hidden["pages"];
    assert!(!pages["reasons"].as_array().unwrap().is_empty(), "{hidden}");
    if hidden["samples"].is_null() {
        // Too little memory, or no huge pages.
        assert_eq!(finding, "undetermined", "{hidden}");
        return;
    }
    assert_eq!(pages["measured"], 64);
    assert!(pages["held_bytes"].as_u64().unwrap() >= 128 << 20);
    assert_eq!(pages["proof"] == "physical-address", pages["span_bytes"].is_array(), "{pages}");
}

#[test]
fn a_finding_follows_from_its_samples() {
    let kept = HIDDEN.survey();
    let mut again = kept.clone();
    if let Some(hidden) = again.hidden.as_mut().filter(|hidden| hidden.samples.is_some()) {
        hidden.matrix.cells.clear();
        hidden.pages.found.reasons.clear();
        hidden.lines.found.reasons.clear();
    }
    again.judge().unwrap();
    assert_eq!(again.hidden, kept.hidden);
}

#[test]
fn text_shows_the_search_and_csv_the_pages() {
    let screen = &HIDDEN.screen;
    assert!(screen.contains("hidden nodes: ") && screen.contains("\n-  "), "{screen}");
    assert_eq!(&HIDDEN.shown(&[]), screen);
    let csv = HIDDEN.shown(&["--part", "hidden", "--csv"]);
    let columns =
        "row,column,cpus,node,finding,share,lowest_address_bytes,highest_address_bytes,q25_ns,";
    assert!(csv.starts_with(columns), "{csv}");
}

#[test]
fn one_cpu_alone_finds_no_hidden_node() {
    let cpu = own_cpus()[0].to_string();
    let quick = ["hidden", "--quick", "--seed", "7", "--budget", "5s", "--json", "--no-samples"];
    let document = document(&User::new().measure(&[&quick[..], &["--cpus", &cpu]].concat()));
    assert!(document["hidden"]["samples"].is_null());
    assert_ne!(document["hidden"]["finding"], "found", "one row turns nothing round");
}

#[test]
fn bad_options_get_one_line() {
    let refused = |args: &[&str]| {
        let (status, message) = refusal(&User::new().run(args));
        assert_eq!(status, 2, "{message}");
        message
    };
    let large = refused(&["hidden", "--share", "80%"]);
    assert_eq!(large, "nearfar: --share is too large: at most 75% of the free memory");
    assert!(
        refused(&["hidden", "--cpus", "0,4000"]).starts_with("nearfar: CPU 4000 does not exist")
    );
}
