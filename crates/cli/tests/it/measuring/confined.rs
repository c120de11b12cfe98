//! Measurements in a sandbox that denies something, and on a full disk.

use std::fs;
use std::process::Output;
use std::thread;

use serde_json::Value;

use crate::measured::warnings;
use crate::user::{
    User, confined, document, nearfar, nothing_measured, skip, stderr, success, unchanged_settings,
};

/// A short survey in a sandbox.
fn survey_with(denied: &str, more: &[&str]) -> Output {
    let user = User::new();
    let survey = [denied, nearfar(), "survey", "--quick", "--seed", "1", "--budget", "20s"];
    let _settings = unchanged_settings();
    user.through(confined(), &[&survey, more].concat()).output().unwrap()
}

/// The three sandboxes are measured side by side: most of each survey is waiting.
#[test]
fn a_sandboxed_survey_reports_denied_calls() {
    thread::scope(|scope| {
        scope.spawn(without_memory_policies);
        scope.spawn(without_affinity);
        scope.spawn(without_huge_pages);
    });
}

fn without_memory_policies() {
    let text = success(&survey_with("--deny-memory-policy", &["--verbose"]));
    assert!(text.contains("Placed by first touch alone: mbind was refused"), "what: {text}");
    assert!(text.contains("seccomp"), "the likely reason: {text}");
    assert!(text.contains("latency, ns"), "it measures what it still can: {text}");
}

fn without_affinity() {
    let text = nothing_measured(&survey_with("--deny-affinity", &["--verbose"]));
    assert!(text.contains("sched_setaffinity was refused by the kernel (EPERM)"), "{text}");
    assert!(text.contains("NUMA: undetermined"), "{text}");
}

fn without_huge_pages() {
    let survey: Value = document(&survey_with("--no-huge-pages", &["--json"]));
    assert_eq!(survey["latency"]["columns"][0]["backing"], "4k");
    assert!(warnings(&survey).contains(&"placement"), "{:?}", warnings(&survey));
}

#[test]
fn unavailable_memory_is_reported_in_its_cell() {
    let user = User::new();
    let output = user.run(&["latency", "--probe", "chase", "--size", "900T", "--json"]);
    let survey: Value = serde_json::from_str(&nothing_measured(&output)).unwrap();
    let cell = &survey["latency"]["cells"][0];
    assert!(cell["q25"].is_null() && cell["why"].is_string(), "{cell}");
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let user = User::new();
    let disk = user.folder().join("disk");
    fs::create_dir(&disk).unwrap();
    let disk = disk.display();
    let measure = "latency --probe chase --size 1M --accesses 10000 --budget 5s";
    let script = format!(
        "mount -t tmpfs -o size=4k none {disk} || exit 99; '{}' {measure} -o {disk}/s.json; \
         code=$?; ls -A {disk} >&2; exit $code",
        nearfar()
    );
    let settings = unchanged_settings();
    let output = user.through("unshare", &["--mount", "sh", "-c", &script]).output();
    drop(settings);
    let output = output.expect("unshare starts");
    if output.status.code() == Some(99) || stderr(&output).starts_with("unshare:") {
        return skip(&format!("a small disk cannot be mounted here: {}", stderr(&output).trim()));
    }
    let message = stderr(&output);
    let (before, last) = message.trim_end().rsplit_once('\n').unwrap_or(("", message.trim_end()));
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(last.starts_with("nearfar: ") && last.contains("No space left on device"), "{message}");
    // A busy machine takes every figure.
    assert!(
        before.is_empty() || before.starts_with("nearfar: nothing was measured: "),
        "{message}"
    );
}
