//! `nearfar compare` of two surveys: statuses that tests of machines rely on.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::user::{User, refusal, stderr, stdout, wait_for};

/// Two nodes, every cell known to three thousandths.
fn survey(times: f64) -> Value {
    let mut survey: Value =
        serde_json::from_str(include_str!("../../../../survey/src/sketch.json")).unwrap();
    survey["samples"] = Value::Null;
    survey["provenance"]["processes"] = json!(10);
    for cell in survey["latency"]["cells"].as_array_mut().unwrap() {
        let ns = 100.0 * if cell["row"] == cell["column"] { 1.0 } else { times };
        cell.as_object_mut().unwrap().remove("why");
        cell["median"] = json!(ns);
        cell["se"] = json!(0.003);
        cell["ci95"] = json!([0.99 * ns, 1.01 * ns]);
    }
    survey
}

fn kept(user: &User, name: &str, document: &Value) -> String {
    let path = user.folder().join(name);
    fs::write(&path, document.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_condition_that_holds_exits_with_3() {
    let user = User::new();
    let (good, bad) =
        (kept(&user, "good.json", &survey(1.5)), kept(&user, "bad.json", &survey(1.8)));
    let judged = |files: [&str; 2], condition: &str| {
        user.run(&["compare", files[0], files[1], "--fail-if", condition])
    };
    let failed = judged([&good, &bad], "latency>5%");
    assert_eq!(failed.status.code(), Some(3), "{}", stderr(&failed));
    assert!(
        stderr(&failed).contains("'latency>5%' holds: ") && stdout(&failed).contains("+20.0 %")
    );
    for (files, condition) in [
        ([&good, &good], "latency>5%"),
        ([&bad, &good], "latency>5%"),
        ([&good, &bad], "latency<-5%"),
    ] {
        let passed = judged([files[0], files[1]], condition);
        assert_eq!((passed.status.code(), stderr(&passed).as_str()), (Some(0), ""), "{condition}");
    }
}

#[test]
fn undetermined_conditions_fail_only_with_strict() {
    let user = User::new();
    let (first, second) =
        (kept(&user, "a.json", &survey(1.5)), kept(&user, "b.json", &survey(1.5)));
    let condition = ["compare", &first, &second, "--fail-if", "latency>1%"];
    let open = user.run(&condition);
    assert_eq!(open.status.code(), Some(0));
    assert!(stderr(&open).contains("'latency>1%' is undetermined: "), "{}", stderr(&open));
    assert_eq!(user.run(&[&condition[..], &["--strict"]].concat()).status.code(), Some(3));
}

#[test]
fn a_missing_figure_fails_a_condition() {
    let user = User::new();
    let mut lacking = survey(1.5);
    lacking["latency"]["cells"][0] = json!({
        "row": 0, "column": 0, "cpus": "0", "node": 0,
        "samples": 0, "dropped": {}, "why": "no memory"
    });
    let (first, second) = (kept(&user, "a.json", &survey(1.5)), kept(&user, "b.json", &lacking));
    let output = user.run(&["compare", &first, &second, "--fail-if", "latency>50%"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("cannot judge 'latency>50%': ")
            && stderr(&output).contains("no memory")
    );
}

#[test]
fn incomparable_files_are_refused() {
    let user = User::new();
    let file = kept(&user, "a.json", &survey(1.5));
    let sweep = kept(&user, "sweep.json", &json!({"schema": "nearfar.sweep/1"}));
    let no_json = kept(&user, "none.json", &json!(7));
    for (arguments, status, why) in [
        (vec![&*file, &*sweep], 2, "compare two of the same kind"),
        (vec![&*file, &*no_json], 1, "is neither a sweep nor a survey: it has no \"schema\""),
        (vec![&*file, "/nowhere/at/all.json"], 1, "cannot read /nowhere/at/all.json"),
        (vec![&*file, &*file, "--fail-if", "latencies>5%"], 2, "there is no part 'latencies'"),
        (vec![&*file, &*file, "--fail-if", "bandwidth<-5%"], 1, "neither survey has it"),
    ] {
        let (code, message) = refusal(&user.run(&[&["compare"], &arguments[..]].concat()));
        assert!(code == status && message.contains(why), "{arguments:?}: {code} {message}");
    }
}

#[test]
fn pipes_are_read_once() {
    let user = User::new();
    let pipes = ["one", "other"].map(|name| user.folder().join(name));
    for pipe in pipes.clone() {
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // Opening a pipe for writing returns once there is a reader.
        std::thread::spawn(move || fs::write(pipe, survey(1.5).to_string()));
    }
    let files = pipes.each_ref().map(|pipe| pipe.to_str().unwrap());
    let mut child =
        user.command(&["compare", files[0], files[1]]).stdout(Stdio::null()).spawn().unwrap();
    wait_for("the command ends, and does not wait for a second writer", || {
        child.try_wait().unwrap().is_some()
    });
    assert!(child.wait().unwrap().success());
}

/// A sweep by a figure of this name, known to a hundredth.
fn sweep(name: &str, times: f64) -> Value {
    let mut sweep: Value =
        serde_json::from_str(include_str!("../../../../sweep/src/sketch.json")).unwrap();
    sweep["objective"] =
        json!({"name": name, "metric": format!("{name}=([0-9.]+)"), "higher_is_better": false});
    for one in sweep["configurations"].as_array_mut().unwrap() {
        let run = one["runs"][0].clone();
        let runs = (0..12).map(|block: u32| {
            let figure = times * (1.0 + 0.01 * f64::from(block % 3));
            let mut run = run.clone();
            (run["block"], run["order"], run["metric"]) =
                (json!(block), json!(block), json!(figure));
            run
        });
        one["runs"] = runs.collect();
    }
    sweep
}

#[test]
fn a_condition_may_name_a_figure_with_dots() {
    let user = User::new();
    let (good, bad) = (
        kept(&user, "good.json", &sweep("p99.9", 1.0)),
        kept(&user, "bad.json", &sweep("p99.9", 1.5)),
    );
    let judged = |files: [&str; 2], condition: &str| {
        user.run(&["compare", files[0], files[1], "--fail-if", condition])
    };
    let failed = judged([&good, &bad], "p99.9>5%");
    assert_eq!(failed.status.code(), Some(3), "{}", stderr(&failed));
    assert!(stderr(&failed).contains("'p99.9>5%' holds: "), "{}", stderr(&failed));
    assert_eq!(judged([&good, &good], "p99.9>5%").status.code(), Some(0));
    let (status, message) = refusal(&judged([&good, &bad], "p99>5%"));
    assert!(
        status == 2 && message.contains("judged by p99.9, and not by 'p99'"),
        "{status} {message}"
    );
}

#[test]
fn the_document_has_every_cell_and_so_has_csv() {
    let user = User::new();
    let (first, second) =
        (kept(&user, "a.json", &survey(1.5)), kept(&user, "b.json", &survey(1.8)));
    let document: Value =
        serde_json::from_slice(&user.run(&["compare", &first, &second, "--json"]).stdout).unwrap();
    assert_eq!(document["schema"], "nearfar.compare-surveys/2");
    let real: Vec<bool> = document["parts"][0]["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["real"] == true)
        .collect();
    assert_eq!(real, [false, true, true, false]);
    assert_eq!(stdout(&user.run(&["compare", &first, &second, "--csv"])).lines().count(), 5);
}

/// A document of the gallery.
fn gallery(name: &str) -> String {
    format!("{}/../../docs/gallery/documents/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn saved_surveys_have_numbers_and_the_newest_is_the_default() {
    let user = User::new();
    let folder = user.folder().join("data/nearfar");
    fs::create_dir_all(&folder).unwrap();
    for name in ["lab-xeon-2s-before.json", "lab-xeon-2s-after.json"] {
        fs::copy(gallery(name), folder.join(name)).unwrap();
    }
    let listed = stdout(&user.run(&["show"]));
    let line = |number: &str| listed.lines().find(|line| line.trim_start().starts_with(number));
    assert!(line("1 ").is_some_and(|line| line.ends_with("lab-xeon-2s-before.json")), "{listed}");
    assert!(line("2 ").is_some_and(|line| line.ends_with("lab-xeon-2s-after.json")), "{listed}");
    let by_file = |args: &[&str]| {
        let output = user.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
        stdout(&output)
    };
    let (before, after) = (gallery("lab-xeon-2s-before.json"), gallery("lab-xeon-2s-after.json"));
    let compared = |args: &[&str]| by_file(&[&["compare", "--json"], args].concat());
    assert_eq!(compared(&[]), compared(&[&before, &after]));
    assert_eq!(compared(&["2", "1"]), compared(&[&after, &before]));
    assert_eq!(compared(&["1"]), compared(&[&before, &after]));
    assert_eq!(by_file(&["show", "1"]), by_file(&["show", &before]));
    assert_eq!(by_file(&["show", "--csv"]), by_file(&["show", &after, "--csv"]));
    assert_eq!(by_file(&["links"]), by_file(&["links", &after]));
    assert_eq!(by_file(&["plot", "latency", "1"]), by_file(&["plot", "latency", &before]));
    let (status, message) = refusal(&user.run(&["compare", "2"]));
    assert!(status == 2 && message.contains("is the newest saved survey"), "{message}");
    let refused = user.run(&["show", "3"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("these are 1 to 2"), "{}", stderr(&refused));
}
