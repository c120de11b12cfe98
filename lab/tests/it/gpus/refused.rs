//! What goes wrong with a driver is one clear line.

use std::fs;

use super::stand_in::{Driver, GPU, is_here, texts};

#[track_caller]
fn assert_fails(driver: &Driver, more: &[&str], status: i32, expected: &str) {
    let output = driver.run(more);
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(status), "{stdout}{stderr}");
    let all = format!("{stdout}{stderr}").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(all.contains(expected), "{expected:?} in {stdout}{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn drivers_that_do_not_begin_are_one_line() {
    if !is_here() {
        return;
    }
    let fault = |line: &str| format!("{GPU}\n[faults]\n{line}\n");
    let cases = [
        ("libcuda.so.1", fault("init = 100"), "CUDA_ERROR_NO_DEVICE"),
        ("libcuda.so.1", fault("init = 803"), "cuInit"),
        ("libother.so", GPU.to_owned(), "no GPU driver"),
        ("libcuda.so.1", "summary = 1".to_owned(), "cuInit"),
    ];
    for (name, description, expected) in cases {
        assert_fails(&Driver::new(name, &description), &["--driver", "cuda"], 1, expected);
    }
    // A file that is no library.
    let driver = Driver::new("other", GPU);
    fs::write(driver.folder.path().join("libcuda.so.1"), "not a library").unwrap();
    assert_fails(&driver, &["--driver", "cuda"], 1, "libcuda.so.1: cannot be loaded");
    assert_fails(&Driver::new("libcuda.so.1", GPU), &["GPU7"], 2, "there is no GPU 'GPU7'");
}

#[test]
fn copies_that_fail_have_reasons_and_no_figures() {
    if !is_here() {
        return;
    }
    let fault = |line: &str| format!("{GPU}\n[faults]\n{line}\n");
    let cases: [(&str, &[&str], &str); 4] = [
        ("allocate_mib = 1", &[], "use --size"),
        ("register = \"not_permitted\"", &["--pinned"], "does not register memory"),
        ("event_clock = 0.5", &["--pinned"], "clocks-disagree"),
        ("lost = { gpu = 0, after_copies = 3 }", &[], "is gone"),
    ];
    for (line, more, expected) in cases {
        let output = Driver::new("libcuda.so.1", &fault(line)).run(more);
        let (stdout, stderr) = texts(&output);
        let all = format!("{stdout}{stderr}").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(all.contains(expected), "{line}: {expected:?} in {stdout}{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn an_old_driver_that_knows_no_node_is_measured() {
    if !is_here() {
        return;
    }
    let old = GPU.replace("12.4", "9.0").replace("claimed_node = 0\n", "");
    let output = Driver::new("libcuda.so.1", &old).run(&["--json", "--no-samples"]);
    let (stdout, stderr) = texts(&output);
    let document: serde_json::Value =
        serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let gpu = &document["gpu"];
    assert_eq!(gpu["driver"]["version"], "9.0");
    assert!(gpu["gpus"][0]["driver_node"].is_null(), "{gpu:#}");
    let cells = gpu["bandwidth"]["cells"].as_array().unwrap();
    assert!(cells.iter().any(|cell| cell["median"].is_number()), "{gpu:#}");
}
