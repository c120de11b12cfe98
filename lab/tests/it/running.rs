//! What becomes of a command in a guest, and of the guest, whatever happens to either.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::host::{Host, line, stderr};
use crate::lab::is_ready;

const ALONE: &[&str] = &["--no-wait"];
/// The end of a stand-in that runs until it is stopped, without a child that would outlive it.
const STAYS: &str = r#"mkfifo "${0%/*}/never" 2>/dev/null; read -r line <>"${0%/*}/never""#;

#[test]
fn a_command_finds_a_small_linux_and_its_streams_files_and_status_come_back() {
    if !is_ready("x86_64") {
        return;
    }
    let host = Host::new();
    let kept = host.path("kept");
    let greet = host.script("greet", "echo hello \"$1\"");
    let script = r#"set -e
        test "$(hostname)" = node-7.lab; test "$HOME" = /root; test -z "$TERM"; test -c /dev/null
        test -d /proc/self; test -d /sys/devices/system/node/node0; test -w /tmp; test -d /dev/shm
        ! read -r line; printf '%s|' "$@" >/dev/stdout; greet you
        echo err >&2; seq 200000; echo in-between >/dev/stderr
        mkdir /out/folder; seq 300000 >/out/folder/many; ln -s many /out/folder/link; exit 7"#;
    let kept_at = kept.to_str().unwrap();
    let options = ["--no-wait", "--hostname", "node-7.lab", "--with", &greet, "--out", kept_at];
    let words = ["sh", "-c", script, "sh", "it's", "two words", "", "$HOME", "a\nb"];
    let output = host.run(&options, &words);
    let lines = |count: u32| (1..=count).map(|line| format!("{line}\n")).collect::<String>();

    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    let first = "it's|two words||$HOME|a\nb|hello you\n";
    assert!(output.stdout == format!("{first}{}", lines(200_000)).into_bytes(), "stdout differs");
    assert_eq!(stderr(&output), "err\nin-between\n");
    let many = fs::read_to_string(kept.join("folder/many")).unwrap();
    assert!(many == lines(300_000), "the file differs");
    assert_eq!(fs::read_link(kept.join("folder/link")).unwrap(), Path::new("many"));
    host.assert_left_nothing();
}

#[test]
fn a_killed_command_has_a_shells_status_and_its_files_are_gone() {
    if !is_ready("x86_64") {
        return;
    }
    // What it leaves running delays nothing.
    let script = "[ $(hostname) = small ] || exit; touch /out/a /out/b; sleep 1000 & kill -9 $$";
    let output = Host::new().run(ALONE, &["sh", "-c", script]);
    assert_eq!(output.status.code(), Some(137), "{}", stderr(&output));
    let gone = "and 1 more is gone with the guest: --out DIR keeps it";
    assert!(stderr(&output).contains(gone), "{}", stderr(&output));
}

