//! `nearfar explain`, as a user runs it: here, on any machine, no times are asserted.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use super::where_and_move::Sleeper;
use crate::user::{User, refusal, send, stderr, stdout, wait_for};

fn nodes_with_memory() -> usize {
    let text = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    text.trim().split(',').filter(|part| !part.is_empty()).count()
}

#[test]
fn a_process_is_explained() {
    let sleeper = Sleeper::called("nf-explained");
    let pid = &sleeper.pid();
    let output = User::new().run(&["explain", pid]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let text = stdout(&output);
    assert!(text.starts_with(&format!("nf-explained (process {pid}): ")), "{text}");
    for label in ["\nMemory   on node", "\nThreads  run on node", "\nVerdict  "] {
        assert!(text.contains(label), "{label} in\n{text}");
    }
    let output = User::new().run(&["explain", pid, "--json"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&json["schema"], &json["survey"]), (&"nearfar.explain/2".into(), &Value::Null));
    if nodes_with_memory() == 1 {
        assert_eq!(json["processes"][0]["verdict"], "one-node");
        assert_eq!(json["processes"][0]["cures"], serde_json::json!([]));
    }
}

#[test]
fn pages_are_moved_there_and_back() {
    let sleeper = Sleeper::called("nf-tried");
    let pid = &sleeper.pid();
    let user = User::new();
    let node = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    let node = node.trim().split([',', '-']).next().unwrap_or("0").to_owned();
    let steady = ["--metric", "echo 5", "--blocks", "3", "--period", "1s", "--to", &node];
    let args = [&["explain", pid, "--try", "--json"], &steady[..]].concat();
    let output = user.run(&args);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let trial = &json["trial"];
    assert_eq!((&trial["verdict"], &trial["change"]["value"]), (&"no-gain".into(), &0.0.into()));
    assert_eq!(trial["periods"].as_array().unwrap().len(), 6);
    let process = &trial["processes"][0];
    assert!(process["restored_bytes"].as_u64().unwrap() > 100_000, "{process}");
    assert_eq!(process["unrestored_bytes"], 0);
    let text = stdout(&user.run(&[&["explain", pid, "--try"], &steady[..]].concat()));
    for part in ["Trial\n", "No gain beyond 2 %: 'echo 5' +0.0 %", "Pages are where they were: "] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn metrics_that_cannot_be_read_move_nothing() {
    let sleeper = Sleeper::called("nf-metric");
    let pid = &sleeper.pid();
    let user = User::new();
    let trial = |args: &[&str]| {
        let all = [&["explain", pid, "--try", "--to", "0"], args].concat();
        refusal(&user.run(&all)).1
    };
    assert!(trial(&["--metric", "echo many"]).contains("it printed 'many'"));
    let failed = trial(&["--metric", "echo no such queue >&2; exit 3"]);
    assert!(failed.contains("no such queue") && failed.contains("exit status: 3"), "{failed}");
    if !std::path::Path::new("/sys/bus/event_source/devices/cpu").exists() {
        assert!(trial(&[]).contains("--metric CMD"));
    }
}

#[test]
fn what_has_no_pages_is_refused() {
    let user = User::new();
    let line = |target: &str| refusal(&user.run(&["explain", target])).1;
    assert!(line("4194305").contains("4194305"));
    assert!(line("nf-no-such-group").contains("has the name 'nf-no-such-group'"));
    // On Linux, process 2 starts kernel threads. In a container it may be another.
    if fs::read_to_string("/proc/2/comm").is_ok_and(|name| name.trim() == "kthreadd") {
        assert!(line("2").contains("is a kernel thread"));
    }
    for args in [&["explain"][..], &["explain", "1", "--metric", "x"], &["explain", "1", "--undo"]]
    {
        assert_eq!(user.run(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn an_interrupted_trial_puts_pages_back() {
    let sleeper = Sleeper::called("nf-stopped");
    let pid = &sleeper.pid();
    let user = User::new();
    let folder = user.folder().join("run");
    fs::create_dir(&folder).unwrap();
    let args = ["explain", pid, "--try", "--to", "0", "--metric", "echo 1"];
    let mut command = user.command(&[&args[..], &["--blocks", "500"]].concat());
    command.env("XDG_RUNTIME_DIR", &folder).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("nearfar starts");
    let name = format!("nearfar/layout-{pid}.json");
    let notes = [folder.join(&name), std::path::Path::new("/run").join(&name)];
    wait_for("a note is kept", || notes.iter().any(|note| note.exists()));
    // A trial at work is not undone by another.
    let undone = user.command(&["explain", "--undo"]).env("XDG_RUNTIME_DIR", &folder).output();
    assert!(stdout(&undone.unwrap()).contains("nothing to put back"));
    assert!(notes.iter().any(|note| note.exists()));
    send("INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(notes.iter().all(|note| !note.exists()), "the note is removed with its reason");
}

/// A response that was measured in a guest of the lab.
const RESPONSE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/placing/response.json");

#[test]
fn responses_are_refused_where_nothing_is_far() {
    if nodes_with_memory() > 1 {
        return;
    }
    let sleeper = Sleeper::called("nf-response");
    let pid = &sleeper.pid();
    let user = User::new();
    let line = |args: &[&str]| {
        let all = [&["explain", pid, "--response", "--metric", "echo 5"], args].concat();
        refusal(&user.run(&all)).1
    };
    assert!(line(&[]).contains("can have memory on one node only"), "{}", line(&[]));
    assert!(line(&["--to", "0-1"]).contains("0-1"));
    for wrong in [&["--max-cost", "80%"][..], &["--budget", "1h", "--blocks", "9"]] {
        let all = [&["explain", pid, "--response", "--metric", "echo 5"], wrong].concat();
        assert_eq!(user.run(&all).status.code(), Some(2), "{wrong:?}");
    }
    let both = user.run(&["explain", pid, "--response", "--try"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn forecasts_are_made_of_a_file_and_a_machine() {
    let user = User::new();
    let text = stdout(&user.run(&["explain", RESPONSE, "--on", "csit-clx-8280-2020"]));
    for part in ["on Intel Xeon Platinum 8280", "With near memory there (81 ns)", "all far"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let json = user.run(&["explain", RESPONSE, "--on", "csit-clx-8280-2020", "--json"]);
    let json: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(json["schema"], "nearfar.forecast/1");
    let far = json["forecasts"][2]["change_there"]["value"].as_f64().unwrap();
    assert!((0.5..0.65).contains(&far), "{json:#}");
    let of_node =
        stdout(&user.run(&["explain", RESPONSE, "--on", "csit-clx-8280-2020", "--node", "0"]));
    assert!(of_node.contains("CPUs of node 0"), "{of_node}");
    let refused = |args: &[&str]| refusal(&user.run(&[&["explain"], args].concat())).1;
    let none = refused(&[RESPONSE, "--on", "csit-clx-8280-2020", "--node", "9"]);
    assert!(none.contains("no latencies from CPUs of node 9"), "{none}");
    assert!(refused(&[RESPONSE, "--on", "no such machine"]).contains("'nearfar atlas' lists them"));
    let many = refused(&[RESPONSE, "--on", "xeon"]);
    assert!(many.contains("name one by its id ("), "{many}");
    let no_json = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert!(refused(&[no_json, "--on", "csit-clx-8280-2020"]).contains("is no JSON"));
    assert!(refused(&["no-such-file", "--on", "csit-clx-8280-2020"]).contains("cannot read"));
}

/// A sweep over doses that was made in a guest of the lab.
const DOSED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/placing/dosed.json");

#[test]
fn a_sweep_over_doses_is_a_response() {
    let user = User::new();
    let shown = stdout(&user.run(&["show", DOSED]));
    let first: Vec<&str> = shown.lines().take(3).collect();
    assert!(first.join(" ").contains("Memory's place matters"), "{shown}");
    assert!(shown.contains("--cpunodebind=0 --interleave=0-1"), "{shown}");
    let forecast = stdout(&user.run(&["explain", DOSED, "--on", "csit-clx-8280-2020"]));
    assert!(forecast.contains("chase 60000"), "{forecast}");
    assert!(stdout(&user.run(&["plot", "response", DOSED])).starts_with("<svg"));
    // A damaged one is a sweep, and no response of nothing.
    let mut damaged: Value =
        serde_json::from_str(&std::fs::read_to_string(DOSED).unwrap()).unwrap();
    damaged["doses"]["placements"] = Value::Array(Vec::new());
    let file = user.folder().join("damaged.json");
    std::fs::write(&file, damaged.to_string()).unwrap();
    let shown = stdout(&user.run(&["show", file.to_str().unwrap()]));
    assert!(!shown.contains("response to far memory"), "{shown}");
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/../sweep/src/sketch.json");
    let line = refusal(&user.run(&["explain", other, "--on", "csit-clx-8280-2020"])).1;
    assert!(line.contains("without --dose"), "{line}");
}

#[test]
fn doses_are_refused_where_nothing_is_far() {
    let user = User::new();
    for wrong in [&["--dose=a"][..], &["--dose", "--jobs", "1..2"], &["--dose=0/77"]] {
        let all = [&["sweep"], wrong, &["--", "true"]].concat();
        assert_eq!(user.run(&all).status.code(), Some(2), "{wrong:?}");
    }
    if nodes_with_memory() == 1 {
        let line = refusal(&user.run(&["sweep", "--dose", "--", "true"])).1;
        assert!(line.contains("needs two nodes with memory"), "{line}");
    }
}

#[test]
fn a_response_is_drawn() {
    let user = User::new();
    let shown = stdout(&user.run(&["show", RESPONSE]));
    assert!(shown.lines().nth(1).unwrap().contains("place matters"), "{shown}");
    assert!(stdout(&user.run(&["show", RESPONSE, "--csv"])).starts_with("block,"));
    let svg = stdout(&user.run(&["plot", "response", RESPONSE]));
    assert!(svg.starts_with("<svg") && svg.contains("mean latency, ns"), "{svg}");
    let table = stdout(&user.run(&["plot", "response", RESPONSE, "--csv"]));
    assert!(table.lines().count() > 5, "{table}");
    let page = stdout(&user.run(&["report", RESPONSE, "-o", "-"]));
    for part in ["Response to far memory", "place matters", "interleaved over all nodes"] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    let line = refusal(&user.run(&["plot", "response"])).1;
    assert!(line.contains("--response -o FILE"), "{line}");
}

/// Costs of objects, written by hand.
const OBJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/placing/objects.json");

#[test]
fn objects_are_drawn() {
    let user = User::new();
    let svg = stdout(&user.run(&["plot", "objects", OBJECTS]));
    assert!(svg.starts_with("<svg") && svg.contains("change of time"), "{svg}");
    let page = stdout(&user.run(&["report", OBJECTS, "-o", "-"]));
    for part in ["Which memory matters", "far costs", "Ranges of /dev/shm/pool"] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    let line = refusal(&user.run(&["plot", "objects"])).1;
    assert!(line.contains("--objects -o FILE"), "{line}");
    assert!(refusal(&user.run(&["plot", "objects", RESPONSE])).1.contains("is no file of objects"));
}

#[test]
fn objects_are_refused_where_nothing_is_far() {
    let user = User::new();
    for wrong in [&["--objects", "--try"][..], &["--range", "1M"], &["--object", "[heap]"]] {
        let all = [&["explain", "1"], wrong].concat();
        assert_eq!(user.run(&all).status.code(), Some(2), "{wrong:?}");
    }
    if nodes_with_memory() > 1 {
        return;
    }
    let sleeper = Sleeper::called("nf-objects");
    let args = ["explain", &sleeper.pid(), "--objects", "--metric", "echo 5"];
    let line = refusal(&user.run(&args)).1;
    assert!(line.contains("can have memory on one node only"), "{line}");
}

#[test]
fn one_object_is_tried_and_moved() {
    let sleeper = Sleeper::called("nf-object");
    let pid = &sleeper.pid();
    let user = User::new();
    let node = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    let node = node.trim().split([',', '-']).next().unwrap_or("0").to_owned();
    let moved = user.run(&["move", pid, "--object", "[stack]", "--nodes", &node, "--json"]);
    let json: Value = serde_json::from_str(&stdout(&moved)).unwrap();
    assert_eq!(json["schema"], "nearfar.object-move/1");
    assert_eq!((&json["name"], &json["elsewhere_bytes"]), (&"[stack]".into(), &0.into()));
    let none = refusal(&user.run(&["move", pid, "--object", "[none]", "--nodes", &node])).1;
    assert!(none.contains("no object '[none]'"), "{none}");
    let args = ["--object", "[stack]", "--metric", "echo 5", "--blocks", "3", "--period", "1s"];
    let to = ["--to", &node, "--json"];
    let tried = user.run(&[&["explain", pid, "--try"], &args[..], &to].concat());
    let json: Value = serde_json::from_str(&stdout(&tried)).unwrap();
    assert_eq!(json["trial"]["object"], "[stack]");
    assert!(json["trial"]["processes"][0]["moved_bytes"].as_u64().unwrap() < 1 << 20, "{json:#}");
}
