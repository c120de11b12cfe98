//! How much memory the largest documents take.

use std::fmt::Write;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::every_command::SURVEY;
use crate::user::User;

/// A survey with the costs of all pairs of these CPUs.
fn survey(cpus: usize) -> String {
    let mut document: Value = serde_json::from_slice(&fs::read(SURVEY).unwrap()).unwrap();
    let part = &mut document["core_to_core"];
    let treatment = json!({"state": "handoff", "home": "any"});
    part["treatments"] = json!([treatment]);
    let row = |cpu: usize| {
        json!({"label": format!("CPU {cpu}"), "cpus": cpu.to_string(), "node": null, "ghz": null,
            "wander": null})
    };
    part["rows"] = (0..cpus).map(row).collect();
    let column = |cpu: usize| {
        json!({"label": format!("CPU {cpu}"), "node": null, "pages": 0,
            "backing": null})
    };
    part["columns"] = (0..cpus).map(column).collect();
    part["cells"] = json!("CELLS");
    let mut cells = String::from("[");
    for (a, b) in (0..cpus).flat_map(|a| (a + 1..cpus).map(move |b| (a, b))) {
        let mark = if cells.len() > 1 { "," } else { "" };
        write!(
            cells,
            "{mark}{{\"row\":{a},\"column\":{b},\"cpus\":\"{a},{b}\",\"node\":null,\
             \"state\":\"handoff\",\"home\":\"any\",\"q25\":null,\"median\":{},\"se\":null,\
             \"ci95\":null,\"samples\":3,\"dropped\":{{}},\"why\":null}}",
            cost(a, b)
        )
        .unwrap();
    }
    document.to_string().replace("\"CELLS\"", &(cells + "]"))
}

/// Packages of 128 CPUs.
fn cost(a: usize, b: usize) -> f64 {
    let far = if a / 128 == b / 128 { 0.0 } else { 60.0 };
    45.5 + far + ((a * 31 + b * 17) % 97) as f64 / 7.0
}

fn triangle(cpus: usize) -> String {
    let line = |a: usize| {
        let costs: Vec<String> = (0..a).map(|b| format!("{:.3}", cost(b, a))).collect();
        costs.join(",") + "\n"
    };
    (0..cpus).map(line).collect()
}

/// The most MB that the command had in memory.
fn peak_mb(user: &User, args: &[&str]) -> u64 {
    let mut command = user.command(args);
    let mut child = command.stdout(Stdio::null()).spawn().expect("nearfar starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    while child.try_wait().expect("a child").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kb = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak_kb = peak_kb.max(kb.unwrap_or(0));
        sleep(Duration::from_millis(5));
    }
    assert!(child.wait().expect("it ended").success(), "{args:?}");
    peak_kb / 1000
}

#[test]
#[ignore = "long: documents of 100 MB"]
fn the_largest_documents_have_a_bar() {
    let user = User::new();
    let first = user.write("first.json", survey(1024));
    let second =
        user.write("second.json", survey(1024).replace("\"median\":45.5", "\"median\":46"));
    let pairs = user.write("pairs.csv", triangle(2048));
    for (args, bar) in [
        (&["show", &first][..], 400),
        (&["show", &first, "--csv"][..], 400),
        (&["fleet", &first, &second][..], 500),
        (&["plot", "core-to-core", &pairs, "--text"][..], 500),
    ] {
        let peak = peak_mb(&user, args);
        assert!(peak < bar, "{args:?}: {peak} MB");
    }
}
