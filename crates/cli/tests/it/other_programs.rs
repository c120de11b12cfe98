//! What other programs read of nearfar: lists of hosts, spreadsheets, JSON, terminals, their files.

use std::fs;
use std::process::{Command, Output, Stdio};

use nearfar_model::is_obeyed;
use serde_json::{Value, json};

use crate::documents::made_fleet::{TWO_NODES, healthy, lines};
use crate::user::{User, nearfar, refusal, skip, stderr, stdout};

/// Names that a resource manager, a shell or a spreadsheet obeys.
const WORST_NAMES: [&str; 16] = [
    "node[00-99]",
    "ALL",
    "none",
    "a,b",
    "node07 State=IDLE",
    "--help",
    "~",
    "!file",
    "@set",
    "/etc/hosts",
    "a\nb",
    "\u{9b}2Ja",
    "n\u{202e}1",
    "=cmd|' /C calc'!A0",
    "$(id)",
    "",
];

fn run(user: &User, args: &[&str]) -> Output {
    user.command(args).current_dir(user.folder()).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn only_names_of_hosts_are_excluded() {
    for name in WORST_NAMES {
        let mut machines = healthy(TWO_NODES, 16, 16);
        for (at, name) in [(3, "node07"), (6, name)] {
            machines[at] = machines[at].clone().with_slow_memory(1, 1.3);
            machines[at] = machines[at].clone().with("/machine/host", json!(name));
        }
        let user = User::new();
        user.write("fleet.jsonl", lines(&machines));
        let output = run(&user, &["fleet", "fleet.jsonl", "--exclude"]);
        let (printed, message) = (stdout(&output), stderr(&output));
        // Without a host's name, that of the file stands for it.
        if name.is_empty() {
            assert!(printed.trim_end().split(',').all(|one| one == "node07" || one == "fleet"));
            continue;
        }
        assert_eq!((output.status.code(), printed.as_str()), (Some(1), "node07\n"), "{name:?}");
        assert!(message.contains("slower, and not printed: '"), "{name:?}: {message}");
        assert!(!message.trim_end_matches('\n').contains(is_obeyed), "{message:?}");
        let csv = stdout(&run(&user, &["fleet", "fleet.jsonl", "--csv"]));
        assert!(!csv.contains(",=cmd") && !csv.contains(",@set"), "{name:?}");
    }
}

/// Each CSV that the program writes, of documents whose texts are formulas.
#[test]
fn no_cell_is_a_formula() {
    let user = User::new();
    let mut survey: Value =
        serde_json::from_str(include_str!("../../../survey/src/sketch.json")).expect("a survey");
    for list in ["rows", "columns"] {
        for one in survey["latency"][list].as_array_mut().unwrap() {
            one["label"] = json!(format!("=HYPERLINK(\"x\")+{}", one["label"]));
        }
    }
    let survey = user.write("survey.json", survey.to_string());
    let mut sweep: Value =
        serde_json::from_str(include_str!("../../../sweep/src/sketch.json")).unwrap();
    sweep["configurations"][0]["id"] = json!("@SUM(A1:A9)");
    let sweep = user.write("sweep.json", sweep.to_string());
    let interrupts = user.write(
        "interrupts",
        "           CPU0\n   0:   150   IO-APIC-edge   =cmd|x\n   1:   3   -edge   +1+1\n",
    );
    let all: [&[&str]; 4] = [
        &["show", &survey, "--csv"],
        &["show", &sweep, "--csv"],
        &["compare", &survey, &survey, "--csv"],
        &["irq", "--interrupts", &interrupts, "--csv"],
    ];
    for args in all {
        let output = run(&user, args);
        let text = stdout(&output);
        assert!(text.contains('\''), "{args:?}: {text}{}", stderr(&output));
        for cell in text.lines().flat_map(|line| line.split(',')) {
            let cell = cell.trim_start_matches('"');
            let is_number = cell.parse::<f64>().is_ok();
            assert!(is_number || !cell.starts_with(['=', '+', '-', '@']), "{args:?}: {cell}");
        }
    }
}

/// `-` is standard output wherever an option names an output, or it is refused: never a file.
#[test]
fn a_hyphen_is_no_file() {
    let user = User::new();
    user.write("fleet.jsonl", lines(&healthy(TWO_NODES, 6, 1)));
    let survey = user.write("survey.json", include_str!("../../../survey/src/sketch.json"));
    let page = run(&user, &["fleet", "fleet.jsonl", "--html", "-"]);
    assert!(stdout(&page).starts_with("<!DOCTYPE html>"), "{}", stderr(&page));
    for refused in [
        &["fleet", "fleet.jsonl", "--html", "-", "--json"][..],
        &["fleet", "fleet.jsonl", "--html", "-", "--csv"],
        &["fleet", "fleet.jsonl", "--html", "-", "--exclude"],
        &["top", "--once", "--record", "-"],
        &["io", "--write", "-"],
    ] {
        let (status, message) = refusal(&run(&user, refused));
        assert_eq!(status, 2, "{refused:?}: {message}");
    }
    for args in [
        &["report", &survey, "-o", "-"][..],
        &["plot", "latency", &survey, "-o", "-"],
        &["atlas", "8280", "-o", "-"],
        &["show", &survey, "--as", "hwloc", "-o", "-"],
        &["export", "--textfile", "-"],
        &["sweep", "--dry-run", "-o", "-", "--", "true"],
    ] {
        let output = run(&user, args);
        assert!(!output.stdout.is_empty(), "{args:?}: {}", stderr(&output));
    }
    assert!(!user.folder().join("-").exists());
}

/// Every command quotes its arguments, and no terminal obeys what it quotes.
#[test]
fn stderr_has_nothing_to_obey() {
    let user = User::new();
    let help = stdout(&run(&user, &["--help"]));
    let lines = help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let commands: Vec<&str> = lines
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .collect();
    assert!(commands.len() > 30, "{commands:?}");
    let worst = "\u{202e}\u{9b}2J\u{1b}]0;x\u{7}\u{2066}\u{61c}";
    for command in commands {
        for args in [&[command, worst][..], &[command, "--no-such-option", worst], &[worst]] {
            let args = if command == "run" { &["run", "-N", worst][..] } else { args };
            let output = run(&user, args);
            for (name, text) in [("stderr", stderr(&output)), ("stdout", stdout(&output))] {
                let obeyed = |c: char| !matches!(c, '\n' | '\t') && is_obeyed(c);
                assert!(!text.contains(obeyed), "{command}: {name}: {text:?}");
            }
        }
    }
}

#[test]
fn json_has_nothing_to_obey_and_loses_nothing() {
    let user = User::new();
    let name = "a\u{80}\u{9f}\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{7f}é";
    let mut survey: Value =
        serde_json::from_str(include_str!("../../../survey/src/sketch.json")).unwrap();
    survey["machine"]["model"] = json!(name);
    let file = user.write("survey.json", survey.to_string());
    for args in [&["show", &file, "--json"][..], &["report", &file, "-o", "-"]] {
        let text = stdout(&run(&user, args));
        assert!(!text.contains(|c: char| c != '\n' && is_obeyed(c)), "{args:?}");
    }
    let shown = stdout(&run(&user, &["show", &file, "--json"]));
    assert!(shown.contains(r"a\u0080\u009f\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u007f"));
    let again: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(again["machine"]["model"], json!(name));
    let svg = stdout(&run(&user, &["plot", "latency", &file, "-o", "-"]));
    assert!(!svg.contains(|c: char| c != '\n' && is_obeyed(c)));
}

#[test]
fn systems_get_words_that_they_read_back() {
    let user = User::new();
    let worst = "it's \"a\" $HOME `id` 100% \\ ; #";
    let translated = |system: &str, word: &str| {
        let args = ["run", "-m", "0", "--as", system, "--json", "/bin/echo", word];
        let output = run(&user, &args);
        let document: Value = serde_json::from_str(&stdout(&output)).unwrap_or_default();
        let parts = document["parts"].as_array().cloned().unwrap_or_default();
        (output, parts)
    };
    for system in ["docker", "slurm"] {
        let (_, parts) = translated(system, worst);
        let line = parts[0]["text"].as_str().unwrap();
        // Whatever precedes the program is this system's.
        let program = &line[line.find("/bin/echo").unwrap()..];
        let output = Command::new("sh").args(["-c", program]).output().unwrap();
        assert_eq!(stdout(&output), format!("{worst}\n"), "{line}");
    }
    let (_, parts) = translated("systemd", worst);
    let unit = user.write("nearfar-it.service", parts[0]["text"].as_str().unwrap());
    let verify = Command::new("systemd-analyze").args(["verify", "--man=no", &unit]).output();
    match verify {
        Ok(output) => assert!(!stderr(&output).contains("nearfar-it"), "{}", stderr(&output)),
        Err(_) => skip("no systemd-analyze"),
    }
    for system in ["docker", "slurm"] {
        let (status, message) = refusal(&translated(system, "a\u{1b}[2J").0);
        assert_eq!(status, 2, "{message}");
        assert!(message.contains(&format!("--as {system}: ")), "{message}");
    }
}

/// Without /proc nothing is known of interrupts: not that they have no handler.
#[test]
fn interrupts_without_proc_are_not_idle() {
    let interface = |name: &std::ffi::OsString| {
        fs::canonicalize(format!("/sys/class/net/{}/device", name.to_string_lossy())).is_ok_and(
            |device| device.components().any(|component| component.as_os_str().len() == 12),
        )
    };
    let names = fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
    let Some(name) = names.map(|entry| entry.file_name()).find(interface) else {
        return skip("no network card");
    };
    let name = name.to_str().unwrap();
    for (hidden, reason) in [("/proc", "/proc is empty"), ("/proc/irq", "/proc/irq is not there")] {
        let line = "mount -t tmpfs none \"$0\" && exec \"$@\"";
        let set = [nearfar(), "irq", "set", name, "--spread", "all", "--dry-run"];
        let args = [&["-m", "sh", "-c", line, hidden], &set[..]].concat();
        let Ok(output) = Command::new("unshare").args(args).output() else {
            return skip("no unshare");
        };
        let message = stderr(&output);
        if message.starts_with("unshare: ") || message.starts_with("mount: ") {
            return skip("unshare needs root");
        }
        assert!(!message.contains("no handler"), "{hidden}: {message}");
        // A card without interrupts that are its own has no file to read.
        let is_known = message.contains(reason) || message.contains("has no interrupts now");
        assert!(is_known, "{hidden}: {message}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn recordings_with_impossible_numbers_are_refused() {
    let user = User::new();
    let made = run(&user, &["top", "--once", "--record", "r.jsonl"]);
    assert!(made.status.success(), "{}", stderr(&made));
    let text = fs::read_to_string(user.folder().join("r.jsonl")).unwrap();
    let (head, ticks) = text.split_once('\n').unwrap();
    let tick: Value = serde_json::from_str(ticks.lines().next().unwrap()).unwrap();
    for (place, number) in [
        ("/interval_s", "1e999"),
        ("/interval_s", "-1e308"),
        ("/interval_s", "NaN"),
        ("/machine/memory_wait_some", "5"),
        ("/machine/memory_wait_some", "-0.5"),
        ("/nodes/0/used_bytes", "1e40"),
    ] {
        let mut changed = tick.clone();
        *changed.pointer_mut(place).unwrap() = json!("HERE");
        let changed = changed.to_string().replace("\"HERE\"", number);
        user.write("r.jsonl", format!("{head}\n{changed}\n"));
        let (status, message) = refusal(&run(&user, &["top", "--once", "--replay", "r.jsonl"]));
        assert!(status == 1 && message.contains("damaged in line 2"), "{number}: {message}");
    }
    user.write("r.jsonl", head.replace("\"delay_s\":", "\"delay_s\":-") + "\n");
    let (_, message) = refusal(&run(&user, &["top", "--once", "--replay", "r.jsonl"]));
    assert!(message.contains("is not a recording"), "{message}");
}
