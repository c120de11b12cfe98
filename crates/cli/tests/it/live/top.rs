//! `nearfar top` in pipes and files.

use std::fs;
use std::process::{Command, Output};

use nearfar_live::Tick;

use crate::other_user::{OtherUser, Proc};
use crate::user::{User, confined, nearfar, refusal, send, stderr, stdout, wait_for};

fn ticks(output: &Output) -> Vec<Tick> {
    stdout(output).lines().map(|line| serde_json::from_str(line).expect("a tick")).collect()
}

/// A recording of two ticks, and its path.
fn recorded(user: &User) -> String {
    let path = user.folder().join("a.jsonl").to_str().unwrap().to_owned();
    let output = user.run(&["top", "-n", "2", "-d", "0.1", "--json", "--record", &path]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    assert_eq!(ticks(&output).len(), 2);
    path
}

#[test]
fn one_interval_shows_nodes_and_processes() {
    let output = User::new().run(&["top", "--once", "--rows", "3", "-d", "0.2"]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let text = stdout(&output);
    for part in ["\nNODE  TOTAL", "\n    PID  ", "remote cost: ", "  COMMAND\n", "numa_hit"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_tick_is_consistent_with_itself() {
    let output = User::new().run(&["top", "-n", "2", "-d", "0.2", "--json", "--sort", "memory"]);
    let ticks = ticks(&output);
    assert_eq!(ticks.len(), 2, "{}", stderr(&output));
    for tick in &ticks {
        assert!(tick.interval_s > 0.0 && !tick.nodes.is_empty() && tick.processes.len() <= 20);
        assert!(tick.processes.is_sorted_by(|one, next| one.memory_bytes >= next.memory_bytes));
        for row in &tick.processes {
            assert!(row.remote_share.is_some() != row.why.is_some(), "{row:?}");
            let Some(share) = row.remote_share else { continue };
            let [low, high] = share.ci95;
            assert!(0.0 <= low && low <= share.value && share.value <= high && high <= 1.0);
            assert!(row.sampled_pages > 0 && !row.by_node.is_empty(), "{row:?}");
        }
    }
}

#[test]
fn a_recording_is_replayed() {
    let user = User::new();
    let path = recorded(&user);
    let output = user.run(&["top", "--replay", &path, "--json"]);
    assert_eq!((output.status.code(), ticks(&output).len()), (Some(0), 2));
    let lines = fs::read_to_string(&path).unwrap();
    assert!(lines.starts_with("{\"schema\":\"nearfar.top/1\",\"recorded_by\":\"nearfar "));
    let text = stdout(&user.run(&["top", "--replay", &path]));
    assert_eq!(text.matches("\nNODE").count(), 2, "{text}");
    let none = stdout(&user.run(&["top", "--replay", &path, "--once", "--filter", "no such"]));
    assert!(none.contains("NAME\n") || none.contains("COMMAND\n"), "{none}");
}

#[test]
fn damaged_recordings_keep_the_ticks_before() {
    let user = User::new();
    let whole = fs::read(recorded(&user)).unwrap();
    let cut = user.write("cut.jsonl", &whole[..whole.len() - 20]);
    let output = user.run(&["top", "--replay", &cut, "--json"]);
    let (status, line) = refusal(&output);
    assert_eq!((status, ticks(&output).len()), (1, 1));
    let wanted = "cut.jsonl is damaged in line 3: it is cut off; the 1 ticks before it are whole";
    assert!(line.ends_with(wanted), "{line}");
    for (name, content, why) in [
        ("empty", &b""[..], "is not a recording of 'nearfar top --record': it is empty"),
        ("other", b"{\"schema\":\"nearfar.where/1\"}\n", "its first line is no head"),
        ("binary", &[0, 255, 10, 7], "its first line is no head"),
        ("head", whole.split_inclusive(|it| *it == b'\n').next().unwrap(), "has no interval"),
    ] {
        let file = user.write(name, content);
        let (status, line) = refusal(&user.run(&["top", "--replay", &file]));
        assert!(status == 1 && line.contains(why), "{name}: {line}");
    }
    let (status, line) = refusal(&user.run(&["top", "--replay", "/no/such/file"]));
    assert!(status == 1 && line.contains("cannot read /no/such/file"), "{line}");
}

#[test]
fn recordings_are_not_overwritten_and_full_disks_are_named() {
    let user = User::new();
    let path = recorded(&user);
    let again = ["top", "--once", "-d", "0.1", "--record", &path];
    let (status, line) = refusal(&user.run(&again));
    assert!(status == 2 && line.contains("already exists: --force"), "{line}");
    let forced = user.run(&[&again[..], &["--force"]].concat());
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
    let full = ["top", "--once", "-d", "0.1", "--record", "/dev/full", "--force"];
    let (status, line) = refusal(&user.run(&full));
    assert!(status == 1 && line.contains("cannot write to /dev/full: No space"), "{line}");
}

#[test]
fn wrong_usage_is_one_error() {
    for args in [
        &["top", "-d", "0"][..],
        &["top", "-d", "x"],
        &["top", "-n", "0"],
        &["top", "--rows", "0"],
        &["top", "--sort", "colour"],
        &["top", "--once", "-n", "2"],
        &["top", "--record", "a", "--replay", "b"],
        &["top", "--force"],
        &["top", "-p", "x"],
        &["top", "-u", "root", "--replay", "b"],
    ] {
        let output = User::new().run(args);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{args:?}");
        assert!(stderr(&output).starts_with("error: "), "{}", stderr(&output));
    }
}

#[test]
fn a_denied_call_is_shown_and_nothing_fails() {
    let user = User::new();
    let words = ["--deny-memory-policy", nearfar(), "top", "--once", "-d", "0.1", "--json"];
    let output = user.through(confined(), &words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shares = ticks(&output).remove(0).processes;
    assert!(shares.iter().all(|row| row.remote_share.is_none() && row.why.is_some()));
}

#[test]
fn other_users_processes_are_counted_and_not_shown() {
    let Some(other) = OtherUser::new() else { return };
    let shown = stdout(&other.run(Proc::ShowsAll, "top --once -d 0.1"));
    assert!(shown.contains("own processes only: root also sees "), "{shown}");
    assert!(shown.contains(" of other users"), "{shown}");
    let shown = stdout(&other.run(Proc::HidesOthers, "top --once -d 0.1"));
    assert!(shown.contains("other processes may be hidden"), "{shown}");
    let ticks = stdout(&other.run(Proc::HidesOthers, "top --once -d 0.1 --json"));
    assert!(ticks.contains("\"of_others\":null"), "{ticks}");
}

#[test]
fn processes_end_while_they_are_watched() {
    let user = User::new();
    let mut top = user.command(&["top", "-n", "5", "-d", "0.2", "--json"]);
    let top = top.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let children = |seconds: &str| {
        (0..40).map(|_| Command::new("sleep").arg(seconds).spawn().unwrap()).collect::<Vec<_>>()
    };
    for mut child in children("0.3").into_iter().chain(children("0.01")) {
        child.wait().unwrap();
    }
    let output = top.wait_with_output().unwrap();
    assert_eq!((output.status.code(), ticks(&output).len()), (Some(0), 5), "{}", stderr(&output));
}

#[test]
fn a_signal_ends_it_and_closed_pipes_are_no_failure() {
    let user = User::new();
    let file = user.folder().join("kept.jsonl");
    let words = ["top", "--json", "-d", "0.1", "--record", file.to_str().unwrap()];
    let mut top = user.command(&words).stdout(std::process::Stdio::null()).spawn().unwrap();
    wait_for("a tick is recorded", || {
        fs::read_to_string(&file).is_ok_and(|text| text.lines().count() > 1)
    });
    send("TERM", &top);
    assert_eq!(top.wait().unwrap().code(), Some(0));
    let words = ["top", "--once", "-d", "3600"];
    let mut top = user.command(&words);
    let top = top.stderr(std::process::Stdio::piped()).spawn().unwrap();
    wait_for("signals are caught", || {
        let status = fs::read_to_string(format!("/proc/{}/status", top.id())).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t"));
        mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|it| it >> 14 & 1 == 1)
    });
    send("TERM", &top);
    let output = top.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(stderr(&output), "nearfar: interrupted: 0 of 1 intervals\n");
    let line = format!("{} top -d 0.1 | head -n 1", nearfar());
    let output = user.through("sh", &["-c", &line]).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn processes_and_users_are_chosen() {
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = &sleeper.id().to_string();
    let user = User::new();
    let words = ["top", "--once", "-d", "0.1", "--json", "-p", pid];
    let tick: serde_json::Value = serde_json::from_str(&stdout(&user.run(&words))).unwrap();
    let rows = tick["processes"].as_array().unwrap();
    assert_eq!((rows.len(), rows[0]["pid"].to_string()), (1, pid.clone()), "{tick}");
    assert!(tick["counters"][0]["allocations_pages"]["numa_hit"].is_u64(), "{tick}");
    let text = stdout(&user.run(&["top", "--once", "-d", "0.1", "-p", pid]));
    assert!(text.starts_with(&format!("PID: {pid}  ")), "{text}");
    assert!(text.contains("sleep 60"), "the command line: {text}");
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    let (status, line) = refusal(&user.run(&["top", "--once", "-p", "4194305"]));
    assert!(status == 1 && line.contains("4194305"), "{line}");
    let (status, line) = refusal(&user.run(&["top", "--once", "-u", "nf-absent"]));
    assert!(status == 2 && line.contains("there is no user 'nf-absent'"), "{line}");
}
