//! Completions in the shells themselves: words are typed on a terminal, a tab after them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Child, Command, Stdio};

use crate::user::{User, nearfar, skip, stdout, success};

/// What is typed, and the line that it becomes.
fn expected(user: &User) -> Vec<(String, String)> {
    let device = a_device(user);
    let mut all: Vec<(String, String)> = [
        ("cor", "core-to-core"),
        ("plot mach", "plot machine"),
        ("show 1 --part clas", "show 1 --part classes"),
        ("show 1 --part=clas", "show 1 --part=classes"),
        ("show ", "show 1"),
        ("survey --only hidden,loa", "survey --only hidden,loaded"),
        ("run zz-prog", "run zz-program"),
        ("diagnose --root zz-f", "diagnose --root zz-file"),
        ("diagnose --root=zz-f", "diagnose --root=zz-file"),
        ("help hardw", "help hardware"),
        ("where zz-pro", "where zz-program"),
    ]
    .map(|(typed, line)| (typed.to_owned(), line.to_owned()))
    .into();
    all.extend(device.map(|name| (format!("irq {name}"), format!("irq {name}"))));
    all
}

/// The name of one of this machine's devices that begins no other name.
fn a_device(user: &User) -> Option<String> {
    let names = success(&user.run(&["__complete", "irq", ""]));
    let names: Vec<&str> = names.lines().map(|line| line.split('\t').next().unwrap()).collect();
    let is_alone =
        |name: &&&str| names.iter().filter(|other| other.starts_with(**name)).count() < 2;
    names.iter().find(is_alone).map(|name| (*name).to_owned())
}

/// A user with one survey, a program `zz-program`, a file `zz-file` and this shell's script.
fn user_of(shell: &str) -> User {
    let user = User::new();
    fs::create_dir_all(user.folder().join("data/nearfar")).unwrap();
    user.write("data/nearfar/a.json", include_str!("../../../report/tests/golden/several.json"));
    fs::create_dir(user.folder().join("bin")).unwrap();
    let program = user.write("bin/zz-program", "#!/bin/sh\nread line\n");
    fs::set_permissions(program, Permissions::from_mode(0o755)).unwrap();
    symlink(nearfar(), user.folder().join("bin/nearfar")).unwrap();
    fs::create_dir(user.folder().join("work")).unwrap();
    user.write("work/zz-file", "");
    user.write("script", stdout(&user.run(&["completions", shell])));
    user
}

/// Runs a shell in the user's folder, with the user's programs.
fn shell(user: &User, program: &str, args: &[&str]) -> Command {
    let path = std::env::var("PATH").unwrap();
    let mut command = user.through(program, args);
    command
        .current_dir(user.folder().join("work"))
        .env("PATH", format!("{}:{path}", user.folder().join("bin").display()))
        .env("HOME", user.folder())
        .env("TERM", "xterm");
    command
}

/// The program `zz-program`, while it waits for input.
struct Running(Child);

impl Running {
    fn start(user: &User) -> Self {
        let program = user.folder().join("bin/zz-program");
        Self(Command::new(program).stdin(Stdio::piped()).spawn().expect("it starts"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Types each line with a tab and Enter; the shell's `nearfar` prints the words that it gets.
fn typed(user: &User, line: &str, lines: &[(String, String)]) -> String {
    let mut terminal = shell(user, "script", &["-qec", line, "/dev/null"]);
    let terminal = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = terminal.spawn().unwrap();
    let keys: String = lines.iter().map(|(typed, _)| format!("nearfar {typed}\t\n")).collect();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, (keys + "exit\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn is_missing(program: &str) -> bool {
    let is_missing = Command::new(program).arg("--version").output().is_err();
    if is_missing {
        skip(&format!("no {program} (apt-get install {program})"));
    }
    is_missing
}

fn check(seen: &str, lines: &[(String, String)]) {
    for (typed, line) in lines {
        assert!(seen.contains(&format!("<{line}>")), "{typed} is not '{line}' in:\n{seen}");
    }
}

/// `nearfar` as a function that shows its words. The script calls the program.
const SHOWS: &str = "nearfar() { printf '<%s>\\n' \"$*\"; }\n";

#[test]
fn bash_completes_words() {
    if is_missing("script") || is_missing("bash") {
        return;
    }
    let user = user_of("bash");
    let _running = Running::start(&user);
    let start = format!("source {}\n{SHOWS}", user.folder().join("script").display());
    let start = user.write("start", start);
    let mut lines = expected(&user);
    // The file of the folder fits, too.
    lines.retain(|(typed, _)| typed != "show ");
    let seen = typed(&user, &format!("bash --noprofile --rcfile {start} -i"), &lines);
    check(&seen, &lines);
}

#[test]
fn zsh_completes_words() {
    if is_missing("script") || is_missing("zsh") {
        return;
    }
    let user = user_of("zsh");
    let _running = Running::start(&user);
    let script = user.folder().join("script");
    let start = format!(
        "autoload -Uz compinit; compinit -u -D; PS1='> '\nsource {}\n{SHOWS}",
        script.display()
    );
    user.write(".zshrc", start);
    let mut lines = expected(&user);
    lines.retain(|(typed, _)| typed != "show ");
    let folder = user.folder().display();
    let seen = typed(&user, &format!("env ZDOTDIR={folder} zsh -d -i"), &lines);
    check(&seen, &lines);
}

/// fish completes a line without a terminal.
#[test]
fn fish_completes_words() {
    if is_missing("fish") {
        return;
    }
    let user = user_of("fish");
    let _running = Running::start(&user);
    let script = user.folder().join("script");
    for (typed, line) in expected(&user) {
        let asked = format!("source {}; complete -C 'nearfar {typed}'", script.display());
        let output = shell(&user, "fish", &["--no-config", "-c", &asked]).output().unwrap();
        let offered = success(&output);
        let last = line.rsplit(' ').next().unwrap();
        let is_offered = offered.lines().any(|one| one.split('\t').next() == Some(last));
        assert!(is_offered, "{typed}: {last} is not in:\n{offered}");
    }
}

#[test]
fn a_wrong_question_lists_nothing() {
    let user = User::new();
    for words in [&["__complete"][..], &["__complete", "nosuch", ""], &["__complete", "-x", "y"]] {
        let output = user.run(words);
        assert!(output.stderr.is_empty() || words.len() == 1, "{words:?}");
    }
    assert_eq!(success(&user.run(&["__complete", "nosuch", ""])), "");
}