#[test]
#[ignore = "long: aarch64"]
fn an_aarch64_guest_runs_as_well() {
    if !is_ready("aarch64") {
        return;
    }
    let output = Host::new().run_on("sparse-a64", ALONE, &["uname", "-m"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(output.stdout, b"aarch64\n");
}

#[test]
fn a_command_that_the_guest_does_not_have_is_named() {
    if !is_ready("x86_64") {
        return;
    }
    let host = Host::new();
    let missing = host.run(ALONE, &["numastat", "-v"]);
    assert_eq!(missing.status.code(), Some(127));
    let named = "nearfar-lab: the guest has no 'numastat': it has nearfar";
    assert!(line(&missing).starts_with(named), "{}", stderr(&missing));
    host.assert_left_nothing();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_file_that_the_guest_cannot_run_is_named() {
    if !is_ready("x86_64") {
        return;
    }
    let host = Host::new();
    let unusable = host.run(ALONE, &["/etc/passwd"]);
    assert_eq!(unusable.status.code(), Some(126));
    assert!(line(&unusable).contains("cannot run '/etc/passwd'"), "{}", stderr(&unusable));
    host.assert_left_nothing();
}

#[test]
fn a_program_with_libraries_is_refused() {
    if !is_ready("x86_64") {
        return;
    }
    let dynamic = std::env::current_exe().unwrap();
    let options = ["--no-wait", "--with", dynamic.to_str().unwrap()];
    let refused = Host::new().run(&options, &["true"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(line(&refused).contains("is dynamically linked"), "{}", stderr(&refused));
}

/// A command that outlasts its time limit, on a host where guests begin in much less.
fn is_stopped_after(host: &Host, seconds: &str) {
    let command = ["sh", "-c", "echo here; sleep 1000"];
    let output = host.run(&["--no-wait", "--timeout", seconds], &command);
    assert_eq!(output.status.code(), Some(124), "{}", stderr(&output));
    assert_eq!(output.stdout, b"here\n");
    let limit = format!("stopped while the command ran, after the {seconds} s of --timeout");
    assert!(stderr(&output).contains(&limit), "{}", stderr(&output));
    host.assert_left_nothing();
}

#[test]
fn a_command_that_takes_too_long_is_stopped_and_its_output_is_kept() {
    is_stopped_after(&Host::with_stand_in(STAYS), "5");
}

#[test]
#[ignore = "long: waits for the time limit"]
fn a_real_guest_that_takes_too_long_is_stopped_and_its_output_is_kept() {
    if is_ready("x86_64") {
        is_stopped_after(&Host::new(), "60");
    }
}

fn ctrl_c_is_obeyed(host: &Host) {
    let running = host.start_and_wait_for_its_word(ALONE);
    running.signal(Signal::INT);
    let output = running.output();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(line(&output), "nearfar-lab: interrupted: the guest was stopped");
    host.assert_left_nothing();
}

#[test]
fn ctrl_c_ends_the_guest_in_order() {
    ctrl_c_is_obeyed(&Host::with_stand_in(STAYS));
}

#[test]
#[ignore = "long: boots a guest"]
fn ctrl_c_ends_a_real_guest_in_order() {
    if is_ready("x86_64") {
        ctrl_c_is_obeyed(&Host::new());
    }
}

fn dies_with_its_launcher(host: &Host) {
    let running = host.start_and_wait_for_its_word(ALONE);
    assert!(host.has_an_emulator());
    running.signal(Signal::KILL);
    running.output();
    let deadline = Instant::now() + Duration::from_secs(60);
    while host.has_an_emulator() {
        assert!(Instant::now() < deadline, "the emulator lives on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_emulator_outlives_a_killed_launcher() {
    dies_with_its_launcher(&Host::with_stand_in(STAYS));
}

#[test]
#[ignore = "long: boots a guest"]
fn no_real_emulator_outlives_a_killed_launcher() {
    if is_ready("x86_64") {
        dies_with_its_launcher(&Host::new());
    }
}

#[test]
fn a_panicking_guest_reports_the_cause() {
    if !is_ready("x86_64") {
        return;
    }
    let host = Host::new();
    let script = "echo before; sleep 2; echo c > /proc/sysrq-trigger; sleep 1000";
    let output = host.run(ALONE, &["sh", "-c", script]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(output.stdout, b"before\n");
    let first = stderr(&output).lines().next().unwrap().to_owned();
    let cause = "nearfar-lab: the guest died while the command ran: Kernel panic";
    assert!(first.starts_with(cause), "{first}");
    let console =
        stderr(&output).lines().skip(1).filter(|line| line.starts_with("  guest: ")).count();
    assert!((5..=15).contains(&console), "{}", stderr(&output));
    host.assert_left_nothing();
}

/// A guest that ends before its command does.
fn is_no_success(output: &Output) {
    assert_eq!(output.status.code(), Some(1));
    let cause = "nearfar-lab: the guest died while the command ran";
    assert!(stderr(output).starts_with(cause), "{}", stderr(output));
}

#[test]
fn an_emulator_that_ends_by_itself_is_no_success() {
    is_no_success(&Host::with_stand_in("exit 0").run(ALONE, &["true"]));
}

#[test]
#[ignore = "long: boots a guest"]
fn a_guest_that_powers_itself_off_is_no_success() {
    if is_ready("x86_64") {
        is_no_success(&Host::new().run(ALONE, &["poweroff", "-f"]));
    }
}

#[test]
fn a_reader_that_has_read_enough_ends_it_quietly() {
    if !is_ready("x86_64") {
        return;
    }
    let host = Host::new();
    let mut lab = host.lab("small", ALONE, &["yes"]);
    let mut lab = lab.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    lab.stdout.take().unwrap().read_exact(&mut [0; 2]).unwrap();
    let output = lab.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    host.assert_left_nothing();
}

#[test]
fn a_second_lab_waits_for_the_first() {
    let host = Host::with_stand_in(STAYS);
    let first = host.start_and_wait_for_its_word(&[]);
    let mut second = host.start(&[], &["true"]);
    assert_eq!(
        second.next_line_on_the_side(),
        "nearfar-lab: another lab is running: waiting for it (--no-wait to run beside it)"
    );
    first.signal(Signal::KILL);
    first.output();
    assert_eq!(second.next_line(), "here");
    second.signal(Signal::INT);
    assert_eq!(second.output().status.code(), Some(130));
}

#[test]
fn a_lab_that_waits_can_be_interrupted() {
    let host = Host::with_stand_in(STAYS);
    let lock = fs::File::create(host.path("nearfar-lab.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut waiting = host.start(&[], &["true"]);
    waiting.next_line_on_the_side();
    waiting.signal(Signal::TERM);
    assert_eq!(waiting.output().status.code(), Some(130));
}

#[test]
fn a_full_disk_is_one_line() {
    if !is_ready("x86_64") {
        return;
    }
    let host = Host::new();
    // A file system of 1 MiB, in a view of files that only this process has.
    let lab = host.lab("small", ALONE, &["true"]);
    let script =
        format!("mount -t tmpfs -o size=1m full {} && exec \"$@\"", host.path("").display());
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", &script, "sh"])
        .arg(lab.get_program())
        .args(lab.get_args());
    let output = command.env("TMPDIR", host.path("")).output().unwrap();
    if ["unshare: ", "mount: "].iter().any(|tool| stderr(&output).starts_with(tool)) {
        // The test harness swallows what passing tests print by its own means.
        std::io::stderr()
            .write_all(format!("\nSKIPPED the full disk: {}", stderr(&output)).as_bytes())
            .unwrap();
        return;
    }
    assert_eq!(output.status.code(), Some(1));
    assert!(
        line(&output).contains("No space left on device") && line(&output).contains("TMPDIR"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_folder_that_cannot_be_written_shows_before_the_guest_boots() {
    if !is_ready("x86_64") {
        return;
    }
    let output = Host::new().run(&["--no-wait", "--out", "/proc/out"], &["true"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        line(&output).starts_with("nearfar-lab: cannot keep the command's files in /proc/out"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_unusable_kit_is_one_line_with_a_remedy() {
    let host = Host::new();
    let nowhere =
        host.lab("small", ALONE, &["true"]).env("NEARFAR_LAB_KIT", "/nowhere").output().unwrap();
    assert_eq!(nowhere.status.code(), Some(1));
    assert_eq!(
        line(&nowhere),
        "nearfar-lab: the lab has no kernel for x86_64 (looked in /nowhere/x86_64): run ./dev \
         lab-setup"
    );

    let kit = host.kit_with_qemu("echo QEMU emulator version 6.2.0");
    let old = host.lab("small", ALONE, &["true"]).env("NEARFAR_LAB_KIT", &kit).output().unwrap();
    assert_eq!(old.status.code(), Some(1));
    assert!(line(&old).contains("is QEMU 6.2, and the lab needs 7.2 or later"), "{}", stderr(&old));

    let kit = host.kit_with_qemu(
        "[ \"$1\" != --version ] || exec echo QEMU emulator version 9.0.0; echo no memory >&2; \
         exit 1",
    );
    let dying = host.lab("small", ALONE, &["true"]).env("NEARFAR_LAB_KIT", &kit).output().unwrap();
    assert_eq!(dying.status.code(), Some(1));
    assert_eq!(line(&dying), "nearfar-lab: QEMU ended before the guest wrote anything: no memory");
    host.assert_left_nothing();
}

#[test]
fn what_makes_no_sense_is_wrong_usage() {
    for words in [
        &["run", "small"][..],
        &["run"],
        &["run", "small", "--timeout", "0", "--", "true"],
        &["run", "small", "--hostname", "two words", "--", "true"],
        &["dance"],
    ] {
        let output = crate::lab::lab(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
    }
    let shell = Command::new(env!("CARGO_BIN_EXE_nearfar-lab"))
        .args(["shell", "xeon-2s"])
        .stdin(Stdio::null())
        .output();
    assert!(line(&shell.unwrap()).starts_with("nearfar-lab: a shell needs a terminal"));
}
