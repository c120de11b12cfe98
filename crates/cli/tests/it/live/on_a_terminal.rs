//! `nearfar top` on a terminal, which script(1) makes.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::user::{User, is_running, nearfar, send_to, skip, wait_for};

const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";
const CURSOR: &str = "\u{1b}[?25h";

/// The command on a terminal of this size, `marker` among its words. `None` without script(1).
fn on_terminal(user: &User, columns: u16, lines: u16, words: &str) -> Option<Child> {
    on_terminal_by(user, columns, lines, &format!("{} {words}", nearfar()))
}

/// The same, started by these words of a shell.
pub(crate) fn on_terminal_by(user: &User, columns: u16, lines: u16, words: &str) -> Option<Child> {
    if Command::new("script").arg("--version").output().is_err() {
        skip("no script");
        return None;
    }
    let line = format!("stty cols {columns} rows {lines}; exec {words}");
    let mut command = user.through("script", &["-q", "-e", "-c", &line, "/dev/null"]);
    let command = command.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped());
    Some(command.spawn().expect("script starts"))
}

/// What the terminal received after the screen was drawn and these keys were typed, each when a
/// word was drawn.
fn after_keys(mut terminal: Child, keys: &[(&str, &str)]) -> (String, Option<i32>) {
    let (mut stdin, mut stdout) = (terminal.stdin.take().unwrap(), terminal.stdout.take().unwrap());
    let mut seen = until_drawn(&mut stdout, ENTER);
    for (word, key) in keys {
        seen += &until_drawn(&mut stdout, word);
        stdin.write_all(key.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    (seen + &String::from_utf8_lossy(&rest), terminal.wait().unwrap().code())
}

fn until_drawn(stdout: &mut impl Read, wanted: &str) -> String {
    let mut seen = Vec::new();
    let mut byte = [0];
    let start = Instant::now();
    while !String::from_utf8_lossy(&seen).contains(wanted) {
        let read = stdout.read(&mut byte).unwrap();
        assert!(read > 0, "the command ended: {}", String::from_utf8_lossy(&seen));
        seen.push(byte[0]);
        let text = String::from_utf8_lossy(&seen);
        assert!(start.elapsed() < Duration::from_secs(120), "'{wanted}' is not in {text}");
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[test]
fn keys_change_the_screen_and_quitting_restores_it() {
    let user = User::new();
    let Some(terminal) = on_terminal(&user, 100, 30, "top -d 0.5") else { return };
    let (seen, status) = after_keys(terminal, &[("quit", "M"), ("quit", "I"), ("quit", "q")]);
    assert_eq!(status, Some(0), "{seen}");
    assert!(seen.contains("by memory, inverted") && seen.contains("MEMORY ON"), "{seen}");
    let (_, end) = seen.rsplit_once(LEAVE).expect("the screen is left");
    assert!(!end.contains("PID") && seen.contains(CURSOR), "{end}");
}

#[test]
fn the_selected_process_is_shown_and_the_help_scrolls() {
    let user = User::new();
    let Some(terminal) = on_terminal(&user, 80, 24, "top -d 0.5 --sort memory") else { return };
    let keys = [("quit", "H"), ("rows are", "\u{1b}OP"), ("ends it", "x"), ("quit", "\r")];
    let (seen, status) = after_keys(terminal, &[&keys[..], &[("mappings", "xq")]].concat());
    assert_eq!(status, Some(0), "{seen}");
    for part in ["H: rows are processes", "PgDn, PgUp; q ends it", "mappings"] {
        assert!(seen.contains(part), "{part} in {seen}");
    }
}

#[test]
fn twenty_columns_suffice() {
    let user = User::new();
    let Some(terminal) = on_terminal(&user, 20, 12, "top -d 0.5") else { return };
    let (seen, status) = after_keys_without_footer(terminal);
    assert_eq!(status, Some(0), "{seen}");
    assert!(seen.contains("REMOTE↓  COMMAND"), "{seen}");
}

/// As `after_keys`, for terminals too narrow for the word "quit".
fn after_keys_without_footer(mut terminal: Child) -> (String, Option<i32>) {
    let (mut stdin, mut stdout) = (terminal.stdin.take().unwrap(), terminal.stdout.take().unwrap());
    let mut seen = until_drawn(&mut stdout, "F1 help");
    stdin.write_all(b"q").unwrap();
    stdin.flush().unwrap();
    stdout.read_to_string(&mut seen).unwrap();
    (seen, terminal.wait().unwrap().code())
}

#[test]
fn a_signal_restores_the_terminal() {
    let user = User::new();
    let marker = "nf-no-such-name-41";
    let words = format!("top -d 60 --filter {marker}");
    let Some(mut terminal) = on_terminal(&user, 100, 30, &words) else { return };
    let mut stdout = terminal.stdout.take().unwrap();
    let mut seen = until_drawn(&mut stdout, "quit");
    let pid = pid_of(marker);
    send_to("TERM", pid);
    stdout.read_to_string(&mut seen).unwrap();
    assert!(seen.contains(LEAVE), "{seen}");
    terminal.wait().unwrap();
    wait_for("it ends", || !is_running(marker));
}

/// In a session of its own, it gets no signal.
#[test]
fn a_closed_terminal_ends_it() {
    let user = User::new();
    for (session, marker) in [("", "nf-no-such-name-42"), ("setsid --wait ", "nf-no-such-name-43")]
    {
        let words = format!("{session}{} top -d 60 --filter {marker}", nearfar());
        let Some(mut terminal) = on_terminal_by(&user, 100, 30, &words) else { return };
        until_drawn(terminal.stdout.as_mut().unwrap(), "quit");
        terminal.kill().unwrap();
        terminal.wait().unwrap();
        wait_for("it ends", || !is_running(marker));
    }
}

/// The nearfar process with this word; script(1) and its shell have it, too.
fn pid_of(marker: &str) -> u32 {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let found = processes.filter_map(|process| {
        let words = std::fs::read(process.path().join("cmdline")).ok()?;
        let is_it = words.starts_with(nearfar().as_bytes())
            && String::from_utf8_lossy(&words).contains(marker);
        is_it.then(|| process.file_name().to_string_lossy().parse().ok())?
    });
    found.last().expect("nearfar runs")
}

#[test]
fn a_recording_plays_to_its_damage() {
    let user = User::new();
    let path = user.folder().join("a.jsonl").to_str().unwrap().to_owned();
    assert!(user.run(&["top", "-n", "2", "-d", "0.1", "--record", &path]).status.success());
    let whole = std::fs::read(&path).unwrap();
    let cut = user.write("cut.jsonl", &whole[..whole.len() - 9]);
    let Some(terminal) = on_terminal(&user, 100, 30, &format!("top --replay {cut}")) else {
        return;
    };
    let (seen, status) = after_keys(terminal, &[]);
    let (_, end) = seen.rsplit_once(LEAVE).expect("the screen is left");
    assert!(
        status == Some(1) && end.contains("cut.jsonl is damaged in line 3: it is cut off"),
        "{end}"
    );
}
